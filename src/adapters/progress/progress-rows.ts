import type { ChildStatus, ChildStopReason, SubagentReport } from "../../domain/child-run.ts";
import type { JournalEvent } from "../../domain/journal-entry.ts";
import { totalTokens } from "../../domain/usage.ts";
import type { Clock } from "../../seams.ts";

/** One agent of a running run, as people see it. */
export interface AgentRow {
	readonly session: string;
	readonly agent: string;
	/** Session of whoever started it, null for the pipeline; absent until its own journal has said so. */
	readonly parent?: string | null;
	/** What it was started for. */
	readonly description: string;
	readonly state: "running" | "ended";
	readonly status?: ChildStatus;
	readonly stopReason?: ChildStopReason;
	/** Steps begun so far. */
	readonly step: number;
	/** "tool argument" of the last call; empty before the first. */
	readonly activity: string;
	readonly tokens: number;
	/** Null when a model has no known price. */
	readonly costUsd: number | null;
	readonly elapsedMs: number;
}

/** What the engine says between two records (S-034). */
export type StepProgress =
	| { readonly kind: "step"; readonly session: string; readonly step: number }
	| { readonly kind: "tool"; readonly session: string; readonly step: number; readonly tool: string; readonly argument: string };

/** The state behind every live view: fed with journal records and steps, read as rows in order of start. */
export interface ProgressRows {
	record(event: JournalEvent): void;
	step(progress: StepProgress): void;
	rows(): readonly AgentRow[];
	/** Called after each change. */
	subscribe(listener: () => void): void;
}

type StoredRow = Omit<AgentRow, "elapsedMs"> & { readonly startedAt: number; readonly endedAt?: number };

export function createProgressRows(clock: Pick<Clock, "now">): ProgressRows {
	const rows = new Map<string, StoredRow>();
	const listeners: (() => void)[] = [];

	function change(session: string, part: Partial<StoredRow>): void {
		const known = rows.get(session) ?? emptyRow(session, clock.now());
		rows.set(session, { ...known, ...part });
		for (const listener of listeners) listener();
	}

	/** A primary is nobody's child, so its end is a record of its own. */
	function endPrimary(data: unknown): void {
		if (typeof data !== "object" || data === null || !("session" in data)) return;
		const { session, status, stopReason } = data as unknown as SubagentReport;
		change(session, { state: "ended", status, stopReason, activity: "", endedAt: clock.now() });
	}

	return {
		record(event) {
			switch (event.type) {
				case "agent.started":
					change(event.session, { agent: event.agent, description: event.description, state: "running" });
					break;
				case "session.started":
					change(event.session, { agent: event.agent, parent: event.parent });
					break;
				case "agent.finished":
					change(event.session, { state: "ended", status: event.status, stopReason: event.stopReason, activity: "", endedAt: clock.now() });
					break;
				case "child_debit": {
					const row = rows.get(event.session);
					// The warm-up is charged too, and it is no agent.
					if (row === undefined) break;
					const costUsd = row.costUsd === null || event.costUsd === null ? null : row.costUsd + event.costUsd;
					change(event.session, { tokens: row.tokens + totalTokens(event.usage), costUsd });
					break;
				}
				case "run.data":
					if (event.name === "primary") endPrimary(event.data);
					break;
				default:
			}
		},
		step(progress) {
			if (progress.kind === "step") change(progress.session, { step: progress.step });
			else change(progress.session, { step: progress.step, activity: `${progress.tool} ${progress.argument}`.trimEnd() });
		},
		rows: () => [...rows.values()].map(({ startedAt, endedAt, ...row }) => ({ ...row, elapsedMs: (endedAt ?? clock.now()) - startedAt })),
		subscribe: (listener) => listeners.push(listener),
	};
}

function emptyRow(session: string, startedAt: number): StoredRow {
	return {
		...{ session, startedAt, agent: session, description: session, state: "running" },
		...{ step: 0, activity: "", tokens: 0, costUsd: 0 },
	};
}
