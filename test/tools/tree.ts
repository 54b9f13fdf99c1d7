import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createPathRules } from "../../src/guard/path-rules.ts";
import type { Tool, ToolOutput } from "../../src/seams.ts";
import { createReadState } from "../../src/tools/read-state.ts";
import type { ToolContext } from "../../src/tools/tool-context.ts";

export interface TestTree extends AsyncDisposable {
	readonly root: string;
	/** Beside the tree, never in it. */
	readonly outside: string;
	context(change?: Partial<ToolContext>): ToolContext;
}

/** A folder with files, and a place beside it. */
export async function makeTree(files: Readonly<Record<string, string | Buffer>>): Promise<TestTree> {
	const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), "rookery-tree-")));
	const root = path.join(folder, "tree");
	const outside = path.join(folder, "outside");
	for (const place of [root, outside]) await mkdir(place);
	for (const [name, content] of Object.entries(files)) {
		await mkdir(path.dirname(path.join(root, name)), { recursive: true });
		await writeFile(path.join(root, name), content);
	}
	const rules = createPathRules({ denyPaths: ["secrets/**"], protectedPaths: [] });
	return {
		root,
		outside,
		context: (change = {}) => ({
			...{ root, head: "1".repeat(40), mergeBase: "2".repeat(40), changedFiles: [] },
			readPatches: async () => [],
			readBase: async () => undefined,
			isDenied: (file) => rules.hiddenBy(file) !== undefined,
			syntax: {
				parseSource: async () => ({ ok: false as const, reason: "not here" }),
				openGrammar: () => Promise.reject(new Error("not here")),
			},
			readState: createReadState(),
			...change,
		}),
		[Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
	};
}

/** Parses and runs, as the engine does. */
export async function use(tool: Tool, input: unknown, signal: AbortSignal = new AbortController().signal): Promise<ToolOutput> {
	const parsed = tool.parse(input);
	if (!parsed.ok) throw new Error(parsed.error);
	return tool.run(parsed.value, signal, { id: "call" });
}
