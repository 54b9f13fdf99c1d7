import type { Actor, Sha } from "../domain/ids.ts";
import { isOurs, type JobMarker, parseMarker } from "../publish/marker.ts";
import type { HostCommit, HostPullRequest } from "../seams.ts";

/** What stands on a job's branch, as GitHub tells it. */
export interface BranchFacts {
	readonly branch: string;
	/** Undefined: there is no such branch. */
	readonly head: Sha | undefined;
	/** Commits that the branch has and the default branch has not. */
	readonly ahead: readonly HostCommit[];
	/** Pull requests from the branch, the newest first. */
	readonly pulls: readonly HostPullRequest[];
	readonly identity: Actor | null;
}

export type BranchState =
	/** Nobody has it: a new branch. */
	| { readonly kind: "free" }
	/** All on it is ours: the next change goes on from `head`. */
	| {
			readonly kind: "ours";
			readonly head: Sha;
			/** Files of `head`; undefined when it has nothing of its own. */
			readonly tree: Sha | undefined;
			readonly pull?: { readonly number: number; readonly url: string; readonly marker?: JobMarker };
	  }
	/** A person works on it, or it cannot be told: nothing is done there. */
	| { readonly kind: "hands-off"; readonly reason: string };

/** The API lists no more commits than this; what cannot be looked at is not ours to change. */
const MOST_COMMITS = 250;
/** Committer of what GitHub itself writes for a token. */
const GITHUB_EMAIL = "noreply@github.com";

/**
 * Whether a job may put its change on its branch. A branch a person has pushed to is theirs (DESIGN.md 11): told by
 * author and committer of each commit, so that also a run that was killed between push and pull request is taken up.
 */
export function judgeBranch(facts: BranchFacts): BranchState {
	const { branch, head, ahead, pulls, identity } = facts;
	const open = pulls.find((pull) => pull.state === "open");
	if (open !== undefined && !isOurs(open, identity)) {
		return { kind: "hands-off", reason: `${open.author.login} has opened #${open.number} from ${branch}` };
	}
	if (head === undefined) return { kind: "free" };
	if (ahead.length >= MOST_COMMITS) return { kind: "hands-off", reason: `${branch} has ${MOST_COMMITS} commits and more of its own` };
	const foreign = ahead.filter(
		({ authorEmail, committerEmail }) =>
			!isOurAddress(authorEmail, identity) || !(committerEmail === GITHUB_EMAIL || isOurAddress(committerEmail, identity)),
	);
	if (foreign.length > 0) {
		const where = open === undefined ? branch : `${branch} (#${open.number})`;
		const what = foreign.length === 1 ? "a commit" : `${foreign.length} commits`;
		return { kind: "hands-off", reason: `${where} has ${what} that this program did not make; merge or close it, and delete the branch` };
	}
	const tree = ahead.at(-1)?.tree;
	if (open === undefined) return { kind: "ours", head, tree };
	const marker = parseMarker("job", open.body);
	return { kind: "ours", head, tree, pull: { number: open.number, url: open.url, ...(marker === undefined ? {} : { marker }) } };
}

/** By the account's number, which stands in the address GitHub gives it: a login can be written in more than one way. */
function isOurAddress(email: string, identity: Actor | null): boolean {
	return identity !== null && identity.id !== 0 && email.startsWith(`${identity.id}+`) && email.endsWith("@users.noreply.github.com");
}

/** The closed pull request in which a person has turned this very change down; undefined when nobody has. */
export function findRejection(change: string, { pulls, identity }: Pick<BranchFacts, "pulls" | "identity">): HostPullRequest | undefined {
	return pulls.find(
		(pull) => pull.state === "closed" && !pull.merged && isOurs(pull, identity) && parseMarker("job", pull.body)?.change === change,
	);
}
