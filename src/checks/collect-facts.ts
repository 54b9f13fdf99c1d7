import path from "node:path";
import type { LanguageProfile } from "../agents/experts/language-profile.ts";
import { findLanguage } from "../agents/experts/table.ts";
import type { ToolFact, ToolFacts, ToolRun } from "../domain/tool-facts.ts";
import type { CommandRunner } from "../seams.ts";
import { classifyRun } from "./classify-run.ts";
import { FACT_TOOLS, type FactTool, type RawFact } from "./fact-tools.ts";
import { findCheckFolders } from "./find-check-folders.ts";

/** A changed file as the comparison with the base needs it. */
export interface ChangedPlace {
	readonly path: string;
	readonly previousPath?: string;
	/** Lines of the head file that the change brings in. */
	readonly addedLines: ReadonlySet<number>;
}

/** A tree with either side of the change, and what its files say. */
export interface FactSide {
	readonly root: string;
	/** All paths of the tree. */
	readonly files: readonly string[];
	readonly runner: CommandRunner;
	/** Text of a line, without blanks at its ends; empty when there is none. */
	lineAt(path: string, line: number): Promise<string>;
}

export interface CollectFactsInput {
	readonly profiles: readonly LanguageProfile[];
	/** Changed files that exist at the head. */
	readonly changed: readonly ChangedPlace[];
	readonly head: FactSide;
	/** Makes the tree of the merge base; only called when the head has something to compare. Undefined: it cannot be had. */
	openBase(): Promise<FactSide | undefined>;
	readonly timeoutSeconds: number;
	readonly signal: AbortSignal;
}

const MAX_MESSAGE = 300;

/** Settings of tools that hold everywhere: no network, nothing written into the tree, no colours. */
const PREFIX =
	"export GOTOOLCHAIN=local GOPROXY=off GOFLAGS=-buildvcs=false CARGO_NET_OFFLINE=true CARGO_TARGET_DIR=/tmp/target PYTHONDONTWRITEBYTECODE=1 NO_COLOR=1\n";

/**
 * Facts first, model second (PEERS 1c-13): runs the compilers and linters that the repository has set up over the changed
 * files, keeps what lies on changed lines and errors that the change causes elsewhere, and marks what the merge base does
 * not have. A tool that is missing, slow or without its dependencies is a row in `runs`, never a failure. Never rejects
 * for what a tool does.
 */
export async function collectFacts(input: CollectFactsInput): Promise<ToolFacts> {
	const changed = new Map(input.changed.map((file) => [file.path, file]));
	const found = await runTools(input, input.head, [...changed.keys()]);
	const candidates = found.facts.filter((fact) => fact.level === "error" || changed.get(fact.path)?.addedLines.has(fact.line) === true);
	if (candidates.length === 0) return { facts: [], runs: found.runs };
	const known = await readBase(input, found.runs);
	const facts: ToolFact[] = [];
	for (const fact of candidates) {
		const onChangedLine = changed.get(fact.path)?.addedLines.has(fact.line) === true;
		const basePath = changed.get(fact.path)?.previousPath ?? fact.path;
		const isNew =
			known?.spoke(fact.tool) === true ? !known.has(identify(fact, basePath, await input.head.lineAt(fact.path, fact.line))) : undefined;
		if (onChangedLine || isNew === true) facts.push({ ...fact, onChangedLine, isNew });
	}
	return { facts: facts.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1)), runs: found.runs };
}

type PlacedFact = RawFact & { readonly tool: string };

interface FoundFacts {
	readonly facts: readonly PlacedFact[];
	readonly runs: readonly ToolRun[];
}

async function runTools(
	input: CollectFactsInput,
	side: FactSide,
	changed: readonly string[],
	only?: ReadonlySet<string>,
): Promise<FoundFacts> {
	const facts: PlacedFact[] = [];
	const runs: ToolRun[] = [];
	const there = new Set(side.files);
	for (const profile of input.profiles) {
		const own = changed.filter(
			(file) =>
				there.has(file) &&
				findLanguage(file, input.profiles)?.by === "extension" &&
				findLanguage(file, input.profiles)?.profile.id === profile.id,
		);
		const tools = FACT_TOOLS.filter((tool) => tool.language === profile.id && only?.has(tool.name) !== false);
		if (own.length === 0 || tools.length === 0) continue;
		for (const [folder, files, inFolder] of groupByPackage(profile, side.files, own)) {
			for (const tool of tools) {
				if (input.signal.aborted) return { facts, runs };
				const instead = tool.insteadOf;
				if (
					instead !== undefined &&
					only === undefined &&
					!runs.some((run) => run.tool === instead && run.folder === folder && run.outcome === "not installed")
				)
					continue;
				const command = tool.command({ files, changed: inFolder });
				if (command === undefined) continue;
				const ran = await runOne(input, side, tool, folder, command, there);
				runs.push(ran.run);
				facts.push(...ran.facts);
			}
		}
	}
	return { facts, runs };
}

/** Folder, all files below it, changed files below it; both relative to it. */
function groupByPackage(
	profile: LanguageProfile,
	files: readonly string[],
	changed: readonly string[],
): readonly (readonly [string, ReadonlySet<string>, readonly string[]])[] {
	const groups = new Map<string, { readonly files: ReadonlySet<string>; readonly changed: string[] }>();
	for (const file of changed) {
		// A fixed command of the settings runs at the top; the tools here go by manifests all the same.
		const plain = { ...profile, testCommand: (names: ReadonlySet<string>) => (names.size === 0 ? undefined : profile.testCommand(names)) };
		const folder = findCheckFolders(plain, files, [file])[0] ?? { path: "", files: new Set(files) };
		const group = groups.get(folder.path) ?? { files: folder.files, changed: [] };
		group.changed.push(folder.path === "" ? file : file.slice(folder.path.length + 1));
		groups.set(folder.path, group);
	}
	return [...groups].map(([folder, group]) => [folder, group.files, group.changed] as const).sort(([a], [b]) => (a < b ? -1 : 1));
}

async function runOne(
	input: CollectFactsInput,
	side: FactSide,
	tool: FactTool,
	folder: string,
	command: string,
	there: ReadonlySet<string>,
): Promise<{ readonly run: ToolRun; readonly facts: readonly PlacedFact[] }> {
	const ran = await side.runner.run(`${PREFIX}${command}`, { timeoutMs: input.timeoutSeconds * 1000, folder, signal: input.signal });
	const spoken = ran.startError === undefined && ran.stopped === undefined ? tool.parse(ran.stdout, ran.output) : [];
	const unusable = tool.unusable?.(spoken, ran.output);
	const { outcome, reason } = classifyRun(ran, command, undefined);
	const run = { tool: tool.name, folder };
	if (unusable !== undefined) return { run: { ...run, outcome: "not installed", reason: unusable }, facts: [] };
	// What it found is why it failed; a failure without a word is one of the tool itself.
	if (outcome === "failed" && spoken.length === 0)
		return { run: { ...run, outcome: "not run", reason: `it failed without saying where (${reason})` }, facts: [] };
	if (outcome !== "passed" && outcome !== "failed" && spoken.length === 0) return { run: { ...run, outcome, reason }, facts: [] };
	const facts = spoken.flatMap((fact): PlacedFact[] => {
		const place = findPlace(fact.path, side.root, folder, there);
		return place === undefined ? [] : [{ ...fact, path: place, tool: tool.name, message: fact.message.slice(0, MAX_MESSAGE) }];
	});
	return { run: { ...run, outcome: facts.length > 0 ? "failed" : "passed", reason: ran.note }, facts };
}

/** A path as the tool spells it (absolute, from its folder or from a workspace above it) as one of the repository. */
function findPlace(spelled: string, root: string, folder: string, there: ReadonlySet<string>): string | undefined {
	const relative = path.isAbsolute(spelled) ? path.relative(root, spelled) : spelled;
	if (path.isAbsolute(spelled)) return there.has(relative) ? relative : undefined;
	for (let from = folder; ; from = path.posix.dirname(from)) {
		const place = path.posix.normalize(path.posix.join(from, relative));
		if (there.has(place)) return place;
		if (from === "" || from === ".") return undefined;
	}
}

interface BaseFacts {
	/** Whether the tool has spoken of the base. */
	spoke(tool: string): boolean;
	has(identity: string): boolean;
}

/** The same tools at the merge base, without those that said nothing at the head. */
async function readBase(input: CollectFactsInput, runs: readonly ToolRun[]): Promise<BaseFacts | undefined> {
	const base = await input.openBase();
	if (base === undefined) return undefined;
	const tools = new Set(runs.filter((run) => run.outcome === "failed").map((run) => run.tool));
	const paths = input.changed.map((file) => file.previousPath ?? file.path);
	const found = await runTools(input, base, paths, tools);
	const identities = new Set<string>();
	for (const fact of found.facts) identities.add(identify(fact, fact.path, await base.lineAt(fact.path, fact.line)));
	const silent = new Set(found.runs.filter((run) => run.outcome !== "passed" && run.outcome !== "failed").map((run) => run.tool));
	return { spoke: (tool) => !silent.has(tool), has: (identity) => identities.has(identity) };
}

/** The same fault at another line number is the same; the text of the line tells it from its neighbours. */
function identify(fact: PlacedFact, basePath: string, line: string): string {
	return JSON.stringify([fact.tool, fact.rule, basePath, fact.message.replace(/\d+/g, "0"), line]);
}
