import { describe, expect, it } from "vitest";
import { type CommandRecord, parseMarker, printMarker } from "../../src/publish/marker.ts";
import { foldReviewState, readReplies } from "../../src/publish/read-replies.ts";
import type { HostComment } from "../../src/seams.ts";

const US = { login: "github-actions[bot]", id: 41_898_282, type: "Bot" } as const;
const OTHER = { login: "mallory", id: 7, type: "User" } as const;

let id = 0;
function reply(changes: CommandRecord["changes"], author: HostComment["author"] = US): HostComment {
	id += 1;
	const command: CommandRecord = {
		...{ on: "issue", attempt: 1, by: "mona", asked: [], outcome: "done", head: "1".repeat(40), usd: 0, agents: [] },
		changes,
	};
	const body = `${printMarker("reply", { instance: "Rookery", run: "9", to: id, command })}\nDone.`;
	return { id, author, body, createdAt: `2026-01-0${id % 9 || 9}T00:00:00Z`, url: "" };
}

describe("the state of reviews", () => {
	const settle = (how: "dismissed" | "resolved", fingerprint: string, reason = "") =>
		({ kind: "settle", how, reason, findings: [{ fingerprint, id: "R7K2" }] }) as const;
	const settled = (how: "dismissed" | "resolved", fingerprint: string, reason = ""): CommandRecord["changes"][number] => {
		const change = settle(how, fingerprint, reason);
		return { ...change, findings: [...change.findings] };
	};

	it("is what our replies add up to, oldest first; deleting one takes its change back", () => {
		const comments = [
			reply([{ kind: "pause" }]),
			reply([settled("dismissed", "aaaaaaaa", "no --> bug")]),
			reply([{ kind: "resume" }]),
			reply([{ kind: "pause" }]),
		];
		const all = foldReviewState(readReplies([...comments].reverse(), US));
		expect(all.paused?.by).toBe("mona");
		expect(all.settled).toEqual([{ fingerprint: "aaaaaaaa", id: "R7K2", how: "dismissed", by: "mona", reason: "no --> bug" }]);
		expect(foldReviewState(readReplies(comments.slice(0, 3), US)).paused).toBeUndefined();
		expect(foldReviewState(readReplies([...comments, reply([settled("resolved", "aaaaaaaa")])], US)).settled).toMatchObject([
			{ how: "resolved" },
		]);
	});

	it("BR-37 is believed from our own account alone, and from a marker at the very start", () => {
		const stolen = reply([{ kind: "pause" }], OTHER);
		const quoted = { ...reply([{ kind: "pause" }]), body: `> ${reply([{ kind: "pause" }]).body}` };
		expect(foldReviewState(readReplies([stolen, quoted], US)).paused).toBeUndefined();
		expect(foldReviewState(readReplies([reply([{ kind: "pause" }])], null)).paused).toBeUndefined();
	});

	it("replies of an older version without a command are no command's", () => {
		const old = printMarker("reply", { instance: "Rookery", run: "9", to: 3 });
		expect(parseMarker("reply", old)).toMatchObject({ to: 3 });
		expect(readReplies([{ ...reply([]), body: old }], US)).toEqual([]);
	});
});
