import type { Sha } from "../domain/ids.ts";
import type { CommitIdentity, PatchedTree, PatchLimits, PatchProblem, PatchRisk, Proof, PushOutcome } from "../domain/patch.ts";
import type { ReasonCode } from "../domain/errors.ts";
import { checkPatch, type PatchRules } from "../fix/check-patch.ts";
import { BRANCH_NAMES, nameNext, refuseBranch } from "../fix/name-branch.ts";
import { NO_PROOF, provePatch, type RunChecks } from "../fix/prove-patch.ts";
import type { CommitPusher, PatchTrees, RepositoryReader } from "../seams.ts";

/*
 * The way of a patch from a child's tree to a branch (DESIGN.md 11), for `/fix` and for maintenance: check it, prove it,
 * commit and push it. Each step is a plain function of its own; what stops it is an answer with its reason, and the
 * caller keeps the patch.
 */

/** What was found out about a patch; the next step takes the change from here and nothing else. */
export type ReadPatch =
	| { readonly kind: "ready"; readonly change: PatchedTree; readonly risks: readonly PatchRisk[] }
	| { readonly kind: "empty" }
	| { readonly kind: "held"; readonly change?: PatchedTree; readonly problems: readonly PatchProblem[] };

export interface PatchSeams {
	readonly trees: PatchTrees;
	readonly reader: Pick<RepositoryReader, "patches">;
	readonly redact: (text: string) => string;
}

/** Applies a patch to its commit and holds it against the rules (A51, A52). Rejects only when git itself fails. */
export async function readPatch(
	patch: Buffer,
	at: { readonly base: Sha; readonly rules: Omit<PatchRules, "redact"> & { readonly limits: PatchLimits } },
	{ trees, reader, redact }: PatchSeams,
): Promise<ReadPatch> {
	const applied = await trees.apply(at.base, patch);
	if (applied.kind === "empty") return applied;
	if (applied.kind === "misfit") {
		return {
			kind: "held",
			problems: [{ code: "E_STALE", text: `the patch does not fit ${at.base.slice(0, 12)}: ${redact(applied.reason)}` }],
		};
	}
	const { change } = applied;
	const { problems, risks } = await checkPatch(
		change,
		{ ...at.rules, redact },
		{ patches: ({ base, tree, files }) => reader.patches(base, tree, files), readBlob: (blob) => trees.readBlob(blob) },
	);
	return problems.length === 0 ? { kind: "ready", change, risks } : { kind: "held", change, problems };
}

/** Where a commit goes. `existing`: on from where the branch is. `new`: a branch of ours that must not be there yet. */
export type Destination =
	| { readonly kind: "existing"; readonly branch: string; readonly expected: Sha }
	| { readonly kind: "new"; readonly branch: string /** No other name will do. */; readonly exact?: true };

export interface LandRequest {
	readonly change: PatchedTree;
	readonly destination: Destination | ((proof: Proof) => Destination);
	/** Taken once when a rule of the repository forbids the destination (BR-51). */
	readonly otherwise?: Destination;
	readonly defaultBranch: string;
	/** Further parents, behind the commit that the patch was made on. */
	readonly alsoParents?: readonly Sha[];
	readonly author: CommitIdentity;
	/** Runs the checks in trees of its own; absent: nothing is known that could be run. */
	readonly checks?: { readonly before: RunChecks; readonly after: RunChecks };
	/** Written when the proof is there. */
	readonly writeMessage: (proof: Proof) => string;
	/** Asked with the proof right before the push; a text is a reason not to (A09: the head has moved, R29: it is closed). */
	readonly mayPush?: (proof: Proof) => Promise<string | undefined>;
}

export type Landed =
	| { readonly kind: "pushed"; readonly branch: string; readonly commit: Sha; readonly signed: boolean; readonly proof: Proof }
	/** Nothing was pushed; the patch is for a person. */
	| { readonly kind: "held"; readonly code: ReasonCode; readonly reason: string; readonly proof?: Proof };

/**
 * Proves a change and pushes it as one commit. Red checks end it before anything leaves. A refused push is final:
 * nothing is forced, and only the name of a new branch is tried again (BR-49, BR-51, A55).
 */
export async function landPatch(request: LandRequest, pusher: CommitPusher): Promise<Landed> {
	const { destination } = request;
	if (typeof destination !== "function") {
		const refusal = refuseDestination(destination, request);
		if (refusal !== undefined) return refusal;
	}
	const proof = request.checks === undefined ? NO_PROOF : await provePatch(request.checks);
	if (proof.verdict === "red") return { kind: "held", code: "E_PUSH", reason: proof.sentence, proof };
	const objection = await request.mayPush?.(proof);
	if (objection !== undefined) return { kind: "held", code: "E_STALE", reason: objection, proof };
	const message = request.writeMessage(proof);
	const first = typeof destination === "function" ? destination(proof) : destination;
	const landed = await pushTo(first, message, request, pusher);
	const forbidden = !landed.outcome.ok && landed.outcome.reason === "protected" && request.otherwise !== undefined;
	const last = forbidden ? await pushTo(request.otherwise, message, request, pusher) : landed;
	const { outcome, branch } = last;
	if (outcome.ok) return { kind: "pushed", branch, commit: outcome.commit, signed: outcome.signed, proof };
	return { kind: "held", ...explainRefusal(outcome, branch), proof };
}

function refuseDestination({ branch }: Destination, { defaultBranch }: LandRequest): Extract<Landed, { kind: "held" }> | undefined {
	const refusal = refuseBranch(branch, defaultBranch);
	return refusal === undefined ? undefined : { kind: "held", code: "E_PUSH", reason: `${refusal}; nothing is pushed there` };
}

async function pushTo(
	destination: Destination,
	message: string,
	request: LandRequest,
	pusher: CommitPusher,
): Promise<{ readonly outcome: PushOutcome; readonly branch: string }> {
	const refusal = refuseDestination(destination, request);
	if (refusal !== undefined) return { outcome: { ok: false, reason: "refused", message: refusal.reason }, branch: destination.branch };
	for (let attempt = 1; ; attempt += 1) {
		const branch = destination.kind === "new" ? nameNext(destination.branch, attempt) : destination.branch;
		const outcome = await pusher.push({
			branch,
			expected: destination.kind === "new" ? null : destination.expected,
			parents: [request.change.base, ...(request.alsoParents ?? [])],
			change: request.change,
			message,
			author: request.author,
		});
		const inUse = !outcome.ok && (outcome.reason === "taken" || outcome.reason === "stale");
		const only = destination.kind === "existing" || destination.exact === true;
		if (!inUse || only || attempt >= BRANCH_NAMES) return { outcome, branch };
	}
}

/** What a refused push means for people, and what helps (BR-50, BR-51, R33). */
function explainRefusal(
	refusal: Extract<PushOutcome, { ok: false }>,
	branch: string,
): { readonly code: ReasonCode; readonly reason: string } {
	const said = refusal.message === "" ? "" : ` (${refusal.message})`;
	switch (refusal.reason) {
		case "stale":
			return { code: "E_STALE", reason: `${branch} has moved since; nothing was overwritten${said}` };
		case "protected":
			return { code: "E_PUSH", reason: `a rule of this repository does not let ${branch} be pushed to${said}` };
		case "workflow":
			return { code: "E_PROTECTED", reason: `this token may not change workflow files${said}` };
		case "not-permitted":
			return { code: "E_PUSH", reason: `this token may not push (it needs contents: write)${said}` };
		case "taken":
			return { code: "E_PUSH", reason: `no free name for a branch was found near ${branch}${said}` };
		case "refused":
			return { code: "E_PUSH", reason: `GitHub refused the push to ${branch}${said}` };
		case "uncertain":
			return { code: "E_PUSH", reason: `no answer to the push came, and ${branch} does not show the commit${said}` };
	}
}
