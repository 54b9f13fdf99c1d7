import picomatch from "picomatch";
import type { Assignment } from "../domain/child-run.ts";
import type { ReviewPlan } from "../domain/review-plan.ts";
import type { ReviewWishes } from "./command.ts";

/**
 * The plan with only the agents and files that were asked for. What falls out is named as skipped, so that the coverage
 * stays true: a part of a review is never a whole one.
 */
export function narrowPlan(plan: ReviewPlan, wishes: Pick<ReviewWishes, "agents" | "only">): ReviewPlan {
	if (wishes.agents.length === 0 && wishes.only.length === 0) return plan;
	const fits = wishes.only.length === 0 ? () => true : picomatch([...wishes.only], { dot: true });
	const wanted = new Set(wishes.agents.map((name) => name.toLowerCase()));
	const chosen = plan.assignments.filter((each) => wanted.size === 0 || answersTo(each, wanted));
	const assignments = chosen.flatMap((each) => {
		const files = each.files.filter((file) => fits(file.path));
		return files.length === 0 ? [] : [{ ...each, files, task: narrowTask(each.task, each.files.length, files) }];
	});
	const read = new Set(assignments.flatMap((each) => each.files.map((file) => file.path)));
	const dropped = [...new Set(plan.assignments.flatMap((each) => each.files.map((file) => file.path)))].filter((path) => !read.has(path));
	return {
		...plan,
		assignments,
		skippedFiles: [
			...plan.skippedFiles,
			...dropped.map((path) => ({ path, reason: fits(path) ? "its agent was not asked for (--agents)" : "outside of --only" })),
		],
		skippedAgents: [
			...plan.skippedAgents,
			...[...wanted]
				.filter((name) => !plan.assignments.some((each) => answersTo(each, new Set([name]))))
				.map((name) => ({ name, reason: "it has nothing to read here, or is not there" })),
		],
	};
}

function answersTo({ agent }: Assignment, wanted: ReadonlySet<string>): boolean {
	return wanted.has(agent.name.toLowerCase()) || (agent.language !== undefined && wanted.has(agent.language));
}

/** The task names all files of the first plan. */
function narrowTask(task: string, before: number, files: Assignment["files"]): string {
	if (files.length === before) return task;
	return `${task}\n\nThis time only: ${files.map((file) => JSON.stringify(file.path)).join(", ")}.`;
}
