import type { ReasonCode } from "../domain/errors.ts";
import { isSha, type Sha } from "../domain/ids.ts";

export type PinnedHead =
	| { readonly kind: "pinned"; readonly head: Sha; readonly reason: string }
	| { readonly kind: "refused"; readonly code: ReasonCode; readonly reason: string };

const SHORT_HASH = /^[0-9a-f]{7,39}$/i;

/**
 * The head a command means, for commands that run code of the pull request or write. Either the command names the
 * full SHA, or the head was there before the comment, by a time of the server's own: commit dates can be forged
 * (BR-32). An abbreviation is refused, since an attacker can make another commit that fits it (A10).
 */
export function pinHead(facts: {
	/** Text behind the command. */
	readonly text: string;
	readonly head: Sha;
	/** ISO 8601. */
	readonly commentedAt: string;
	/** ISO 8601; when the server first saw the head, such as the first check suite; absent when it cannot be told. */
	readonly headSeenAt?: string;
}): PinnedHead {
	const first = facts.text.trim().split(/\s+/, 1)[0] ?? "";
	if (isSha(first.toLowerCase())) {
		if (first.toLowerCase() === facts.head) return { kind: "pinned", head: facts.head, reason: "the command names this head" };
		return { kind: "refused", code: "E_STALE", reason: `the command names ${first}, but the head is now ${facts.head}` };
	}
	if (SHORT_HASH.test(first) && /\d/.test(first)) {
		return { kind: "refused", code: "E_REF", reason: `${first} is an abbreviation; name the commit with all 40 hex digits` };
	}
	const commentedAt = Date.parse(facts.commentedAt);
	const headSeenAt = Date.parse(facts.headSeenAt ?? "");
	if (Number.isNaN(commentedAt) || Number.isNaN(headSeenAt)) {
		return {
			kind: "refused",
			code: "E_STALE",
			reason: `it cannot be told whether ${facts.head} was there before the comment; name it in the command`,
		};
	}
	if (headSeenAt >= commentedAt) {
		return {
			kind: "refused",
			code: "E_STALE",
			reason: `the head ${facts.head} is newer than the command; look at it and send the command again`,
		};
	}
	return { kind: "pinned", head: facts.head, reason: "the head was there before the comment" };
}
