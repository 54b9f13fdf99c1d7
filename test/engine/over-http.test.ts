import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAnthropicClient } from "../../src/adapters/anthropic/create-anthropic-client.ts";
import { createSystemClock } from "../../src/adapters/system-clock.ts";
import { creditExhausted, overloaded, promptTooLong, rateLimited } from "../../src/demo/loopback-model/fault.ts";
import { callTool, callTools, say } from "../../src/demo/loopback-model/scripted-reply.ts";
import type { LoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import { startLoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import { totalTokens } from "../../src/domain/usage.ts";
import { createLedger } from "../../src/engine/ledger.ts";
import { runChild } from "../../src/engine/run-child.ts";
import { createScheduler } from "../../src/engine/scheduler.ts";
import { warmUp } from "../../src/engine/warm-up.ts";
import type { ModelClient } from "../../src/seams.ts";
import { createSubmitReport } from "../../src/tools/submit-report.ts";
import { agentNamed, assign, environmentFor, memoryJournal, readTool, schedulerRun, toolNamed, workerWith } from "./engine-parts.ts";

let server: LoopbackModel;
let client: ModelClient;
beforeEach(async () => {
	server = await startLoopbackModel();
	client = createAnthropicClient({ apiKey: "key-for-tests", baseUrl: server.url, clock: createSystemClock(), random: () => 0 });
});
afterEach(() => server.close());

const brief = {
	system: [{ type: "text" as const, text: "Shared rules of the review. ".repeat(60) }],
	pack: [
		{ type: "text" as const, text: "The pull request. " },
		{ type: "text" as const, text: "@@ -1 +1 @@\n-old\n+new\n".repeat(700) },
	],
};
const tools = [readTool, createSubmitReport()];
const finding = {
	path: "src/a.ts",
	quote: "a = b",
	severity: "important",
	category: "bug",
	title: "Assignment in a condition",
	body: "It assigns.",
	confidence: 90,
	evidence: { kind: "traced", detail: "read" },
};

describe("a child over HTTP", () => {
	it("S-076 reads, thinks and hands in its report; the usage is what the server billed", async () => {
		server.setScript([
			{
				marker: "api reviewer",
				replies: [
					callTools(
						[
							{ name: "read_file", input: { path: "src/a.ts" } },
							{ name: "read_file", input: { path: "src/b.ts" } },
						],
						{ thinking: "Where to look?", text: "Reading." },
					),
					callTool("submit_report", { summary: "One bug.", findings: [finding], open: [] }),
				],
			},
		]);
		const report = await runChild(assign(), environmentFor(client, { toolList: tools, brief }));
		expect(report.error).toBeUndefined();
		expect(report).toMatchObject({
			status: "completed",
			steps: 2,
			toolUses: 3,
			report: { findings: [{ title: "Assignment in a condition" }] },
		});
		expect(report.usage).toEqual(server.usageTotals().usage);
		expect(report.costUsd).toBeCloseTo(server.usageTotals().costUsd ?? Number.NaN, 12);
		expect(server.requests.map((request) => request.error)).toEqual([undefined, undefined]);
	});

	it("five specialists share one warmed prefix: G3, G4 and G7 by the server's own counts", async () => {
		const languages = ["go", "rust", "python", "java", "typescript"];
		server.setScript(
			languages.map((language) => ({
				marker: `expert for ${language}.`,
				replies: [
					callTool("read_file", { path: `${language}/a` }, { text: "Reading." }),
					callTool("read_file", { path: `${language}/b` }),
					callTool("submit_report", { summary: `${language} is fine.`, findings: [], open: [] }),
				],
			})),
		);
		const run = schedulerRun(() => client, {
			maxConcurrent: 5,
			open: async () => ({
				model: client,
				modelId: "claude-sonnet-5-5",
				effort: "high",
				tools: workerWith(tools),
				brief,
				close: async () => undefined,
			}),
		});
		const warmed = await warmUp({
			...run.options,
			model: client,
			modelId: "claude-sonnet-5-5",
			effort: "high",
			prefix: brief,
			tools,
			children: 5,
		});
		expect(warmed).toEqual({ ran: true, ok: true });
		const reports = await createScheduler(run.options).runPlanned(
			languages.map((language) => ({
				assignment: assign({
					agent: agentNamed(language, { kind: "specialist", language, prompt: `You are the expert for ${language}.` }),
				}),
			})),
		);
		expect(reports.map((report) => report.status)).toEqual(languages.map(() => "completed"));
		expect(server.requests).toHaveLength(1 + 5 * 3);
		for (const language of languages) {
			const steps = server.requests.filter((request) => request.child === `expert for ${language}.`);
			const [first] = steps;
			expect((first?.prompt?.read ?? 0) / (first?.prompt?.total ?? 1)).toBeGreaterThanOrEqual(0.9);
			for (const [index, step] of steps.entries()) {
				const before = steps[index - 1]?.prompt?.total;
				if (before !== undefined) expect((step.prompt?.read ?? 0) / before).toBeGreaterThanOrEqual(0.99);
			}
		}
		const totals = run.options.ledger.totals();
		expect(totals.usage).toEqual(server.usageTotals().usage);
		expect(totals.costUsd).toBeCloseTo(server.usageTotals().costUsd ?? Number.NaN, 9);
		expect(totals.estimated).toBe(false);
	});

	it("R09 input that was cut on the wire is not run", async () => {
		const ran: unknown[] = [];
		const bash = toolNamed("bash", (input) => {
			ran.push(input);
			return { content: "" };
		});
		server.setScript([{ marker: "api reviewer", replies: [callTool("bash", { command: "rm -rf x", to: "y" })] }]);
		server.fault({ kind: "truncated-input" }, { times: 9 });
		const report = await runChild(assign(), environmentFor(client, { toolList: [bash], brief }));
		expect(ran).toEqual([]);
		expect(report).toMatchObject({ status: "partial", stopReason: "error", error: expect.stringContaining("not valid JSON") });
	});

	it("R15 after 400 prompt too long the next request is smaller, and thinking of the edited history is gone", async () => {
		const big = toolNamed("read_file", () => ({ content: "line\n".repeat(3_000) }));
		server.setScript([
			{
				marker: "api reviewer",
				replies: [1, 2, 3, 4]
					.map((n) => callTools([{ name: "read_file", input: { path: `${n}` } }], { thinking: `Step ${n}.` }))
					.concat(say("finished")),
			},
		]);
		server.fault(promptTooLong(), { skip: 4 });
		const report = await runChild(assign({ limits: { tokenBudget: 2_000_000 } }), environmentFor(client, { toolList: [big], brief }));
		expect(report).toMatchObject({ status: "completed", text: "finished" });
		const [refused, next] = server.requests.slice(-2);
		expect(next?.bytes).toBeLessThan((refused?.bytes ?? 0) * 0.7);
		expect(refused?.rawBody).toContain('"thinking"');
		expect(next?.rawBody).not.toContain('"type":"thinking"');
	});

	it("R01 R03 short limits and overload are waited for inside the call, and every attempt is counted", async () => {
		server.setScript([{ marker: "api reviewer", replies: [say("fine")] }]);
		server.fault(rateLimited(0));
		server.fault(overloaded());
		const environment = environmentFor(client, { brief });
		expect(await runChild(assign(), environment)).toMatchObject({ status: "completed", text: "fine" });
		expect(environment.journal.of("model.call")[0]?.attempts).toBe(3);
	});

	it("R08 S-079 a server that falls silent does not outlast the child's time limit", async () => {
		server.setScript([{ marker: "api reviewer", replies: [say("never")] }]);
		server.fault({ kind: "silence", after: "headers" }, { times: 9 });
		const startedAt = Date.now();
		const report = await runChild(assign({ limits: { timeoutMs: 500 } }), environmentFor(client, { brief }));
		expect(Date.now() - startedAt).toBeLessThan(1_500);
		expect(report).toMatchObject({ status: "partial", stopReason: "timeout" });
	});

	it("BR-76 an empty account stops all children at once, with one clear line each", async () => {
		server.setScript([
			{ marker: "agent one", replies: [say("x")] },
			{ marker: "agent two", replies: [say("x", { latencyMs: 5_000 })] },
		]);
		server.fault(creditExhausted(), { times: 9, matches: (call) => call.opening.includes("agent one") });
		const run = schedulerRun(() => client, { maxConcurrent: 2 });
		const scheduler = createScheduler(run.options);
		const startedAt = Date.now();
		const reports = await scheduler.runPlanned(
			["one", "two", "three"].map((name) => ({ assignment: assign({ agent: agentNamed(name, { prompt: `agent ${name}` }) }) })),
		);
		expect(Date.now() - startedAt).toBeLessThan(3_000);
		expect(reports.map((report) => report.status)).toEqual(["failed", "cancelled", "skipped"]);
		expect(reports[0]?.error).toMatch(/^credit: /);
		expect(scheduler.fatal()?.fatal).toBe(true);
	});

	it("a resumed conversation and a second run make the same bodies (G16)", async () => {
		const bodies: string[][] = [];
		for (const _round of [1, 2]) {
			server.setScript([{ marker: "api reviewer", replies: [callTool("read_file", { path: "a" }), say("fine")] }]);
			const from = server.requests.length;
			await runChild(assign(), environmentFor(client, { brief, ledger: createLedger(memoryJournal()) }));
			bodies.push(server.requests.slice(from).map((request) => request.rawBody));
		}
		expect(bodies[0]).toEqual(bodies[1]);
		expect(totalTokens(server.usageTotals().usage)).toBeGreaterThan(0);
	});
});
