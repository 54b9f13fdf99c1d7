import { expect, it } from "vitest";
import { countApiCalls } from "./count-api-calls.ts";

it("R20 a review with eight comments on lines asks GitHub at most twelve times", async () => {
	expect((await countApiCalls()).length).toBeLessThanOrEqual(12);
});
