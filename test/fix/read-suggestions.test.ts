import { describe, expect, it } from "vitest";
import { applySuggestions, readSuggestion, type Suggestion } from "../../src/fix/read-suggestions.ts";

const place = { fingerprint: "f1", path: "a.ts", commit: "1".repeat(40), startLine: 2, endLine: 2 };
const body = (text: string, ticks = "```") =>
	`<!-- rookery:finding v1 {} -->\n\n**Minor: x** (R7K2)\n\n${ticks}suggestion\n${text}\n${ticks}\n\nTraced.`;

function suggest(lines: readonly string[], more: Partial<Suggestion> = {}): Suggestion {
	return { ...place, lines, ...more };
}

describe("suggestions of our own comments", () => {
	it("are read from the fence they stand in, whatever its length, and from nothing else", () => {
		expect(readSuggestion(body("two();"), place)?.lines).toEqual(["two();"]);
		expect(readSuggestion(body("a\r\n\r\nb"), place)?.lines).toEqual(["a", "", "b"]);
		expect(readSuggestion(body("text with ```\nfence", "````"), place)?.lines).toEqual(["text with ```", "fence"]);
		expect(readSuggestion(body("x").replace("suggestion", "ts"), place)).toBeUndefined();
		expect(readSuggestion("prose", place)).toBeUndefined();
		// What had a secret taken out is no replacement any more.
		expect(readSuggestion(body("key = [REDACTED]"), place)).toBeUndefined();
	});

	it("go to the lines they were written for, and follow them when those moved", () => {
		const base = "one\ntwo\nthree\n";
		const textAt = () => base;
		expect(applySuggestions(base, [suggest(["2"])], textAt).content).toBe("one\n2\nthree\n");
		expect(applySuggestions(`new\nnew\n${base}`, [suggest(["2", "2b"])], textAt)).toEqual({
			content: "new\nnew\none\n2\n2b\nthree\n",
			applied: ["f1"],
			left: [],
		});
	});

	it("are left where their lines have changed, stand twice, are blank, or are taken by another", () => {
		const textAt = () => "one\ntwo\n\n";
		const why = (head: string, ...all: Suggestion[]) => applySuggestions(head, all, textAt).left.map((each) => each.reason);
		expect(why("one\n2\n", suggest(["x"]))).toEqual(["the lines it was written for have changed since"]);
		expect(why("zero\none\ntwo\ntwo\n", suggest(["x"], { startLine: 1, endLine: 1 }))).toEqual([]);
		expect(why("a\nb\ntwo\ntwo\n", suggest(["x"]))).toHaveLength(1);
		expect(why("a\nb\nc\n\n", suggest(["x"], { startLine: 3, endLine: 3 }))).toHaveLength(1);
		const both = applySuggestions("one\ntwo\n", [suggest(["x"]), suggest(["y"], { fingerprint: "f2", startLine: 1 })], textAt);
		expect(both).toMatchObject({ content: "one\nx\n", applied: ["f1"], left: [{ fingerprint: "f2" }] });
		// A commit that is gone from the clone has no text.
		expect(applySuggestions("one\ntwo\n", [suggest(["x"])], () => "").applied).toEqual([]);
	});

	it("several of one file are applied together, and the file's line ends stay (BR-13)", () => {
		const base = "a\r\nb\r\nc\r\nd\r\n";
		const two = [suggest(["B1", "B2"]), suggest(["D"], { fingerprint: "f2", startLine: 4, endLine: 4 })];
		expect(applySuggestions(base, two, () => base).content).toBe("a\r\nB1\r\nB2\r\nc\r\nD\r\n");
	});
});
