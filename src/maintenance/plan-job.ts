import picomatch from "picomatch";
import { UserError } from "../domain/errors.ts";
import { branchOfJob, type MaintenanceJob } from "../domain/maintenance.ts";
import type { FailedWorkflow, MaintainTrigger } from "../domain/trigger.ts";
import { RECIPES, UNATTENDED_RULES } from "./recipes.ts";

/** A job that is to be run, with everything that a recipe adds. */
export interface PlannedJob {
	readonly name: string;
	readonly job: MaintenanceJob;
	readonly branch: string;
	readonly title: string;
	/** What the child is told; absent for a list of commands. */
	readonly task?: string;
	/** True for a path that the job may change, as far as the job is concerned. */
	allows(path: string): boolean;
}

/** What is run, and what is not, with the reason. */
export interface ChosenJobs {
	readonly jobs: readonly PlannedJob[];
	readonly left: readonly { readonly name: string; readonly reason: string }[];
}

/**
 * The jobs that a trigger asks for. Throws a UserError for a name the settings do not have: it names the jobs there are.
 * @param file path of the settings file, for messages
 */
export function chooseJobs(
	trigger: Pick<MaintainTrigger, "job" | "schedule" | "failure">,
	jobs: Readonly<Record<string, MaintenanceJob>>,
	file: string,
): ChosenJobs {
	const { job: wanted, schedule, failure } = trigger;
	if (wanted !== undefined) {
		const job = Object.hasOwn(jobs, wanted) ? jobs[wanted] : undefined;
		if (job === undefined) {
			const known = Object.keys(jobs).join(", ") || "none";
			throw new UserError(
				`input job: found ${JSON.stringify(wanted)}, wanted a job that ${file} names under maintenance; there are: ${known}`,
			);
		}
		return choose([[wanted, job]], failure);
	}
	const due = Object.entries(jobs).filter(([, job]) => job.schedule !== undefined && sameCron(job.schedule, schedule ?? ""));
	if (due.length === 0) {
		return { jobs: [], left: [{ name: schedule ?? "", reason: `no job of ${file} has the schedule ${JSON.stringify(schedule ?? "")}` }] };
	}
	return choose(due, failure);
}

function choose(entries: readonly (readonly [string, MaintenanceJob])[], failure: FailedWorkflow | undefined): ChosenJobs {
	const jobs: PlannedJob[] = [];
	const left: { name: string; reason: string }[] = [];
	for (const [name, job] of entries) {
		const recipe = job.recipe === undefined ? undefined : RECIPES[job.recipe];
		if (!job.enabled) left.push({ name, reason: "it is not enabled in the settings" });
		else if (recipe?.needsFailure === true && failure === undefined) {
			left.push({ name, reason: `${job.recipe} looks at a workflow that failed: start it by workflow_run` });
		} else jobs.push(planJob(name, job, failure));
	}
	return { jobs, left };
}

function planJob(name: string, job: MaintenanceJob, failure: FailedWorkflow | undefined): PlannedJob {
	const recipe = job.recipe === undefined ? undefined : RECIPES[job.recipe];
	const own = job.paths.length === 0 ? undefined : picomatch([...job.paths], { dot: true });
	const ofRecipe = recipe?.paths === undefined ? undefined : picomatch([...recipe.paths], { dot: true });
	const ignored = job.pathsIgnore.length === 0 ? undefined : picomatch([...job.pathsIgnore], { dot: true });
	const task = writeTask(job, recipe?.prompt, failure);
	return {
		name,
		job,
		branch: branchOfJob(name, job),
		title: job.title ?? recipe?.title ?? `Maintenance: ${name}`,
		...(task === undefined ? {} : { task }),
		allows: (path) => (own?.(path) ?? true) && (ofRecipe?.(path) ?? true) && !(ignored?.(path) ?? false),
	};
}

function writeTask(job: MaintenanceJob, recipe: string | undefined, failure: FailedWorkflow | undefined): string | undefined {
	if (job.run !== undefined) return undefined;
	const asked = job.prompt ?? recipe ?? "Do what your description says, in this repository.";
	const bounds = [
		`At most ${job.limits.files} files and ${job.limits.lines} added and deleted lines are taken; more is thrown away as a whole.`,
		...(job.paths.length === 0 ? [] : [`Only files that match one of these globs may change: ${job.paths.join(", ")}.`]),
		...(job.pathsIgnore.length === 0 ? [] : [`Files that match one of these must not: ${job.pathsIgnore.join(", ")}.`]),
		...(job.checks === undefined || job.checks.length === 0 ? [] : [`Proved by: ${job.checks.map((check) => `\`${check}\``).join(", ")}.`]),
	];
	return [asked, bounds.join(" "), UNATTENDED_RULES, ...(failure === undefined ? [] : [describeFailure(failure)])].join("\n\n");
}

/** Names stand there as JSON texts: who wrote a workflow chose them. */
function describeFailure(failure: FailedWorkflow): string {
	return `The workflow ${JSON.stringify(failure.name)} ended with ${JSON.stringify(failure.conclusion)} on ${JSON.stringify(failure.branch)} at ${failure.head}.`;
}

/** Blanks between the fields mean nothing. */
function sameCron(a: string, b: string): boolean {
	return a.trim().split(/\s+/).join(" ") === b.trim().split(/\s+/).join(" ");
}
