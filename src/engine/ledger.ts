import type { SubagentReport } from "../domain/child-run.ts";
import type { Usage } from "../domain/usage.ts";
import { addUsage, NO_USAGE } from "../domain/usage.ts";
import type { Journal } from "../seams.ts";

/** One charge of a child that no report has covered yet. */
export interface Debit {
	readonly session: string;
	/** Number of the charge within its session, from 1. */
	readonly charge: number;
	readonly usage: Usage;
	/** Priced from the table; null for a model without a price (S-106). */
	readonly costUsd: number | null;
}

export interface LedgerTotals {
	readonly usage: Usage;
	/** Null as soon as one part has no price. */
	readonly costUsd: number | null;
	/** True while some of it rests on debits instead of reports: "at least N tokens" (S-101, S-103). */
	readonly estimated: boolean;
}

/**
 * What the run has spent. Each reply of a child is a debit at once, in the run's journal, so that a killed runner
 * still shows the spend (S-099); a report later replaces the debits of its own session and no others (S-100, S-102).
 */
export interface Ledger {
	/** Resolves when the debit is in the journal; rejects only when the journal cannot be written. */
	charge(session: string, usage: Usage, costUsd: number | null): Promise<void>;
	/** A report came back. That of a cancelled child replaces nothing: its debits stay, as estimates. */
	settle(report: Pick<SubagentReport, "session" | "usage" | "costUsd"> & { readonly status?: SubagentReport["status"] }): void;
	pending(): readonly Debit[];
	totals(): LedgerTotals;
}

export function createLedger(journal: Journal): Ledger {
	let pending: readonly Debit[] = [];
	const settled: { readonly usage: Usage; readonly costUsd: number | null }[] = [];
	const charges = new Map<string, number>();

	return {
		async charge(session, usage, costUsd) {
			const charge = (charges.get(session) ?? 0) + 1;
			charges.set(session, charge);
			pending = [...pending, { session, charge, usage, costUsd }];
			await journal.append({ type: "child_debit", session, charge, usage, costUsd, estimated: true });
		},
		settle(report) {
			if (report.status === "cancelled") return;
			pending = pending.filter((debit) => debit.session !== report.session);
			settled.push({ usage: report.usage, costUsd: report.costUsd });
		},
		pending: () => pending,
		totals() {
			const parts = [...settled, ...pending];
			return {
				usage: parts.reduce((sum, part) => addUsage(sum, part.usage), NO_USAGE),
				costUsd: parts.reduce<number | null>((sum, part) => addCost(sum, part.costUsd), 0),
				estimated: pending.length > 0,
			};
		},
	};
}

/** A sum with an unknown part is unknown. */
export function addCost(a: number | null, b: number | null): number | null {
	return a === null || b === null ? null : a + b;
}
