import { describe, expect, it } from "vitest";
import type { CheckRun } from "../../src/domain/patch.ts";
import { provePatch } from "../../src/fix/prove-patch.ts";

const run = (command: string, outcome: CheckRun["outcome"], output = ""): CheckRun => ({ command, outcome, output, durationMs: 1 });
const prove = (before: readonly CheckRun[], after: readonly CheckRun[]) =>
	provePatch({ before: async () => before, after: async () => after });

describe("the proof of a patch", () => {
	it("X-12 what fails with the patch is red, whether it passed before or not", async () => {
		expect(await prove([run("t", "passed")], [run("t", "failed")])).toMatchObject({
			verdict: "red",
			sentence: "`t` fails with the patch (it passed before).",
		});
		expect((await prove([run("t", "failed")], [run("t", "failed")])).verdict).toBe("red");
		expect((await prove([run("t", "passed")], [run("t", "timed-out")])).verdict).toBe("red");
		expect((await prove([run("t", "passed"), run("u", "passed")], [run("t", "passed"), run("u", "failed")])).verdict).toBe("red");
	});

	it("X-12 what passes with the patch is proved, and a repair is told from what was green already", async () => {
		expect((await prove([run("t", "passed")], [run("t", "passed")])).sentence).toBe("`t` passes before and with the patch.");
		expect((await prove([run("t", "failed")], [run("t", "passed")])).sentence).toContain("did not");
	});

	it("X-12 without any check that ran nothing is proved, and the reason is said", async () => {
		expect((await prove([], [])).verdict).toBe("unproved");
		const missing = await prove([run("t", "not-installed", "is not installed here")], [run("t", "not-installed", "is not installed here")]);
		expect(missing).toMatchObject({ verdict: "unproved" });
		expect(missing.sentence).toContain("is not installed");
	});
});
