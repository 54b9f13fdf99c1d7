import Anthropic from "@anthropic-ai/sdk";
import { expect, it, onTestFinished } from "vitest";
import { callTools, say } from "../../../src/demo/loopback-model/scripted-reply.ts";
import { startLoopbackModel } from "../../../src/demo/loopback-model/start-loopback-model.ts";
import type { LoopbackOptions } from "../../../src/demo/loopback-model/start-loopback-model.ts";

async function open(options: LoopbackOptions) {
	const server = await startLoopbackModel(options);
	onTestFinished(() => server.close());
	return { server, client: new Anthropic({ apiKey: "any", baseURL: server.url, maxRetries: 0, openTelemetry: false }) };
}

const BODY: Anthropic.MessageCreateParamsNonStreaming = {
	model: "claude-haiku-5-5",
	max_tokens: 1000,
	system: [{ type: "text", text: "s".repeat(4000), cache_control: { type: "ephemeral" } }],
	messages: [{ role: "user", content: "go" }],
};

it("streams what it answers in one piece, as the SDK's own reader puts it together", async () => {
	const { client } = await open({
		decide: () =>
			callTools(
				[
					{ name: "grep", input: { pattern: "a \u{1F525} b", deep: [1, { x: null }] } },
					{ name: "grep", input: {} },
				],
				{
					thinking: "thought ".repeat(100),
					text: "text \u{1F525} ".repeat(100),
				},
			),
	});
	const streamed = await client.messages.stream(BODY).finalMessage();
	const whole = await client.messages.create(BODY);
	expect(streamed.content.map(({ type }) => type)).toEqual(["thinking", "text", "tool_use", "tool_use"]);
	expect(streamed.content.slice(0, 2)).toEqual(whole.content.slice(0, 2));
	expect(streamed.content.map((block) => block.type === "tool_use" && block.input)).toEqual(
		whole.content.map((block) => block.type === "tool_use" && block.input),
	);
	expect(streamed.stop_reason).toBe("tool_use");
	expect(whole.usage.cache_read_input_tokens).toBe(streamed.usage.cache_creation_input_tokens);
	expect(whole.usage.output_tokens).toBe(streamed.usage.output_tokens);
});

it("requests that come at once share nothing; after one answer has begun, all others read it", async () => {
	const { server, client } = await open({ decide: () => say("ok"), latencyMs: 100 });
	await Promise.all([client.messages.stream(BODY).finalMessage(), client.messages.stream(BODY).finalMessage()]);
	await client.messages.create({ ...BODY, messages: [{ role: "user", content: "another" }] });
	expect(server.requests.map(({ usage }) => usage.cacheRead > 0)).toEqual([false, false, true]);
	expect(Math.max(...server.requests.map(({ inFlight }) => inFlight))).toBe(2);
});

it("records each request: times, sizes, marks, tokens by section and what was billed", async () => {
	const { server, client } = await open({ scripts: [{ marker: "go", name: "the go child", replies: [say("fine", { latencyMs: 50 })] }] });
	await client.messages.create(BODY);
	const [record] = server.requests;
	expect(record).toMatchObject({
		child: "the go child",
		turn: 0,
		status: 200,
		stop: "end_turn",
		request: { model: "claude-haiku-5-5", maxTokens: 1000, stream: false },
		prompt: { tokens: { tools: 0 }, read: 0, marks: [{ position: 0, section: "system", lifetime: "5m" }] },
	});
	expect(record?.bytes).toBe(record?.rawBody.length);
	expect(JSON.parse(record?.rawBody ?? "")).toEqual(BODY);
	expect((record?.endMs ?? 0) - (record?.bodyMs ?? 0)).toBeGreaterThanOrEqual(45);
	const { usage, costUsd } = server.usageTotals();
	expect(usage).toEqual(record?.usage);
	expect(costUsd).toBeCloseTo((usage.input * 0.1 + usage.cacheWrite * 0.125 + usage.output * 0.5) / 1e6, 12);
});

it("equal requests get equal answers in every run", async () => {
	const ids = async () => {
		const { client } = await open({ decide: () => callTools([{ name: "grep", input: {} }]) });
		const { id, content } = await client.messages.create(BODY);
		return { id, content };
	};
	expect(await ids()).toEqual(await ids());
});

it("refuses a prompt above the window it was given", async () => {
	const { client } = await open({ contextWindow: 500 });
	await expect(client.messages.create(BODY)).rejects.toThrow(/prompt is too long: \d+ tokens > 500 maximum/);
});

it("reports the usage that a script asks for, for checks of prices", async () => {
	const { server, client } = await open({ decide: () => say("x", { usage: { input: 100_001 }, outputTokens: 0 }) });
	await client.messages.create(BODY);
	expect(server.usageTotals().costUsd).toBeCloseTo(0.0500005, 12);
});

it("a client that hangs up, and closing while a request is open, do no harm", async () => {
	const { server, client } = await open({ decide: () => say("x"), latencyMs: 200 });
	const stopper = new AbortController();
	const hungUp = client.messages.create(BODY, { signal: stopper.signal });
	await expect.poll(() => server.requests.length).toBe(1);
	stopper.abort();
	await expect(hungUp).rejects.toThrow("aborted");
	const cutOff = client.messages.create(BODY).catch((error: unknown) => error);
	await expect.poll(() => server.requests.length).toBe(2);
	await server.close();
	await server.close();
	expect(await cutOff).toBeInstanceOf(Error);
	expect(server.usageTotals().answered).toBe(0);
});
