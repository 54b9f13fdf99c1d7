import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createAnthropicClient } from "../../src/adapters/anthropic/create-anthropic-client.ts";
import { readJournal } from "../../src/adapters/journal-file/read-journal.ts";
import { openRun } from "../../src/compose/open-run.ts";
import type { LoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import type { JournalEntry } from "../../src/domain/journal-entry.ts";
import type { RunContext } from "../../src/domain/run-context.ts";
import { buildPack } from "../../src/plan/build-pack.ts";
import type { Log } from "../../src/seams.ts";
import { loadChange } from "../../src/stages/load-change.ts";
import { loadTrusted, type Trusted } from "../../src/stages/load-trusted.ts";
import type { PipelineSeams } from "../../src/stages/pipeline-seams.ts";
import { planRun } from "../../src/stages/plan-run.ts";
import type { QuestionInput } from "../../src/stages/run-orchestrator.ts";
import { git, writeFiles } from "../tools/tool-fixture.ts";

export const QUIET: Log = {
	info: () => undefined,
	notice: () => undefined,
	warning: () => undefined,
	error: () => undefined,
	group: () => undefined,
};

export type FileMap = Readonly<Record<string, string | Buffer | null>>;

export const FILES: FileMap = {
	"src/budget.ts": "export const LIMIT = 10;\n\nexport function check(used: number): boolean {\n\treturn used <= LIMIT;\n}\n",
	"src/main.go": "package main\n\nfunc main() {\n\tprintln(1)\n}\n",
	"lib/core.rs": "pub fn core() -> u8 {\n    1\n}\n",
	"CLAUDE.md": "INSTRUCTIONS-MARKER: use tabs.\n",
	".claude/agents/api-reviewer.md":
		"---\nname: api-reviewer\ndescription: Looks at interfaces.\ntools: Read, Grep\n---\nYou are the api reviewer.\n",
};

export interface QuestionRig {
	readonly folder: string;
	readonly temp: string;
	readonly input: QuestionInput;
	readonly seams: PipelineSeams;
	readonly stop: AbortController;
	entries(session: string): Promise<readonly JournalEntry[]>;
	[Symbol.asyncDispose](): Promise<void>;
}

export interface RigOptions {
	readonly base?: FileMap;
	readonly head?: FileMap;
	readonly links?: RunContext["links"];
	readonly change?: (trusted: Trusted) => Trusted;
	readonly seams?: Partial<PipelineSeams>;
	readonly question?: string;
}

/** A question over a real repository with two commits, its journals on disk, and the loopback model behind real HTTP. */
export async function openQuestion(server: LoopbackModel, options: RigOptions = {}): Promise<QuestionRig> {
	const temp = mkdtempSync(path.join(tmpdir(), "rookery-question-"));
	const folder = path.join(temp, "repository");
	writeFiles(folder, options.base ?? FILES);
	git(folder, "init", "-q", "-b", "main");
	git(folder, "add", "-A");
	git(folder, "commit", "-qm", "base");
	const base = git(folder, "rev-parse", "HEAD");
	writeFiles(
		folder,
		options.head ?? {
			"src/budget.ts": "export const LIMIT = 11;\n\nexport function check(used: number): boolean {\n\treturn used < LIMIT;\n}\n",
		},
	);
	git(folder, "add", "-A");
	git(folder, "commit", "-qm", "head");
	const head = git(folder, "rev-parse", "HEAD");
	const stop = new AbortController();
	const secrets = { add: () => undefined, redact: (text: string) => text };
	const run = await openRun({
		folder,
		temp,
		runName: "question-1",
		log: QUIET,
		secrets,
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
		runId: "question-1",
		attempt: 1,
		event: "issue_comment",
		repository: { owner: "octo", name: "demo" },
		actor: { login: "mona", id: 1, type: "User" },
		tier: "T1",
		tierReason: "test",
		...(options.links === undefined ? {} : { links: options.links }),
	};
	const loaded = await loadTrusted({ reader: seams.reader, trusted: base });
	const trusted = options.change?.(loaded) ?? loaded;
	const change = await loadChange(context, seams);
	const plan = await planRun(context, trusted, change, seams);
	const patches = await change.readPatches(plan.assignments.flatMap((assignment) => assignment.files.map((file) => file.path)));
	const pack = buildPack({ context, changeSet: change.changeSet, plan, patches, instructions: trusted.instructions });
	const entries = async (session: string): Promise<readonly JournalEntry[]> => {
		const file = session === "run" ? `${seams.journals.folder}.jsonl` : path.join(seams.journals.folder, `${session}.jsonl`);
		const read = await readJournal(file);
		return read.state === "read" ? read.entries : [];
	};
	return {
		...{ folder, temp, seams, stop, entries },
		input: { context, trusted, change, pack, question: options.question ?? "Where is the budget enforced?", readEntries: entries },
		async [Symbol.asyncDispose]() {
			await run[Symbol.asyncDispose]();
			rmSync(temp, { recursive: true, force: true });
		},
	};
}
