import { describe, expect, it } from "vitest";
import { loadChangeSet } from "../../src/adapters/git/load-change-set.ts";
import { openRepository } from "../../src/adapters/git/open-repository.ts";
import { createRepositoryReader } from "../../src/adapters/git/repository-reader.ts";
import type { Surroundings } from "../../src/domain/surroundings.ts";
import { createPathRules } from "../../src/guard/path-rules.ts";
import { gatherSurroundings } from "../../src/stages/gather-surroundings.ts";
import { createTestSyntax, git, makeChange, makeTempFolder } from "../tools/tool-fixture.ts";

type Files = Readonly<Record<string, string>>;

async function gather(base: Files, head: Files, denyPaths: readonly string[] = []): Promise<Surroundings | undefined> {
	using temp = makeTempFolder();
	makeChange(temp.folder, base, head);
	const repository = await openRepository(temp.folder);
	await using reader = createRepositoryReader(repository.git);
	const [mergeBase, tip] = [git(temp.folder, "rev-parse", "HEAD~1"), git(temp.folder, "rev-parse", "HEAD")];
	const { files } = await loadChangeSet(repository.git, mergeBase, tip);
	const patches = await reader.patches(mergeBase, tip, files);
	const paths = createPathRules({ denyPaths: [...denyPaths], protectedPaths: [] });
	return await gatherSurroundings({ head: tip, patches, paths }, { reader, syntax: createTestSyntax() });
}

const filler = (name: string) => Array.from({ length: 12 }, (_, index) => `\tconst ${name}${index} = ${index};\n`).join("");
const BUDGET = (limit: string) =>
	`import { clamp } from "./clamp.ts";\n\nexport class Budget {\n\tspend(used: number): number {\n${filler("a")}\t\treturn ${limit};\n\t}\n}\n`;
const TREE = {
	"src/budget.ts": BUDGET("used"),
	"src/clamp.ts": "export function clamp(value: number): number {\n\treturn value < 0 ? 0 : value;\n}\n\nexport const UNUSED = 1;\n",
	"src/run.ts": 'import { Budget } from "./budget.ts";\n\nexport function run(budget: Budget): number {\n\treturn budget.spend(1);\n}\n',
	"test/budget.test.ts": 'import { Budget } from "../src/budget.ts";\n\nconst budget = new Budget();\nbudget.spend(2);\n',
};
const CHANGE = { "src/budget.ts": BUDGET("clamp(used)") };

describe("what stands around a change", () => {
	it("names what encloses each hunk, shows the whole function, what the change uses, who uses it and its test, in this order", async () => {
		const around = await gather(TREE, CHANGE);
		expect(around?.note).toBeUndefined();
		expect(around?.enclosing.get("src/budget.ts")).toEqual(["Budget.spend"]);
		expect(around?.excerpts.map((excerpt) => `${excerpt.path}:${excerpt.startLine}-${excerpt.endLine} ${excerpt.reason}`)).toEqual([
			"src/budget.ts:4-18 the whole of `spend`",
			"src/clamp.ts:1-3 defines `clamp`, which the change uses",
			"src/run.ts:2-6 uses `spend`",
			"test/budget.test.ts:2-5 tests `spend`",
		]);
		expect(around?.excerpts[1]?.text).toBe(TREE["src/clamp.ts"].split("\n").slice(0, 3).join("\n"));
	});

	it("is the same, byte for byte, each time", async () => {
		expect(JSON.stringify(await gather(TREE, CHANGE))).toBe(JSON.stringify(await gather(TREE, CHANGE)));
	});

	it("S-110 shows nothing of files that policy hides", async () => {
		const around = await gather(TREE, CHANGE, ["src/clamp.ts", "test/**"]);
		expect(around?.excerpts.map((excerpt) => excerpt.path)).toEqual(["src/budget.ts", "src/run.ts"]);
	});

	it("is nothing for languages without rules", async () => {
		expect(await gather({ "notes.txt": "a\n" }, { "notes.txt": "b\n" })).toBeUndefined();
	});
});
