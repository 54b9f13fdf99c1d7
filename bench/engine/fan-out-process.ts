/**
 * N children of the real engine in one process: the Anthropic client, the real tools, journals on disk, one warm-up.
 * Arguments: model address, number of children, repository, folder for journals, and whether a search starts a process.
 * Prints one JSON line.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createAnthropicClient } from "../../src/adapters/anthropic/create-anthropic-client.ts";
import { createJournalFolder } from "../../src/adapters/journal-file/create-journal-folder.ts";
import { createSystemClock } from "../../src/adapters/system-clock.ts";
import { LANGUAGES } from "../../src/agents/experts/table.ts";
import { buildSpecialist } from "../../src/agents/specialist-prompt.ts";
import { costOf } from "../../src/domain/cost.ts";
import { createLedger } from "../../src/engine/ledger.ts";
import { createRegistry } from "../../src/engine/registry.ts";
import { createRunBudget } from "../../src/engine/run-budget.ts";
import { createScheduler } from "../../src/engine/scheduler.ts";
import { warmUp } from "../../src/engine/warm-up.ts";
import { SHARED_SYSTEM } from "../../src/plan/shared-system.ts";
import type { Tool } from "../../src/seams.ts";
import { createReadOnlyTools } from "../../src/tools/create-read-only-tools.ts";
import { createReadState } from "../../src/tools/read-state.ts";

const [baseUrl = "", count = "5", folder = "", temp = "", spawnMode = "in-process"] = process.argv.slice(2);
const execute = promisify(execFile);
const MODEL = "claude-opus-5-5";
const COMMIT = "1".repeat(40);

async function runGit(...args: readonly string[]): Promise<string> {
	return (await execute("git", [...args], { cwd: folder, maxBuffer: 64 * 1024 ** 2 })).stdout;
}

const clock = createSystemClock();
const paths = (await runGit("ls-files")).split("\n").filter((line) => line !== "");
const pack = { type: "text" as const, text: `The change under review:\n${await runGit("diff", "main...HEAD")}` };
const prefix = { system: [{ type: "text" as const, text: SHARED_SYSTEM }], pack: [pack] };
const journals = createJournalFolder({ temp, run: "bench-1", clock, redact: (text) => text });
const journal = journals.openRun();
const ledger = createLedger(journal);
const budget = createRunBudget({ tokens: 100_000_000 });
const model = createAnthropicClient({ apiKey: "key-for-benches", baseUrl, clock });
const signal = new AbortController().signal;

function tools(): readonly Tool[] {
	const own = createReadOnlyTools({
		root: folder,
		head: COMMIT,
		mergeBase: COMMIT,
		changedFiles: [],
		readPatches: async () => [],
		readBase: async () => undefined,
		listFiles: async () => paths,
		syntax: undefined as never,
		readState: createReadState(),
	});
	return spawnMode === "process" ? own.map((tool) => (tool.spec.name === "grep" ? withProcess(tool) : tool)) : own;
}

/** The same search by one `git grep`, for what a process costs between two requests. */
function withProcess(tool: Tool): Tool {
	return { ...tool, run: async (input) => ({ content: await runGit("grep", "-n", "-e", String((input as { pattern: string }).pattern)) }) };
}

const scheduler = createScheduler({
	...{ base: COMMIT, head: COMMIT, journal, journals, clock, budget, ledger, signal, price: costOf },
	registry: createRegistry(),
	maxConcurrent: Number(count),
	redact: (text) => text,
	open: async () => ({
		...{ model, modelId: MODEL, effort: "medium", brief: prefix },
		tools: { tools: tools(), [Symbol.asyncDispose]: async () => undefined },
		close: async () => undefined,
	}),
});
await warmUp({
	...{ model, prefix, budget, ledger, journal, clock, signal },
	modelId: MODEL,
	effort: "medium",
	tools: tools(),
	children: Number(count),
	price: costOf,
});
const reports = await scheduler.runPlanned(
	Array.from({ length: Number(count) }, (_, index) => {
		const profile = LANGUAGES[index % LANGUAGES.length];
		if (profile === undefined) throw new Error("no language");
		return {
			assignment: {
				agent: buildSpecialist(profile),
				files: [],
				task: `Review part ${index + 1} of the change.`,
				limits: { maxSteps: 20, tokenBudget: 150_000, timeoutMs: 300_000, answerChars: 20_000 },
				reason: "bench",
				access: "read" as const,
			},
		};
	}),
);
await journal.close();
process.stdout.write(
	`${JSON.stringify({ statuses: reports.map((report) => report.status), errors: reports.flatMap((report) => report.error ?? []) })}\n`,
);
