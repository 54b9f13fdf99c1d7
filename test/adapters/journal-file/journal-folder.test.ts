import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createJournalFolder } from "../../../src/adapters/journal-file/create-journal-folder.ts";
import { parseJournal, readJournal } from "../../../src/adapters/journal-file/read-journal.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import type { JournalEvent } from "../../../src/domain/journal-entry.ts";
import { NO_USAGE } from "../../../src/domain/usage.ts";
import { replayHistory } from "../../../src/engine/replay-history.ts";
import { runChild } from "../../../src/engine/run-child.ts";
import { createScheduler } from "../../../src/engine/scheduler.ts";
import { agentNamed, assign, BASE, environmentFor, HEAD, schedulerRun, toolNamed } from "../../engine/engine-parts.ts";
import { answer, asks, scriptModel } from "../../engine/scripted-model.ts";

let temp = "";
beforeEach(async () => {
	temp = await mkdtemp(path.join(tmpdir(), "rookery-journal-"));
});
afterEach(() => rm(temp, { recursive: true, force: true }));

const open = (redact: (text: string) => string = (text) => text) =>
	createJournalFolder({ temp, run: "run-7", clock: createSystemClock(), redact });

async function entriesOf(file: string) {
	const read = await readJournal(file);
	if (read.state !== "read") throw new Error(JSON.stringify(read));
	return read;
}

describe("journals of a run", () => {
	it("S-126 one file for each child below the run's folder, and no other", async () => {
		const store = open();
		const run = schedulerRun(() => scriptModel([answer("ok")]), { journals: store, journal: store.openRun() });
		const reports = await createScheduler(run.options).runPlanned(
			["a", "b", "c"].map((name) => ({ assignment: assign({ agent: agentNamed(name) }) })),
		);
		const folder = path.join(temp, "rookery", "sessions", "run-7");
		expect((await readdir(folder)).sort()).toEqual(reports.map((report) => `${report.session}.jsonl`).sort());
		expect(reports.map((report) => report.journal)).toContain(path.join(folder, "agent-a-1.jsonl"));
		expect((await entriesOf(`${folder}.jsonl`)).entries.length).toBeGreaterThan(6);
		expect((await stat(path.join(folder, "agent-a-1.jsonl"))).mode & 0o077).toBe(0);
	});

	it("S-127 the first line has parent, call, agent, id, name, depth, commits and hashes", async () => {
		const journal = open().open("agent-api-1");
		const agent = agentNamed("api", { source: { path: ".claude/agents/api.md", sha256: "ab".repeat(32) } });
		const environment = {
			...environmentFor(scriptModel([answer("ok")])),
			journal,
			parent: "main-1",
			parentCall: "call_3",
			name: "helper",
			policyHash: "cd".repeat(32),
		};
		await runChild(assign({ agent }), environment);
		const [line] = (await readFile(journal.path, "utf8")).split("\n");
		expect(JSON.parse(line ?? "")).toEqual({
			v: 1,
			seq: 1,
			at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
			type: "session.started",
			session: "agent-api-1",
			parent: "main-1",
			parentCall: "call_3",
			agent: "api",
			agentId: "agent_1",
			name: "helper",
			depth: 1,
			base: BASE,
			head: HEAD,
			definitionHash: "ab".repeat(32),
			policyHash: "cd".repeat(32),
		});
	});

	it("S-128 a whole run passes the schema, without a gap, and can be replayed", async () => {
		const journal = open().open("agent-api-1");
		const model = scriptModel([
			asks([{ tool: "read_file", input: { path: "a" } }, { tool: "nope" }]),
			asks([{ tool: "read_file", input: { path: "b" } }]),
			answer("closing"),
		]);
		await runChild(assign({ limits: { maxSteps: 2 } }), { ...environmentFor(model), journal });
		const { entries, interrupted } = await entriesOf(journal.path);
		expect(entries.map((entry) => entry.seq)).toEqual(entries.map((_, index) => index + 1));
		const types = entries.map((entry) => entry.type);
		expect(types.slice(0, 3)).toEqual(["session.started", "run.started", "message"]);
		expect(types.filter((type) => type === "tool.call")).toHaveLength(3);
		expect(types.filter((type) => type === "tool.result")).toHaveLength(3);
		expect(types.at(-1)).toBe("end");
		expect(interrupted).toBe(false);
		expect(replayHistory(entries).map((message) => message.role)).toEqual(["user", "assistant", "user", "assistant", "user", "assistant"]);
		expect(JSON.stringify(replayHistory(entries).at(-1))).toContain("closing");
	});

	it("each kind of record is written and read back as it was", async () => {
		const store = open();
		const events: readonly JournalEvent[] = [
			{
				type: "message",
				role: "user",
				notification: true,
				message: {
					role: "user",
					content: [
						{ type: "text", text: "x", cache: true },
						{ type: "opaque", raw: { a: [1] } },
						{ type: "tool-result", toolUseId: "1", content: "y", isError: true, cache: true },
					],
				},
			},
			{
				type: "message",
				role: "assistant",
				message: { role: "assistant", content: [{ type: "tool-use", id: "1", name: "t", input: { a: 1 }, invalidInput: "cut" }] },
			},
			{
				type: "model.call",
				step: 0,
				model: "m",
				usage: NO_USAGE,
				stop: "error",
				durationMs: 1.5,
				attempts: 4,
				failure: "overloaded: busy",
				purpose: "warm-up",
			},
			{ type: "permission.denied", call: "1", tool: "bash", code: "E_POLICY", by: "policy", reason: "no" },
			{ type: "todo.updated", items: [{ text: "a" }] },
			{ type: "agent.warning", call: null, agent: "a", message: "m" },
			{
				type: "agent.started",
				call: "c",
				agent: "a",
				agentId: "agent_1",
				session: "a-1",
				model: "m",
				background: true,
				description: "d",
				resumed: true,
				worktree: "/w",
				branch: "b",
			},
			{
				type: "agent.finished",
				call: null,
				agent: "a",
				agentId: "agent_1",
				session: "a-1",
				status: "partial",
				stopReason: "timeout",
				report: { text: "t" },
				worktreeKept: false,
			},
			{ type: "child_debit", session: "a-1", charge: 1, usage: NO_USAGE, costUsd: null, estimated: true },
			{ type: "note", text: "n" },
			{ type: "run.data", name: "x", data: { y: [null, true] } },
			{ type: "end", status: "cancelled", stopReason: "cancelled", steps: 3, usage: NO_USAGE },
		];
		const journal = store.open("all-kinds");
		for (const event of events) await journal.append(event);
		await journal.close();
		const { entries } = await entriesOf(journal.path);
		expect(entries.map(({ v: _v, seq: _seq, at: _at, ...event }) => event)).toEqual(events);
	});

	it("numbers stay in order when records are added at the same time", async () => {
		const journal = open().open("busy");
		const written = await Promise.all(Array.from({ length: 200 }, (_, n) => journal.append({ type: "note", text: String(n) })));
		expect(written.map((entry) => entry.seq)).toEqual(written.map((_, index) => index + 1));
		const { entries } = await entriesOf(journal.path);
		expect(entries).toHaveLength(200);
		expect(entries[199]).toMatchObject({ text: "199" });
		await journal.close();
	});

	it("S-134 a secret never reaches the disk, also with quotes and line feeds in it and as a key", async () => {
		const secret = 'canary"\n\\end';
		const redact = (text: string) => text.replaceAll(secret, "[REDACTED]");
		const store = open(redact);
		const journal = store.open("agent-api-1");
		const tool = toolNamed("read_file", () => ({ content: `found ${secret}` }));
		const model = scriptModel([
			asks([{ tool: "read_file", input: { path: secret, [secret]: [secret] } }], { text: `I see ${secret}` }),
			answer(`it is ${secret}`),
		]);
		await runChild(assign({ task: `use ${secret}` }), { ...environmentFor(model, { toolList: [tool], redact }), journal });
		const text = await readFile(journal.path, "utf8");
		expect(text).toContain("[REDACTED]");
		expect(text).not.toContain("canary");
		expect((await entriesOf(journal.path)).entries.length).toBeGreaterThan(5);
	});

	it("a torn last line is set aside and told, and the numbers go on", async () => {
		const first = open().open("agent-api-1");
		await first.append({ type: "run.started", run: 1, model: "m", task: "t", files: [] });
		await first.close();
		await appendFile(first.path, '{"v":1,"seq":2,"at":"2026-');
		const torn = await entriesOf(first.path);
		expect(torn).toMatchObject({ torn: '{"v":1,"seq":2,"at":"2026-', interrupted: true });

		const again = open().open("agent-api-1");
		await again.append({ type: "note", text: "next" });
		await again.close();
		const { entries } = await entriesOf(again.path);
		expect(entries.map((entry) => [entry.seq, entry.type])).toEqual([
			[1, "run.started"],
			[2, "note"],
			[3, "note"],
		]);
		expect(await readFile(`${again.path}.torn`, "utf8")).toContain('"seq":2');
	});

	it("says at which line a journal was changed", async () => {
		const journal = open().open("agent-api-1");
		for (const text of ["a", "b", "c"]) await journal.append({ type: "note", text });
		await journal.close();
		const lines = (await readFile(journal.path, "utf8")).split("\n");
		expect(parseJournal([lines[0], lines[2], ""].join("\n"))).toMatchObject({
			state: "broken",
			line: 2,
			reason: expect.stringContaining("seq"),
		});
		expect(parseJournal([lines[0], '{"v":1}', ""].join("\n"))).toMatchObject({ state: "broken", line: 2 });
		expect(parseJournal(["no JSON", ""].join("\n"))).toMatchObject({ state: "broken", line: 1, reason: "not JSON" });
		await writeFile(journal.path, [lines[0], lines[2], ""].join("\n"));
		await expect(open().open("agent-api-1").append({ type: "note", text: "d" })).rejects.toMatchObject({ code: "E_AUDIT" });
		expect(await readJournal(path.join(temp, "none.jsonl"))).toEqual({ state: "absent" });
	});

	it("takes no session name that could leave its folder", () => {
		expect(() => open().open("../evil")).toThrow("session");
	});
});

it("S-099 S-065 a process killed after the second reply leaves two debits, and its child reads as interrupted", async () => {
	const script = path.join(import.meta.dirname, "killed-run.ts");
	const child = spawn(process.execPath, [script, temp], { stdio: ["ignore", "pipe", "inherit"] });
	await once(child.stdout, "data");
	child.kill("SIGKILL");
	await once(child, "close");
	const run = await entriesOf(path.join(temp, "rookery", "sessions", "run-7.jsonl"));
	expect(run.entries.filter((entry) => entry.type === "child_debit")).toMatchObject([
		{ session: "agent-api-1", charge: 1 },
		{ session: "agent-api-1", charge: 2 },
	]);
	const journal = await entriesOf(path.join(temp, "rookery", "sessions", "run-7", "agent-api-1.jsonl"));
	expect(journal.interrupted).toBe(true);
	expect(replayHistory(journal.entries).length).toBeGreaterThan(3);
});

it("R18 a call that was left without a result gets an error result when its session is replayed", () => {
	const messages = replayHistory([
		{
			v: 1,
			seq: 1,
			at: "2026-01-01T00:00:00.000Z",
			type: "message",
			role: "user",
			message: { role: "user", content: [{ type: "text", text: "go" }] },
		},
		{
			v: 1,
			seq: 2,
			at: "2026-01-01T00:00:00.000Z",
			type: "message",
			role: "assistant",
			message: { role: "assistant", content: [{ type: "tool-use", id: "t1", name: "grep", input: {} }] },
		},
	]);
	expect(messages.at(-1)).toMatchObject({ role: "user", content: [{ type: "tool-result", toolUseId: "t1", isError: true }] });
});
