import type { Assignment, SubagentReport } from "../domain/child-run.ts";
import { cheaperModels } from "../domain/model-table.ts";
import type { Degradation } from "../domain/synthesis.ts";
import { countChecked } from "./count-checked.ts";

/** What children of the first try and of the weaker ones left behind. */
export interface SteppedDown {
	/** One report an assignment, the best there is. */
	readonly reports: readonly SubagentReport[];
	/** Children whose place another one has taken; they count for the costs and are shown. */
	readonly replaced: readonly SubagentReport[];
	/** Absent when the provider was there for everybody. */
	readonly degradation?: Degradation;
}

export interface Rungs {
	/** Runs assignments as children, in their order. */
	run(assignments: readonly Assignment[], how: "model" | "checks"): Promise<readonly SubagentReport[]>;
	/** The model an assignment would get; undefined when policy leaves none. */
	modelOf(assignment: Assignment): string | undefined;
	/** False when nothing may be started any more. */
	mayGoOn(): boolean;
	/** Whether there are fixed checks to fall back on. */
	readonly checks: boolean;
}

/** Words for the report of a child that only ran fixed checks. */
const CHECKS_ONLY = "only fixed checks ran, since the model provider was not available";

/**
 * The ladder for a provider that is away: the full review, then a cheaper model, then fixed checks alone, then a
 * notice. Only what failed for the provider's sake is tried again. One child tries the cheaper model first: when the
 * provider is away for all models the others need not ask. Never rejects but for what `run` rejects with.
 */
export async function stepDown(assignments: readonly Assignment[], first: readonly SubagentReport[], rungs: Rungs): Promise<SteppedDown> {
	const current = [...first];
	const replaced: SubagentReport[] = [];
	const away = first.flatMap((report, index) => (report.outage === true ? [index] : []));
	const cause = first[away[0] ?? -1]?.error ?? "";
	if (away.length === 0 || !rungs.mayGoOn()) return { reports: first, replaced };

	async function retry(indexes: readonly number[], change: (assignment: Assignment) => Assignment, how: "model" | "checks"): Promise<void> {
		const wanted = indexes.flatMap((index) => assignments[index] ?? []);
		const reports = await rungs.run(wanted.map(change), how);
		for (const [position, index] of indexes.entries()) {
			const [before, after] = [current[index], reports[position]];
			if (before === undefined || after === undefined) continue;
			replaced.push(before);
			current[index] = how === "checks" ? markChecks(after) : after;
		}
	}

	const models = new Map(away.map((index) => [index, weakerModel(assignments[index], rungs)]));
	const [probe, ...others] = away.filter((index) => models.get(index) !== undefined);
	const weaker = (assignment: Assignment): Assignment => withModel(assignment, models.get(assignments.indexOf(assignment)));
	if (probe !== undefined) {
		await retry([probe], weaker, "model");
		if (current[probe]?.outage !== true && others.length > 0 && rungs.mayGoOn()) await retry(others, weaker, "model");
	}
	const answered = away.filter((index) => current[index]?.status === "completed" || current[index]?.status === "partial");
	const left = away.filter((index) => !answered.includes(index));
	const checkable = left.filter((index) => assignments[index]?.agent.kind !== "reviewer");
	if (rungs.checks && checkable.length > 0 && rungs.mayGoOn()) await retry(checkable, (assignment) => assignment, "checks");
	const checked = checkable.filter((index) => current[index]?.error === CHECKS_ONLY);
	return {
		reports: current,
		replaced,
		degradation: {
			cause: cause.replace(/^[a-z-]+: /, ""),
			reviewers: first.length,
			away: away.length,
			weaker: answered.length,
			models: [...new Set(answered.map((index) => current[index]?.model ?? ""))],
			checks: checked.length,
			lost: left.length - checked.length,
		},
	};
}

/** The nearest cheaper model; policy's word on it is asked where the child's model is chosen. */
function weakerModel(assignment: Assignment | undefined, rungs: Rungs): string | undefined {
	if (assignment === undefined) return undefined;
	const model = rungs.modelOf(assignment);
	if (model === undefined) return undefined;
	return cheaperModels(model).find((id) => rungs.modelOf(withModel(assignment, id)) === id);
}

function withModel(assignment: Assignment, model: string | undefined): Assignment {
	return model === undefined ? assignment : { ...assignment, agent: { ...assignment.agent, model } };
}

/** Fixed checks are no review: what they ran over is read in part. */
function markChecks(report: SubagentReport): SubagentReport {
	if (report.status !== "completed") return report;
	return { ...countChecked(report), status: "partial", stopReason: "error", error: CHECKS_ONLY };
}
