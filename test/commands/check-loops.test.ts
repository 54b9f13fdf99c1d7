import { describe, expect, it } from "vitest";
import { checkLoops, LOOP_LIMITS, type LoopFacts } from "../../src/commands/check-loops.ts";
import type { CommandReply } from "../../src/publish/read-replies.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const HEAD = "2".repeat(40);
const OTHER = "3".repeat(40);
const ask = (digest: string, name = "explore") => ({ name, digest: digest.padEnd(16, "0") });

let id = 0;
function reply(secondsAgo: number, change: Partial<CommandReply["command"]> = {}): CommandReply {
	id += 1;
	const command: CommandReply["command"] = {
		on: "issue",
		attempt: 1,
		by: "mona",
		asked: [ask("a")],
		outcome: "done",
		head: HEAD,
		usd: 0,
		changes: [],
		agents: [],
		...change,
	};
	return { id, url: "", createdAt: new Date(NOW - secondsAgo * 1_000).toISOString(), to: 1_000 + id, run: String(id), command };
}

/** Comments came `waits` seconds before their replies, and the present one `quiet` seconds after the last reply. */
function facts(replies: readonly CommandReply[], change: Partial<LoopFacts> = {}): LoopFacts {
	return {
		asked: [{ ...ask("z"), spends: true }],
		author: { login: "mona", id: 1, type: "User" },
		head: HEAD,
		commentedAt: new Date(NOW).toISOString(),
		replies,
		commentTimes: new Map(replies.map((each) => [each.to, new Date(Date.parse(each.createdAt) - 1_000).toISOString()])),
		now: NOW,
		isSpending: (name) => name !== "help",
		...change,
	};
}

describe("checkLoops", () => {
	it("X-15 a person who asks now and then is never stopped", () => {
		const day = Array.from({ length: 20 }, (_, index) => reply(80_000 - index * 3_600, { asked: [ask(String(index))] }));
		expect(checkLoops(facts(day))).toEqual({ stop: false });
		expect(checkLoops(facts([]))).toEqual({ stop: false });
	});

	it("X-15 the same on the same head is answered three times, and again on a new one", () => {
		const asked = [{ ...ask("a"), spends: true }];
		const three = [reply(9_000), reply(6_000), reply(3_000)];
		expect(checkLoops(facts(three, { asked }))).toMatchObject({ stop: true, code: "E_LOOP", told: false });
		expect(checkLoops(facts(three, { asked, head: OTHER }))).toEqual({ stop: false });
		expect(checkLoops(facts(three, { asked: [{ ...ask("b"), spends: true }] }))).toEqual({ stop: false });
		expect(checkLoops(facts(three, { asked: [{ ...ask("a"), spends: false }] }))).toEqual({ stop: false });
	});

	it("X-15 A99 answers within seconds, one after the other, are a program's; three commands sent at once are not", () => {
		const quick = [reply(30), reply(20), reply(10)];
		const asked = [{ ...ask("a"), spends: false }];
		expect(checkLoops(facts(quick, { asked }))).toMatchObject({ stop: true, code: "E_LOOP" });
		const atOnce = new Map(quick.map((each) => [each.to, new Date(NOW - 60_000).toISOString()]));
		expect(checkLoops(facts(quick, { asked, commentTimes: atOnce, commentedAt: new Date(NOW - 59_000).toISOString() }))).toEqual({
			stop: false,
		});
		const slow = [reply(300), reply(200), reply(100)];
		expect(checkLoops(facts(slow, { asked }))).toEqual({ stop: false });
	});

	it("X-15 A99 a bot gets two answers in a row, and more after a person has spoken", () => {
		const author = { login: "other[bot]", id: 9, type: "Bot" as const };
		const by = { by: "other[bot]" };
		expect(checkLoops(facts([reply(9_000, by)], { author }))).toEqual({ stop: false });
		expect(checkLoops(facts([reply(9_000, by), reply(6_000, by)], { author }))).toMatchObject({ stop: true, code: "E_LOOP" });
		expect(checkLoops(facts([reply(9_000, by), reply(6_000, by), reply(3_000)], { author }))).toEqual({ stop: false });
	});

	it("X-15 a loop is told once", () => {
		const three = [reply(9_000), reply(6_000), reply(3_000), reply(2_000, { outcome: "refused", code: "E_LOOP" })];
		expect(checkLoops(facts(three, { asked: [{ ...ask("a"), spends: true }] }))).toMatchObject({ stop: true, told: true });
	});

	it("X-15 a day has its limit, which a refusal does not use up", () => {
		const many = Array.from({ length: LOOP_LIMITS.spendingADay }, (_, index) =>
			reply(80_000 - index * 60, { asked: [ask(String(index))] }),
		);
		expect(checkLoops(facts(many))).toMatchObject({ stop: true, code: "E_LIMIT" });
		expect(checkLoops(facts(many, { asked: [{ ...ask("h", "help"), spends: false }] }))).toEqual({ stop: false });
		expect(checkLoops(facts(many.map((each) => ({ ...each, command: { ...each.command, outcome: "refused" as const } }))))).toEqual({
			stop: false,
		});
		expect(checkLoops(facts(many, { now: NOW + 100_000_000, commentedAt: new Date(NOW + 100_000_000).toISOString() }))).toEqual({
			stop: false,
		});
	});
});
