import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { callTool, callTools, say } from "../../../src/demo/loopback-model/scripted-reply.ts";
import { startLoopbackModel } from "../../../src/demo/loopback-model/start-loopback-model.ts";
import type { LoopbackModel } from "../../../src/demo/loopback-model/start-loopback-model.ts";

let server: LoopbackModel;
beforeAll(async () => {
	server = await startLoopbackModel({ decide: () => say("fine") });
});
beforeEach(() => server.setScript(() => say("fine")));
afterAll(() => server.close());

const HEADERS = { "content-type": "application/json", "x-api-key": "any", "anthropic-version": "2026-10-21" };
const GOOD = { model: "claude-sonnet-5-5", max_tokens: 100, messages: [{ role: "user", content: "hello" }] };

async function post(body: unknown, path = "/v1/messages", headers: Record<string, string> = HEADERS) {
	const response = await fetch(server.url + path, {
		method: "POST",
		headers,
		body: typeof body === "string" ? body : JSON.stringify(body),
	});
	const text = await response.text();
	return { status: response.status, json: JSON.parse(text) as Record<string, unknown>, id: response.headers.get("request-id") };
}

const use = (id: string) => ({ type: "tool_use", id, name: "grep", input: {} });
const result = (id: string, content: unknown = "x") => ({ type: "tool_result", tool_use_id: id, content });
const talk = (...messages: unknown[]) => ({ ...GOOD, messages: [{ role: "user", content: "go" }, ...messages] });
const mark = { cache_control: { type: "ephemeral" } };
const tool = { name: "grep", description: "finds", input_schema: { type: "object" } };

const REFUSED: readonly (readonly [string, unknown, string])[] = [
	[
		"a call without its result",
		talk({ role: "assistant", content: [use("t1"), use("t2")] }, { role: "user", content: [result("t2")] }),
		"without `tool_result` blocks immediately after: t1",
	],
	[
		"a stray result",
		talk({ role: "assistant", content: [use("t1")] }, { role: "user", content: [result("t1"), result("t9")] }),
		"unexpected `tool_use_id` found in `tool_result` blocks: t9",
	],
	[
		"two results for one call",
		talk({ role: "assistant", content: [use("t1")] }, { role: "user", content: [result("t1"), result("t1")] }),
		"must have a single result",
	],
	[
		"a text before a result",
		talk({ role: "assistant", content: [use("t1")] }, { role: "user", content: [{ type: "text", text: "a" }, result("t1")] }),
		"must come first",
	],
	[
		"one call id twice",
		talk(
			{ role: "assistant", content: [use("t1")] },
			{ role: "user", content: [result("t1")] },
			{ role: "assistant", content: [use("t1")] },
			{ role: "user", content: [result("t1")] },
		),
		"ids must be unique",
	],
	[
		"an empty text",
		talk({ role: "assistant", content: [{ type: "text", text: "" }, use("t1")] }, { role: "user", content: [result("t1")] }),
		"must be non-empty",
	],
	["a blank text", { ...GOOD, messages: [{ role: "user", content: " \n" }] }, "must contain non-whitespace text"],
	["an empty turn", { ...GOOD, messages: [{ role: "user", content: [] }] }, "non-empty content"],
	["a blank system text", { ...GOOD, system: [{ type: "text", text: " " }] }, "system: text content blocks must be non-empty"],
	["two user turns in a row", talk({ role: "user", content: "again" }), "roles must alternate"],
	[
		"an assistant turn first",
		{
			...GOOD,
			messages: [
				{ role: "assistant", content: "hm" },
				{ role: "user", content: "go" },
			],
		},
		'must use the "user" role',
	],
	["a prefill", talk({ role: "assistant", content: '{"findings": ' }), "does not support assistant message prefill"],
	[
		"an error result without text",
		talk({ role: "assistant", content: [use("t1")] }, { role: "user", content: [{ ...result("t1", ""), is_error: true }] }),
		"content cannot be empty if `is_error`",
	],
	[
		"a system message on a model without them",
		{ ...talk({ role: "system", content: "note" }), model: "claude-opus-4-7" },
		"system is not supported",
	],
	[
		"five cache marks",
		{ ...GOOD, messages: [{ role: "user", content: ["a", "b", "c", "d", "e"].map((text) => ({ type: "text", text, ...mark })) }] },
		"A maximum of 4 blocks with cache_control may be provided. Found 5.",
	],
	["a forced tool", { ...GOOD, tools: [tool], tool_choice: { type: "tool", name: "grep" } }, "tool_choice.type: tool is not supported"],
	["any tool forced", { ...GOOD, tools: [tool], tool_choice: { type: "any" } }, "tool_choice.type: any is not supported"],
	["thinking disabled", { ...GOOD, thinking: { type: "disabled" } }, "thinking.type: disabled is not supported"],
	["a thinking budget", { ...GOOD, thinking: { type: "enabled", budget_tokens: 1024 } }, "thinking.budget_tokens"],
	["an unknown effort", { ...GOOD, output_config: { effort: "huge" } }, "output_config.effort"],
	["effort where there is none", { ...GOOD, model: "claude-haiku-4-5", output_config: { effort: "high" } }, "does not support the effort"],
	["a temperature", { ...GOOD, temperature: 0 }, "temperature"],
	["no max_tokens", { model: GOOD.model, messages: GOOD.messages }, "max_tokens: Field required"],
	["negative max_tokens", { ...GOOD, max_tokens: -1 }, "max_tokens"],
	["too many max_tokens", { ...GOOD, max_tokens: 128_001 }, "128001 > 128000"],
	["a streamed warm-up", { ...GOOD, max_tokens: 0, stream: true }, "max_tokens: 0 cannot be used with stream"],
	[
		"a foreign thinking block",
		talk(
			{
				role: "assistant",
				content: [
					{ type: "thinking", thinking: "hm", signature: "sig1" },
					{ type: "text", text: "a" },
				],
			},
			{ role: "user", content: "go" },
		),
		"Invalid `signature`",
	],
	["a tool name with a blank", { ...GOOD, tools: [{ ...tool, name: "my grep" }] }, "tools.0.name"],
	["a tool twice", { ...GOOD, tools: [tool, tool] }, "Tool names must be unique"],
	["a tool schema that is no object", { ...GOOD, tools: [{ ...tool, input_schema: { type: "string" } }] }, "tools.0.input_schema.type"],
	["an unknown field", { ...GOOD, maxTokens: 1 }, "maxTokens: Extra inputs are not permitted"],
	[
		"half an emoji",
		'{"model":"claude-sonnet-5-5","max_tokens":9,"messages":[{"role":"user","content":"\\ud83d"}]}',
		"no low surrogate in string",
	],
	["no JSON", "{", "not valid JSON"],
];

it.each(REFUSED)("refuses %s", async (_name, body, message) => {
	const answer = await post(body);
	expect(answer.status).toBe(400);
	expect(answer.json).toMatchObject({ type: "error", error: { type: "invalid_request_error" }, request_id: answer.id });
	expect((answer.json["error"] as { message: string }).message).toContain(message);
	expect(server.requests.at(-1)?.error).toContain(message);
});

it.each([
	["the plain request", GOOD],
	["a system message in the middle", { ...talk({ role: "system", content: "note" }), model: "claude-opus-5-5" }],
	["four marks", { ...GOOD, messages: [{ role: "user", content: ["a", "b", "c", "d"].map((text) => ({ type: "text", text, ...mark })) }] }],
	[
		"a call with its result and a text behind it",
		talk({ role: "assistant", content: [use("t1")] }, { role: "user", content: [result("t1"), { type: "text", text: "and" }] }),
	],
	["tool_choice auto", { ...GOOD, tools: [tool], tool_choice: { type: "auto" } }],
	["a warm-up", { ...GOOD, max_tokens: 0 }],
])("takes %s", async (_name, body) => {
	expect((await post(body)).status).toBe(200);
});

it("answers an unknown model with 404, also a short name", async () => {
	for (const model of ["no-such", "sonnet"]) {
		const answer = await post({ ...GOOD, model });
		expect(answer.status).toBe(404);
		expect(answer.json).toMatchObject({ error: { type: "not_found_error", message: `model: ${model}` } });
	}
});

it("takes either form of key, and refuses none", async () => {
	const { "x-api-key": _, ...rest } = HEADERS;
	expect((await post(GOOD, "/v1/messages", { ...rest, authorization: "Bearer any" })).status).toBe(200);
	expect((await post(GOOD, "/v1/messages", rest)).status).toBe(401);
});

it("answers every other path with 404 and remembers it", async () => {
	expect((await post(GOOD, "/v1/complete")).status).toBe(404);
	expect((await fetch(`${server.url}/v1/models`)).status).toBe(404);
	expect(server.unexpected).toEqual(["POST /v1/complete", "GET /v1/models"]);
});

it("counts tokens without an answer of the model", async () => {
	const { max_tokens: _, ...body } = GOOD;
	const answer = await post({ ...body, system: "x".repeat(400) }, "/v1/messages/count_tokens");
	expect(answer.status).toBe(200);
	expect(answer.json["input_tokens"]).toBeGreaterThanOrEqual(100);
});

it("wants thinking back as it was sent: unchanged, in its place, or not at all", async () => {
	server.setScript(() => ({
		blocks: [
			{ type: "thinking", text: "step \u{1F525} " },
			{ type: "redacted", text: "hidden" },
			{ type: "tool", name: "grep", input: { pattern: "x" } },
		],
	}));
	const first = (await post(GOOD)).json["content"] as Record<string, unknown>[];
	const [thinking, redacted, call] = first.map(({ caller: _, ...block }) => block);
	const answered = [result(String(call?.["id"]))];
	const again = async (content: unknown[]) =>
		(await post({ ...GOOD, messages: [...GOOD.messages, { role: "assistant", content }, { role: "user", content: answered }] })).status;
	expect(await again([thinking, redacted, call])).toBe(200);
	expect(await again([call])).toBe(200);
	expect(await again([redacted, thinking, call])).toBe(400);
	expect(await again([thinking, call])).toBe(400);
	expect(await again([{ ...thinking, thinking: "step" }, redacted, call])).toBe(400);
	expect(await again([thinking, { ...redacted, data: "AAA=" }, call])).toBe(400);
});

it("plays one script a child, one reply a turn, and says who asked", async () => {
	server.setScript([
		{
			marker: "You are go",
			name: "go",
			replies: [
				callTools(
					[
						{ name: "grep", input: { a: 1 } },
						{ name: "read_file", input: {} },
					],
					{ text: "Looking." },
				),
				say("go done"),
			],
		},
		{ marker: "You are python", replies: [callTool("glob", {}), (call) => say(`saw ${call.results.length}`)] },
	]);
	const ask = (system: string, ...messages: unknown[]) => post({ ...talk(...messages), system });
	const goFirst = await ask("You are go");
	expect(goFirst.json["stop_reason"]).toBe("tool_use");
	const content = goFirst.json["content"] as { type: string; id: string }[];
	expect(content.map((block) => block.type)).toEqual(["text", "tool_use", "tool_use"]);
	const calls = content.filter((block) => block.type === "tool_use");
	const turn = { role: "assistant", content: calls.map((call) => use(call.id)) };
	const goSecond = await ask("You are go", turn, { role: "user", content: calls.map((call) => result(call.id)) });
	expect(goSecond.json).toMatchObject({ stop_reason: "end_turn", content: [{ type: "text", text: "go done" }] });
	const python = await ask("You are python", turn, { role: "user", content: calls.map((call) => result(call.id)) });
	expect(python.json).toMatchObject({ content: [{ text: "saw 2" }] });
	expect(server.requests.slice(-3).map(({ child, turn }) => ({ child, turn }))).toEqual([
		{ child: "go", turn: 0 },
		{ child: "go", turn: 1 },
		{ child: "You are python", turn: 1 },
	]);
});
