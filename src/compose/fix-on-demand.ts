import { extendTable, LANGUAGES } from "../agents/experts/table.ts";
import { WORKFLOW_BOT } from "../adapters/github/create-github-reader.ts";
import type { FixReport, FixReview, FixWish } from "../domain/fix.ts";
import type { Actor, Sha } from "../domain/ids.ts";
import { DEFAULT_PATCH_LIMITS, type PatchedTree, type PatchRisk, type Proof } from "../domain/patch.ts";
import type { PublicationResult } from "../domain/publication.ts";
import type { RunContext } from "../domain/run-context.ts";
import type { PullRequestFacts } from "../domain/trigger.ts";
import { nameBranch } from "../fix/name-branch.ts";
import { identityOf, writeCommitMessage } from "../fix/write-commit-message.ts";
import { createPathRules } from "../guard/path-rules.ts";
import { buildPack } from "../plan/build-pack.ts";
import { printMarker } from "../publish/marker.ts";
import { renderProposalBody } from "../publish/render/fix.ts";
import type { CommitPusher, GitHostReader } from "../seams.ts";
import { prepareFix, type PreparedFix } from "../stages/fix-findings.ts";
import { hideCredentials } from "../stages/hide-credentials.ts";
import { type Landed, type LandRequest, landPatch, readPatch } from "../stages/land-patch.ts";
import type { Change } from "../stages/load-change.ts";
import type { Trusted } from "../stages/load-trusted.ts";
import type { PipelineSeams, RunFacts } from "../stages/pipeline-seams.ts";
import { planRun } from "../stages/plan-run.ts";
import { planChecks, prepareChecks } from "../stages/prepare-checks.ts";
import type { OpenedModel } from "./open-model.ts";

export interface FixParts {
	readonly context: RunContext;
	readonly trusted: Trusted;
	readonly readChange: () => Promise<Change>;
	readonly seams: Omit<PipelineSeams, "model" | "modelId">;
	readonly provider: string;
	readonly openModel: () => Promise<OpenedModel | { readonly unavailable: string }>;
	/** Throws when there is no money or no turn left for children. */
	readonly claim: () => Promise<void>;
	readonly reader: GitHostReader;
	readonly identity: Actor | null;
	readonly facts: RunFacts;
	readonly requestedBy: string;
	readonly dryRun: boolean;
	readonly openPusher: () => Promise<CommitPusher & AsyncDisposable>;
	/** Opens the pull request of a branch of ours. */
	readonly propose: (proposal: Proposal) => Promise<PublicationResult>;
	/** Takes the power out of one line that is not ours. */
	readonly cleanLine: (text: string) => string;
	/** Reviews the pull request at its new head. */
	readonly reviewHead: (head: Sha) => Promise<FixReview>;
}

export interface Proposal {
	readonly branch: string;
	readonly base: string;
	readonly title: string;
	readonly marker: string;
	readonly body: string;
	readonly draft: boolean;
}

/** Text of a patch that a reply may hold; the whole of it is in the artifact. */
const PATCH_CHARS = 24_000;

/**
 * `/fix`: the patch, its checks, its proof, and one commit where all of them allow it (DESIGN.md 11, X-12). Whatever holds
 * it back, the patch is kept for a person. Rejects only for what makes the command impossible: git or the API that fails.
 */
export async function fixOnDemand(wish: FixWish, parts: FixParts): Promise<FixReport> {
	const { context, trusted, seams } = parts;
	const pullRequest = context.pullRequest;
	if (pullRequest === undefined) throw new Error("a fix is for a pull request");
	const comments = await parts.reader.reviewComments(pullRequest.number);
	const prepared = await prepareFix(
		{ wish, context, trusted, comments, identity: parts.identity, openChildren: () => openChildren(parts) },
		{ patchTrees: seams.patchTrees, reader: seams.reader },
	);
	const base = {
		head: context.head,
		findings: prepared.findings,
		notes: prepared.notes,
		costUsd: prepared.costUsd,
		problems: [],
		files: [],
	};
	const text = await keepPatch(prepared.patch, seams);
	const read = await readPatch(
		prepared.patch,
		{ base: context.head, rules: { paths: createPathRules(trusted.policy), limits: DEFAULT_PATCH_LIMITS } },
		{ trees: seams.patchTrees, reader: seams.reader, redact: seams.redact },
	);
	if (read.kind === "empty") return { ...base, state: "nothing", reason: "nothing was changed" };
	if (read.kind === "held") {
		const [first] = read.problems;
		const held = { state: "held", problems: read.problems, files: listFiles(read.change), ...text } as const;
		return { ...base, ...held, reason: "the patch is for a person to apply", ...(first === undefined ? {} : { code: first.code }) };
	}
	const { change, risks } = read;
	const files = listFiles(change);
	const stop = whyNoPush(parts, pullRequest);
	if (stop !== undefined) return { ...base, state: "held", files, risks, ...stop, ...text };
	const fix = { change, risks, prepared, wish, pullRequest };
	const landed = await land(fix, parts);
	if (landed.kind === "held") {
		const { code, reason, proof } = landed;
		return { ...base, state: "held", files, risks, code, reason, ...(proof === undefined ? {} : { proof }), ...text };
	}
	return { ...base, files, risks, ...(await finish(landed, fix, parts)) };
}

/** The patch without secrets, as an artifact and for the reply; what a commit is made of is never this text. */
async function keepPatch(patch: Buffer, seams: FixParts["seams"]): Promise<Pick<FixReport, "patch">> {
	if (patch.length === 0) return {};
	const whole = patch.toString("utf8").toWellFormed();
	await hideCredentials([whole], seams);
	const text = seams.redact(whole);
	const file = await seams.artifacts.write("fix.patch", text);
	seams.log.info(`The patch of this fix: ${file}`);
	return {
		patch: text.length <= PATCH_CHARS ? text : `${text.slice(0, PATCH_CHARS)}\n… (the rest is in fix.patch of the run's artifact)\n`,
	};
}

function listFiles(change: PatchedTree | undefined): FixReport["files"] {
	return (change?.files ?? []).map(({ path, additions, deletions }) => ({ path, additions, deletions }));
}

/** Without trust in the head nothing is run and nothing pushed, whoever asks (SECURITY.md 3.6, BR-33). */
function whyNoPush({ context, dryRun }: FixParts, pullRequest: PullRequestFacts): Pick<FixReport, "code" | "reason"> | undefined {
	if (pullRequest.fork) return { code: "E_FORK", reason: "the head lies in a fork, and nothing is ever pushed to forks" };
	if (context.tier === "T0") return { ...(context.tierCode === undefined ? {} : { code: context.tierCode }), reason: context.tierReason };
	return dryRun ? { reason: "this is a dry run" } : undefined;
}

async function openChildren(parts: FixParts) {
	const { context, trusted } = parts;
	if (context.tier === "T0") return `no child may change anything here: ${context.tierReason}`;
	if (parts.provider === "offline")
		return "there is no model in this run: only suggestions of the review can be applied (set anthropic-api-key)";
	const model = await parts.openModel();
	if ("unavailable" in model) return model.unavailable;
	await parts.claim();
	const seams: PipelineSeams = { ...parts.seams, ...model };
	const change = await parts.readChange();
	const plan = await planRun(context, trusted, change, seams);
	const patches = await change.readPatches(plan.assignments.flatMap((assignment) => assignment.files.map((file) => file.path)));
	return { seams, change, pack: buildPack({ context, changeSet: change.changeSet, plan, patches, instructions: trusted.instructions }) };
}

interface Fix {
	readonly change: PatchedTree;
	readonly risks: readonly PatchRisk[];
	readonly prepared: PreparedFix;
	readonly wish: FixWish;
	readonly pullRequest: PullRequestFacts;
}

async function land(fix: Fix, parts: FixParts): Promise<Landed> {
	const { change, prepared, wish, pullRequest } = fix;
	const { context, seams, reader } = parts;
	const { name: defaultBranch } = await reader.defaultBranch();
	await using pusher = await parts.openPusher();
	await using workspaces = seams.openWorkspaces(context.head);
	const own = { kind: "new", branch: nameOwnBranch(fix) } as const;
	const theirs = { kind: "existing", branch: pullRequest.head.ref, expected: context.head } as const;
	const isOwn = wish.ownBranch || pullRequest.head.ref === defaultBranch;
	const request: LandRequest = {
		change,
		defaultBranch,
		// What nothing has shown to be sound does not go into somebody's branch.
		destination: (proof) => (isOwn || !isSound(fix, proof) ? own : theirs),
		otherwise: own,
		author: identityOf(parts.identity),
		...(await openChecks(change, prepared.patch, { parts, workspaces })),
		writeMessage: (proof) => writeMessage(fix, proof, parts),
		mayPush: () => whyNotAnyMore(pullRequest, context.head, reader),
	};
	return await landPatch(request, pusher);
}

/** Proved, and not by checking less. */
function isSound({ risks }: Pick<Fix, "risks">, proof: Proof): boolean {
	return proof.verdict === "proved" && !risks.some((risk) => risk.weakens);
}

async function openChecks(
	change: PatchedTree,
	patch: Buffer,
	{ parts, workspaces }: { readonly parts: FixParts; readonly workspaces: Parameters<typeof prepareChecks>[0]["workspaces"] },
): Promise<Pick<LandRequest, "checks">> {
	const { context, trusted, seams } = parts;
	const { settings, policy } = trusted;
	if (seams.sandbox === undefined) return {};
	const headFiles = (await seams.reader.listFiles(context.head)).map((file) => file.path);
	const profiles = extendTable(LANGUAGES, settings.moe.experts, settings.checks);
	const changed = change.files.map((file) => file.path);
	const input = {
		...{
			planned: planChecks(profiles, changed, headFiles, policy),
			head: context.head,
			headFiles,
			workspaces,
			sandbox: seams.sandbox,
			policy,
		},
		dependencies: settings.sandbox.dependencies,
		signal: seams.signal,
		onProblem: (text: string) => seams.log.info(text),
	};
	return { checks: prepareChecks(input, patch) };
}

/** Read again right before the push: the head may have moved, the pull request may be over (A09, R29, BR-32). */
async function whyNotAnyMore(was: PullRequestFacts, head: Sha, reader: GitHostReader): Promise<string | undefined> {
	const now = await reader.pullRequest(was.number);
	if (now.state !== "open") return `the pull request was ${now.merged ? "merged" : "closed"} meanwhile`;
	if (now.head.sha !== head) return `the head has moved to ${now.head.sha} since the command; send it again for that commit`;
	return now.head.ref === was.head.ref && !now.fork ? undefined : "the pull request's branch is another one now";
}

function nameOwnBranch({ wish, pullRequest, prepared }: Fix): string {
	const ids = prepared.findings.filter((each) => each.state === "fixed").map((each) => each.finding.id);
	return nameBranch(["fix", pullRequest.number, ...(ids.length === 0 ? wish.instruction.split(/\s+/).slice(0, 5) : ids.slice(0, 4))]);
}

function subjectOf({ wish, prepared }: Fix): string {
	const fixed = prepared.findings.filter((each) => each.state === "fixed").map((each) => each.finding);
	const [only] = fixed;
	if (only === undefined) return wish.instruction.split("\n", 1)[0] ?? "";
	return fixed.length === 1 ? `Fix ${only.id}: ${only.title}` : `Fix ${fixed.map((finding) => finding.id).join(", ")}`;
}

function writeMessage(fix: Fix, proof: Proof, { context, requestedBy, seams }: FixParts): string {
	const fixed = fix.prepared.findings.filter((each) => each.state === "fixed").map((each) => each.finding);
	return writeCommitMessage({
		subject: subjectOf(fix),
		findings: fixed,
		explanation: fix.prepared.explanation,
		proof: proof.sentence,
		requestedBy,
		run: context.runId,
		redact: seams.redact,
	});
}

type Finished = Pick<FixReport, "state" | "branch" | "commit" | "signed" | "proof" | "pullRequest" | "review" | "notes" | "reason">;

/** What follows a push: the pull request of a branch of ours, or the review of the new head. */
async function finish(landed: Extract<Landed, { kind: "pushed" }>, fix: Fix, parts: FixParts): Promise<Finished> {
	const { branch, commit, signed, proof } = landed;
	const { pullRequest, prepared } = fix;
	const silent =
		parts.identity?.id === WORKFLOW_BOT.id
			? [
					"Commits of the workflow's own token start no other workflow: required checks stay open until somebody pushes, or reopens the pull request.",
				]
			: [];
	const common = { branch, commit, signed, proof, notes: [...prepared.notes, ...silent] };
	if (branch === pullRequest.head.ref) return { ...common, state: "pushed", review: await parts.reviewHead(commit) };
	const proposed = await parts.propose({
		branch,
		base: pullRequest.head.ref,
		title: parts.cleanLine(subjectOf(fix)).slice(0, 120).toWellFormed(),
		marker: printMarker("fix", {
			instance: parts.facts.instance,
			run: parts.facts.runId,
			number: pullRequest.number,
			head: parts.context.head,
		}),
		body: renderProposalBody(
			{ findings: prepared.findings, risks: fix.risks, proof, number: pullRequest.number, requestedBy: parts.requestedBy },
			parts.cleanLine,
		),
		draft: !isSound(fix, proof),
	});
	const reason = proof.verdict === "proved" ? "it changes what the proof rests on" : "nothing has shown it to be sound";
	const why = isSound(fix, proof) ? [] : [`It is a draft on a branch of its own, because ${reason}.`];
	return {
		...common,
		state: "proposed",
		notes: [...common.notes, ...why, ...(proposed.detail === "" ? [] : [proposed.detail])],
		...(proposed.url === undefined ? {} : { pullRequest: proposed.url }),
	};
}
