import { locateAssets } from "../../src/code-index/grammars.ts";
import { createSyntaxService } from "../../src/code-index/syntax-service.ts";
import type { Tool } from "../../src/seams.ts";
import { createReadOnlyTools } from "../../src/tools/create-read-only-tools.ts";
import { createReadState } from "../../src/tools/read-state.ts";
import type { Ratio } from "../ratio.ts";
import { leastMs, percentile, type WorkTree } from "./check-out.ts";

/** Patterns that both sides read the same way, few hits and many. */
const PATTERNS = ["thisNameIsNowhere", "createRequire", "\\bcontext\\b", "function\\s+\\w+Plugin\\(", "(get|set)[A-Z]\\w+\\(\\)"];
const REPEAT = 3;

/** Patterns that other engines never end on, each on 100,000 characters. */
const EVIL = ["(a+)+$", "(a|aa)+$", "(a|a?)+$", "(.*a){12}$", "(?=(a+))\\1+b", "(a*)*\\1b"];

/** grep and glob of one tree beside git's own: G1 to G4, L1 and L2 of the targets. */
export async function measureSearch(tree: WorkTree, name: string, modules: string): Promise<readonly Ratio[]> {
	const open = () =>
		createReadOnlyTools({
			root: tree.folder,
			head: "a".repeat(40),
			mergeBase: "b".repeat(40),
			changedFiles: [],
			readPatches: async () => [],
			readBase: async () => undefined,
			listFiles: async () => tree.paths,
			syntax: createSyntaxService({ locateAsset: locateAssets(modules) }),
			readState: createReadState(),
		});
	const first: number[] = [];
	const again: number[] = [];
	const peer: number[] = [];
	let [same, compared] = [0, 0];
	for (const pattern of PATTERNS) {
		const tools = open();
		const cold = await timeCall(tools, "grep", { pattern });
		first.push(cold.ms);
		let least = Number.POSITIVE_INFINITY;
		for (let run = 0; run < REPEAT; run++) least = Math.min(least, (await timeCall(tools, "grep", { pattern })).ms);
		again.push(least);
		const gitMs = Math.min(...["-P", "-E"].map((flag) => leastMs(REPEAT, () => void gitGrep(tree, flag, pattern))));
		peer.push(gitMs);
		const hits = gitGrep(tree, "-P", pattern).split("\n").filter(Boolean).length;
		// Beyond the tool's bound both sides cannot be compared line by line.
		if (hits > 150) continue;
		compared += 1;
		if (countHits(cold.content) === hits) same += 1;
	}
	const [firstMs, againMs, gitMs] = [percentile(first, 0.5), percentile(again, 0.5), percentile(peer, 0.5)];
	return [
		{
			name: `G1-${name}`,
			value: firstMs / gitMs,
			target: 1.5,
			detail: `first grep ${firstMs.toFixed(0)} ms, git grep ${gitMs.toFixed(0)} ms (median of ${PATTERNS.length})`,
		},
		{ name: `G2-${name}`, value: againMs / gitMs, target: 0.25, detail: `again ${againMs.toFixed(0)} ms` },
		{
			name: `G3-${name}`,
			value: compared === 0 ? 1 : same / compared,
			detail: `${same} of ${compared} patterns with the same number of lines as git grep -P, wanted all`,
		},
		...(await measureGlob(tree, name, open())),
	];
}

async function measureGlob(tree: WorkTree, name: string, tools: readonly Tool[]): Promise<readonly Ratio[]> {
	const extension = mostFrequentExtension(tree.paths);
	const pattern = `**/*${extension}`;
	await timeCall(tools, "glob", { pattern });
	let ours = Number.POSITIVE_INFINITY;
	for (let run = 0; run < REPEAT; run++) ours = Math.min(ours, (await timeCall(tools, "glob", { pattern })).ms);
	const peer = leastMs(REPEAT, () => void tree.git("ls-files", "-z", "--", `:(glob)${pattern}`));
	return [
		{
			name: `L1-${name}`,
			value: ours / peer,
			target: 0.2,
			detail: `${pattern} in ${ours.toFixed(1)} ms, git ls-files ${peer.toFixed(1)} ms`,
		},
	];
}

/** G4: each pattern ends, or says that it is too slow, and the event loop is never held up. */
export async function measureEvilPatterns(makeTree: (text: string) => Promise<WorkTree>, modules: string): Promise<readonly Ratio[]> {
	await using tree = await makeTree(`${"a".repeat(100_000)}c\n`);
	let [slowest, longestBlock] = [0, 0];
	for (const pattern of EVIL) {
		const [grep] = createReadOnlyTools({
			root: tree.folder,
			head: "a".repeat(40),
			mergeBase: "b".repeat(40),
			changedFiles: [],
			readPatches: async () => [],
			readBase: async () => undefined,
			listFiles: async () => tree.paths,
			syntax: createSyntaxService({ locateAsset: locateAssets(modules) }),
			readState: createReadState(),
		}).filter((tool) => tool.spec.name === "grep");
		if (grep === undefined) continue;
		let last = performance.now();
		const pulse = setInterval(() => {
			longestBlock = Math.max(longestBlock, performance.now() - last - 10);
			last = performance.now();
		}, 10);
		slowest = Math.max(slowest, (await timeCall([grep], "grep", { pattern })).ms);
		clearInterval(pulse);
	}
	return [
		{
			name: "G4-block",
			value: longestBlock / 100,
			target: 1,
			detail: `longest hold-up of the event loop ${longestBlock.toFixed(0)} ms over ${EVIL.length} patterns, slowest call ${slowest.toFixed(0)} ms`,
		},
	];
}

async function timeCall(tools: readonly Tool[], name: string, input: unknown): Promise<{ readonly ms: number; readonly content: string }> {
	const tool = tools.find((one) => one.spec.name === name);
	const parsed = tool?.parse(input);
	if (tool === undefined || parsed?.ok !== true) throw new Error(`the tool ${name} does not take ${JSON.stringify(input)}`);
	const started = performance.now();
	const output = await tool.run(parsed.value, AbortSignal.timeout(120_000));
	return { ms: performance.now() - started, content: output.content };
}

function gitGrep(tree: WorkTree, flag: string, pattern: string): string {
	try {
		return tree.git("grep", "-nI", flag, "-e", pattern);
	} catch {
		// Exit code 1 is "nothing found".
		return "";
	}
}

/** Lines of the form `path:line:text`. */
function countHits(content: string): number {
	return content.split("\n").filter((line) => /^[^\s].*?:\d+:/.test(line)).length;
}

function mostFrequentExtension(paths: readonly string[]): string {
	const counts = new Map<string, number>();
	for (const file of paths) {
		const extension = /\.[a-z]+$/.exec(file)?.[0];
		if (extension !== undefined) counts.set(extension, (counts.get(extension) ?? 0) + 1);
	}
	return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? ".md";
}
