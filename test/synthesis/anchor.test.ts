import { describe, expect, it } from "vitest";
import { anchorFinding } from "../../src/synthesis/anchor.ts";
import { checkSuggestion } from "../../src/synthesis/check-suggestion.ts";
import { anchorContext, changedFile, patchOf, reported, SAMPLE_PATCH, SAMPLE_TEXT } from "./build-fixtures.ts";

const sample = anchorContext([changedFile("a.ts")], [patchOf("a.ts", SAMPLE_PATCH)], { "a.ts": SAMPLE_TEXT, "other.ts": "export {}\n" });

describe("anchorFinding", () => {
	it("corrects the lines from the quote, blanks aside", () => {
		const anchor = anchorFinding(reported({ path: "a.ts", quote: "  const   line5 = 5;", startLine: 1, endLine: 1 }), sample);
		expect(anchor).toMatchObject({
			tier: "inline",
			side: "RIGHT",
			startLine: 5,
			endLine: 5,
			quote: "const line5 = 5;",
			hallucinated: false,
		});
	});

	it("takes the place nearest to the claimed line", () => {
		const text = ["x()", "a", "x()", "b", "x()"].join("\n");
		const context = anchorContext([changedFile("a.ts")], [patchOf("a.ts", "@@ -1,5 +1,5 @@\n x()\n a\n x()\n b\n x()\n")], {
			"a.ts": text,
		});
		expect(anchorFinding(reported({ path: "a.ts", quote: "x()", startLine: 4 }), context).startLine).toBe(3);
		expect(anchorFinding(reported({ path: "a.ts", quote: "x()", startLine: 99 }), context).startLine).toBe(5);
	});

	it("BR-14 only what lies in a fetched hunk is inline; the rest keeps travelling with its reason", () => {
		const k = changedFile("k.ts");
		const text = Array.from({ length: 50 }, (_, index) => `// ${index + 1}`).join("\n");
		const context = anchorContext([k], [patchOf("k.ts", "@@ -3,0 +4 @@ export {}\n+export const k = 1\n")], { "k.ts": text });
		const place = (path: string, line: number) => {
			const anchor = anchorFinding(reported({ path, startLine: line, endLine: line, side: "RIGHT" }), context);
			return [anchor.path, anchor.tier, anchor.startLine];
		};
		expect(place("k.ts", 40)).toEqual(["k.ts", "file", 40]);
		expect(place("k.ts", 4)).toEqual(["k.ts", "inline", 4]);
		expect(place("src/ghost.ts", 1)).toEqual(["src/ghost.ts", "body", 0]);
		expect(place("k.ts", 0)).toEqual(["k.ts", "file", 0]);
		expect(place("./k.ts", 4)).toEqual(["k.ts", "inline", 4]);
		expect(place("K.ts", 4)).toEqual(["k.ts", "inline", 4]);
	});

	it("BR-15 a range over two hunks shrinks to the hunk of its end and loses its suggestion", () => {
		const text = ["A", "b", ...Array.from({ length: 17 }, (_, index) => `m${index}`), "C", "d"].join("\n");
		const patch = patchOf("m.ts", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -20,2 +20,2 @@\n-c\n+C\n d");
		const context = anchorContext([changedFile("m.ts")], [patch], { "m.ts": text });
		const anchor = anchorFinding(reported({ path: "m.ts", startLine: 2, endLine: 20, side: "RIGHT", suggestion: "x" }), context);
		expect(anchor).toMatchObject({ tier: "inline", startLine: 20, endLine: 20 });
		expect(anchor.suggestion).toBeUndefined();
		expect(anchor.proposal?.text).toBe("x");
	});

	it("BR-16 a deleted line is on the LEFT with its old number and never has a suggestion", () => {
		const context = anchorContext([changedFile("s.ts")], [patchOf("s.ts", "@@ -5,3 +5,2 @@\n keep\n-checkAuth(user)\n run()")], {
			"s.ts": "1\n2\n3\n4\nkeep\nrun()\n",
		});
		const byQuote = anchorFinding(
			reported({ path: "s.ts", quote: "checkAuth(user)", startLine: 6, title: "auth check removed", suggestion: "checkAuth(user)" }),
			context,
		);
		expect(byQuote).toMatchObject({ path: "s.ts", side: "LEFT", startLine: 6, endLine: 6, tier: "inline", quote: "checkAuth(user)" });
		expect(byQuote.suggestion).toBeUndefined();
		const byNumber = anchorFinding(reported({ path: "s.ts", side: "LEFT", startLine: 6, endLine: 6 }), context);
		expect(byNumber).toMatchObject({ side: "LEFT", startLine: 6, tier: "inline" });
	});

	it("BR-19 both names of a renamed file lead to the head-side name, on both sides", () => {
		const file = changedFile("src/new_name.ts", { previousPath: "src/old_name.ts", status: "renamed" });
		const text = [...Array.from({ length: 11 }, (_, index) => `// ${index}`), "  return 2"].join("\n");
		const context = anchorContext([file], [patchOf("src/new_name.ts", "@@ -12 +12 @@ export function f() {\n-  return 1\n+  return 2\n")], {
			"src/new_name.ts": text,
		});
		expect(anchorFinding(reported({ path: "src/old_name.ts", quote: "return 2" }), context)).toMatchObject({
			path: "src/new_name.ts",
			side: "RIGHT",
			tier: "inline",
		});
		expect(anchorFinding(reported({ path: "src/old_name.ts", quote: "return 1" }), context)).toMatchObject({
			path: "src/new_name.ts",
			side: "LEFT",
			tier: "inline",
		});
	});

	it("X-02 line 9999 and code that does not exist never become line comments and are flagged", () => {
		const line = anchorFinding(reported({ path: "a.ts", startLine: 9999, endLine: 9999 }), sample);
		expect(line).toMatchObject({ tier: "file", startLine: 0, hallucinated: true });
		expect(line.tierReason).toBe("line 9999 does not exist, the file has 10 lines");
		const code = anchorFinding(reported({ path: "a.ts", quote: "launchMissiles()", startLine: 5 }), sample);
		expect(code).toMatchObject({ tier: "file", startLine: 0, hallucinated: true });
		for (const wrong of [-3, 2.5, 0]) {
			expect(anchorFinding(reported({ path: "a.ts", startLine: wrong }), sample).tier).toBe("file");
		}
	});

	it("X-03 a finding in an unchanged file goes to the body, with its line", () => {
		const anchor = anchorFinding(reported({ path: "other.ts", quote: "export {}" }), sample);
		expect(anchor).toMatchObject({ tier: "body", startLine: 1, hallucinated: false });
	});

	it("X-03 binary, moved and submodule entries have no line anchors", () => {
		const files = [
			changedFile("i.png", { binary: true }),
			changedFile("moved.ts", { status: "renamed", previousPath: "was.ts" }),
			changedFile("run.sh", { status: "mode-changed" }),
			changedFile("lib", { submodule: { from: "a", to: "b" } }),
		];
		const context = anchorContext(files, [], { "moved.ts": "x\n", "run.sh": "x\n" });
		const tiers = files.map((file) => anchorFinding(reported({ path: file.path, startLine: 1 }), context).tier);
		expect(tiers).toEqual(["file", "file", "body", "body"]);
	});
});

describe("checkSuggestion", () => {
	const lines = Array.from({ length: 12 }, (_, index) => `// ${index + 1}`);
	lines[9] = "  let n = 0";
	lines[10] = "  return n";
	const hunk = { startLine: 9, endLine: 12 };
	const check = (suggestion: string, endLine = 10) => checkSuggestion({ suggestion, startLine: 10, endLine, lines, hunk });

	it("BR-18 text that is not a replacement is refused; repeated neighbours widen the range", () => {
		expect(check("-  let n = 0\n+  let n = 1")).toMatchObject({ ok: false });
		expect(check("  let n = 1\n  ...")).toMatchObject({ ok: false });
		expect(check("  let n = 0")).toMatchObject({ ok: false });
		expect(check("  let n = 1\n  return n")).toEqual({ ok: true, suggestion: "  let n = 1\n  return n", startLine: 10, endLine: 11 });
	});

	it("BR-18 neighbours outside the hunk cannot be taken in, and neighbours alone are no replacement", () => {
		const narrow = checkSuggestion({
			suggestion: "  let n = 1\n  return n",
			startLine: 10,
			endLine: 10,
			lines,
			hunk: { startLine: 10, endLine: 10 },
		});
		expect(narrow.ok).toBe(false);
		expect(checkSuggestion({ suggestion: "  let n = 0", startLine: 11, endLine: 11, lines, hunk }).ok).toBe(false);
	});

	it("BR-17 a suggestion with fences of its own passes whole", () => {
		const text = "Run:\n```sh\nnpm ci\n```\nthen ````four````";
		expect(check(text)).toMatchObject({ ok: true, suggestion: text });
		expect(check("```ts\n  let n = 2\n```")).toMatchObject({ ok: true, suggestion: "  let n = 2" });
	});

	it("BR-13 keeps the line ending of the file", () => {
		const crlf = lines.map((line) => `${line}\r`);
		expect(checkSuggestion({ suggestion: "  let n = 1\n  let m", startLine: 10, endLine: 10, lines: crlf, hunk })).toMatchObject({
			ok: true,
			suggestion: "  let n = 1\r\n  let m",
		});
	});

	it("A98 hidden characters are never offered as a suggestion", () => {
		expect(check("  let n = 1 // \u202Eevil").ok).toBe(false);
	});
});
