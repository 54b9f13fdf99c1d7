import type { AuditEntry, Risk } from "./audit-entry.ts";

/** An entry of the audit as people read it (S-123). */
export interface DescribedAuditEntry {
	readonly at: string;
	/** Who did what, and what became of it; one line, holds text of models. */
	readonly what: string;
	readonly risk: Risk;
	readonly durationMs: number | undefined;
}

/** Puts an entry into words. */
export function describeAuditEntry(entry: AuditEntry): DescribedAuditEntry {
	const { at } = entry;
	switch (entry.type) {
		case "decision": {
			const denied = entry.decision === "deny" ? `denied (${entry.code ?? entry.by}: ${entry.rule})` : "allowed";
			return { at, what: `${entry.child}: ${entry.tool} ${entry.target} ${denied}`, risk: entry.risk, durationMs: undefined };
		}
		case "outcome": {
			const what = `${entry.child}: ${entry.tool} ${entry.ok ? "ended" : `failed (${entry.code ?? "error"})`}`;
			return { at, what, risk: entry.risk, durationMs: entry.durationMs };
		}
		case "opened":
			return { at, what: `opened, policy ${entry.policyHash.slice(0, 12)}`, risk: "low", durationMs: undefined };
		case "recovered":
		case "closed":
			return { at, what: entry.type, risk: "low", durationMs: undefined };
	}
}
