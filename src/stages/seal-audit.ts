import type { RunReport } from "../domain/run-report.ts";
import type { AuditWriter } from "../guard/audit.ts";

/**
 * Ends the chain of a run: what is published after this is its last entry (S-122). Rejects with `E_AUDIT` when it cannot
 * be written, so that nothing is published whose record has a gap (R38).
 */
export async function sealAudit(audit: AuditWriter | undefined): Promise<RunReport["audit"]> {
	if (audit === undefined) return { entries: 0, head: null };
	await audit.append({ type: "closed" });
	return audit.head();
}
