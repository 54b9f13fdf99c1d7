import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toWireMessages, toWireRequest } from "../../../src/adapters/anthropic/to-wire.ts";
import { checkConversation } from "../../../src/demo/loopback-model/check-conversation.ts";
import { checkRequest } from "../../../src/demo/loopback-model/check-request.ts";
import { redactThinking, signThinking } from "../../../src/demo/loopback-model/sign-thinking.ts";
import { parseWireRequest } from "../../../src/demo/loopback-model/wire-request.ts";
import type { ContentBlock, ModelMessage, ModelRequest } from "../../../src/domain/model-message.ts";
import { assistant, call, makeRequest, result, user } from "./fixtures.ts";

const thinking = (text: string): ContentBlock => ({
	type: "opaque",
	raw: { type: "thinking", thinking: text, signature: signThinking(text) },
});
const redacted: ContentBlock = { type: "opaque", raw: { type: "redacted_thinking", data: redactThinking("hidden") } };

/** What the API would say to the request; undefined when it takes it. */
function refusalOf(request: ModelRequest): string | undefined {
	const parsed = parseWireRequest(Buffer.from(JSON.stringify(toWireRequest(request))));
	if ("refusal" in parsed) return parsed.refusal.message;
	return (checkRequest(parsed.request, { counting: false }) ?? checkConversation(parsed.request, new Map()))?.message;
}

describe("history", () => {
	it("BR-69 blank texts go away, and an empty tool output is said in words", () => {
		const history = [user("go"), assistant("", call("toolu_1", { path: "a" })), user(result("toolu_1", ""), "  ")];
		expect(toWireMessages(history)).toEqual([
			{ role: "user", content: [{ type: "text", text: "go" }] },
			{ role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "grep", input: { path: "a" } }] },
			{ role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "(no output)" }] },
		]);
		expect(refusalOf(makeRequest({ messages: history }))).toBeUndefined();
	});

	it("BR-69 an assistant turn that is left empty goes away and the user turns around it join", () => {
		expect(toWireMessages([user("one"), assistant("", " \n"), user("two")])).toEqual([
			{
				role: "user",
				content: [
					{ type: "text", text: "one" },
					{ type: "text", text: "two" },
				],
			},
		]);
	});

	it("BR-69 a user turn that is left empty keeps its place", () => {
		expect(toWireMessages([user("one"), assistant("two"), user(" "), assistant("three"), user("four")]).map(({ role }) => role)).toEqual([
			"user",
			"assistant",
			"user",
			"assistant",
			"user",
		]);
	});

	it("BR-69 there is no blank system block", () => {
		expect(toWireRequest(makeRequest({ system: [{ type: "text", text: " " }] }))).not.toHaveProperty("system");
	});

	it("BR-70 results are paired by id: missing ones are made up as cancelled, strays go, results come first", () => {
		const history = [
			user("go"),
			assistant(call("t1"), call("t2")),
			user("note", result("t2", "x"), result("t9", "stray"), result("t2", "twice")),
		];
		expect(toWireMessages(history)[2]).toEqual({
			role: "user",
			content: [
				{ type: "tool_result", tool_use_id: "t1", content: "cancelled", is_error: true },
				{ type: "tool_result", tool_use_id: "t2", content: "x" },
				{ type: "text", text: "note" },
			],
		});
		expect(refusalOf(makeRequest({ messages: history }))).toBeUndefined();
	});

	it("R18 a resumed history that ends with a call, or goes on without its result, is accepted", () => {
		const open = [user("go"), assistant("Looking.", call("t1"))];
		expect(toWireMessages(open).at(-1)).toEqual({
			role: "user",
			content: [{ type: "tool_result", tool_use_id: "t1", content: "cancelled", is_error: true }],
		});
		for (const history of [open, [...open, user("go on")], [...open, assistant("and"), user("go on")]]) {
			expect(refusalOf(makeRequest({ messages: history }))).toBeUndefined();
		}
	});

	it("R18 ids that a provider repeats or spells freely become unique, and results follow them", () => {
		const history = [
			user("go"),
			assistant(call("call.0")),
			user(result("call.0", "a")),
			assistant(call("call.0"), call("call.0")),
			user(result("call.0", "b")),
		];
		const wire = toWireMessages(history);
		expect(wire.flatMap(({ content }) => content).filter((block) => block.type === "tool_result")).toEqual([
			{ type: "tool_result", tool_use_id: "call_0", content: "a" },
			{ type: "tool_result", tool_use_id: "call_0-2", content: "b" },
			{ type: "tool_result", tool_use_id: "call_0-3", content: "cancelled", is_error: true },
		]);
		expect(refusalOf(makeRequest({ messages: history }))).toBeUndefined();
	});

	it("BR-71 the request ends with a user turn, whatever the history ends with", () => {
		const wire = toWireMessages([user("Give JSON"), assistant('{"findings": ')]);
		expect(wire.at(-1)).toEqual({ role: "user", content: [{ type: "text", text: "Continue." }] });
		expect(refusalOf(makeRequest({ messages: [user("Give JSON"), assistant('{"findings": ')] }))).toBeUndefined();
	});

	it("BR-71 a paused turn of the provider's own tools goes back as it is", () => {
		const paused = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } };
		const wire = toWireMessages([user("go"), assistant("Searching.", { type: "opaque", raw: paused })]);
		expect(wire.at(-1)).toEqual({ role: "assistant", content: [{ type: "text", text: "Searching." }, paused] });
	});

	it("BR-72 thinking goes back as it came, in its order, while the empty text beside it goes", () => {
		const raw = { type: "thinking", thinking: "step \u{1F525} \ud83d ", signature: "sig1" };
		const hidden = { type: "redacted_thinking", data: "AAA=" };
		const turn = assistant({ type: "opaque", raw }, { type: "opaque", raw: hidden }, "", call("t1", { path: "a" }));
		const wire = toWireMessages([user("go"), turn, user(result("t1"))]);
		expect(wire[1]?.content[0]).toBe(raw);
		expect(wire[1]?.content[1]).toBe(hidden);
		expect(wire[1]?.content.map(({ type }) => type)).toEqual(["thinking", "redacted_thinking", "tool_use"]);
	});

	it("BR-72 a turn of nothing but thinking goes as a whole", () => {
		expect(toWireMessages([user("one"), assistant(thinking("hm"), redacted, " "), user("two")])).toHaveLength(1);
	});

	it("BR-75 every string that leaves is well formed, also deep in an input, a key and a schema", () => {
		const request = makeRequest({
			system: [{ type: "text", text: "sys \udc00" }],
			tools: [{ name: "grep", description: "d \ud83d", inputSchema: { type: "object", description: "s \ud83d" } }],
			messages: [
				user("ok \ud83d"),
				assistant("a \udc00", call("t1", { "key\ud83d": ["v \udc00", { deep: "\ud83d" }] })),
				user(result("t1", "\udc00tail"), "fine \u{1F525}"),
			],
		});
		const body = JSON.stringify(toWireRequest(request));
		expect(body).not.toMatch(/\\ud[89a-f]/i);
		expect(body).toContain("fine \u{1F525}");
		expect(refusalOf(request)).toBeUndefined();
	});
});

describe("request", () => {
	it("always says the effort, but never to a model that knows none, and forces nothing", () => {
		const body = toWireRequest(makeRequest({ effort: "low" }));
		expect(body.output_config).toEqual({ effort: "low" });
		expect(toWireRequest(makeRequest({ model: "claude-haiku-4-5-20251001" }))).not.toHaveProperty("output_config");
		expect(Object.keys(body).sort()).toEqual(["max_tokens", "messages", "model", "output_config", "system", "tools"]);
	});

	it("resolves a short model name and keeps to the model's longest output", () => {
		expect(toWireRequest(makeRequest({ model: "opus", maxTokens: 1_000_000 }))).toMatchObject({
			model: "claude-opus-5-5",
			max_tokens: 128_000,
		});
	});

	it("sends at most four cache marks: the shared ones first, the newest last", () => {
		const marked = (text: string): ContentBlock => ({ type: "text", text, cache: true });
		const body = toWireRequest(
			makeRequest({
				system: [{ type: "text", text: "s", cache: true }],
				messages: [
					user(marked("a"), marked("b"), marked("c"), "d", marked("e")),
					assistant(call("t1")),
					user({ type: "tool-result", toolUseId: "t1", content: "r", cache: true }),
				],
			}),
		);
		const blocks = [...(body.system as object[]), ...body.messages.flatMap(({ content }) => content as object[])];
		expect(blocks.map((block) => "cache_control" in block)).toEqual([true, true, false, false, false, true, false, true]);
	});
});

const text = fc.oneof(fc.constantFrom("", " ", "\n", "a", "\ud83d", "\u{1F525}"), fc.string({ unit: "binary", maxLength: 5 }));
const id = fc.constantFrom("t1", "t2", "t3", "a.b", "");
const block: fc.Arbitrary<ContentBlock> = fc.oneof(
	text.map((value): ContentBlock => ({ type: "text", text: value })),
	fc.record({ id, input: fc.jsonValue() }).map((made): ContentBlock => ({ type: "tool-use", name: "grep", ...made })),
	fc.record({ toolUseId: id, content: text }).map((made): ContentBlock => ({ type: "tool-result", isError: true, ...made })),
);
const assistantBlock = fc.oneof(block, fc.constantFrom(thinking("hm"), thinking("ha"), redacted));
const message: fc.Arbitrary<ModelMessage> = fc.oneof(
	fc.record({ role: fc.constant("user" as const), content: fc.array(block, { maxLength: 5 }) }),
	fc.record({
		role: fc.constant("assistant" as const),
		content: fc.array(assistantBlock, { maxLength: 5 }).map((blocks) => blocks.filter(({ type }) => type !== "tool-result")),
	}),
);
/** A call in a user turn is misuse that the engine cannot make. */
const history = fc
	.array(message, { maxLength: 8 })
	.map((messages) =>
		messages.map((made) => (made.role === "user" ? { ...made, content: made.content.filter(({ type }) => type !== "tool-use") } : made)),
	);

it("BR-70 whatever history there is, the request that is made of it keeps all rules", () => {
	fc.assert(
		fc.property(history, (messages) => {
			expect(refusalOf(makeRequest({ messages }))).toBeUndefined();
		}),
		{ numRuns: 500 },
	);
});

it("G3 a history that grows keeps what was sent before as its prefix", () => {
	const flat = (messages: readonly ModelMessage[]) =>
		toWireMessages(messages).flatMap(({ role, content }) => content.map((made) => role + JSON.stringify(made)));
	fc.assert(
		fc.property(history, history, (before, after) => {
			const asked = [...before, user("next")];
			const sent = flat(asked);
			expect(flat([...asked, ...after]).slice(0, sent.length)).toEqual(sent);
		}),
		{ numRuns: 300 },
	);
});
