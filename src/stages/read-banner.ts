import type { ReviewPlan } from "../domain/review-plan.ts";
import type { RunContext } from "../domain/run-context.ts";
import type { BannerRow } from "../publish/render/step-summary.ts";
import type { Trusted } from "./load-trusted.ts";
import type { PipelineSeams, RunFacts } from "./pipeline-seams.ts";

/** Rows of the start banner: what runs here and with what (S-198). */
export function readBanner(
	run: { readonly context: RunContext; readonly trusted: Trusted; readonly plan: ReviewPlan; readonly sandbox: string },
	seams: PipelineSeams,
	facts: RunFacts,
): readonly BannerRow[] {
	const { context, trusted, plan } = run;
	const agents = plan.assignments.map((assignment) => assignment.agent);
	const experts = [...new Set(agents.filter((agent) => agent.kind !== "reviewer").map((agent) => agent.name))];
	const reviewers = [...new Set(agents.filter((agent) => agent.kind === "reviewer").map((agent) => agent.name))];
	const tools = [...new Set(agents.flatMap((agent) => agent.tools))].sort();
	return [
		{ label: "rookery", value: facts.version },
		{ label: "provider", value: seams.model.provider },
		{ label: "model", value: seams.model.provider === "offline" ? "offline-analyst" : trusted.settings.model },
		{ label: "sandbox", value: run.sandbox },
		{ label: "change", value: `${context.mergeBase.slice(0, 12)}..${context.head.slice(0, 12)}` },
		{ label: "specialists", value: experts.join(", ") || "none" },
		{ label: "agents", value: `${reviewers.length}${reviewers.length === 0 ? "" : ` (${reviewers.join(", ")})`}` },
		{ label: "tools", value: tools.join(" ") || "none" },
		{ label: "journals", value: seams.journals.folder },
	];
}
