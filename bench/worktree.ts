import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { openRepository } from "../src/adapters/git/open-repository.ts";
import { createWorkspaceProvider } from "../src/adapters/worktree/create-workspace-provider.ts";
import type { Assignment } from "../src/domain/child-run.ts";
import type { ModelReply } from "../src/domain/model-message.ts";
import type { RunContext } from "../src/domain/run-context.ts";
import { NO_USAGE } from "../src/domain/usage.ts";
import { openRun } from "../src/compose/open-run.ts";
import { loadChange } from "../src/stages/load-change.ts";
import { loadTrusted } from "../src/stages/load-trusted.ts";
import type { PipelineSeams } from "../src/stages/pipeline-seams.ts";
import { runChildren } from "../src/stages/run-children.ts";
import type { Ratio } from "./ratio.ts";

/*
 * npm run bench -- worktree [FILES] [ROUNDS]
 *
 * G13: what its own tree costs a read-only child before its first request, against 100 ms. Five children, each with
 * `isolation: worktree`; the other side is the same run with trees that cost nothing. Every child reads a file of its
 * tree, and what it sees must be the head.
 * W1: ten trees for writers against ten `git worktree add` one after the other.
 * W2: what is left after a run with ten trees was killed and the next one has begun and ended; 0 or the bench fails.
 */

const CHILDREN = 5;
const TREES = 10;
const ALLOWED_MS = 100;

export async function run(args: readonly string[]): Promise<readonly Ratio[]> {
	const files = Number(args[0] ?? 9_000);
	const rounds = Number(args[1] ?? 3);
	const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), "rookery-bench-")));
	try {
		const repository = path.join(folder, "repository");
		const commits = await makeRepository(repository, files);
		return [
			await measureFirstRequest({ folder, repository, ...commits, rounds, files }),
			await measureWriters({ folder, repository, head: commits.head, rounds, files }),
			await measureLeftovers({ folder, repository, head: commits.head }),
		];
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

const git = (folder: string, ...args: readonly string[]): string =>
	execFileSync("git", ["-c", "user.name=b", "-c", "user.email=b@example.invalid", "-c", "gc.auto=0", ...args], {
		cwd: folder,
		encoding: "utf8",
		stdio: ["ignore", "pipe", "pipe"],
	}).trim();

async function makeRepository(folder: string, files: number): Promise<{ readonly base: string; readonly head: string }> {
	const text = "export const value = 1;\n".repeat(60);
	for (let start = 0; start < files; start += 100) {
		const below = path.join(folder, `area-${Math.floor(start / 1000)}`, `part-${start / 100}`);
		await mkdir(below, { recursive: true });
		const names = Array.from({ length: Math.min(100, files - start) }, (_, index) => `file-${start + index}.ts`);
		await Promise.all(names.map((name) => writeFile(path.join(below, name), `// ${name}\n${text}`)));
	}
	git(folder, "init", "-q", "-b", "main");
	git(folder, "add", "-A");
	git(folder, "commit", "-q", "-m", "base");
	const base = git(folder, "rev-parse", "HEAD");
	git(folder, "checkout", "-q", "-b", "change");
	await writeFile(path.join(folder, "changed.ts"), "export const state = 'head';\n");
	git(folder, "add", "-A");
	git(folder, "commit", "-q", "-m", "head");
	const head = git(folder, "rev-parse", "HEAD");
	git(folder, "checkout", "-q", "main");
	return { base, head };
}

interface Place {
	readonly folder: string;
	readonly repository: string;
	readonly head: string;
}

async function measureFirstRequest(
	place: Place & { readonly base: string; readonly rounds: number; readonly files: number },
): Promise<Ratio> {
	const isolated: number[] = [];
	const free: number[] = [];
	for (let round = 0; round < place.rounds; round += 1) {
		free.push(...(await timeFirstRequests(place, false)));
		isolated.push(...(await timeFirstRequests(place, true)));
	}
	const cost = Math.max(0, median(isolated) - median(free));
	return {
		name: "G13",
		value: cost / ALLOWED_MS,
		target: 1,
		detail: `${cost.toFixed(1)} ms of ${ALLOWED_MS} ms; first request after ${median(isolated).toFixed(1)} ms with a tree of its own, ${median(free).toFixed(1)} ms without, ${CHILDREN} children, ${place.files} files`,
	};
}

/** Milliseconds from the start of the run to each child's first request. */
async function timeFirstRequests(place: Place & { readonly base: string }, isolated: boolean): Promise<readonly number[]> {
	const stop = new AbortController();
	const nothing = async () => undefined;
	const silent = () => undefined;
	await using run = await openRun({
		folder: place.repository,
		temp: path.join(place.folder, `temp-${Math.random().toString(36).slice(2)}`),
		runName: "bench",
		log: { info: silent, notice: silent, warning: silent, error: silent, group: silent },
		secrets: { add: silent, redact: (text) => text },
		bundleFolder: path.resolve("node_modules"),
		signal: stop.signal,
	});
	const { base, head } = place;
	const context: RunContext = {
		...{ base, head, mergeBase: base, trusted: base, notes: [], runId: "bench", attempt: 1, event: "local" },
		...{ repository: { owner: "local", name: "bench" }, actor: { login: "x", id: 1, type: "User" }, tier: "T0", tierReason: "bench" },
	};
	const model = createReader();
	const opened: PipelineSeams = { ...run.seams, model, modelId: "bench", sinks: { stepSummary: nothing, outputs: nothing } };
	const seams = isolated ? opened : { ...opened, openWorkspaces: () => openFreeTrees(head) };
	const trusted = await loadTrusted({ reader: seams.reader, trusted: base });
	const change = await loadChange(context, seams);
	const plan = {
		assignments: Array.from({ length: CHILDREN }, (_, index) => makeAssignment(index, isolated)),
		...{ skippedFiles: [], languages: {}, skippedAgents: [], notes: [] },
	};
	const settings = { ...trusted.settings, subagents: { ...trusted.settings.subagents, maxConcurrent: CHILDREN } };
	const startedAt = performance.now();
	const pack = { blocks: [], complete: new Set<string>(), shown: new Map(), leftOut: [], excerpts: [] };
	const { reports } = await runChildren({ plan, context, trusted: { ...trusted, settings }, change, pack }, seams);
	if (isolated) {
		for (const report of reports) {
			const seen = model.results.some((text) => text.includes("state = 'head'"));
			if (report.status !== "completed" || !seen)
				throw new Error(`${report.session}: ${report.status} ${report.error ?? "did not see the head"}`);
		}
		if (model.results.length !== CHILDREN) throw new Error(`${model.results.length} of ${CHILDREN} children read their tree`);
	}
	return model.firstRequests.map((time) => time - startedAt);
}

/** A model that reads one file and hands in an empty report. */
function createReader(): PipelineSeams["model"] & { readonly firstRequests: number[]; readonly results: string[] } {
	const firstRequests: number[] = [];
	const results: string[] = [];
	let calls = 0;
	return {
		provider: "offline",
		firstRequests,
		results,
		complete: async (request): Promise<ModelReply> => {
			const reply = (name: string, input: unknown): ModelReply => ({
				stop: "tool-use",
				content: [{ type: "tool-use", id: `call-${++calls}`, name, input }],
				...{ usage: NO_USAGE, model: "bench", attempts: 1, durationMs: 0 },
			});
			if (request.messages.length === 1) {
				firstRequests.push(performance.now());
				return reply("read_file", { path: "changed.ts" });
			}
			for (const block of request.messages.at(-1)?.content ?? []) if (block.type === "tool-result") results.push(block.content);
			return reply("submit_report", { summary: "done", findings: [], open: [] });
		},
	};
}

function makeAssignment(index: number, isolated: boolean): Assignment {
	return {
		agent: {
			...{ name: `reader-${index}`, description: "d", kind: "reviewer", tier: "repository", prompt: "p", memory: true },
			...{ tools: ["read_file", "submit_report"], disallowedTools: [], skills: [], background: false, oneShot: false },
			...(isolated ? { isolation: "worktree" as const } : {}),
		},
		files: [],
		task: "t",
		limits: { maxSteps: 5, tokenBudget: 1_000_000, timeoutMs: 300_000, answerChars: 1_000 },
		reason: "r",
		access: "read",
	};
}

function openFreeTrees(head: string): ReturnType<PipelineSeams["openWorkspaces"]> {
	const nothing = async () => undefined;
	return {
		open: async ({ kind }) => ({ root: os.tmpdir(), head, kind, [Symbol.asyncDispose]: nothing }),
		[Symbol.asyncDispose]: nothing,
	};
}

async function measureWriters(place: Place & { readonly rounds: number; readonly files: number }): Promise<Ratio> {
	const ours: number[] = [];
	const plain: number[] = [];
	for (let round = 0; round < place.rounds; round += 1) {
		plain.push(await timePlainTrees(place, round));
		ours.push(await timeOwnTrees(place));
	}
	const [our, other] = [Math.min(...ours), Math.min(...plain)];
	return {
		name: "W1",
		value: our / other,
		target: 0.8,
		detail: `${TREES} trees of ${place.files} files: ${(our / 1000).toFixed(2)} s against ${(other / 1000).toFixed(2)} s for as many \`git worktree add\` in turn, best of ${place.rounds}`,
	};
}

async function timeOwnTrees({ folder, repository, head }: Place): Promise<number> {
	const opened = await openRepository(repository);
	await using provider = createWorkspaceProvider({ repository: opened, head, run: "bench", temporaryFolder: folder });
	const startedAt = performance.now();
	await Promise.all(Array.from({ length: TREES }, (_, index) => provider.open({ kind: "own", session: `w-${index}` })));
	return performance.now() - startedAt;
}

async function timePlainTrees({ folder, repository, head }: Place, round: number): Promise<number> {
	const trees = Array.from({ length: TREES }, (_, index) => path.join(folder, `plain-${round}-${index}`));
	const startedAt = performance.now();
	for (const tree of trees) git(repository, "worktree", "add", "-q", "--detach", tree, head);
	const time = performance.now() - startedAt;
	for (const tree of trees) git(repository, "worktree", "remove", "--force", tree);
	return time;
}

/** A run in a process of its own that makes its trees and is killed in the middle of them. */
async function measureLeftovers({ folder, repository, head }: Place): Promise<Ratio> {
	const before = describe(repository);
	const from = (file: string) => JSON.stringify(path.resolve("src/adapters", file));
	const script = `import { openRepository } from ${from("git/open-repository.ts")};
import { createWorkspaceProvider } from ${from("worktree/create-workspace-provider.ts")};
const repository = await openRepository(${JSON.stringify(repository)});
const provider = createWorkspaceProvider({ repository, head: "${head}", run: "dead", temporaryFolder: ${JSON.stringify(folder)} });
let made = 0;
await Promise.all(Array.from({ length: ${TREES} }, async (_, index) => {
	await provider.open({ kind: "own", session: "w-" + index });
	if (++made === ${TREES / 2}) process.stdout.write("half\\n");
}));
setInterval(() => undefined, 1000);`;
	const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], { stdio: ["ignore", "pipe", "ignore"] });
	await once(child.stdout, "data");
	const closed = once(child, "close");
	child.kill("SIGKILL");
	await closed;
	const orphans = registrations(repository);
	const opened = await openRepository(repository);
	{
		await using provider = createWorkspaceProvider({ repository: opened, head, run: "next", temporaryFolder: folder });
		await provider.open({ kind: "shared", session: "next" });
	}
	const folders = readdirSync(folder).filter((name) => name.startsWith("rookery-worktrees-")).length;
	const left = registrations(repository) + folders + (describe(repository) === before ? 0 : 1);
	if (orphans === 0) throw new Error("the killed run left nothing, so nothing was shown");
	return { name: "W2", value: left, target: 0, detail: `left of ${orphans} trees of a killed run, with branches, refs and settings` };
}

function registrations(repository: string): number {
	const folder = path.join(repository, ".git", "worktrees");
	return existsSync(folder) ? readdirSync(folder).length : 0;
}

function describe(repository: string): string {
	const asked = [git(repository, "for-each-ref"), git(repository, "--no-optional-locks", "status", "--porcelain=v2", "--branch")];
	return [...asked, readFileSync(path.join(repository, ".git", "config"), "utf8")].join("\n");
}

function median(values: readonly number[]): number {
	return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
