import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { createLiveComment } from "../../../src/adapters/progress/create-live-comment.ts";
import { createTerminalTree } from "../../../src/adapters/progress/create-terminal-tree.ts";
import { createProgressRows } from "../../../src/adapters/progress/progress-rows.ts";
import { watchJournals } from "../../../src/adapters/progress/watch-journals.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import { createScheduler } from "../../../src/engine/scheduler.ts";
import { renderProgress } from "../../../src/publish/render/progress.ts";
import type { GitHostWriter } from "../../../src/seams.ts";
import { agentNamed, assign, memoryJournal, memoryStore, schedulerRun } from "../../engine/engine-parts.ts";
import { answer, asks, failed, scriptModel } from "../../engine/scripted-model.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A run whose journals are watched, with two children of which one fails. */
function watchedRun(delayMs = 0) {
	const rows = createProgressRows(createSystemClock());
	const run = memoryJournal("run.jsonl");
	const watched = watchJournals({ ...memoryStore(), openRun: () => run }, (event) => rows.record(event));
	const slow = async () => {
		await pause(delayMs);
		return answer("fine");
	};
	const { options } = schedulerRun(
		(agent) => (agent === "broken" ? failedModel() : scriptModel([asks([{ tool: "read_file", input: { path: "src/a.ts" } }]), slow])),
		{
			journal: watched.openRun() as ReturnType<typeof memoryJournal>,
			journals: watched,
			events: (progress) => rows.step(progress),
		},
	);
	const start = () =>
		createScheduler(options).runPlanned(
			["api", "broken"].map((name) => ({ assignment: assign({ agent: agentNamed(name) }), description: `look at ${name}` })),
		);
	return { rows, start };
}
const failedModel = () => scriptModel([failed("server", "no")]);

describe("live rows", () => {
	it("S-034 S-155 rows say who runs, at which step, with which tool, and how each ended", async () => {
		const { rows, start } = watchedRun(30);
		const seen = new Set<string>();
		rows.subscribe(() => {
			for (const row of rows.rows()) seen.add(`${row.session} ${row.state} ${row.step} ${row.activity}`.trim());
		});
		await start();
		expect([...seen]).toEqual(
			expect.arrayContaining(["agent-api-1 running 1", "agent-api-1 running 1 read_file src/a.ts", "agent-api-1 ended 2"]),
		);
		expect(rows.rows()).toMatchObject([
			{ session: "agent-api-1", description: "look at api", state: "ended", status: "completed", tokens: 220 },
			{ session: "agent-broken-1", state: "ended", status: "failed", stopReason: "error" },
		]);
		expect(rows.rows()[0]?.costUsd).toBeGreaterThan(0);
	});

	it("a listener that throws does not disturb the run", async () => {
		const journal = memoryJournal();
		const watched = watchJournals({ ...memoryStore(), openRun: () => journal }, () => {
			throw new Error("display is gone");
		});
		await watched.openRun().append({ type: "note", text: "x" });
		expect(journal.entries).toHaveLength(1);
	});
});

describe("the terminal tree", () => {
	it("draws children below whoever started them, live, and the ends at last", async () => {
		const output = Object.assign(new PassThrough(), { isTTY: true, columns: 120, rows: 40 });
		let drawn = "";
		output.on("data", (chunk: Buffer) => {
			drawn += chunk.toString();
		});
		const { rows, start } = watchedRun(250);
		const tree = createTerminalTree({ rows, output, title: "Reviewing 1234567" });
		const running = start();
		await pause(120);
		expect(drawn).toContain("agent-api-1 step 2");
		await running;
		rows.record({
			type: "agent.started",
			call: null,
			agent: "explore",
			agentId: "agent_3",
			session: "explore-1",
			model: "m",
			background: false,
			description: "find",
		});
		rows.record({
			...{ type: "session.started", session: "explore-1", parent: "agent-api-1", parentCall: "c", agent: "explore", agentId: "agent_3" },
			...{ name: null, depth: 2, base: "", head: "", definitionHash: null, policyHash: null },
		});
		await tree.close();
		const last = drawn.slice(drawn.lastIndexOf("Reviewing 1234567"));
		expect(last).toMatch(/\n {2}\S+ agent-api-1 completed, 2 steps, 0\.2k tokens/);
		expect(last).toMatch(/\n {2}\S+ agent-broken-1 failed \(error\)/);
		expect(last).toMatch(/agent-api-1[^\n]*\n {4}\S+ explore-1 step 0/);
	});
});

type Write = Awaited<ReturnType<GitHostWriter["createComment"]>>;

function hostThat(answers: readonly Write[] = []) {
	const writes: { readonly at: number; readonly id: number | null; readonly body: string }[] = [];
	let running = 0;
	let most = 0;
	async function write(id: number | null, body: string): Promise<Write> {
		running += 1;
		most = Math.max(most, running);
		writes.push({ at: Date.now(), id, body });
		await pause(15);
		running -= 1;
		return answers[writes.length - 1] ?? { ok: true, value: { id: 7, url: "https://github.example/c/7" } };
	}
	return {
		writes,
		most: () => most,
		writer: {
			createComment: (_number: number, body: string) => write(null, body),
			updateComment: (id: number, body: string) => write(id, body),
		},
	};
}

describe("the live comment", () => {
	it("S-034 the first text is written at once, later ones at most once an interval, never two at a time", async () => {
		const host = hostThat();
		let text = 0;
		const comment = createLiveComment({
			writer: host.writer,
			number: 3,
			clock: createSystemClock(),
			intervalMs: 100,
			render: () => `text ${text}`,
		});
		for (let round = 0; round < 50; round += 1) {
			text += 1;
			comment.touch();
			await pause(10);
		}
		const { commentId, edits } = await comment.close();
		expect(commentId).toBe(7);
		expect(edits).toBe(host.writes.length);
		expect(host.writes.length).toBeGreaterThanOrEqual(3);
		expect(host.writes.length).toBeLessThanOrEqual(6);
		expect(host.writes[0]).toMatchObject({ id: null, body: "text 1" });
		for (const [index, write] of host.writes.entries()) {
			if (index > 0) expect(write.at - (host.writes[index - 1]?.at ?? 0)).toBeGreaterThanOrEqual(98);
			if (index > 0) expect(write.id).toBe(7);
		}
		expect(host.most()).toBe(1);
		const after = host.writes.length;
		comment.touch();
		await pause(150);
		expect(host.writes).toHaveLength(after);
	});

	it("BR-44 a limit is waited for as long as it asks; a refusal ends the updates with one line", async () => {
		const limited = hostThat([{ ok: false, reason: "limited", status: 403, message: "slow down", retryAfterMs: 150 }]);
		const comment = createLiveComment({
			writer: limited.writer,
			number: 3,
			commentId: 9,
			clock: createSystemClock(),
			intervalMs: 20,
			render: () => "x",
		});
		comment.touch();
		await pause(300);
		await comment.close();
		expect(limited.writes).toHaveLength(2);
		expect((limited.writes[1]?.at ?? 0) - (limited.writes[0]?.at ?? 0)).toBeGreaterThanOrEqual(148);

		const refused = hostThat([{ ok: false, reason: "not-permitted", status: 403, message: "no right" }]);
		const lines: string[] = [];
		const other = createLiveComment({
			...{ writer: refused.writer, number: 3, clock: createSystemClock(), intervalMs: 5, render: () => "x" },
			onGivenUp: (line) => lines.push(line),
		});
		for (let round = 0; round < 5; round += 1) {
			other.touch();
			await pause(20);
		}
		await other.close();
		expect(refused.writes).toHaveLength(1);
		expect(lines).toEqual(["the progress comment is no longer updated: no right"]);
	});

	it("S-034 rows of a real run end up in the comment's own form", async () => {
		const { rows, start } = watchedRun(40);
		const host = hostThat();
		const comment = createLiveComment({
			writer: host.writer,
			number: 3,
			clock: createSystemClock(),
			intervalMs: 30,
			render: () =>
				renderProgress(
					rows.rows().map((row) => ({ ...row, reason: row.description })),
					{ head: "2".repeat(40), runId: "12" },
					"<!-- rookery:sticky -->",
				),
		});
		rows.subscribe(() => comment.touch());
		await start();
		await pause(80);
		await comment.close();
		expect(host.writes.at(-1)?.body).toContain("- [x] `agent-api-1` completed");
		expect(host.writes.at(-1)?.body).toContain("look at api");
		expect(host.writes[0]?.body).toContain("- [ ] `agent-api-1` running");
	});
});
