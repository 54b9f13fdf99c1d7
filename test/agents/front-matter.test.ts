import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAgentFile } from "../../src/agents/agent-file.ts";
import { readFrontMatter } from "../../src/agents/front-matter.ts";
import { splitFrontMatter } from "../../src/agents/front-matter-split.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures/agents");

function read(name: string): string {
	return readFileSync(join(FIXTURES, name), "utf8");
}

function parse(text: string | Uint8Array) {
	return parseAgentFile({ path: ".claude/agents/x.md", bytes: Buffer.from(text), tier: "repository" });
}

describe("splitFrontMatter", () => {
	it("BR-62 opens and closes only on whole lines, whatever stands in values and body", () => {
		expect(splitFrontMatter("\uFEFF---\nname: a\ndescription: b\n---\nx\n---\ny")).toMatchObject({
			kind: "split",
			header: "name: a\ndescription: b",
			body: "x\n---\ny",
		});
		expect(splitFrontMatter("---  \nname: a\ndescription: x --- y\n---  \nbody")).toMatchObject({
			header: "name: a\ndescription: x --- y",
			body: "body",
		});
		expect(splitFrontMatter("---\r\nname: a\r\n...\r\nbody\r\n")).toMatchObject({ header: "name: a", body: "body\n" });
		expect(splitFrontMatter("---\nname: a\ndescription: |\n  one\n  ---\n  two\n---\nbody")).toMatchObject({ body: "body" });
	});

	it("BR-62 tells what is wrong with a header that is not closed or not in the first line", () => {
		expect(splitFrontMatter("---\n\nname: a\ndescription: b\n------------\nbody")).toMatchObject({
			kind: "broken",
			reason: expect.stringContaining("line 5"),
		});
		expect(splitFrontMatter("---\nname: a\ndescription: b\n\n# Body")).toMatchObject({
			kind: "broken",
			reason: expect.stringContaining("never closed"),
		});
		expect(splitFrontMatter("\n---\nname: a\ndescription: b\n---\n")).toMatchObject({
			kind: "none",
			hint: expect.stringContaining("line 2"),
		});
		expect(splitFrontMatter("\n    ---\n    name: a\n    description: b\n    ---\n    Body")).toMatchObject({
			kind: "none",
			hint: expect.stringContaining("indented"),
		});
		for (const name of ["long-dashes.md", "never-closed.md", "indented-header.md"]) expect(parse(read(name)).state).not.toBe("loaded");
	});

	it("BR-62 leaves a plain text without a word", () => {
		const split = splitFrontMatter("# Notes\n\n---\n\nmore");
		expect(split).toEqual({ kind: "none", body: "# Notes\n\n---\n\nmore" });
	});
});

describe("readFrontMatter", () => {
	it("BR-35 never evaluates a header in another language", () => {
		for (const language of ["js", " js", "javascript", "coffee", "json", "toml", "yaml"]) {
			const text = `---${language}\n{ name: (globalThis.__rookeryFrontMatterRan = true, "x"), description: "y" }\n---\nbody`;
			expect(readFrontMatter(text).kind).toBe("refused");
		}
		expect(parse(read("json-header.md"))).toMatchObject({ state: "refused", reason: expect.stringContaining("---json") });
		expect(Reflect.get(globalThis, "__rookeryFrontMatterRan")).toBeUndefined();
	});

	it("A33 refuses a JavaScript header with E_FRONTMATTER and runs nothing", () => {
		expect(parse(read("javascript-header.md"))).toMatchObject({ state: "refused", code: "E_FRONTMATTER" });
		expect(Reflect.get(globalThis, "__rookeryFrontMatterRan")).toBeUndefined();
	});

	it("BR-53 quotes a plain description that holds a colon, and says which line to change", () => {
		const header = readFrontMatter(read("colon-in-description.md"));
		if (header.kind !== "read") throw new Error(header.kind);
		expect(header.data).toMatchObject({ name: "doc-check", tools: "Read, Grep", model: "inherit" });
		expect(header.data["description"]).toContain('assistant: "starting doc-check"\\n</example>');
		expect(header.repairs).toEqual([expect.stringContaining("line 3: the value of description")]);
	});

	it("BR-53 leaves a sound header as it is", () => {
		expect(readFrontMatter(read("sound.md"))).toMatchObject({ kind: "read", repairs: [] });
		expect(readFrontMatter(read("block-description.md"))).toMatchObject({ kind: "read", repairs: [] });
	});

	it("BR-53 does not make a comment part of a tool's name when it quotes", () => {
		const header = readFrontMatter("---\nname: a\ndescription: b: c\ntools: Read, Bash(git log:*) # only history\n---\nx");
		expect(header).toMatchObject({ kind: "read", data: { tools: "Read, Bash(git log:*)" } });
	});

	it("BR-54 folds a description over several lines and reads tools and model from their own lines", () => {
		const header = readFrontMatter(read("description-over-lines.md"));
		if (header.kind !== "read") throw new Error(header.kind);
		expect(header.data).toMatchObject({ name: "style-check", model: "sonnet", tools: ["Read", "Grep"] });
		expect(header.data["description"]).toContain('assistant: "calling it"');
		expect(header.repairs).toEqual([expect.stringMatching(/^lines 3 to 10: description runs over several lines.*other programs/)]);
	});

	it("BR-54 names only the lines that are left to mend, and not hundreds of them", () => {
		const lines = Array.from({ length: 300 }, (_, index) => `user${index}: "a": b`).join("\n");
		const folded = readFrontMatter(`---\nname: a\ndescription: x: y\n${lines}\ntools: Read\nmodel: *x\n---\nBody`);
		expect(folded).toMatchObject({
			data: { tools: "Read", model: "*x" },
			repairs: [expect.stringContaining("lines 3 to 303"), expect.stringContaining("line 305: the value of model")],
		});
		const many = readFrontMatter(`---\nname: a\n${Array.from({ length: 30 }, (_, index) => `k${index}: a: b`).join("\n")}\n---\nBody`);
		if (many.kind !== "read") throw new Error(many.kind);
		expect(many.repairs).toHaveLength(11);
		expect(many.repairs.at(-1)).toContain("20 more lines");
	});

	it("BR-54 folds indented lines that YAML takes for nested keys", () => {
		expect(readFrontMatter(read("description-indented-with-colons.md"))).toMatchObject({ kind: "read", data: { tools: "Read" } });
	});

	it("BR-55 refuses a repaired header whose tools line was not understood", () => {
		expect(parse(read("lost-tools.md"))).toMatchObject({
			state: "refused",
			code: "E_FRONTMATTER",
			reason: expect.stringContaining("tools"),
		});
		expect(parse(read("tools-unclosed-list.md"))).toMatchObject({
			state: "refused",
			code: "E_FRONTMATTER",
			reason: expect.stringMatching(/line \d/),
		});
	});

	it("BR-55 never gives more tools after a repair than the tools line names", () => {
		const prose = fc.string({ unit: fc.constantFrom("a", ":", " ", "#", "\n", "-", "[", '"', "'", "{", "*", "&", "|", "tools", "x: y") });
		fc.assert(
			fc.property(prose, (description) => {
				const file = parse(`---\nname: a\ndescription: ${description}\ntools: Read\n---\nBody.`);
				if (file.state === "loaded") expect(file.agent.tools).toEqual(["read_file"]);
			}),
			{ numRuns: 400 },
		);
	});

	it("BR-57 reads a bare star, and other reserved first signs, as text", () => {
		expect(readFrontMatter(read("star-tools.md"))).toMatchObject({
			kind: "read",
			data: { tools: "*" },
			repairs: [expect.stringContaining("line 4")],
		});
		for (const sign of ["*", "&a", "!b", "%c", "@d", "`e"]) {
			expect(readFrontMatter(`---\nname: x\ndescription: ${sign} rest\n---\nBody`)).toMatchObject({
				kind: "read",
				data: { description: `${sign} rest` },
			});
		}
	});

	it("BR-61 gives the same problem for the same broken file every time, under any name", () => {
		const text = "---\nname: a\ndescription: 'x: y\n---\nBody";
		const first = parseAgentFile({ path: "one.md", bytes: Buffer.from(text), tier: "repository" });
		const second = parseAgentFile({ path: "two.md", bytes: Buffer.from(text), tier: "repository" });
		expect(first).toMatchObject({ state: "refused", code: "E_FRONTMATTER" });
		expect(second).toEqual(first);
		const repaired = "---\nname: a\ndescription: x: y\n---\nBody";
		expect(readFrontMatter(repaired)).toEqual(readFrontMatter(repaired));
		const [one, two] = [readFrontMatter(repaired), readFrontMatter(repaired)];
		if (one.kind === "read" && two.kind === "read") expect(one.data).not.toBe(two.data);
	});

	it("A34 never takes a broken header for empty data at the second reading", () => {
		const text = "---\nname: [a\ndescription: b\n---\nBody";
		for (let round = 0; round < 3; round++) expect(readFrontMatter(text)).toMatchObject({ kind: "refused", code: "E_FRONTMATTER" });
	});

	it("refuses repeated keys, custom tags and keys that would reach the prototype", () => {
		expect(readFrontMatter("---\nname: a\nname: b\n---\nx")).toMatchObject({ kind: "refused", reason: expect.stringContaining("twice") });
		expect(readFrontMatter('---\nname: a\nrun: !!js/function "function(){}"\n---\nx')).toMatchObject({
			kind: "read",
			data: { run: '!!js/function "function(){}"' },
		});
		const header = readFrontMatter("---\nname: a\n__proto__: { polluted: true }\n---\nx");
		expect(Reflect.get({}, "polluted")).toBeUndefined();
		expect(header.kind).toBe("read");
	});
});

describe("limits of a header", () => {
	const bomb = [
		"a: &a [x,x,x,x,x,x,x,x,x]",
		..."bcdefghi".split("").map((key, index) => {
			const before = "abcdefgh"[index];
			return `${key}: &${key} [${Array(9).fill(`*${before}`).join(",")}]`;
		}),
	].join("\n");
	const cases: readonly (readonly [string, string])[] = [
		["an alias bomb", `---\nname: a\ndescription: b\n${bomb}\n---\nx`],
		["20,000 brackets", `---\nname: a\ndescription: b\nx: ${"[".repeat(20_000)}${"]".repeat(20_000)}\n---\nx`],
		["20,000 braces", `---\nname: a\ndescription: b\nx: ${"{a: ".repeat(9_000)}${"}".repeat(9_000)}\n---\nx`],
		["30,000 nested dashes", `---\nname: a\ndescription: b\nx:\n  ${"- ".repeat(30_000)}y\n---\nx`],
		["a header of 5 MB", `---\nname: a\ndescription: ${"b".repeat(5_000_000)}\n---\nx`],
		["a key of 1 MB", `---\nname: a\ndescription: b\n${"k".repeat(1_000_000)}: v\n---\nx`],
		[
			"20,000 keys on one line",
			`---\nname: a\ndescription: b\nx: {${Array.from({ length: 9_000 }, (_, index) => `k${index}`).join(",")}}\n---\nx`,
		],
		["8,000 lines", `---\n${Array.from({ length: 8_000 }, (_, index) => `k${index}: v`).join("\n")}\n---\nx`],
	];
	it.each(cases)("A95 refuses %s within a second", (_what, text) => {
		const started = performance.now();
		const before = process.memoryUsage().heapUsed;
		const file = parse(text);
		expect(performance.now() - started).toBeLessThan(1_000);
		expect(process.memoryUsage().heapUsed - before).toBeLessThan(200_000_000);
		expect(file.state).toBe("refused");
		if (file.state === "refused") expect(["E_LIMIT", "E_FRONTMATTER"]).toContain(file.code);
	});
});
