/** Names of the built-in jobs; their texts stand in `maintenance/recipes.ts`. */
export const RECIPE_NAMES = [
	"lint-fixes",
	"dead-code",
	"outdated-docs",
	"skipped-tests",
	"todo-review",
	"dependency-notes",
	"ci-doctor",
] as const;

export type RecipeName = (typeof RECIPE_NAMES)[number];

/** Bounds of one job; what is left out comes from the run's own bounds. */
export interface MaintenanceLimits {
	/** Most files of one change. */
	readonly files: number;
	/** Most added and deleted lines of one change. */
	readonly lines: number;
	/** US dollars of one run of the job; the run's own bound holds as well. */
	readonly usd?: number | undefined;
	/** Times the job is tried on the same commit of the default branch. */
	readonly attempts: number;
}

/** One named job of the settings, with its defaults filled in. Exactly one of `run`, `recipe` and `prompt` says what is done, or `agent` alone. */
export interface MaintenanceJob {
	/** Commands that change the tree, run one after the other in the sandbox; no model is asked. */
	readonly run?: readonly string[] | undefined;
	readonly recipe?: RecipeName | undefined;
	/** What a writing child is asked to do. */
	readonly prompt?: string | undefined;
	/** Agent of the default branch that does it, instead of the built-in one. */
	readonly agent?: string | undefined;
	/** Globs of the files that the job may change; none means all that are not protected. */
	readonly paths: readonly string[];
	readonly pathsIgnore: readonly string[];
	/** Commands that prove the change; absent: the tests of the languages it touches. */
	readonly checks?: readonly string[] | undefined;
	/** Lets the job change lock files (A51). */
	readonly lockFiles: boolean;
	/** Branch of the job; absent: `rookery/<job>`. */
	readonly branch?: string | undefined;
	readonly title?: string | undefined;
	readonly labels: readonly string[];
	readonly draft: boolean;
	readonly limits: MaintenanceLimits;
	/** Cron line of the workflow that runs it; a scheduled run without the input `job` takes the jobs with its line. */
	readonly schedule?: string | undefined;
	readonly enabled: boolean;
}

/** Branches of ours; what happens on them starts no job. */
export const OWN_BRANCH_PREFIX = "rookery/";

/** The branch of a job. */
export function branchOfJob(name: string, job: Pick<MaintenanceJob, "branch">): string {
	return job.branch ?? `${OWN_BRANCH_PREFIX}${name.toLowerCase()}`;
}
