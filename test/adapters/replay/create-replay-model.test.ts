import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createReplayModel } from "../../../src/adapters/replay/create-replay-model.ts";
import { readRunJournals } from "../../../src/adapters/replay/read-run-journals.ts";
import { readSessionTree, renderSessionTree } from "../../../src/compose/session-command.ts";
import { overloaded } from "../../../src/demo/loopback-model/fault.ts";
import { callTool, callTools, say } from "../../../src/demo/loopback-model/scripted-reply.ts";
import type { LoopbackModel } from "../../../src/demo/loopback-model/start-loopback-model.ts";
import { startLoopbackModel } from "../../../src/demo/loopback-model/start-loopback-model.ts";
import type { ModelClient } from "../../../src/seams.ts";
import { runOrchestrator } from "../../../src/stages/run-orchestrator.ts";
import { openQuestion } from "../../stages/question-rig.ts";

let server: LoopbackModel;
beforeEach(async () => {
	server = await startLoopbackModel();
});
afterEach(() => server.close());

const MAIN = "You answer a question about a repository";
const EXPLORE = "You explore a repository";

describe("the replayed model", () => {
	it("X-11 a run with two children of one task is played again from its journals, and nothing reaches a server", async () => {
		const ask = { question: "Where is the limit checked?" };
		let n = 0;
		server.setScript([
			{
				marker: MAIN,
				replies: [
					callTools(
						[1, 2].map(() => ({ name: "explore", input: ask })),
						{ thinking: "Twice.", text: "Asking." },
					),
					say("Checked in src/budget.ts:4."),
				],
			},
			{
				marker: EXPLORE,
				replies: [
					() => {
						n += 1;
						return callTools([{ name: "grep", input: { pattern: `LIMIT` }, id: `toolu_${n}` }]);
					},
					(call) => say(`Answer to ${call.results[0]?.id ?? "nobody"}.`),
				],
			},
		]);
		server.fault(overloaded());
		await using rig = await openQuestion(server);
		const first = await runOrchestrator(rig.input, rig.seams);
		const asked = server.requests.length;
		const model = createReplayModel(await readRunJournals(rig.seams.journals.folder));
		await using again = await openQuestion(server, { seams: { model } });
		const second = await runOrchestrator(
			{ ...rig.input, readEntries: again.input.readEntries },
			{ ...rig.seams, model, journals: again.seams.journals },
		);
		if (first.kind !== "answered" || second.kind !== "answered") throw new Error("not answered");
		expect(server.requests).toHaveLength(asked);
		expect(second.answer).toBe(first.answer);
		expect(second.totals).toEqual(first.totals);
		expect(second.children.map((child) => [child.session, child.text, child.usage])).toEqual(
			first.children.map((child) => [child.session, child.text, child.usage]),
		);
		expect(second.children.map((child) => child.text).sort()).toEqual(["Answer to toolu_1.", "Answer to toolu_2."]);
	});

	it("X-11 children of one task get their own records, also when the second one asks first", async () => {
		const ask = { name: "explore", input: { question: "Where is the limit checked?" } };
		let n = 0;
		const answer = () => {
			n += 1;
			return say(`Answer ${n}.`);
		};
		server.setScript([
			{ marker: MAIN, replies: [callTools([ask, ask]), say("Checked in src/budget.ts:4.")] },
			{ marker: EXPLORE, replies: [answer, answer] },
		]);
		await using rig = await openQuestion(server);
		const first = await runOrchestrator(rig.input, rig.seams);
		const replayed = createReplayModel(await readRunJournals(rig.seams.journals.folder));
		let secondAsks = (): void => undefined;
		const asked = new Promise<void>((resolve) => {
			secondAsks = resolve;
		});
		const model: ModelClient = {
			provider: replayed.provider,
			complete: async (request, signal) => {
				if (request.session === "explore-2") secondAsks();
				if (request.session === "explore-1") await asked;
				return replayed.complete(request, signal);
			},
		};
		await using again = await openQuestion(server, { seams: { model } });
		const second = await runOrchestrator(rig.input, { ...rig.seams, model, journals: again.seams.journals });
		if (first.kind !== "answered" || second.kind !== "answered") throw new Error("not answered");
		expect(new Set(first.children.map((child) => child.text)).size).toBe(2);
		expect(second.children.map((child) => [child.session, child.text])).toEqual(first.children.map((child) => [child.session, child.text]));
	});

	it("a closing answer is on the tape as well; a request that fits nothing is told so", async () => {
		let n = 0;
		server.setScript((call) => {
			n += 1;
			return JSON.stringify(call.request.messages.at(-1)).includes("last answer")
				? say("So far nothing.")
				: callTool("glob", { pattern: `*.${n}` });
		});
		const few = { base: { "a.txt": "a\n", ".rookery/settings.json": '{"subagents":{"maxSteps":2}}' } };
		await using rig = await openQuestion(server, few);
		const first = await runOrchestrator(rig.input, rig.seams);
		const model = createReplayModel(await readRunJournals(rig.seams.journals.folder));
		await using again = await openQuestion(server, few);
		const second = await runOrchestrator(rig.input, { ...rig.seams, model, journals: again.seams.journals });
		if (first.kind !== "answered" || second.kind !== "answered") throw new Error("not answered");
		expect(second.report).toMatchObject({ status: "partial", stopReason: "max_steps", text: first.report.text });
		expect(second.report.text).toContain("So far nothing.");
		const other = await runOrchestrator(
			{ ...rig.input, question: "Something else?" },
			{ ...rig.seams, model, journals: again.seams.journals },
		);
		if (other.kind !== "answered") throw new Error("not answered");
		expect(other.report).toMatchObject({ status: "failed", error: expect.stringContaining("no recorded session begins like this") });
	});
});

describe("rookery session", () => {
	it("S-201 children stand below whoever started them", async () => {
		server.setScript([
			{
				marker: MAIN,
				replies: [
					callTools([
						{ name: "explore", input: { question: "Where is it?" } },
						{ name: "agent", input: { agent: "api-reviewer", description: "look", prompt: "Look at it all.", name: "api" } },
					]),
					say("Done."),
				],
			},
			{ marker: EXPLORE, replies: [say("There.")] },
			{ marker: "You are the api reviewer.", replies: [callTool("read_file", { path: "src/budget.ts" }), say("Fine.", { latencyMs: 60 })] },
		]);
		await using rig = await openQuestion(server);
		await runOrchestrator(rig.input, rig.seams);
		const tree = await readSessionTree(rig.seams.journals.folder);
		expect(tree.roots.map((node) => [node.session, node.children.map((child) => [child.session, child.agentId, child.name])])).toEqual([
			[
				"main-1",
				[
					["explore-1", "agent_1", null],
					["agent-api-reviewer-1", "agent_2", "api"],
				],
			],
		]);
		expect(tree.usage).toEqual(server.usageTotals().usage);
		const lines = renderSessionTree(tree).split("\n");
		expect(lines[0]).toMatch(/^3 agents/);
		expect(lines[1]).toMatch(/^└─ main-1 \(main\) completed: 2 steps, 2 calls/);
		expect(lines[2]).toMatch(/^ {3}├─ explore-1 \(agent_1\) completed: 1 step, 0 calls.*claude-haiku-5-5$/);
		expect(lines[3]).toMatch(/^ {3}└─ agent-api-reviewer-1 \(agent_2, api\) completed: 2 steps, 1 call/);
	});
});
