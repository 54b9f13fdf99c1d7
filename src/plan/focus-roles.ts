import { selectGuidance } from "../agents/select-guidance.ts";
import type { FilePatch } from "../domain/change-set.ts";
import type { ReviewPlan } from "../domain/review-plan.ts";

/**
 * Cuts each built-in role to the guidance that bears on the files its child is to read. Pure; a role without guidance
 * of its own (a custom reviewer's) stays as its file has it.
 */
export function focusRoles(plan: ReviewPlan, patches: readonly FilePatch[]): ReviewPlan {
	const texts = new Map(patches.map((patch) => [patch.path, changedText(patch)]));
	return {
		...plan,
		assignments: plan.assignments.map((assignment) => {
			const { guidance, prompt } = assignment.agent;
			if (guidance === undefined) return assignment;
			const change = assignment.files.map((file) => `${file.path}\n${texts.get(file.path) ?? ""}`).join("\n");
			const agent = { ...assignment.agent, prompt: prompt.replace(guidance, () => selectGuidance(guidance, change)) };
			return { ...assignment, agent };
		}),
	};
}

/** Only what the change adds and takes away: context lines say little about what can be wrong with it. */
function changedText(patch: FilePatch): string {
	return patch.hunks.flatMap((hunk) => hunk.lines.filter((line) => line.kind !== "context").map((line) => line.text)).join("\n");
}
