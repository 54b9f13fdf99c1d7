import { readRunJournals, type RunJournals, type SessionJournal } from "../adapters/replay/read-run-journals.ts";
import type { JournalEntry } from "../domain/journal-entry.ts";
import { addUsage, NO_USAGE, totalTokens, type Usage } from "../domain/usage.ts";
import { costOf } from "../domain/cost.ts";
import { formatCost, formatDuration, formatTokens, plural } from "../publish/render/format.ts";

/** One agent of a run, with what its journal says it did. */
export interface SessionNode {
	readonly session: string;
	readonly agentId: string;
	readonly agent: string;
	readonly name: string | null;
	readonly model: string;
	/** `completed`, …; `running` or `interrupted` for a session without an end record. */
	readonly status: string;
	readonly stopReason: string | null;
	readonly runs: number;
	readonly steps: number;
	readonly toolUses: number;
	readonly usage: Usage;
	/** Null when a model has no known price. */
	readonly costUsd: number | null;
	readonly durationMs: number;
	readonly journal: string;
	readonly children: readonly SessionNode[];
}

export interface SessionTree {
	/** The run's journal file. */
	readonly run: string;
	readonly roots: readonly SessionNode[];
	/** Everything that was charged, the warm-up included. */
	readonly usage: Usage;
	readonly costUsd: number | null;
}

/** `rookery session JOURNALS`: the tree of a run's agents. Throws a UserError for journals that cannot be believed. */
export async function readSessionTree(location: string): Promise<SessionTree> {
	const journals = await readRunJournals(location);
	const nodes = [...journals.sessions].map(([session, journal]) => readNode(session, journal, journals));
	const known = new Set(nodes.map((node) => node.session));
	const below = (parent: string | null): SessionNode[] =>
		nodes
			.filter((node) => (parent === null ? node.parent === null || !known.has(node.parent) : node.parent === parent))
			.sort((a, b) => agentNumber(a) - agentNumber(b) || a.startedAt - b.startedAt)
			.map(({ parent: _parent, startedAt: _startedAt, ...node }) => ({ ...node, children: below(node.session) }));
	const debits = journals.run.entries.flatMap((entry) => (entry.type === "child_debit" ? [entry] : []));
	return {
		run: journals.run.file,
		roots: below(null),
		usage: debits.reduce((sum, debit) => addUsage(sum, debit.usage), NO_USAGE),
		costUsd: sumCosts(debits.map((debit) => debit.costUsd)),
	};
}

type FlatNode = Omit<SessionNode, "children"> & { readonly parent: string | null; readonly startedAt: number };

/** Ids are given in the order in which agents were asked for. */
function agentNumber(node: Pick<SessionNode, "agentId">): number {
	return Number(/^agent_(\d+)$/.exec(node.agentId)?.[1] ?? 0);
}

function readNode(session: string, journal: SessionJournal, journals: RunJournals): FlatNode {
	const { entries } = journal;
	const started = entries.find((entry) => entry.type === "session.started");
	const runs = entries.filter((entry) => entry.type === "run.started");
	const calls = entries.flatMap((entry) => (entry.type === "model.call" ? [entry] : []));
	const end = journal.interrupted ? undefined : entries.findLast((entry) => entry.type === "end");
	const begun = journals.run.entries.findLast((entry) => entry.type === "agent.started" && entry.session === session);
	return {
		session,
		...describe(started, begun?.type === "agent.started" ? begun : undefined),
		model: calls.at(-1)?.model ?? runs.at(-1)?.model ?? "none",
		status: end?.status ?? "interrupted",
		stopReason: end?.stopReason ?? null,
		runs: Math.max(1, runs.length),
		steps: entries.filter((entry) => entry.type === "message" && entry.role === "assistant").length,
		toolUses: entries.filter((entry) => entry.type === "tool.call").length,
		usage: calls.reduce((sum, call) => addUsage(sum, call.usage), NO_USAGE),
		costUsd: readCost(session, calls, journals),
		durationMs: timeOf(entries.at(-1)) - timeOf(entries[0]),
		journal: journal.file,
		startedAt: timeOf(entries[0]),
	};
}

/** A child that could not be opened has no session record: the run's journal knows who it was. */
function describe(
	started: Extract<JournalEntry, { type: "session.started" }> | undefined,
	begun: Extract<JournalEntry, { type: "agent.started" }> | undefined,
): Pick<FlatNode, "agentId" | "agent" | "name" | "parent"> {
	if (started !== undefined) return { agentId: started.agentId, agent: started.agent, name: started.name, parent: started.parent };
	return { agentId: begun?.agentId ?? "unknown", agent: begun?.agent ?? "unknown", name: null, parent: null };
}

/** The debits are exact for replies of several requests; a session without any is priced from its calls. */
function readCost(session: string, calls: readonly Extract<JournalEntry, { type: "model.call" }>[], journals: RunJournals): number | null {
	const debits = journals.run.entries.flatMap((entry) =>
		entry.type === "child_debit" && entry.session === session ? [entry.costUsd] : [],
	);
	return sumCosts(
		debits.length > 0 ? debits : calls.filter((call) => totalTokens(call.usage) > 0).map((call) => costOf(call.model, call.usage)),
	);
}

function sumCosts(costs: readonly (number | null)[]): number | null {
	return costs.reduce<number | null>((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
}

function timeOf(entry: JournalEntry | undefined): number {
	return entry === undefined ? 0 : Date.parse(entry.at);
}

/** The tree as lines for a terminal or a comment's code block. */
export function renderSessionTree(tree: SessionTree): string {
	const count = countNodes(tree.roots);
	const head = `${plural(count, "agent")}, ${formatTokens(totalTokens(tree.usage))} tokens, ${formatCost(tree.costUsd)}`;
	return [head, ...renderNodes(tree.roots, ""), `journal: ${tree.run}`].join("\n");
}

function renderNodes(nodes: readonly SessionNode[], indent: string): readonly string[] {
	return nodes.flatMap((node, index) => {
		const last = index === nodes.length - 1;
		return [`${indent}${last ? "└─" : "├─"} ${renderNode(node)}`, ...renderNodes(node.children, `${indent}${last ? "   " : "│  "}`)];
	});
}

function renderNode(node: SessionNode): string {
	const how = node.stopReason === null || node.stopReason === "done" ? node.status : `${node.status} (${node.stopReason})`;
	const named = node.name === null ? node.agentId : `${node.agentId}, ${node.name}`;
	const runs = node.runs === 1 ? [] : [`${node.runs} runs`];
	const parts = [
		...runs,
		plural(node.steps, "step"),
		plural(node.toolUses, "call"),
		`${formatTokens(totalTokens(node.usage))} tokens`,
		formatCost(node.costUsd),
		formatDuration(node.durationMs),
	];
	return `${node.session} (${named}) ${how}: ${parts.join(", ")}, ${node.model}`;
}

function countNodes(nodes: readonly SessionNode[]): number {
	return nodes.reduce((sum, node) => sum + 1 + countNodes(node.children), 0);
}
