import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { loadChangeSet } from "../../src/adapters/git/load-change-set.ts";
import { openRepository } from "../../src/adapters/git/open-repository.ts";
import { createRepositoryReader } from "../../src/adapters/git/repository-reader.ts";
import { locateAssets } from "../../src/code-index/grammars.ts";
import { createSyntaxService, type SyntaxService } from "../../src/code-index/syntax-service.ts";
import type { Tool, ToolOutput } from "../../src/seams.ts";
import { createReadOnlyTools } from "../../src/tools/create-read-only-tools.ts";
import { createReadState } from "../../src/tools/read-state.ts";
import type { ToolContext } from "../../src/tools/tool-context.ts";

export function createTestSyntax(): SyntaxService {
	return createSyntaxService({ locateAsset: locateAssets(path.resolve("node_modules")) });
}

export function makeTempFolder(): { readonly folder: string; [Symbol.dispose](): void } {
	const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "rookery-tools-")));
	return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

export function git(folder: string, ...args: string[]): string {
	return execFileSync("git", args, {
		cwd: folder,
		encoding: "utf8",
		stdio: ["ignore", "pipe", "pipe"],
		env: {
			PATH: process.env["PATH"],
			HOME: "/nonexistent",
			GIT_CONFIG_GLOBAL: "/dev/null",
			GIT_CONFIG_NOSYSTEM: "1",
			GIT_AUTHOR_NAME: "t",
			GIT_AUTHOR_EMAIL: "t@example.org",
			GIT_COMMITTER_NAME: "t",
			GIT_COMMITTER_EMAIL: "t@example.org",
		},
	}).trim();
}

export function writeFiles(folder: string, files: Readonly<Record<string, string | Buffer | null>>): void {
	for (const [file, content] of Object.entries(files)) {
		const target = path.join(folder, file);
		mkdirSync(path.dirname(target), { recursive: true });
		if (content === null) rmSync(target);
		else writeFileSync(target, content);
	}
}

export interface OpenContext {
	readonly context: ToolContext;
	readonly tools: readonly Tool[];
	[Symbol.asyncDispose](): Promise<void>;
}

/** Tools over a real repository between two commits, as the engine will have them. */
export async function openContext(folder: string, from: string, to: string, extra: Partial<ToolContext> = {}): Promise<OpenContext> {
	const repository = await openRepository(folder);
	const reader = createRepositoryReader(repository.git);
	const mergeBase = git(folder, "rev-parse", from);
	const head = git(folder, "rev-parse", to);
	const changeSet = await loadChangeSet(repository.git, mergeBase, head);
	const context: ToolContext = {
		root: folder,
		head,
		mergeBase,
		changedFiles: changeSet.files,
		readPatches: (files) => reader.patches(mergeBase, head, files),
		readBase: (file) => reader.readFile(mergeBase, file),
		listFiles: async () => (await reader.listFiles(head)).map((entry) => entry.path),
		syntax: createTestSyntax(),
		readState: createReadState(),
		...extra,
	};
	return { context, tools: createReadOnlyTools(context), [Symbol.asyncDispose]: async () => reader[Symbol.asyncDispose]() };
}

/** A repository with one commit on each side. */
export function makeChange(
	folder: string,
	base: Readonly<Record<string, string | Buffer>>,
	head: Readonly<Record<string, string | Buffer | null>>,
): void {
	git(folder, "init", "-q", "-b", "main");
	writeFiles(folder, { "README.md": "base\n", ...base });
	git(folder, "add", "-A");
	git(folder, "commit", "-qm", "base");
	writeFiles(folder, head);
	git(folder, "add", "-A");
	git(folder, "commit", "-qm", "head", "--allow-empty");
}

/** A context over a bare folder without git. */
export function plainContext(folder: string, extra: Partial<ToolContext> = {}): ToolContext {
	return {
		root: folder,
		head: "a".repeat(40),
		mergeBase: "b".repeat(40),
		changedFiles: [],
		readPatches: async () => [],
		readBase: async () => undefined,
		syntax: createTestSyntax(),
		readState: createReadState(),
		...extra,
	};
}

/** Calls a tool the way the engine does: parse, then run. */
export async function callTool(
	tools: readonly Tool[],
	name: string,
	input: unknown,
	signal = AbortSignal.timeout(30_000),
): Promise<ToolOutput> {
	const tool = tools.find((candidate) => candidate.spec.name === name);
	if (tool === undefined) throw new Error(`no tool ${name}`);
	const parsed = tool.parse(input);
	if (!parsed.ok) return { content: parsed.error, isError: true };
	return tool.run(parsed.value, signal);
}
