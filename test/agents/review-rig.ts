import { spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createAnthropicClient } from "../../src/adapters/anthropic/create-anthropic-client.ts";
import { readJournal } from "../../src/adapters/journal-file/read-journal.ts";
import { openRun } from "../../src/compose/open-run.ts";
import type { LoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import type { JournalEntry } from "../../src/domain/journal-entry.ts";
import type { ReviewPlan } from "../../src/domain/review-plan.ts";
import type { RunContext } from "../../src/domain/run-context.ts";
import type { RunHookCommand } from "../../src/guard/hooks.ts";
import { buildPack } from "../../src/plan/build-pack.ts";
import { type Change, loadChange } from "../../src/stages/load-change.ts";
import { loadTrusted, type Trusted } from "../../src/stages/load-trusted.ts";
import type { PipelineSeams } from "../../src/stages/pipeline-seams.ts";
import { planRun } from "../../src/stages/plan-run.ts";
import { type ChildrenOutcome, runChildren } from "../../src/stages/run-children.ts";
import { QUIET } from "../stages/question-rig.ts";
import { git, writeFiles } from "../tools/tool-fixture.ts";

export type FileMap = Readonly<Record<string, string | Buffer | null>>;

export interface ReviewRigOptions {
	readonly base: FileMap;
	readonly head?: FileMap;
	/** Links in the base commit: path to target. */
	readonly seams?: Partial<PipelineSeams>;
	readonly change?: (trusted: Trusted) => Trusted;
	readonly plan?: (plan: ReviewPlan) => ReviewPlan;
	readonly tier?: RunContext["tier"];
	/** Work in the folder before the commit of either side. */
	readonly prepare?: (folder: string, side: "base" | "head") => void;
}

export interface ReviewRig {
	readonly folder: string;
	readonly temp: string;
	readonly context: RunContext;
	readonly trusted: Trusted;
	readonly change: Change;
	readonly plan: ReviewPlan;
	readonly seams: PipelineSeams;
	readonly stop: AbortController;
	/** What the run said to the log. */
	readonly said: string[];
	run(): Promise<ChildrenOutcome>;
	entries(session: string): Promise<readonly JournalEntry[]>;
	[Symbol.asyncDispose](): Promise<void>;
}

/** Runs commands of hooks for real, with an environment that holds nothing but a path. */
export const runForReal =
	(): RunHookCommand =>
	({ command, folder, input, timeoutMs }, signal) =>
		new Promise((resolve) => {
			const child = spawn("/bin/sh", ["-c", command], { cwd: folder, env: { PATH: process.env["PATH"] ?? "" }, stdio: "pipe", signal });
			const output = { stdout: "", stderr: "" };
			child.stdout.on("data", (chunk: Buffer) => {
				output.stdout += chunk.toString("utf8");
			});
			child.stderr.on("data", (chunk: Buffer) => {
				output.stderr += chunk.toString("utf8");
			});
			const timer = setTimeout(() => {
				child.kill("SIGKILL");
				resolve({ kind: "timed-out", seconds: timeoutMs / 1000 });
			}, timeoutMs);
			child.on("error", (error) => {
				clearTimeout(timer);
				resolve({ kind: "failed", reason: error.message });
			});
			child.on("close", (code) => {
				clearTimeout(timer);
				resolve(code === null ? { kind: "failed", reason: "killed" } : { kind: "exited", code, ...output });
			});
			child.stdin.on("error", () => undefined);
			child.stdin.end(input);
		});

/** Base and head of a real repository, the stages up to the plan, and the loopback model behind real HTTP. */
export async function openReview(server: LoopbackModel, options: ReviewRigOptions): Promise<ReviewRig> {
	const temp = realpathSync(mkdtempSync(path.join(tmpdir(), "rookery-reviewers-")));
	const folder = path.join(temp, "repository");
	const commitAll = (side: "base" | "head", files: FileMap): string => {
		writeFiles(folder, files);
		if (side === "base") git(folder, "init", "-q", "-b", "main");
		options.prepare?.(folder, side);
		git(folder, "add", "-A");
		git(folder, "commit", "-q", "--allow-empty", "-m", side);
		return git(folder, "rev-parse", "HEAD");
	};
	const base = commitAll("base", options.base);
	const head = commitAll("head", options.head ?? { "src/a.ts": "export const a = 2;\n" });
	const stop = new AbortController();
	const said: string[] = [];
	const hear = (text: string) => void said.push(text);
	const run = await openRun({
		folder,
		temp: path.join(temp, "runner"),
		runName: "review-1",
		log: { ...QUIET, info: hear, notice: hear, warning: hear },
		secrets: { add: () => undefined, redact: (text) => text.replaceAll("s3cret-value", "***") },
		bundleFolder: path.resolve("node_modules"),
		signal: stop.signal,
	});
	const nothing = async () => undefined;
	const seams: PipelineSeams = {
		...run.seams,
		model: createAnthropicClient({ apiKey: "key-for-tests", baseUrl: server.url, clock: run.clock, random: () => 0 }),
		sinks: { stepSummary: nothing, outputs: nothing },
		...options.seams,
	};
	const context: RunContext = {
		...{ base, head, mergeBase: base, trusted: base, notes: [] },
		runId: "review-1",
		attempt: 1,
		event: "pull_request",
		repository: { owner: "octo", name: "demo" },
		actor: { login: "mona", id: 1, type: "User" },
		tier: options.tier ?? "T1",
		tierReason: "test",
	};
	const loaded = await loadTrusted({ reader: seams.reader, trusted: base });
	const trusted = options.change?.(loaded) ?? loaded;
	const change = await loadChange(context, seams);
	const planned = await planRun(context, trusted, change, seams);
	const plan = options.plan?.(planned) ?? planned;
	return {
		...{ folder, temp, context, trusted, change, plan, seams, stop, said },
		async run() {
			const patches = await change.readPatches(plan.assignments.flatMap((assignment) => assignment.files.map((file) => file.path)));
			const pack = buildPack({ context, changeSet: change.changeSet, plan, patches, instructions: trusted.instructions });
			return runChildren({ plan, context, trusted, change, pack }, seams);
		},
		async entries(session) {
			const file = session === "run" ? `${seams.journals.folder}.jsonl` : path.join(seams.journals.folder, `${session}.jsonl`);
			const read = await readJournal(file);
			return read.state === "read" ? read.entries : [];
		},
		async [Symbol.asyncDispose]() {
			await run[Symbol.asyncDispose]();
			rmSync(temp, { recursive: true, force: true });
		},
	};
}

/** An agent file as people write it. */
export function agentFile(name: string, header: Readonly<Record<string, string>> = {}, body = `You are ${name}.`): string {
	const lines = Object.entries({ name, description: `Looks at ${name}.`, ...header }).map(([key, value]) => `${key}: ${value}`);
	return `---\n${lines.join("\n")}\n---\n${body}\n`;
}
