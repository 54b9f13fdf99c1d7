import type { PatchProblem, Proof } from "../domain/patch.ts";
import type { Sha } from "../domain/ids.ts";
import type { ChangedFile } from "../domain/change-set.ts";
import { formatCost, formatDuration, shortSha } from "../publish/render/format.ts";
import { code, details, fence, table } from "../publish/render/markdown.ts";
import type { PlannedJob } from "./plan-job.ts";

/** How one job ended. Texts of a model are cleaned by whoever renders them. */
export type JobOutcome = { readonly name: string; readonly costUsd: number | null } & (
	| { readonly kind: "proposed"; readonly state: string; readonly url: string; readonly commit: Sha; readonly detail: string }
	/** Nothing was to do, or nothing new. */
	| { readonly kind: "nothing"; readonly reason: string }
	/** It was not run: a person's branch, a bound, no model. */
	| { readonly kind: "left"; readonly reason: string; readonly code?: string }
	/** There is a change, and it is not pushed. */
	| {
			readonly kind: "held";
			readonly reason: string;
			readonly code: string;
			readonly problems: readonly PatchProblem[];
			/** Path of the patch, for a person. */
			readonly patch: string;
			readonly proof?: Proof;
	  }
	| { readonly kind: "failed"; readonly reason: string }
);

export interface ProposalFacts {
	readonly job: PlannedJob;
	readonly base: Sha;
	readonly defaultBranch: string;
	readonly files: readonly ChangedFile[];
	readonly proof: Proof;
	/** Changed files that the job may not change. */
	readonly left: readonly string[];
	/** What the child said, cleaned; empty for a list of commands. */
	readonly report: string;
	readonly costUsd: number | null;
	readonly runUrl: string | undefined;
	/** Commits that are pushed with the workflow's own token start no checks (BR-51). */
	readonly startsNoChecks: boolean;
}

/** The body of a job's pull request, without its marker. */
export function renderProposal(facts: ProposalFacts): string {
	const { job, proof } = facts;
	const how =
		job.job.run === undefined ? describeTask(job) : `made by ${job.job.run.map((command) => code(command)).join(", ")}, without a model`;
	const files = facts.files.map((file) => [code(file.path), file.status, `+${file.additions} −${file.deletions}`]);
	const run = facts.runUrl === undefined ? "" : ` in [this run](${facts.runUrl})`;
	return [
		`Maintenance job ${code(job.name)}: ${how}, on ${code(shortSha(facts.base))} of ${code(facts.defaultBranch)}${run}.`,
		`**Proof:** ${proof.sentence}`,
		...(facts.report === "" ? [] : [facts.report]),
		table(["File", "Change", "Lines"], files),
		...renderChecks(proof),
		...(facts.left.length === 0
			? []
			: [
					`Also changed, and left out because the job may not change it: ${facts.left.slice(0, MOST_LEFT).map(code).join(", ")}${more(facts.left)}.`,
				]),
		...(facts.startsNoChecks
			? [
					"**Note:** this was pushed with the workflow's own token, so no workflow starts for it: close and reopen this pull request to start the checks, or give the action the token of an app.",
				]
			: []),
		`Later runs of the job bring this pull request up to date. Close it, and this change is not proposed again; push to the branch, and the job leaves it to you. Cost: ${formatCost(facts.costUsd)}.`,
	].join("\n\n");
}

const MOST_LEFT = 20;

function more(left: readonly string[]): string {
	return left.length > MOST_LEFT ? ` and ${left.length - MOST_LEFT} more` : "";
}

function describeTask({ job }: PlannedJob): string {
	const who = job.agent === undefined ? "" : ` by the agent ${code(job.agent)}`;
	return job.recipe === undefined ? `made${who} by its prompt` : `made${who} by the recipe ${code(job.recipe)}`;
}

/** One row a check, with the end of the output of those that are red. */
export function renderChecks(proof: Proof | undefined): readonly string[] {
	const after = proof?.after.flatMap((each) => each.results.map((result) => ({ ...result, folder: each.folder }))) ?? [];
	if (proof === undefined || after.length === 0) return [];
	const rows = after.map((result) => [
		code(result.command),
		code(result.folder === "" ? "." : result.folder),
		findBefore(proof, result)?.outcome ?? "–",
		result.outcome,
		formatDuration(result.durationMs),
	]);
	const red = after.filter((result) => (result.outcome === "failed" || result.outcome === "timed out") && result.output !== "");
	return [
		table(["Check", "Folder", "Before", "After", "Time"], rows, [4]),
		...red.map((result) => details(`Output of ${result.command}`, fence(result.output.slice(-OUTPUT_CHARS).toWellFormed()))),
	];
}

const OUTPUT_CHARS = 4_000;

function findBefore(proof: Proof, { command, folder }: { readonly command: string; readonly folder: string }) {
	return proof.before
		.find((each) => each.folder === folder && each.results.some((result) => result.command === command))
		?.results.find((result) => result.command === command);
}

/** What the step summary says of all jobs of a run. */
export function renderJobs(outcomes: readonly JobOutcome[]): string {
	const rows = outcomes.map((outcome) => [code(outcome.name), headOf(outcome), reasonOf(outcome), formatCost(outcome.costUsd)]);
	const held = outcomes.filter((outcome) => outcome.kind === "held");
	return [
		"## Rookery maintenance",
		table(["Job", "End", "What happened", "Cost"], rows, [3]),
		...held.flatMap((outcome) => [
			`### ${code(outcome.name)} was not pushed`,
			...outcome.problems.map((problem) => `- ${problem.code}: ${problem.text}`),
			`The patch lies at ${code(outcome.patch)}.`,
			...renderChecks(outcome.proof),
		]),
	].join("\n\n");
}

function headOf(outcome: JobOutcome): string {
	switch (outcome.kind) {
		case "proposed":
			return `pull request ${outcome.state}`;
		case "nothing":
			return "nothing to do";
		case "left":
			return "not run";
		case "held":
			return "not pushed";
		case "failed":
			return "failed";
	}
}

/** One line for tables and the log. */
export function reasonOf(outcome: JobOutcome): string {
	if (outcome.kind === "proposed") return outcome.detail === "" ? outcome.url : `${outcome.url}; ${outcome.detail}`;
	const codeOf = outcome.kind === "held" || outcome.kind === "left" ? outcome.code : undefined;
	return codeOf === undefined ? outcome.reason : `${outcome.reason} (${codeOf})`;
}
