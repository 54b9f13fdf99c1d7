/*
 * What people said about a pull request's reviews with `/pause`, `/dismiss` and the like. It is not stored as a whole:
 * each of our replies carries the changes its command made in a hidden marker, and the state is what they add up to,
 * oldest first. So no write can overwrite another, and deleting a reply takes its change back.
 */

/** What a command closes a finding as. */
export type SettleWord = "dismissed" | "resolved";

/** A finding that a person closed: later reviews do not bring it up again. */
export interface SettledFinding {
	readonly fingerprint: string;
	readonly id: string;
	/** conversation: its conversation was resolved although its code still stands; disliked: a 👎 on its comment (X-19). */
	readonly how: SettleWord | "conversation" | "disliked";
	/** Login of who said so. */
	readonly by: string;
	/** Empty when none was given. */
	readonly reason: string;
}

export type StateChange =
	| { readonly kind: "pause" }
	| { readonly kind: "resume" }
	| { readonly kind: "stop" }
	| {
			readonly kind: "settle";
			readonly how: SettleWord;
			readonly reason: string;
			readonly findings: readonly Pick<SettledFinding, "fingerprint" | "id">[];
	  };

export interface ReviewState {
	/** Present while automatic reviews are off for this pull request. */
	readonly paused?: { readonly by: string; readonly at: string };
	/** ISO 8601; what was started before it publishes nothing. */
	readonly stoppedAt?: string;
	/** Each finding once, in the order in which they were settled last. */
	readonly settled: readonly SettledFinding[];
}

export const NO_REVIEW_STATE: ReviewState = { settled: [] };

/** The state after one more change. */
export function changeReviewState(
	state: ReviewState,
	change: StateChange,
	said: { readonly by: string; readonly at: string },
): ReviewState {
	switch (change.kind) {
		case "pause":
			return { ...state, paused: said };
		case "resume": {
			const { paused: _paused, ...rest } = state;
			return rest;
		}
		case "stop":
			return { ...state, stoppedAt: said.at };
		case "settle": {
			const added = change.findings.map(({ fingerprint, id }) => ({
				fingerprint,
				id,
				how: change.how,
				by: said.by,
				reason: change.reason,
			}));
			const again = new Set(added.map((finding) => finding.fingerprint));
			return { ...state, settled: [...state.settled.filter((finding) => !again.has(finding.fingerprint)), ...added] };
		}
	}
}

/** An agent of a run as a comment of ours names it, so that it can be found and checked later (S-163). */
export interface PublishedAgent {
	/** `agent_3`, or `main`. */
	readonly id: string;
	readonly session: string;
	readonly status: string;
	/** SHA-256 of the session's journal file. */
	readonly sha256: string;
}

/** Why a settled finding is not shown, for the report. */
export function describeSettled(finding: SettledFinding): string {
	if (finding.how === "conversation") return `its conversation was resolved by ${finding.by}`;
	if (finding.how === "disliked") return `👎 by ${finding.by}`;
	return `${finding.how} by ${finding.by}${finding.reason === "" ? "" : `: ${finding.reason}`}`;
}
