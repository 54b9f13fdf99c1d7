import { LLMock } from "@copilotkit/aimock";
import { describe, expect, it, onTestFinished } from "vitest";
import { createAnthropicClient } from "../../../src/adapters/anthropic/create-anthropic-client.ts";
import { callTool, callTools, say } from "../../../src/demo/loopback-model/scripted-reply.ts";
import { costOfReply } from "../../../src/domain/cost.ts";
import type { ModelReply } from "../../../src/domain/model-message.ts";
import { KEY, assistant, createFakeClock, makeRequest, openRig, result, user } from "./fixtures.ts";

describe("a call", () => {
	it("gives text and calls, with usage, model and request id as the provider reports them", async () => {
		const { server, ask } = await openRig({
			scripts: [
				{
					marker: "review",
					replies: [
						callTools(
							[
								{ name: "grep", input: { pattern: "a" } },
								{ name: "grep", input: {} },
							],
							{ text: "Looking. \u{1F525}" },
						),
					],
				},
			],
		});
		const reply = await ask();
		expect(reply).toMatchObject({
			stop: "tool-use",
			content: [
				{ type: "text", text: "Looking. \u{1F525}" },
				{ type: "tool-use", name: "grep", input: { pattern: "a" } },
				{ type: "tool-use", name: "grep", input: {} },
			],
			model: "claude-sonnet-5-5",
			attempts: 1,
			requestId: "req_loopback_1",
		});
		expect(reply.content.some((block) => "invalidInput" in block)).toBe(false);
		expect(reply.usage).toEqual(server.usageTotals().usage);
		expect(costOfReply(reply)).toBe(server.usageTotals().costUsd);
		expect(server.requests[0]).toMatchObject({ status: 200, turn: 0, inFlight: 1 });
		expect(server.requests[0]?.request).toMatchObject({ stream: true, effort: "high" });
	});

	it("a warm-up fills the cache without output, and the next call reads it", async () => {
		const { server, ask } = await openRig({ decide: () => say("ok") });
		const system = [{ type: "text" as const, text: "pack ".repeat(1000), cache: true as const }];
		const warm = await ask({ system, maxTokens: 0 });
		expect(warm).toMatchObject({ stop: "end-turn", content: [], usage: { output: 0, cacheRead: 0 } });
		expect(server.requests[0]?.request).toMatchObject({ stream: false, maxTokens: 0 });
		const next = await ask({ system });
		expect(next.usage.cacheRead).toBe(warm.usage.cacheWrite);
		expect(next.usage.cacheRead).toBeGreaterThan(1000);
		expect(next.usage.cacheWrite).toBe(0);
	});

	it("BR-72 thinking survives a round through our own history", async () => {
		const { server, ask } = await openRig({
			scripts: [
				{
					marker: "review",
					replies: [
						{
							blocks: [
								{ type: "thinking", text: "first \u{1F525} thought ".repeat(40) },
								{ type: "redacted", text: "hidden" },
								{ type: "text", text: "" },
								{ type: "tool", name: "grep", input: { pattern: "x" } },
								{ type: "tool", name: "grep", input: { pattern: "y" } },
							],
						},
						say("done"),
					],
				},
			],
		});
		const first = await ask();
		expect(first.content.map(({ type }) => type)).toEqual(["opaque", "opaque", "text", "tool-use", "tool-use"]);
		const ids = first.content.flatMap((block) => (block.type === "tool-use" ? [block.id] : []));
		const journalled = JSON.parse(JSON.stringify(first.content)) as ModelReply["content"];
		const second = await ask({ messages: [user("go"), { role: "assistant", content: journalled }, user(...ids.map((id) => result(id)))] });
		expect(second).toMatchObject({ stop: "end-turn", content: [{ type: "text", text: "done" }], attempts: 1 });
		expect(server.requests.map(({ status }) => status)).toEqual([200, 200]);
	});

	it("BR-71 after any kind of reply the next request is accepted", async () => {
		const { server, ask } = await openRig({ decide: ({ turn }) => (turn === 0 ? say("…", { stop: "pause_turn" }) : say("done")) });
		const first = await ask();
		const second = await ask({ messages: [user("go"), { role: "assistant", content: first.content }] });
		expect(second.stop).toBe("end-turn");
		const third = await ask({ messages: [user("go"), assistant("half a "), assistant("sentence")] });
		expect(third.stop).toBe("end-turn");
		expect(server.requests.every(({ status }) => status === 200)).toBe(true);
	});
});

describe("stop reasons", () => {
	it.each([
		["R12", "refusal", "refusal"],
		["R13", "pause_turn", "pause-turn"],
		["R14", "model_context_window_exceeded", "context-window"],
		["R14", "a_reason_of_tomorrow", "unknown"],
		["R14", "stop_sequence", "unknown"],
		["R14", "tool_use", "unknown"],
		["BR-73", "max_tokens", "max-tokens"],
	])("%s %s is %s and not success", async (_id, wire, stop) => {
		const { ask } = await openRig({ decide: () => say("part", { stop: wire }) });
		const reply = await ask();
		expect(reply).toMatchObject({ stop, attempts: 1 });
		expect(reply.failure !== undefined).toBe(stop === "unknown");
		if (wire === "a_reason_of_tomorrow") expect(reply.failure?.message).toContain("a_reason_of_tomorrow");
	});

	it("R12 a refusal without any content is a refusal, and its output is paid for", async () => {
		const { ask } = await openRig({ decide: () => ({ blocks: [], stop: "refusal", outputTokens: 7 }) });
		expect(await ask()).toMatchObject({ stop: "refusal", content: [], usage: { output: 7 } });
	});
});

describe("tool input", () => {
	it.each([
		["cut in the middle", '{"command": "rm -rf x", "to', "not valid JSON"],
		["with a comma too many", '{"command": "ls",}', "not valid JSON"],
		["an array", '["ls"]', "not a JSON object"],
		["a string", '"ls"', "not a JSON object"],
		["two objects", '{"a":1}{"b":2}', "not valid JSON"],
	])("R09 input %s is marked and never repaired", async (_name, rawInput, reason) => {
		const { ask } = await openRig({ decide: () => callTools([{ name: "bash", input: {}, rawInput }]) });
		const reply = await ask();
		expect(reply.stop).toBe("tool-use");
		expect(reply.content).toMatchObject([{ type: "tool-use", name: "bash", input: {}, invalidInput: expect.stringContaining(reason) }]);
	});

	it("R09 a call without any input is an empty object, and the marked call can go back with an error result", async () => {
		const { server, ask } = await openRig({
			scripts: [
				{
					marker: "review",
					replies: [
						callTools([
							{ name: "grep", input: {}, rawInput: "" },
							{ name: "grep", input: {}, rawInput: "{" },
						]),
						say("ok"),
					],
				},
			],
		});
		const reply = await ask();
		expect(reply.content.map((block) => block.type === "tool-use" && block.invalidInput !== undefined)).toEqual([false, true]);
		const ids = reply.content.flatMap((block) => (block.type === "tool-use" ? [block.id] : []));
		await ask({ messages: [user("go"), { role: "assistant", content: reply.content }, user(...ids.map((id) => result(id)))] });
		expect(server.requests.map(({ status }) => status)).toEqual([200, 200]);
	});

	it("R10 BR-73 no call of a reply that was cut by max_tokens may be run, whole or half", async () => {
		const { server, ask } = await openRig({
			decide: () => callTool("bash", { command: "rm -rf x", timeout: 1 }, { text: "Reporting.", stop: "max_tokens" }),
		});
		const whole = await ask();
		server.fault({ kind: "truncated-input" });
		const half = await ask();
		for (const reply of [whole, half]) {
			expect(reply.stop).toBe("max-tokens");
			expect(reply.content).toMatchObject([{ type: "text" }, { type: "tool-use", invalidInput: expect.any(String) }]);
		}
		expect(half.content[1]).toMatchObject({ input: {} });
	});

	it("BR-73 an empty input in a reply that was cut may not be run either", async () => {
		const { ask } = await openRig({ decide: () => callTools([{ name: "report", input: {}, rawInput: "" }], { stop: "max_tokens" }) });
		expect((await ask()).content).toMatchObject([{ input: {}, invalidInput: expect.stringContaining("max_tokens") }]);
	});
});

describe("another implementation of the API", () => {
	it("is understood as well", async () => {
		const mock = new LLMock({ port: 0 });
		await mock.start();
		onTestFinished(() => mock.stop());
		mock.on({ userMessage: "go" }, { content: "Looking.", toolCalls: [{ name: "grep", arguments: '{"pattern":"x"}' }] });
		const client = createAnthropicClient({ apiKey: KEY, baseUrl: mock.url, clock: createFakeClock() });
		const reply = await client.complete(makeRequest(), new AbortController().signal);
		expect(reply).toMatchObject({
			stop: "tool-use",
			content: [
				{ type: "text", text: "Looking." },
				{ type: "tool-use", name: "grep", input: { pattern: "x" } },
			],
		});
	});
});

describe("options", () => {
	it.each([
		["", "empty"],
		["  ", "empty"],
		["two keys", "blanks"],
		["line\nbreak", "blanks"],
	])("a key %j is refused at once, without being shown", (apiKey, word) => {
		const open = () => createAnthropicClient({ apiKey, clock: createFakeClock() });
		expect(open).toThrow(word);
		if (apiKey.trim() !== "") expect(open).not.toThrow(apiKey);
	});

	it.each(["model.example", "ftp://model.example", "https://name:secret@model.example"])("the address %s is refused at once", (baseUrl) => {
		const open = () => createAnthropicClient({ apiKey: KEY, baseUrl, clock: createFakeClock() });
		expect(open).toThrow("base URL of the model provider");
		expect(open).not.toThrow("secret");
	});

	it("a key with a line break at its end, as secrets often have, works", async () => {
		const { ask } = await openRig({ apiKey: KEY, decide: () => say("ok") }, { apiKey: `${KEY}\n` });
		expect((await ask()).stop).toBe("end-turn");
	});
});
