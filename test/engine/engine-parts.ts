import { createSystemClock } from "../../src/adapters/system-clock.ts";
import type { AgentDefinition } from "../../src/domain/agent.ts";
import type { Assignment, ChildLimits } from "../../src/domain/child-run.ts";
import { costOf } from "../../src/domain/cost.ts";
import type { JournalEntry, JournalEvent } from "../../src/domain/journal-entry.ts";
import type { ChildEnvironment } from "../../src/engine/child-environment.ts";
import { createLedger } from "../../src/engine/ledger.ts";
import { createRegistry } from "../../src/engine/registry.ts";
import { createRunBudget } from "../../src/engine/run-budget.ts";
import type { ChildResources, SchedulerOptions } from "../../src/engine/scheduler-options.ts";
import type { Journal, JournalStore, ModelClient, Tool, ToolEffect, ToolOutput, ToolWorker } from "../../src/seams.ts";

export const BASE = "1".repeat(40);
export const HEAD = "2".repeat(40);

export function agentNamed(name: string, change: Partial<AgentDefinition> = {}): AgentDefinition {
	return {
		name,
		description: `Reviews ${name}.`,
		kind: "reviewer",
		tier: "built-in",
		prompt: `You are the ${name} reviewer.`,
		tools: ["read_file"],
		disallowedTools: [],
		memory: false,
		skills: [],
		background: false,
		oneShot: false,
		...change,
	};
}

export const LIMITS: ChildLimits = { maxSteps: 20, tokenBudget: 150_000, timeoutMs: 20_000, answerChars: 20_000 };

export function assign(change: Partial<Omit<Assignment, "limits">> & { readonly limits?: Partial<ChildLimits> } = {}): Assignment {
	return {
		agent: agentNamed("api"),
		files: [{ path: "src/a.ts", additions: 3, deletions: 1 }],
		task: "Review the change.",
		reason: "owns src",
		access: "read",
		...change,
		limits: { ...LIMITS, ...change.limits },
	};
}

export interface MemoryJournal extends Journal {
	readonly entries: JournalEntry[];
	of<Type extends JournalEvent["type"]>(type: Type): Extract<JournalEntry, { type: Type }>[];
}

/** A journal in memory, for what a test reads back; the file form has its own tests. */
export function memoryJournal(path = "memory.jsonl"): MemoryJournal {
	const entries: JournalEntry[] = [];
	return {
		path,
		entries,
		async append(event) {
			const entry: JournalEntry = { v: 1, seq: entries.length + 1, at: "2026-01-01T00:00:00.000Z", ...event };
			entries.push(entry);
			return entry;
		},
		async close() {},
		of: <Type extends JournalEvent["type"]>(type: Type) =>
			entries.filter((entry): entry is Extract<JournalEntry, { type: Type }> => entry.type === type),
	};
}

export interface MemoryStore extends JournalStore {
	readonly journals: Map<string, MemoryJournal>;
}

export function memoryStore(): MemoryStore {
	const journals = new Map<string, MemoryJournal>();
	return {
		folder: "memory",
		journals,
		open(session) {
			const journal = journals.get(session) ?? memoryJournal(`memory/${session}.jsonl`);
			journals.set(session, journal);
			return journal;
		},
	};
}

/** A tool that takes any object. */
export function toolNamed(
	name: string,
	run: (input: Record<string, unknown>, signal: AbortSignal, call?: { readonly id: string }) => ToolOutput | Promise<ToolOutput>,
	options: { readonly effect?: ToolEffect; readonly timeoutMs?: number } = {},
): Tool {
	return {
		spec: { name, description: `The ${name} tool.`, inputSchema: { type: "object" } },
		effect: options.effect ?? "read",
		timeoutMs: options.timeoutMs ?? 5_000,
		parse: (input) =>
			typeof input === "object" && input !== null && !Array.isArray(input)
				? { ok: true, value: input }
				: { ok: false, error: "input must be an object" },
		run: async (input, signal, call) => run(input as Record<string, unknown>, signal, call),
	};
}

export const readTool = toolNamed("read_file", (input) => ({
	content: `text of ${String(input["path"])}`,
	filesRead: [String(input["path"])],
}));

export const reportTool = toolNamed(
	"submit_report",
	(input) => {
		const summary = input["summary"];
		if (typeof summary !== "string") return { content: "summary: want text", isError: true };
		return { content: "received", data: { summary, findings: input["findings"] ?? [], open: input["open"] ?? [] } };
	},
	{ effect: "none" },
);

export function workerWith(tools: readonly Tool[]): ToolWorker {
	return { tools, async [Symbol.asyncDispose]() {} };
}

export interface TestEnvironment extends ChildEnvironment {
	readonly journal: MemoryJournal;
	readonly runJournal: MemoryJournal;
}

export function environmentFor(
	model: ModelClient,
	change: Partial<ChildEnvironment> & { readonly toolList?: readonly Tool[] } = {},
): TestEnvironment {
	const { toolList, ...rest } = change;
	const journal = memoryJournal();
	const runJournal = memoryJournal("run.jsonl");
	return {
		session: "agent-api-1",
		agentId: "agent_1",
		name: null,
		parent: null,
		parentCall: null,
		depth: 1,
		model,
		modelId: "claude-sonnet-5-5",
		effort: "high",
		tools: workerWith(toolList ?? [readTool]),
		clock: createSystemClock(),
		budget: createRunBudget({ tokens: 10_000_000 }),
		ledger: createLedger(runJournal),
		brief: { system: [{ type: "text", text: "Shared rules." }], pack: [{ type: "text", text: "The change." }] },
		signal: new AbortController().signal,
		base: BASE,
		head: HEAD,
		price: costOf,
		redact: (text) => text,
		...rest,
		journal,
		runJournal,
	};
}

export interface TestRun {
	readonly options: SchedulerOptions;
	readonly journal: MemoryJournal;
	readonly store: MemoryStore;
	readonly stop: AbortController;
}

/** Everything a scheduler needs, with the children's models chosen by the agent's name. */
export function schedulerRun(
	modelFor: (agent: string) => ModelClient | Promise<ModelClient>,
	change: Partial<SchedulerOptions> & { readonly toolList?: readonly Tool[] } = {},
): TestRun {
	const { toolList, ...rest } = change;
	const journal = memoryJournal("run.jsonl");
	const store = memoryStore();
	const stop = new AbortController();
	const options: SchedulerOptions = {
		base: BASE,
		head: HEAD,
		journal,
		journals: store,
		clock: createSystemClock(),
		budget: createRunBudget({ tokens: 10_000_000 }),
		ledger: createLedger(rest.journal ?? journal),
		registry: createRegistry(),
		maxConcurrent: 4,
		signal: stop.signal,
		price: costOf,
		redact: (text) => text,
		async open(request): Promise<ChildResources> {
			return {
				model: await modelFor(request.assignment.agent.name),
				modelId: "claude-sonnet-5-5",
				effort: "high",
				tools: workerWith(toolList ?? [readTool]),
				brief: { system: [{ type: "text", text: "Shared rules." }], pack: [{ type: "text", text: "The change." }] },
				close: async () => undefined,
			};
		},
		readEntries: async (session) => store.journals.get(session)?.entries ?? [],
		...rest,
	};
	return { options, journal: options.journal as MemoryJournal, store, stop };
}
