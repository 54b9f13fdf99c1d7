import { describe, expect, it } from "vitest";
import type { ChangedFile, FilePatch, Hunk } from "../../src/domain/change-set.ts";
import type { RunContext } from "../../src/domain/run-context.ts";
import { buildPack, type PackInput } from "../../src/plan/build-pack.ts";

const SHA = "a".repeat(40);

function hunk(start: number, lines: number, word: string): Hunk {
	return {
		oldStart: start,
		oldLines: 0,
		newStart: start,
		newLines: lines,
		section: "",
		lines: Array.from({ length: lines }, (_, index) => ({ kind: "added", text: `${word} ${index}`, newLine: start + index })),
	};
}

function input(patches: readonly FilePatch[], more: Partial<PackInput> = {}): PackInput {
	const files = patches.map(
		(patch): ChangedFile => ({
			path: patch.path,
			status: "modified",
			oldMode: "100644",
			newMode: "100644",
			oldBlob: SHA,
			newBlob: SHA,
			binary: false,
			additions: 1,
			deletions: 0,
		}),
	);
	const context = { mergeBase: SHA, head: SHA, notes: [] } as unknown as RunContext;
	const plan = { assignments: [], skippedFiles: [], languages: {}, skippedAgents: [], notes: [] };
	return { context, changeSet: { mergeBase: SHA, head: SHA, files }, plan, patches, instructions: "", ...more };
}

const LARGE: FilePatch = { path: "large.ts", binary: false, hunks: [hunk(1, 200, "giant"), hunk(500, 3, "small")] };

describe("the pack", () => {
	it("shows the small hunks of a file that does not fit, and names the file as one to read", () => {
		const pack = buildPack(input([LARGE], { budgetTokens: 100 }));
		const text = pack.blocks.map((block) => block.text).join("\n");
		expect(pack.shown.get("large.ts")).toEqual([1]);
		expect([...pack.complete]).toEqual([]);
		expect(pack.leftOut).toEqual(["large.ts"]);
		expect(text).toContain("+small 2");
		expect(text).not.toContain("+giant");
		expect(text).toContain("large.ts (in part above)");
	});

	it("names what encloses a hunk, and gives excerpts what the diff leaves of the budget, in their order", () => {
		const excerpt = (path: string, size: number) => ({ path, startLine: 5, endLine: 5, text: "x".repeat(size), reason: `defines ${path}` });
		const patch: FilePatch = { path: "a.ts", binary: false, hunks: [hunk(1, 2, "word")] };
		const surroundings = {
			enclosing: new Map([["a.ts", ["Budget.spend"]]]),
			excerpts: [excerpt("one.ts", 100), excerpt("huge.ts", 4_000), excerpt("two.ts", 100)],
		};
		const pack = buildPack(input([patch], { surroundings, budgetTokens: 150 }));
		const text = pack.blocks.map((block) => block.text).join("\n");
		expect(text).toContain("@@ -1,0 +1,2 @@ in Budget.spend\n+word 0\n+word 1\n");
		expect(pack.excerpts.map((one) => one.path)).toEqual(["one.ts", "two.ts"]);
		expect(text).toContain(`=== one.ts:5 defines one.ts\n${"x".repeat(100)}\n`);
		expect(pack.complete).toEqual(new Set(["a.ts"]));
	});
});
