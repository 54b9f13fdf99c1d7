import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const ROOT = path.dirname(import.meta.dirname);

interface Coverage {
	readonly covered: readonly string[];
	readonly missing: readonly string[];
}

describe("the conformance suite", () => {
	it("X-23 every S-id stands in the name of a test, but for those whose behaviour is still to come", async () => {
		const { stdout } = await promisify(execFile)(process.execPath, ["scripts/spec-coverage.ts", "--json"], { cwd: ROOT });
		const { covered, missing } = JSON.parse(stdout) as Coverage;
		const { pending } = JSON.parse(await readFile(path.join(ROOT, "test/spec-ids.json"), "utf8")) as {
			readonly pending: readonly string[];
		};
		const ours = [...covered, ...missing].filter((id) => id.startsWith("S-"));
		expect(new Set(ours).size).toBe(201);
		expect(missing.filter((id) => id.startsWith("S-") && !pending.includes(id))).toEqual([]);
		expect(covered).toContain("X-23");
	});
});
