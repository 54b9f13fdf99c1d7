import type { SubagentReport } from "../domain/child-run.ts";
import type { Synthesis } from "../domain/synthesis.ts";
import type { Claim, ClaimVerdict, Verification } from "../domain/verification.ts";
import type { Caller, ChildRequest } from "../engine/scheduler-options.ts";
import type { Scheduler } from "../engine/scheduler.ts";
import { buildVerification } from "../plan/build-verification.ts";
import { readVerdicts } from "../synthesis/read-verdicts.ts";
import type { ChildrenInput } from "./run-children.ts";

/** The findings of a draft that somebody is to check: all but nits, and earlier ones that nobody repeated. */
export function listClaims(draft: Synthesis): readonly Claim[] {
	return draft.findings.flatMap((finding): Claim[] => {
		const earlier = finding.state === "open" && finding.sources.length === 0 && finding.tierReason === "its code still stands";
		if (!earlier && (finding.state !== "new" || finding.severity === "nit")) return [];
		const { id, fingerprint, path, startLine, endLine, severity, category, title, body, quote } = finding;
		return [
			{ id, fingerprint, path, startLine, endLine, severity, category, title, body, quote, source: finding.sources[0] ?? "", earlier },
		];
	});
}

/**
 * Has the claims of a run checked by verifier children, side by side, through the run's own scheduler and out of what is
 * left of its budget, the floor included: it is kept for this. A verifier that fails loses no finding; its claims are
 * unverified and say so. Never rejects but for a journal that cannot be written.
 */
export async function verifyFindings(
	claims: readonly Claim[],
	run: {
		readonly input: Pick<ChildrenInput, "trusted" | "plan"> & { readonly tools: Parameters<typeof buildVerification>[1]["tools"] };
		readonly scheduler: Scheduler;
		readonly caller: Caller;
		readonly toRequest: (assignment: ChildRequest["assignment"]) => ChildRequest;
		/** Runs the tests that verifiers hand in. */
		readonly prove: (verdicts: readonly ClaimVerdict[]) => Promise<readonly ClaimVerdict[]>;
	},
): Promise<Verification> {
	const { settings, policy } = run.input.trusted;
	const plan = buildVerification(claims, { settings, policy: policy.limits, tools: run.input.tools });
	const reports = await run.scheduler.runPlanned(
		plan.batches.map((batch) => run.toRequest(batch.assignment)),
		run.caller,
	);
	const read = plan.batches.map((batch, index) => {
		const report = reports[index];
		if (report === undefined) throw new Error("a planned child gave no report");
		return { report, ...readVerdicts(batch.claims, report) };
	});
	return {
		verdicts: await run.prove(read.flatMap((each) => each.verdicts)),
		unverified: [...read.flatMap((each) => each.unverified), ...plan.left].map(({ claim, reason }) => ({
			fingerprint: claim.fingerprint,
			reason,
		})),
		reports: read.map((each) => withVerdictsOnly(each.report, each.verdicts)),
	};
}

/** A verdict has a finding's form and is none: what is left of it in the report is its count. */
function withVerdictsOnly(report: SubagentReport, verdicts: Verification["verdicts"]): SubagentReport {
	const words = (["confirmed", "refuted", "unsure"] as const).flatMap((word) => {
		const count = verdicts.filter((verdict) => verdict.word === word).length;
		return count === 0 ? [] : [`${count} ${word}`];
	});
	const summary = words.length === 0 ? report.report.summary : `Claims: ${words.join(", ")}.`;
	return { ...report, report: { ...report.report, summary, findings: [] } };
}
