import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { wrongKey } from "../../src/demo/loopback-model/fault.ts";
import { callTool, callTools, say } from "../../src/demo/loopback-model/scripted-reply.ts";
import type { LoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import { startLoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import { totalTokens } from "../../src/domain/usage.ts";
import { createOfflineAnalyst } from "../../src/adapters/offline-analyst/create-offline-analyst.ts";
import { runExplore, runOrchestrator, type QuestionOutcome } from "../../src/stages/run-orchestrator.ts";
import { FILES, openQuestion } from "./question-rig.ts";

let server: LoopbackModel;
beforeEach(async () => {
	server = await startLoopbackModel();
});
afterEach(() => server.close());

const MAIN = "You answer a question about a repository";
const EXPLORE = "You explore a repository";
const GO = "the Go specialist";
const RUST = "the Rust specialist";
const DELEGATING = ["explore", "delegate_expert", "agent", "send_message", "task"];
const links = { repository: "https://github.example/octo/demo", run: "https://github.example/octo/demo/actions/runs/1" };
const REPORT = { summary: "All sound.", findings: [], open: [] };

type Answered = Extract<QuestionOutcome, { kind: "answered" }>;
function answered(outcome: QuestionOutcome): Answered {
	if (outcome.kind !== "answered") throw new Error(outcome.reason);
	return outcome;
}
const requestsOf = (marker: string) => server.requests.filter((request) => request.rawBody.includes(marker) && request.child === marker);
const toolNames = (marker: string) => (requestsOf(marker)[0]?.request?.tools ?? []).map((tool) => String(tool["name"]));
const delegatingNames = (marker: string) =>
	toolNames(marker)
		.filter((name) => DELEGATING.includes(name))
		.sort();
const lastResults = (marker: string, turn: number) => JSON.stringify(requestsOf(marker)[turn]?.request?.messages.at(-1)?.content);

describe("a question to the primary", () => {
	it("S-012 S-009 the model delegates by itself, and only the answer of the child enters its messages", async () => {
		const secretText = "return used < LIMIT";
		server.setScript([
			{
				marker: MAIN,
				replies: [callTool("explore", { question: "Where is the limit checked?" }), say("It is checked in src/budget.ts:4.")],
			},
			{
				marker: EXPLORE,
				replies: [
					callTools(Array.from({ length: 10 }, () => ({ name: "read_file", input: { path: "src/budget.ts" } }))),
					say("In check, src/budget.ts:3-5."),
				],
			},
		]);
		await using rig = await openQuestion(server, { links });
		const outcome = answered(
			await runOrchestrator(
				{ ...rig.input, pack: { blocks: [], complete: new Set(), shown: new Map(), leftOut: [], excerpts: [] } },
				rig.seams,
			),
		);
		expect(outcome.answer).toContain(
			`[\`src/budget.ts:4\`](https://github.example/octo/demo/blob/${rig.input.context.head}/src/budget.ts#L4)`,
		);
		const after = requestsOf(MAIN)[1];
		expect(after?.request?.messages).toHaveLength(3);
		expect(lastResults(MAIN, 1)).toContain("In check, src/budget.ts:3-5.");
		expect(after?.rawBody).not.toContain(secretText);
		expect(requestsOf(EXPLORE)[1]?.rawBody).toContain(secretText);
		expect(lastResults(MAIN, 1).length).toBeLessThan(10_000);
		const started = (await rig.entries("explore-1")).find((entry) => entry.type === "session.started");
		expect(started).toMatchObject({ parent: "main-1", depth: 1, agent: "explore" });
	});

	it("S-010 the three tiers and their companions, and each switch takes its own away", async () => {
		server.setScript([{ marker: MAIN, replies: [say("Fine.")] }]);
		const names = async (switches: object, more: object = {}) => {
			const from = server.requests.length;
			await using rig = await openQuestion(server, more);
			await runOrchestrator({ ...rig.input, switches }, rig.seams);
			return (server.requests[from]?.request?.tools ?? [])
				.map((tool) => String(tool["name"]))
				.filter((name) => DELEGATING.includes(name))
				.sort();
		};
		const all = ["agent", "delegate_expert", "explore", "send_message", "task"];
		expect(await names({})).toEqual(all);
		expect(await names({ explore: false })).toEqual(all.filter((name) => name !== "explore"));
		expect(await names({ experts: false })).toEqual(all.filter((name) => name !== "delegate_expert"));
		expect(await names({ task: false })).toEqual(all.filter((name) => name !== "task"));
		// send_message stays exactly when agent stays (S-071).
		expect(await names({ agents: false })).toEqual(["delegate_expert", "explore", "task"]);
		const off = { base: { ...FILES, ".rookery/settings.json": '{"moe":{"enabled":false}}' } };
		expect(await names({}, off)).toEqual(all.filter((name) => name !== "delegate_expert"));
	});

	it("S-002 the descriptions say when to delegate: a context that is large already, or a narrow task", async () => {
		server.setScript([{ marker: MAIN, replies: [say("Fine.")] }]);
		await using rig = await openQuestion(server);
		await runOrchestrator(rig.input, rig.seams);
		const [request] = requestsOf(MAIN);
		for (const name of ["explore", "delegate_expert", "task"]) {
			const description = String(request?.request?.tools.find((tool) => tool["name"] === name)?.["description"]);
			expect(description).toMatch(/context is already large/);
			expect(description).toMatch(/narrow/);
		}
		expect(JSON.stringify(request?.request?.system)).toMatch(/context is already large.*narrow/);
	});

	it("S-056 S-057 S-054 the Delegates section lists the trusted catalogue and is left out with nothing to delegate with", async () => {
		server.setScript([{ marker: MAIN, replies: [say("Fine.")] }]);
		await using rig = await openQuestion(server);
		await runOrchestrator(rig.input, rig.seams);
		await runOrchestrator({ ...rig.input, switches: { agents: false, task: false } }, rig.seams);
		const [first, second] = server.requests.map((request) => JSON.stringify(request.request?.messages[0]));
		expect(first).toContain("# Delegates");
		expect(first).toContain("with the agent tool");
		for (const entry of ["- explore: ", "- plan: ", "- api-reviewer: Looks at interfaces."]) expect(first).toContain(entry);
		expect(second).not.toContain("Delegates");
		const task = server.requests[0]?.request?.tools.find((tool) => tool["name"] === "task");
		expect(String(task?.["description"])).toContain("Agents: explore, plan, api-reviewer.");
	});

	it("S-016 a wrong language, a short task and a further key start nothing; a valid call starts one specialist", async () => {
		server.setScript([
			{
				marker: MAIN,
				replies: [
					callTools([
						{ name: "delegate_expert", input: { language: "cobol", task: "Look at the arithmetic." } },
						{ name: "delegate_expert", input: { language: "go", task: "abc" } },
						{ name: "delegate_expert", input: { language: "go", task: "Look at the entry point.", colour: "red" } },
					]),
					callTool("delegate_expert", { language: "go", task: "Look at the entry point.", files: ["src/main.go"] }),
					say("Done."),
				],
			},
			{ marker: GO, replies: [callTool("read_file", { path: "src/main.go" }), callTool("submit_report", REPORT)] },
		]);
		await using rig = await openQuestion(server);
		const outcome = answered(await runOrchestrator(rig.input, rig.seams));
		expect(outcome.children.map((child) => child.session)).toEqual(["moe-go-1"]);
		const results = requestsOf(MAIN)[1]?.request?.messages.at(-1)?.content ?? [];
		expect(results.map((block) => block["is_error"])).toEqual([true, true, true]);
		expect(lastResults(MAIN, 2)).toMatch(
			/\[Go Specialist Report\].*All sound.*go: 2 steps, \d+\.\dk tokens\\ncalls: read_file, submit_report/,
		);
	});

	it("S-017 D-03 auto splits files of several languages among their specialists, and goes by names where no file decides", async () => {
		server.setScript([
			{
				marker: MAIN,
				replies: [
					callTool("delegate_expert", { language: "auto", task: "Is anything wrong here?", files: ["src/main.go", "lib/core.rs"] }),
					callTool("delegate_expert", { language: "auto", task: "Why does cargo test fail with a lifetime error?" }),
					callTool("delegate_expert", { language: "auto", task: "Is the wording of the text right?" }),
					say("Done."),
				],
			},
			{ marker: GO, replies: [callTool("submit_report", REPORT)] },
			{ marker: RUST, replies: [callTool("submit_report", REPORT)] },
			{ marker: "the generalist of", replies: [callTool("submit_report", REPORT)] },
		]);
		await using rig = await openQuestion(server);
		const outcome = answered(await runOrchestrator(rig.input, rig.seams));
		expect(outcome.children.map((child) => [child.session, child.files])).toEqual([
			["moe-go-1", ["src/main.go"]],
			["moe-rust-1", ["lib/core.rs"]],
			["moe-rust-2", []],
			["moe-general-1", []],
		]);
		expect(outcome.children[3]?.reason).toContain("neither files nor names");
	});

	it("S-018 S-019 a specialist has the reading tools, nothing that writes and nothing that delegates", async () => {
		server.setScript([
			{ marker: MAIN, replies: [callTool("delegate_expert", { language: "go", task: "Look at the entry point." }), say("Done.")] },
			{
				marker: GO,
				replies: [
					callTools([
						{ name: "agent", input: { agent: "explore", description: "x", prompt: "Look everywhere." } },
						{ name: "edit_file", input: { path: "src/main.go", old: "1", new: "2" } },
					]),
					callTool("submit_report", REPORT),
				],
			},
		]);
		await using rig = await openQuestion(server);
		const outcome = answered(await runOrchestrator(rig.input, rig.seams));
		const reading = ["diagnose", "find_callers", "find_references", "find_symbol", "glob", "grep", "impact_analysis", "read_file"];
		expect(toolNames(GO)).toEqual(["ast_query", ...reading, "repo_map", "submit_report"]);
		expect(lastResults(GO, 1)).toMatch(/agent is not available here.*edit_file is not available here/);
		expect(outcome.children).toHaveLength(1);
		expect(outcome.children[0]?.status).toBe("completed");
	});

	it("S-032 S-138 three explore calls of one turn overlap, and their results keep the order of the calls", async () => {
		const question = (n: number) => `Question number ${n}, please?`;
		server.setScript([
			{ marker: MAIN, replies: [callTools([1, 2, 3].map((n) => ({ name: "explore", input: { question: question(n) } }))), say("Done.")] },
			...[1, 2, 3].map((n) => ({ marker: question(n), replies: [say(`answer ${n}`, { latencyMs: 400 - n * 100 })] })),
		]);
		await using rig = await openQuestion(server);
		answered(await runOrchestrator({ ...rig.input, question: "Ask them all." }, rig.seams));
		const children = server.requests.filter((request) => request.child?.startsWith("Question"));
		expect(Math.max(...children.map((request) => request.inFlight))).toBe(3);
		const content = lastResults(MAIN, 1);
		const places = [1, 2, 3].map((n) => content.indexOf(`answer ${n}`));
		expect(places).toEqual([...places].sort((a, b) => a - b));
		expect(places[0]).toBeGreaterThan(0);
	});

	it("S-139 a single call is waited for: the primary asks nothing until its result exists", async () => {
		server.setScript([
			{ marker: MAIN, replies: [callTool("explore", { question: "Where is the limit?" }), say("Done.")] },
			{ marker: EXPLORE, replies: [say("There.", { latencyMs: 150 })] },
		]);
		await using rig = await openQuestion(server);
		await runOrchestrator(rig.input, rig.seams);
		const [, child, next] = server.requests;
		expect(child?.child).toBe(EXPLORE);
		expect(next?.arrivedMs).toBeGreaterThanOrEqual(child?.endMs ?? Number.POSITIVE_INFINITY);
	});

	it("S-053 S-049 task is carried out by the engine as a runner, and its details say who ran", async () => {
		server.setScript([
			{
				marker: MAIN,
				replies: [
					callTools([
						{ name: "task", input: { objective: "Say what the interfaces are.", agent: "api-reviewer", context: "Only src." } },
						{ name: "task", input: { objective: "Say what the interfaces are.", agent: "nobody" } },
					]),
					say("Done."),
				],
			},
			{ marker: "You are the api reviewer.", replies: [say("There is one interface.")] },
		]);
		await using rig = await openQuestion(server);
		const outcome = answered(await runOrchestrator(rig.input, rig.seams));
		expect(outcome.children.map((child) => [child.session, child.status])).toEqual([["agent-api-reviewer-1", "completed"]]);
		const [good, bad] = requestsOf(MAIN)[1]?.request?.messages.at(-1)?.content ?? [];
		expect(JSON.stringify(good)).toContain("There is one interface.");
		expect(JSON.stringify(bad)).toMatch(/no agent.*nobody.*available: explore, plan, api-reviewer/);
		expect(requestsOf("You are the api reviewer.")[0]?.rawBody).toContain("Only src.");
	});

	it("S-050 without a model nothing runs, and the reason says what is missing", async () => {
		await using rig = await openQuestion(server, { seams: { model: createOfflineAnalyst() } });
		expect(await runOrchestrator(rig.input, rig.seams)).toEqual({
			kind: "unavailable",
			reason: expect.stringContaining("anthropic-api-key"),
		});
		expect(server.requests).toHaveLength(0);
		const off = (trusted: typeof rig.input.trusted) => ({
			...trusted,
			settings: { ...trusted.settings, subagents: { ...trusted.settings.subagents, enabled: false } },
		});
		server.setScript([{ marker: MAIN, replies: [callTool("task", { objective: "Do something for me." }), say("Done.")] }]);
		await using other = await openQuestion(server, { change: off });
		const outcome = answered(await runOrchestrator(other.input, other.seams));
		expect(outcome.report.status).toBe("completed");
		expect(lastResults(MAIN, 1)).toContain("Delegation is not available: subagents.enabled is false");
	});

	it("S-070 S-064 no request of the run has a tool that asks a person or changes the mode", async () => {
		server.setScript([
			{
				marker: MAIN,
				replies: [
					callTools([
						{ name: "explore", input: { question: "Where is the limit?" } },
						{ name: "exit_plan_mode", input: {} },
					]),
					say("Done."),
				],
			},
			{ marker: EXPLORE, replies: [callTool("ask_user_question", { question: "May I?" }), say("There.")] },
		]);
		await using rig = await openQuestion(server);
		const outcome = answered(await runOrchestrator(rig.input, rig.seams));
		const names = server.requests.flatMap((request) => (request.request?.tools ?? []).map((tool) => String(tool["name"])));
		expect(names.filter((name) => /^ask|_ask|plan_mode|question|mode$/.test(name))).toEqual([]);
		expect(lastResults(MAIN, 1)).toContain("The tool exit_plan_mode is not available here");
		expect(lastResults(EXPLORE, 1)).toContain("The tool ask_user_question is not available here");
		expect(outcome.report.status).toBe("completed");
	});

	it("S-072 S-062 S-061 instructions reach whoever takes them; explore gets its body and nothing else; nobody gets a skill listing", async () => {
		server.setScript([
			{
				marker: MAIN,
				replies: [
					callTools([
						{ name: "explore", input: { question: "Where is the limit?" } },
						{ name: "delegate_expert", input: { language: "go", task: "Look at the entry point." } },
					]),
					say("Done."),
				],
			},
			{ marker: EXPLORE, replies: [say("There.")] },
			{ marker: GO, replies: [callTool("submit_report", REPORT)] },
		]);
		const skill = { ".claude/skills/house/SKILL.md": "---\nname: house\ndescription: SKILL-MARKER\n---\nDo it this way.\n" };
		await using rig = await openQuestion(server, { base: { ...FILES, ...skill } });
		await runOrchestrator(rig.input, rig.seams);
		expect(requestsOf(MAIN)[0]?.rawBody).toContain("INSTRUCTIONS-MARKER");
		expect(requestsOf(GO)[0]?.rawBody).toContain("INSTRUCTIONS-MARKER");
		expect(requestsOf(EXPLORE)[0]?.rawBody).not.toContain("INSTRUCTIONS-MARKER");
		expect(requestsOf(EXPLORE)[0]?.request?.system).toEqual([]);
		for (const request of server.requests) expect(request.rawBody).not.toContain("SKILL-MARKER");
	});

	it("S-067 the lists of a primary and of its child are two lists, journaled apart and shown in the answer", async () => {
		const list = (subject: string) => callTool("todo_write", { items: [{ subject, state: "in_progress" }] });
		server.setScript([
			{
				marker: MAIN,
				replies: [
					list("PARENT-ITEM"),
					callTool("agent", { agent: "lister", description: "keep a list", prompt: "Keep your own list." }),
					callTool("task_update", { id: "1", state: "completed" }),
					say("Done."),
				],
			},
			{ marker: "You keep lists.", replies: [list("CHILD-ITEM"), callTool("task_create", { subject: "CHILD-SECOND" }), say("Listed.")] },
		]);
		const lister = {
			".claude/agents/lister.md": "---\nname: lister\ndescription: Keeps lists.\ntools: Read, TodoWrite\n---\nYou keep lists.\n",
		};
		await using rig = await openQuestion(server, { base: { ...FILES, ...lister } });
		const outcome = answered(await runOrchestrator(rig.input, rig.seams));
		const lists = async (session: string) =>
			(await rig.entries(session)).flatMap((entry) => (entry.type === "todo.updated" ? [JSON.stringify(entry.items)] : []));
		const [own, child] = [await lists("main-1"), await lists("agent-lister-1")];
		expect(own).toHaveLength(2);
		expect(own.join()).not.toContain("CHILD");
		expect(child.join()).not.toContain("PARENT");
		expect(outcome.report.text).toBe("Done.\n\nTask list:\n- [x] 1. PARENT-ITEM");
		expect(outcome.children[0]?.text).toContain("- [ ] 2. CHILD-SECOND");
	});

	it("S-093 a key that does not work fails the answer by name and leaves complete journals", async () => {
		server.setScript([{ marker: MAIN, replies: [say("never")] }]);
		server.fault(wrongKey(), { times: 9 });
		await using rig = await openQuestion(server);
		const outcome = answered(await runOrchestrator(rig.input, rig.seams));
		expect(outcome.report).toMatchObject({ status: "failed", error: expect.stringContaining("authentication") });
		expect((await rig.entries("main-1")).at(-1)).toMatchObject({ type: "end", status: "failed" });
	});

	it("S-088 S-158 the registry's view, the journals and the ledger agree about everybody's spend", async () => {
		server.setScript([
			{ marker: MAIN, replies: [callTool("explore", { question: "Where is the limit?" }), say("Done.")] },
			{ marker: EXPLORE, replies: [callTool("grep", { pattern: "LIMIT" }), say("There.")] },
		]);
		await using rig = await openQuestion(server);
		const outcome = answered(await runOrchestrator(rig.input, rig.seams));
		expect(outcome.totals.usage).toEqual(server.usageTotals().usage);
		const finished = (await rig.entries("run")).find((entry) => entry.type === "agent.finished");
		expect(finished).toMatchObject({ session: "explore-1", status: "completed", report: outcome.children[0] });
		const primary = (await rig.entries("run")).find((entry) => entry.type === "run.data" && entry.name === "primary");
		expect(primary).toMatchObject({ data: { session: "main-1", usage: outcome.report.usage } });
	});
});

describe("explore", () => {
	it("S-028 S-029 S-153 one child on the fast tier with its six tools; every place in the answer is looked up", async () => {
		server.setScript([
			{
				marker: EXPLORE,
				replies: [
					callTools([
						{ name: "grep", input: { pattern: "LIMIT" } },
						{ name: "write_file", input: { path: "x", content: "y" } },
					]),
					say("Enforced in `src/budget.ts:4`, declared in src/budget.ts:1, and used in src/nowhere.ts:7 and src/main.go:99."),
				],
			},
		]);
		await using rig = await openQuestion(server, { links });
		const outcome = answered(await runExplore(rig.input, rig.seams));
		expect(requestsOf(EXPLORE)[0]?.request?.model).toBe("claude-haiku-5-5");
		const six = ["find_references", "find_symbol", "glob", "grep", "read_file", "repo_map"];
		expect(toolNames(EXPLORE)).toEqual(six);
		expect(toolNames(EXPLORE)).toEqual(expect.arrayContaining(["glob", "grep", "read_file"]));
		expect(lastResults(EXPLORE, 1)).toContain("write_file is not available here");
		const at = `https://github.example/octo/demo/blob/${rig.input.context.head}/src/budget.ts`;
		expect(outcome.answer).toBe(
			`Enforced in [\`src/budget.ts:4\`](${at}#L4), declared in [\`src/budget.ts:1\`](${at}#L1), and used in \`src/nowhere.ts:7\` (unverified: there is no such file) and \`src/main.go:99\` (unverified: the file has 5 lines).`,
		);
		expect(outcome.citations.map((citation) => citation.verified)).toEqual([true, true, false, false]);
		expect(outcome.report.kind).toBe("explore");
	});

	it("S-153 the model the settings name for explore goes before the fast tier", async () => {
		server.setScript([{ marker: EXPLORE, replies: [say("There.")] }]);
		await using rig = await openQuestion(server, { base: { ...FILES, ".rookery/settings.json": '{"models":{"explore":"sonnet"}}' } });
		await runExplore(rig.input, rig.seams);
		expect(server.requests[0]?.request?.model).toBe("claude-sonnet-5-5");
	});

	it("S-030 the rules stand in the prompt, and an answer that is far too long is cut with a mark", async () => {
		server.setScript([{ marker: EXPLORE, replies: [say("word ".repeat(5_000))] }]);
		await using rig = await openQuestion(server);
		const outcome = answered(await runExplore(rig.input, rig.seams));
		const prompt = requestsOf(EXPLORE)[0]?.rawBody ?? "";
		for (const rule of [/Start wide/, /read only the parts that matter/, /path:line/, /under 300 words/]) expect(prompt).toMatch(rule);
		expect(outcome.answer.length).toBeLessThanOrEqual(10_000);
		expect(outcome.answer).toMatch(/\[cut: the answer had 24999 characters\]$/);
	});

	it("S-033 a child that never ends stops after 20 calls and one closing call", async () => {
		let n = 0;
		server.setScript((call) => {
			n += 1;
			return call.turn < 40 && JSON.stringify(call.request.messages.at(-1)).includes("last answer")
				? say("So far.")
				: callTool("glob", { pattern: `*.${n}` });
		});
		await using rig = await openQuestion(server);
		const outcome = answered(await runExplore(rig.input, rig.seams));
		expect(outcome.report).toMatchObject({ status: "partial", stopReason: "max_steps", steps: 20 });
		expect(server.requests).toHaveLength(21);
	});

	it("S-035 the footer gives steps, tokens and what was searched for, as the journal has them", async () => {
		server.setScript([
			{ marker: MAIN, replies: [callTool("explore", { question: "Where is the limit?" }), say("Done.")] },
			{
				marker: EXPLORE,
				replies: [
					callTools([
						{ name: "grep", input: { pattern: "LIMIT" } },
						{ name: "glob", input: { pattern: "**/*.ts" } },
					]),
					say("There."),
				],
			},
		]);
		await using rig = await openQuestion(server);
		const outcome = answered(await runOrchestrator(rig.input, rig.seams));
		const entries = await rig.entries("explore-1");
		const calls = entries.flatMap((entry) => (entry.type === "model.call" ? [entry.usage] : []));
		const tokens = calls.reduce((sum, usage) => sum + totalTokens(usage), 0);
		expect(totalTokens(outcome.children[0]?.usage ?? { input: 0, cacheWrite: 0, cacheRead: 0, output: 0 })).toBe(tokens);
		const [result] = requestsOf(MAIN)[1]?.request?.messages.at(-1)?.content ?? [];
		expect(JSON.stringify(result)).toContain(
			JSON.stringify(`There.\n\nexplore: 2 steps, ${(tokens / 1_000).toFixed(1)}k tokens\nsearched: grep "LIMIT"; glob "**/*.ts"`).slice(
				1,
				-1,
			),
		);
	});
});

describe("delegating names", () => {
	it("S-148 at depth 1 nobody below the primary can delegate", async () => {
		server.setScript([
			{
				marker: MAIN,
				replies: [callTool("agent", { agent: "nester", description: "nest", prompt: "Start somebody else." }), say("Done.")],
			},
			{ marker: "You nest.", replies: [say("Nothing to nest with.")] },
		]);
		const nester = { ".claude/agents/nester.md": "---\nname: nester\ndescription: Nests.\ntools: Read, Task\n---\nYou nest.\n" };
		await using rig = await openQuestion(server, { base: { ...FILES, ...nester } });
		await runOrchestrator(rig.input, rig.seams);
		expect(delegatingNames(MAIN)).toEqual(["agent", "delegate_expert", "explore", "send_message", "task"]);
		expect(delegatingNames("You nest.")).toEqual([]);
	});
});
