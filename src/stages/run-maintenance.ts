import { createHash } from "node:crypto";
import { extendTable, LANGUAGES } from "../agents/experts/table.ts";
import { errorText, UserError } from "../domain/errors.ts";
import type { Actor, Sha } from "../domain/ids.ts";
import type { PatchProblem, Proof } from "../domain/patch.ts";
import { identityOf, writeCommitMessage } from "../fix/write-commit-message.ts";
import { findDenial } from "../guard/denied-command.ts";
import { createPathRules } from "../guard/path-rules.ts";
import { type BranchState, findRejection, judgeBranch } from "../maintenance/judge-branch.ts";
import { leaveOut } from "../maintenance/leave-out.ts";
import type { PlannedJob } from "../maintenance/plan-job.ts";
import type { JobOutcome } from "../maintenance/render-job.ts";
import type { CommitPusher, HostPullRequest, WorkspaceChanges, WorkspaceProvider } from "../seams.ts";
import type { MadeChange } from "./change-by-commands.ts";
import { landPatch, readPatch } from "./land-patch.ts";
import type { Trusted } from "./load-trusted.ts";
import { type PlannedCheck, planChecks, prepareChecks } from "./prepare-checks.ts";
import { prepareJobChecks } from "./prepare-job-checks.ts";
import type { PipelineSeams, RunFacts } from "./pipeline-seams.ts";
import { type Proposal, proposeChange } from "./propose-change.ts";
import type { RunSandbox } from "./run-sandbox.ts";

/** What all jobs of a run work on and with. */
export interface MaintenanceInput {
	readonly trusted: Trusted;
	/** The default branch and its commit: what is trusted, and what a change is made on. */
	readonly defaultBranch: { readonly name: string; readonly sha: Sha };
	readonly headFiles: readonly string[];
	readonly identity: Actor | null;
	readonly workspaces: WorkspaceProvider;
	readonly sandbox: RunSandbox;
	readonly pusher: CommitPusher;
	readonly dryRun: boolean;
	readonly facts: RunFacts;
	/** Makes the change of one job. */
	readonly makeChange: (job: PlannedJob) => Promise<MadeChange>;
}

export type MaintenanceSeams = Pick<
	PipelineSeams,
	"clock" | "log" | "signal" | "redact" | "reader" | "patchTrees" | "artifacts" | "sinks"
> & { readonly host: NonNullable<PipelineSeams["host"]> };

/**
 * One job from its branch to its pull request (S-005): look, change, check, prove, push, propose. Whatever stops it is an
 * outcome; a job that fails takes no other one with it. Rejects only for a run that was cancelled.
 */
export async function runMaintenance(job: PlannedJob, input: MaintenanceInput, seams: MaintenanceSeams): Promise<JobOutcome> {
	try {
		return await runOne(job, input, seams);
	} catch (error) {
		seams.signal.throwIfAborted();
		if (!(error instanceof UserError) && error instanceof Error) seams.log.info(error.stack ?? "");
		return { name: job.name, kind: "failed", reason: firstLine(seams.redact(errorText(error))), costUsd: 0 };
	}
}

async function runOne(job: PlannedJob, input: MaintenanceInput, seams: MaintenanceSeams): Promise<JobOutcome> {
	const { name } = job;
	const denied = findDenied(job, input);
	if (denied !== undefined) return { name, kind: "left", code: "E_POLICY", reason: denied, costUsd: 0 };
	const { state, pulls } = await lookAtBranch(job, input, seams);
	if (state.kind === "hands-off") return { name, kind: "left", reason: state.reason, costUsd: 0 };
	const made = await input.makeChange(job);
	const { costUsd } = made;
	if (made.kind === "left") return { ...made, name };
	if (made.kind === "failed") return { name, kind: "failed", reason: firstLine(seams.redact(made.reason)), costUsd };
	const paths = createPathRules(input.trusted.policy);
	const { changes, left } = leaveOut(made.changes, (path) => job.allows(path) && paths.readOnlyBy(path) === undefined);
	if (changes === undefined) {
		const why =
			left.length === 0 ? "nothing to do" : `nothing to do: only files that the job may not change differ (${left.slice(0, 5).join(", ")})`;
		return { name, kind: "nothing", reason: why, costUsd };
	}
	const change = createHash("sha256").update(changes.patch).digest("hex").slice(0, 16);
	const standing = state.kind === "ours" ? state.pull : undefined;
	if (standing?.marker?.change === change && state.kind === "ours" && standing.marker.head === state.head) {
		return { name, kind: "nothing", reason: `#${standing.number} proposes this change already`, costUsd };
	}
	const rejected = findRejection(change, { pulls, identity: input.identity });
	if (rejected !== undefined) {
		return { name, kind: "nothing", reason: `the same change was closed unmerged in #${rejected.number}`, costUsd };
	}
	return landChange({ job, state, changes, change, left, report: made.report, costUsd }, input, seams);
}

function findDenied({ job }: PlannedJob, { trusted }: MaintenanceInput): string | undefined {
	for (const command of [...(job.run ?? []), ...(job.checks ?? [])]) {
		const pattern = findDenial(command, trusted.policy);
		if (pattern !== undefined) return `the command ${JSON.stringify(command)} is refused by team policy, rule denyCommands ${pattern}`;
	}
	return undefined;
}

async function lookAtBranch(
	job: PlannedJob,
	{ defaultBranch, identity }: MaintenanceInput,
	{ host }: MaintenanceSeams,
): Promise<{ readonly state: BranchState; readonly pulls: readonly HostPullRequest[] }> {
	const { reader } = host;
	const [head, pulls] = await Promise.all([reader.branchHead(job.branch), reader.pullRequestsOf(job.branch)]);
	const ahead = head === undefined ? [] : await reader.commitsBetween(defaultBranch.sha, head);
	return { state: judgeBranch({ branch: job.branch, head, ahead, pulls, identity }), pulls };
}

interface JobChange {
	readonly job: PlannedJob;
	readonly state: Exclude<BranchState, { kind: "hands-off" }>;
	readonly changes: WorkspaceChanges;
	/** Digest of the patch. */
	readonly change: string;
	/** Paths that were left out. */
	readonly left: readonly string[];
	readonly report: string;
	readonly costUsd: number | null;
}

/** Holds the patch against the rules, proves it, pushes it, and opens or updates the pull request. */
async function landChange(made: JobChange, input: MaintenanceInput, seams: MaintenanceSeams): Promise<JobOutcome> {
	const { job, state, changes, costUsd } = made;
	const { defaultBranch, facts, trusted } = input;
	const { limits } = job.job;
	const read = await readPatch(
		changes.patch,
		{
			base: defaultBranch.sha,
			rules: {
				paths: createPathRules(trusted.policy),
				limits: { maxFiles: limits.files, maxLines: limits.lines },
				isWanted: (path) => job.allows(path),
				lockFiles: job.job.lockFiles,
			},
		},
		{ trees: seams.patchTrees, reader: seams.reader, redact: seams.redact },
	);
	if (read.kind === "empty") return { name: job.name, kind: "nothing", reason: "nothing to do", costUsd };
	if (read.kind === "held") {
		const [first] = read.problems;
		return hold(made, { code: first?.code ?? "E_PUSH", reason: first?.text ?? "the patch is held", problems: read.problems }, seams);
	}
	const existing = state.kind === "ours" ? state.head : undefined;
	if (input.dryRun) return hold(made, { code: "E_PUSH", reason: "dry-run: nothing is pushed", problems: [] }, seams);
	// Pushed by a run that ended before its pull request was open: nothing is to be pushed once more (R37).
	const isThere = state.kind === "ours" && state.pull === undefined && state.tree === read.change.tree;
	const pusher = isThere ? { ...input.pusher, push: async () => ({ ok: true, commit: state.head, signed: false }) as const } : input.pusher;
	const landed = await landPatch(
		{
			change: read.change,
			destination:
				existing === undefined
					? { kind: "new", branch: job.branch, exact: true }
					: { kind: "existing", branch: job.branch, expected: existing },
			...(existing === undefined ? {} : { alsoParents: [existing] }),
			defaultBranch: defaultBranch.name,
			author: identityOf(input.identity),
			checks: planProof(job, changes, input, seams),
			mayPush: async (proof) => objectTo(job, proof),
			writeMessage: (proof) =>
				writeCommitMessage({
					subject: job.title,
					findings: [],
					explanation: job.job.run === undefined ? made.report : `Made by: ${job.job.run.join("; ")}`,
					proof: proof.sentence,
					run: facts.runId,
					redact: seams.redact,
				}),
		},
		pusher,
	);
	if (landed.kind === "held") return hold(made, { ...landed, problems: [] }, seams);
	const day = state.kind === "ours" ? state.pull?.marker?.day : undefined;
	const proposal: Proposal = { ...made, ...landed, files: read.change.files, day };
	return proposeChange(proposal, input, seams);
}

/** Nothing was pushed: the patch is kept for a person, with the reason. */
async function hold(
	{ job, changes, costUsd }: JobChange,
	why: { readonly code: string; readonly reason: string; readonly problems: readonly PatchProblem[]; readonly proof?: Proof },
	{ artifacts, redact }: MaintenanceSeams,
): Promise<JobOutcome> {
	const text = changes.patch.toString("utf8");
	const isText = Buffer.from(text, "utf8").equals(changes.patch);
	const patch = await artifacts.write(`maintenance-${job.name.toLowerCase()}.patch`, isText ? redact(text) : changes.patch);
	const { code, reason, problems, proof } = why;
	return {
		name: job.name,
		kind: "held",
		code,
		reason: firstLine(redact(reason)),
		problems,
		patch,
		costUsd,
		...(proof === undefined ? {} : { proof }),
	};
}

/** A failed build that does not fail here is no fault of the code: not steady, or the surroundings. */
function objectTo(job: PlannedJob, proof: Proof): string | undefined {
	if (job.job.recipe !== "ci-doctor") return undefined;
	const wasRed = proof.before.some(({ outcome }) => outcome === "failed" || outcome === "timed out");
	return wasRed ? undefined : "the checks do not fail without the patch: what failed is not steady, or not the code";
}

function planProof(job: PlannedJob, changes: WorkspaceChanges, input: MaintenanceInput, seams: MaintenanceSeams) {
	const { trusted, headFiles, defaultBranch, workspaces, sandbox } = input;
	const { settings, policy } = trusted;
	const parts = {
		...{ head: defaultBranch.sha, headFiles, workspaces, sandbox, policy, signal: seams.signal },
		dependencies: settings.sandbox.dependencies,
		onProblem: (text: string) => seams.log.info(text),
	};
	if (job.job.checks !== undefined) return prepareJobChecks({ ...parts, commands: job.job.checks }, changes.patch);
	const planned: readonly PlannedCheck[] = planChecks(
		extendTable(LANGUAGES, settings.moe.experts, settings.checks),
		changes.files,
		headFiles,
		policy,
	);
	return prepareChecks({ ...parts, planned }, changes.patch);
}

function firstLine(text: string): string {
	return text.split("\n").find((line) => line.trim() !== "") ?? "no reason is known";
}
