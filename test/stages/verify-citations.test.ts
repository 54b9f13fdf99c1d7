import { describe, expect, it } from "vitest";
import { verifyCitations } from "../../src/stages/verify-citations.ts";

const FILES: Readonly<Record<string, string>> = {
	"src/a.ts": "one\ntwo\nthree\n",
	"src/no end.ts": "one",
	"src/b(1).ts": "one\ntwo",
	Makefile: "all:\n\ttrue\n",
	"empty.ts": "",
};
const HEAD = "2".repeat(40);
const links = { repository: "https://github.example/o/r", run: "https://github.example/run" };

function verify(text: string, withLinks = true) {
	return verifyCitations(text, {
		paths: new Set([...Object.keys(FILES), "image.png"]),
		readHead: async (path) => FILES[path],
		context: { head: HEAD, ...(withLinks ? { links } : {}) },
	});
}

describe("citations", () => {
	it("S-028 X-02 a place that exists becomes a permalink at the head; one that does not is marked with the reason", async () => {
		const at = `https://github.example/o/r/blob/${HEAD}/src/a.ts`;
		expect((await verify("See src/a.ts:2 and `src/a.ts:1-3`.")).markdown).toBe(
			`See [\`src/a.ts:2\`](${at}#L2) and [\`src/a.ts:1-3\`](${at}#L1-L3).`,
		);
		expect((await verify("See src/a.ts:4.")).markdown).toBe("See `src/a.ts:4` (unverified: the file has 3 lines).");
		expect(
			(await verify("See src/gone.ts:1, src/a.ts:0, src/a.ts:3-2, empty.ts:1, image.png:1.")).citations.map((each) => each.reason),
		).toEqual([
			"there is no such file",
			"there is no such line",
			"there is no such line",
			"the file has no lines",
			"the file has no lines",
		]);
	});

	it("a last line without a line feed counts, a name without an extension is known by the tree, a column is dropped", async () => {
		const { citations } = await verify("src/b:1 Makefile:2 src/a.ts:3:14 ./src/a.ts:1");
		expect(citations.map((each) => [each.path, each.startLine, each.verified])).toEqual([
			["src/b", 1, false],
			["Makefile", 2, true],
			["src/a.ts", 3, true],
			["src/a.ts", 1, true],
		]);
	});

	it("times, hosts, addresses and code blocks are no places", async () => {
		const text = "At 12:30, localhost:8080, https://example.com/a.ts:9, note:1, ratio 3:1.\n\n```\nsrc/a.ts:99\n```\n";
		expect(await verify(text)).toEqual({ markdown: text, citations: [] });
	});

	it("a link that the model made of a place is replaced by ours", async () => {
		const { markdown } = await verify("See [src/a.ts:2](https://evil.example/x) and [`src/a.ts:9`](src/a.ts#L9).");
		expect(markdown).toBe(
			`See [\`src/a.ts:2\`](https://github.example/o/r/blob/${HEAD}/src/a.ts#L2) and \`src/a.ts:9\` (unverified: the file has 3 lines).`,
		);
	});

	it("without pages of the repository a place stays code, and each place is listed once", async () => {
		const { markdown, citations } = await verify("src/a.ts:1, src/a.ts:1", false);
		expect(markdown).toBe("`src/a.ts:1`, `src/a.ts:1`");
		expect(citations).toHaveLength(1);
	});
});
