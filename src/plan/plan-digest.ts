import { createHash } from "node:crypto";
import type { ReviewPlan } from "../domain/review-plan.ts";
import type { RunContext } from "../domain/run-context.ts";

/**
 * SHA-256 in hex over who reads which files of which commits. Jobs of one review make the plan anew, each for itself, and
 * compare digests: then no job has to believe what another one writes of it. Limits and tools are left out, since they
 * depend on the machine.
 */
export function digestPlan(plan: ReviewPlan, commits: Pick<RunContext, "base" | "head" | "mergeBase">): string {
	const { base, head, mergeBase } = commits;
	const assignments = plan.assignments.map(({ agent, access, files }) => [
		...[agent.name, agent.kind, agent.language ?? "", agent.source?.sha256 ?? "", access],
		files.map((file) => file.path),
	]);
	const carried = (plan.carriedFiles ?? []).map((file) => file.path).sort();
	return createHash("sha256")
		.update(JSON.stringify([base, head, mergeBase, assignments, carried]))
		.digest("hex");
}
