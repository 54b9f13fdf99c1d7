import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { EXPLORE_AGENT } from "../../src/agents/built-in.ts";
import { REVIEW_TOOLS } from "../../src/agents/specialist-prompt.ts";
import { locateAssets } from "../../src/code-index/grammars.ts";
import { createSyntaxService } from "../../src/code-index/syntax-service.ts";
import type { Tool, ToolOutput } from "../../src/seams.ts";
import { createReadOnlyTools } from "../../src/tools/create-read-only-tools.ts";
import { makeTree, use } from "./tree.ts";

const syntax = createSyntaxService({ locateAsset: locateAssets(path.resolve("node_modules")) });

const FILES = {
	"src/user.ts": "export class User {\n\tsave(): void {}\n}\nexport const load = (id: string): User => new User();\n",
	"src/app.ts": 'import { load } from "./user.ts";\nexport function run(): void {\n\tload("a").save();\n}\n',
	"src/user.test.ts": 'import { load } from "./user.ts";\nload("b");\n',
	"secrets/key.ts": 'import { load } from "../src/user.ts";\nload("hidden");\n',
};

async function ask(name: string, input: unknown, files: Readonly<Record<string, string>> = FILES): Promise<ToolOutput> {
	await using tree = await makeTree(files);
	const tool = createReadOnlyTools(tree.context({ syntax })).find((each: Tool) => each.spec.name === name);
	if (tool === undefined) throw new Error(`${name} is not there`);
	return await use(tool, input);
}

describe("tools of the code index", () => {
	it("S-018 S-029: a specialist has all six, explore three of them, nobody a tool that writes", async () => {
		const six = ["find_symbol", "find_references", "find_callers", "impact_analysis", "ast_query", "repo_map"];
		expect(REVIEW_TOOLS).toEqual(["read_file", "glob", "grep", "diagnose", ...six, "submit_report"]);
		expect([...EXPLORE_AGENT.tools].sort()).toEqual(["find_references", "find_symbol", "glob", "grep", "read_file", "repo_map"]);
		await using tree = await makeTree({});
		const tools = createReadOnlyTools(tree.context({ syntax }));
		expect(tools.map((tool) => tool.spec.name)).toEqual(REVIEW_TOOLS);
		expect(tools.every((tool) => tool.effect === "read" || tool.effect === "none")).toBe(true);
	});

	it("find_symbol gives place, kind and signature; a type narrows it, a place finds what is used there", async () => {
		expect((await ask("find_symbol", { name: "save" })).content).toContain("src/user.ts:2-2 method User.save: save(): void");
		expect((await ask("find_symbol", { name: "User.save" })).content).toContain("src/user.ts:2-2 method");
		expect((await ask("find_symbol", { name: "src/app.ts:3:load" })).content).toContain("src/user.ts:4-4 function load");
		expect((await ask("find_symbol", { name: "nowhere" })).content).toContain("No definition of this name.");
	});

	it("S-020: find_callers marks its answer, and says in words what is known of each place", async () => {
		const typescript = await ask("find_callers", { name: "User.save" });
		expect(typescript.content).toContain('src/app.ts:3 in run: by type: load("a").save();');
		expect(typescript.content).toContain("approximate: false");
		expect(typescript.data).toMatchObject({ approximate: false, total: 1 });
	});

	it("A67: a file that policy hides is in no answer", async () => {
		const { content } = await ask("find_references", { name: "load" });
		expect(content).toContain("src/app.ts:3");
		expect(content).not.toContain("secrets/");
		expect((await ask("ast_query", { query: "(string) @s" })).content).not.toContain("hidden");
	});

	it("S-020: impact_analysis names sources and tests; an unknown name is an unknown risk, said to be no low one", async () => {
		const known = await ask("impact_analysis", { name: "load" });
		expect(known.content).toMatch(/risk: low\n.*\nfiles: src\/app\.ts\ntests: src\/user\.test\.ts/);
		const unknown = await ask("impact_analysis", { name: "nowhere" });
		expect(unknown.content).toContain("risk: unknown");
		expect(unknown.content).toContain("not a low risk");
	});

	it("ast_query prints captures; a query that does not fit is an error with its reason", async () => {
		expect((await ask("ast_query", { query: "(class_declaration name: (_) @name)" })).content).toContain("src/user.ts:1 @name User");
		expect(await ask("ast_query", { query: "(class" })).toMatchObject({ isError: true });
	});

	it("repo_map puts what uses a file, and its test, before the rest", async () => {
		const files = { ...FILES, "src/zebra.ts": "export const stripes = 4;\n", "lib/other.ts": "export const x1 = 1;\n" };
		const { content } = await ask("repo_map", { path: "src/user.ts" }, files);
		const order = content.split("\n").map((line) => line.split(":")[0]);
		expect(order.slice(0, 2).sort()).toEqual(["src/app.ts", "src/user.test.ts"]);
		expect(content).toContain("shares ");
	});

	it("a child that writes gets answers about the tree as it is now", async () => {
		await using tree = await makeTree({ "a.ts": "export function before(): void {}\n" });
		const tools = createReadOnlyTools(tree.context({ syntax, treeMayChange: true }));
		const find = tools.find((tool) => tool.spec.name === "find_symbol");
		if (find === undefined) throw new Error("find_symbol is not there");
		expect((await use(find, { name: "before" })).content).toContain("a.ts:1-1 function before");
		await writeFile(path.join(tree.root, "a.ts"), "export function after(): void {}\n");
		expect((await use(find, { name: "before" })).content).toContain("No definition");
		expect((await use(find, { name: "after" })).content).toContain("a.ts:1-1 function after");
	});

	it("M1: repo_map knows what was changed together, and lives without a history", async () => {
		const files = {
			"a.ts": "export const one = 1;\n",
			"far/away.ts": "export const two = 2;\n",
			"far/other.ts": "export const three = 3;\n",
		};
		await using tree = await makeTree(files);
		const ask = async (readHistory: () => Promise<readonly (readonly string[])[]>) => {
			const map = createReadOnlyTools(tree.context({ syntax, readHistory })).find((tool) => tool.spec.name === "repo_map");
			return map === undefined ? "" : (await use(map, { path: "a.ts" })).content;
		};
		expect(await ask(async () => [["a.ts", "far/away.ts"], ["far/other.ts"]])).toMatch(
			/^far\/away\.ts: changed together 1 times; has two\n/,
		);
		expect(await ask(() => Promise.reject(new Error("no git")))).toContain("Nothing is known");
	});
});
