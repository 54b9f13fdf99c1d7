import { readdirSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAnthropicClient } from "../../src/adapters/anthropic/create-anthropic-client.ts";
import { createSystemClock } from "../../src/adapters/system-clock.ts";
import type { Fault } from "../../src/demo/loopback-model/fault.ts";
import { callTool, say } from "../../src/demo/loopback-model/scripted-reply.ts";
import type { LoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import { startLoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import { totalTokens } from "../../src/domain/usage.ts";
import { DEFAULT_COMMAND_LIMITS } from "../../src/domain/worker-protocol.ts";
import { runChild } from "../../src/engine/run-child.ts";
import { createScheduler } from "../../src/engine/scheduler.ts";
import { sendMessage } from "../../src/engine/send-message.ts";
import type { ModelClient } from "../../src/seams.ts";
import { createShellTable } from "../../src/tools/shell/shell-table.ts";
import { createSubmitReport } from "../../src/tools/submit-report.ts";
import { agentNamed, assign, environmentFor, readTool, schedulerRun, toolNamed, workerWith } from "./engine-parts.ts";

let server: LoopbackModel;
let client: ModelClient;
beforeEach(async () => {
	server = await startLoopbackModel();
	client = createAnthropicClient({ apiKey: "key-for-tests", baseUrl: server.url, clock: createSystemClock(), random: () => 0 });
});
afterEach(() => server.close());

const BROKEN: readonly (readonly [string, string, Fault])[] = [
	["R05", "overloaded after half a text", { kind: "error-event", type: "overloaded_error", message: "Overloaded" }],
	["R06", "the socket cut in the middle of a tool call", { kind: "cut" }],
	["R07", "a stream without its end", { kind: "no-message-stop" }],
];

describe("a turn that breaks on the wire", () => {
	it.each(BROKEN)("R05 R06 R07 %s %s: the half turn is thrown away and repeated, and no tool runs twice", async (_id, _what, fault) => {
		const ran: unknown[] = [];
		const edit = toolNamed("edit_file", (input) => {
			ran.push(input);
			return { content: "edited" };
		});
		const call = { path: "src/a.ts", from: "a long enough text to be cut in the middle", to: "another" };
		server.setScript([{ marker: "api reviewer", replies: [callTool("edit_file", call, { text: "I edit." }), say("done")] }]);
		server.fault(fault);
		const environment = environmentFor(client, { toolList: [edit] });
		const report = await runChild(assign(), environment);
		expect(report).toMatchObject({ status: "completed", text: "done", steps: 2 });
		expect(ran).toEqual([call]);
		expect(server.requests).toHaveLength(3);
		expect(server.requests[1]?.rawBody).toBe(server.requests[0]?.rawBody);
		expect(environment.journal.of("message").filter((entry) => entry.role === "assistant")).toHaveLength(2);
		// What the broken turn has cost is in the usage, too.
		expect(totalTokens(report.usage)).toBe(totalTokens(server.usageTotals().usage));
	});

	it("R46 a report that is wrong twice is not lost: its text is kept under its agent, and the others' reports stand", async () => {
		const bad = callTool("submit_report", { summary: 7, findings: "none" });
		server.setScript([
			{ marker: "agent bad", replies: [bad, bad, say('The lock is {"not": json')] },
			{ marker: "agent good", replies: [callTool("submit_report", { summary: "All fine.", findings: [], open: [] })] },
		]);
		const run = schedulerRun(() => client, { toolList: [createSubmitReport()] });
		const reports = await createScheduler(run.options).runPlanned(
			["bad", "good"].map((name) => ({ assignment: assign({ agent: agentNamed(name, { prompt: `agent ${name}` }) }) })),
		);
		expect(reports.map((report) => [report.agent, report.status])).toEqual([
			["bad", "completed"],
			["good", "completed"],
		]);
		expect(reports[0]?.report.summary).toContain("The lock is");
		expect(reports[0]?.report.open).toEqual(["The answer came as text and not as a report: its findings are in the summary."]);
		expect(reports[1]?.report.summary).toBe("All fine.");
	});
});

describe("a run as a whole", () => {
	it("S-154 children use the run's own client: address and headers are those of the first request, tools and role their own", async () => {
		server.setScript([{ marker: "agent", replies: [say("fine")] }]);
		const run = schedulerRun(() => client, {
			open: async (request) => ({
				model: client,
				modelId: "claude-sonnet-5-5",
				effort: "high",
				tools: workerWith(request.assignment.agent.name === "one" ? [readTool] : [readTool, createSubmitReport()]),
				brief: { system: [{ type: "text", text: "Shared rules." }], pack: [] },
				close: async () => undefined,
			}),
		});
		await createScheduler(run.options).runPlanned(
			["one", "two"].map((name) => ({ assignment: assign({ agent: agentNamed(name, { prompt: `agent ${name}` }) }) })),
		);
		const [first, second] = server.requests.filter((request) => request.turn === 0);
		const { "content-length": _first, ...firstHeaders } = first?.headers ?? {};
		const { "content-length": _second, ...secondHeaders } = second?.headers ?? {};
		expect(firstHeaders).toEqual(secondHeaders);
		expect([first, second].map((request) => request?.request?.tools.length).sort()).toEqual([1, 2]);
		expect(server.unexpected).toEqual([]);
	});

	it("X-09 the requests of siblings are the same bytes up to their role, whatever their language", async () => {
		server.setScript([{ marker: "agent", replies: [say("fine")] }]);
		const pack = "The change under review. ".repeat(200);
		const run = schedulerRun(() => client, {
			open: async () => ({
				model: client,
				modelId: "claude-sonnet-5-5",
				effort: "high",
				tools: workerWith([readTool]),
				brief: { system: [{ type: "text", text: "Shared rules." }], pack: [{ type: "text", text: pack }] },
				close: async () => undefined,
			}),
		});
		await createScheduler(run.options).runPlanned(
			["go", "rust"].map((language) => ({
				assignment: assign({ agent: agentNamed(language, { kind: "specialist", language, prompt: `agent for ${language}` }) }),
			})),
		);
		const [first, second] = server.requests.map((request) =>
			JSON.stringify([request.request?.tools, request.request?.system, request.request?.messages]),
		);
		let same = 0;
		while (same < (first?.length ?? 0) && first?.[same] === second?.[same]) same += 1;
		expect(first?.slice(0, same)).toContain(pack);
		expect(first?.slice(same - 10, same)).toContain("agent for ");
	});

	it("S-135 children share the process: no further Node process runs while they wait", async () => {
		server.setScript([{ marker: "agent", replies: [say("fine", { latencyMs: 300 })] }]);
		const before = nodeProcessesBelow(process.pid);
		const run = schedulerRun(() => client, { maxConcurrent: 3 });
		const running = createScheduler(run.options).runPlanned(
			[1, 2, 3].map((n) => ({ assignment: assign({ agent: agentNamed(`a${n}`, { prompt: `agent ${n}` }) }) })),
		);
		while (server.requests.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
		expect(nodeProcessesBelow(process.pid)).toEqual(before);
		expect((await running).map((report) => report.status)).toEqual(["completed", "completed", "completed"]);
	});

	it("S-073 a message to a background shell is an error that names the tool for it", async () => {
		using shells = createShellTable({ root: process.cwd(), limits: DEFAULT_COMMAND_LIMITS });
		const name = shells.keep(shells.start("sleep 30")) ?? "none";
		const run = schedulerRun(() => client);
		const scheduler = createScheduler(run.options);
		const output = await sendMessage(name, "go on", scheduler.main, {
			scheduler,
			options: run.options,
			isShell: (id) => shells.find(id) !== undefined,
		});
		expect(output).toEqual({ content: `${name} is a background shell, not an agent: read it with bash_output.`, isError: true });
		const unknown = await sendMessage("shell_9", "go on", scheduler.main, {
			scheduler,
			options: run.options,
			isShell: (id) => shells.find(id) !== undefined,
		});
		expect(unknown.content).toContain("There is no agent shell_9");
	});
});

/** Ids of Node processes that descend from this one, from the process table. */
function nodeProcessesBelow(pid: number): readonly number[] {
	const table = readdirSync("/proc").flatMap((entry) => {
		if (!/^\d+$/.test(entry)) return [];
		try {
			const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
			const executable = readFileSync(`/proc/${entry}/cmdline`, "utf8").split("\0")[0] ?? "";
			return [
				{ pid: Number(entry), parent: Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]), node: /(^|\/)node$/.test(executable) },
			];
		} catch {
			return [];
		}
	});
	const below = new Set([pid]);
	for (let size = 0; size !== below.size; ) {
		size = below.size;
		for (const each of table) if (below.has(each.parent)) below.add(each.pid);
	}
	return table.filter((each) => each.node && each.pid !== pid && below.has(each.pid)).map((each) => each.pid);
}
