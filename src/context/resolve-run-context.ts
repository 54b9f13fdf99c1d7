import type { ReasonCode } from "../domain/errors.ts";
import { isAcceptableRef, isAcceptableRevision } from "../domain/git-ref.ts";
import { isSha, type Sha } from "../domain/ids.ts";
import type { PullRequestFacts } from "../domain/trigger.ts";
import type { FetchOutcome, GitHistory } from "../seams.ts";

/** What is to be compared: a pull request by its pinned ids, or two revisions of a local clone. */
export type ComparisonRequest =
	| { readonly kind: "pull-request"; readonly pullRequest: Pick<PullRequestFacts, "number" | "base" | "head"> }
	| { readonly kind: "local"; readonly base: string; readonly head?: string };

/** The three commits of a run, resolved once; or why there is no comparison, and what to do about it. */
export type Comparison =
	| { readonly ok: true; readonly base: Sha; readonly head: Sha; readonly mergeBase: Sha; readonly notes: readonly string[] }
	| {
			readonly ok: false;
			/** `no-merge-base` leaves the API's own three-dot diff as a way; the others leave none. */
			readonly kind: "bad-ref" | "missing-commit" | "no-merge-base";
			readonly code?: ReasonCode;
			readonly reason: string;
			readonly advice: string;
			readonly notes: readonly string[];
	  };

/** How far a shallow clone is deepened, step by step, before all of it is fetched. */
const DEEPEN_STEPS: readonly number[] = [50, 200, 1000];

/**
 * Resolves base, head and their merge base to full ids (BR-20, BR-33, BR-46).
 *
 * A missing commit is fetched, a shallow clone is deepened in steps and then completed. When there is still no
 * merge base the answer says so: a two-dot diff would show the base branch's newer work as undone, and is never made.
 */
export async function resolveRunContext(history: GitHistory, request: ComparisonRequest): Promise<Comparison> {
	const notes: string[] = [];
	const tips = request.kind === "local" ? await resolveLocal(history, request, notes) : await resolvePullRequest(history, request, notes);
	if (!("base" in tips)) return { ok: false, notes, ...tips };
	const mergeBase = await findMergeBase(history, tips, notes);
	if (mergeBase !== null) return { ok: true, ...tips, mergeBase, notes };
	return {
		ok: false,
		kind: "no-merge-base",
		reason: `no merge base: ${tips.base} and ${tips.head} have no common ancestor in this clone`,
		advice: "check out with the full history (fetch-depth: 0), or run: git fetch --unshallow",
		notes,
	};
}

type Tips = { readonly base: Sha; readonly head: Sha };
type Refusal = Omit<Extract<Comparison, { ok: false }>, "ok" | "notes">;

async function resolveLocal(
	history: GitHistory,
	request: Extract<ComparisonRequest, { kind: "local" }>,
	notes: string[],
): Promise<Tips | Refusal> {
	const head = request.head ?? "HEAD";
	for (const [input, revision] of [
		["base", request.base],
		["head", head],
	] as const) {
		if (!isAcceptableRevision(revision)) return refuseRef(input, revision);
	}
	const [baseSha, headSha, uncommitted] = await Promise.all([
		history.resolve(request.base),
		history.resolve(head),
		request.head === undefined ? history.countUncommitted() : 0,
	]);
	if (baseSha === undefined) return missingRevision("base", request.base);
	if (headSha === undefined) return missingRevision("head", head);
	if (uncommitted > 0) notes.push(`${uncommitted} uncommitted ${uncommitted === 1 ? "file is" : "files are"} not part of this review.`);
	return { base: baseSha, head: headSha };
}

async function resolvePullRequest(
	history: GitHistory,
	request: Extract<ComparisonRequest, { kind: "pull-request" }>,
	notes: string[],
): Promise<Tips | Refusal> {
	const { number, base, head } = request.pullRequest;
	// The names are data and nothing here uses them; one that git refuses still means a forged payload (A38).
	if (!isAcceptableRef(head.ref)) return refuseRef("head", head.ref);
	if (!isAcceptableRef(base.ref)) return refuseRef("base", base.ref);
	for (const [input, sha] of [
		["base", base.sha],
		["head", head.sha],
	] as const) {
		if (!isSha(sha)) return refuseRef(`${input} commit`, String(sha));
	}
	if (!(await history.commitExists(head.sha))) {
		const fetched = await history.fetchPullHead(number, head.sha);
		if (!fetched.ok) return missingCommit("head", head.sha, fetched);
		notes.push(`The head commit was fetched from pull request ${number}.`);
	}
	if (!(await history.commitExists(base.sha))) {
		const fetched = await history.fetchCommit(base.sha);
		if (!fetched.ok) return missingCommit("base", base.sha, fetched);
		notes.push("The base commit was fetched.");
	}
	return { base: base.sha, head: head.sha };
}

async function findMergeBase(history: GitHistory, tips: Tips, notes: string[]): Promise<Sha | null> {
	const attempt = (): Promise<Sha | null> => history.mergeBase(tips.base, tips.head);
	let found = await attempt();
	if (found !== null || !(await history.isShallow())) return found;
	const wanted = [tips.head, tips.base];
	for (const by of DEEPEN_STEPS) {
		const outcome = await history.deepen(wanted, by);
		if (!outcome.ok) {
			notes.push(`The shallow clone could not be deepened: ${outcome.reason}`);
			return null;
		}
		found = await attempt();
		if (found !== null || !(await history.isShallow())) {
			notes.push(`The shallow clone was deepened by ${by} commits to find the merge base.`);
			return found;
		}
	}
	const outcome = await history.unshallow(wanted);
	notes.push(
		outcome.ok ? "The shallow clone was completed to find the merge base." : `The shallow clone could not be completed: ${outcome.reason}`,
	);
	return outcome.ok ? attempt() : null;
}

function refuseRef(input: string, ref: string): Refusal {
	return {
		kind: "bad-ref",
		code: "E_REF",
		reason: `${input}: ${JSON.stringify(ref)} is no name that git accepts`,
		advice: "give a branch, a tag, origin/BRANCH or a commit id",
	};
}

function missingRevision(input: string, revision: string): Refusal {
	return {
		kind: "missing-commit",
		reason: `${input}: ${JSON.stringify(revision)} names no commit in this clone`,
		advice: `give a branch, a tag, origin/BRANCH or a commit id; for a branch of the remote first run: git fetch origin ${revision.replace(/^origin\//, "")}`,
	};
}

function missingCommit(input: string, commit: Sha, outcome: Extract<FetchOutcome, { ok: false }>): Refusal {
	return {
		kind: "missing-commit",
		reason: `${input}: commit ${commit} is not in this clone and could not be fetched (${outcome.reason})`,
		advice: "check out with the full history (fetch-depth: 0), or start the run again when the branch has settled",
	};
}
