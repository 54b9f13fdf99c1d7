import type { Actor } from "../domain/ids.ts";
import { hasRole, toRole } from "../domain/role.ts";
import type { SettledFinding } from "../domain/review-state.ts";
import type { GitHostReader, HostReaction, HostReviewThread } from "../seams.ts";
import type { PostedFinding } from "./read-existing-state.ts";

/** A conversation that starts with one of our findings. */
export interface Conversation {
	readonly fingerprint: string;
	/** The thread's id, for GraphQL. */
	readonly thread: string;
	readonly resolved: boolean;
}

export interface Conversations {
	readonly conversations: readonly Conversation[];
	/** Findings that somebody with write access said no to, by a resolved conversation or a 👎. */
	readonly signs: readonly SettledFinding[];
	/** What could not be read; said in the summary, and then nothing counts as closed. */
	readonly notes: readonly string[];
}

export const NO_CONVERSATIONS: Conversations = { conversations: [], signs: [], notes: [] };

interface Source {
	readonly reader: Pick<GitHostReader, "reviewThreads" | "permission">;
	/** Absent where reactions cannot be asked for. */
	readonly listReactions?: (comment: number) => Promise<readonly HostReaction[]>;
	readonly identity: Actor | null;
	/** Fingerprints whose conversations we have resolved ourselves. */
	readonly closedByUs: ReadonlySet<string>;
}

/**
 * What people did to our comments on lines. A no counts from people who may write, as `/dismiss` does: whoever opened
 * the pull request can resolve conversations, too. Never rejects: what cannot be read is said and closes nothing.
 */
export async function readConversations(number: number, posted: readonly PostedFinding[], source: Source): Promise<Conversations> {
	if (posted.length === 0) return NO_CONVERSATIONS;
	const notes: string[] = [];
	const [threads, dislikes] = await Promise.all([
		source.reader.reviewThreads(number).catch((): readonly HostReviewThread[] => {
			notes.push("The conversations could not be read; none counts as resolved.");
			return [];
		}),
		listDislikes(posted, source, notes),
	]);
	const byComment = new Map(posted.map((each) => [each.comment, each]));
	const roots = threads.flatMap((thread) => {
		const finding = byComment.get(thread.comment);
		return finding === undefined ? [] : [{ thread, finding }];
	});
	const resolved = roots.flatMap(({ thread, finding }) => {
		const by = thread.resolvedBy;
		// Resolved by us means fixed, which is no opinion of anybody's.
		if (!thread.resolved || by === null || isUs(by, source.identity) || source.closedByUs.has(finding.fingerprint)) return [];
		return [{ fingerprint: finding.fingerprint, id: finding.id, how: "conversation" as const, by: by.login, reason: "" }];
	});
	const said = await keepWriters([...resolved, ...dislikes], source.reader);
	return {
		conversations: roots.map(({ thread, finding }) => ({
			fingerprint: finding.fingerprint,
			thread: thread.id,
			resolved: thread.resolved,
		})),
		signs: said,
		notes,
	};
}

/** GraphQL shows an app's login without the suffix that REST has. */
function isUs(by: NonNullable<HostReviewThread["resolvedBy"]>, identity: Actor | null): boolean {
	return identity !== null && (by.id === identity.id || by.login === identity.login.replace(/\[bot\]$/, ""));
}

async function listDislikes(posted: readonly PostedFinding[], source: Source, notes: string[]): Promise<readonly SettledFinding[]> {
	const disliked = posted.filter((each) => each.dislikes > 0);
	const found = await Promise.all(
		disliked.map(async ({ comment, fingerprint, id }) => {
			try {
				const reactions = (await source.listReactions?.(comment)) ?? [];
				return reactions
					.filter((reaction) => reaction.content === "-1" && reaction.author.type === "User")
					.map((reaction) => ({ fingerprint, id, how: "disliked" as const, by: reaction.author.login, reason: "" }));
			} catch {
				notes.push(`The reactions on ${id} could not be read; none counts.`);
				return [];
			}
		}),
	);
	return found.flat();
}

/** Each person is asked about once. */
async function keepWriters(said: readonly SettledFinding[], reader: Source["reader"]): Promise<readonly SettledFinding[]> {
	const people = [...new Set(said.map((each) => each.by))];
	const roles = await Promise.all(people.map(async (login) => toRole(await reader.permission(login).catch(() => "none")) ?? "none"));
	const writers = new Set(people.filter((_login, index) => hasRole(roles[index] ?? "none", "write")));
	const counted = new Map<string, SettledFinding>();
	for (const each of said) if (writers.has(each.by) && !counted.has(each.fingerprint)) counted.set(each.fingerprint, each);
	return [...counted.values()];
}
