import { expect, it } from "vitest";
import { PromptCache } from "../../../src/demo/loopback-model/prompt-cache.ts";
import { parseWireRequest } from "../../../src/demo/loopback-model/wire-request.ts";
import type { WireRequest } from "../../../src/demo/loopback-model/wire-request.ts";

const MARK = { cache_control: { type: "ephemeral" } };

function request(content: unknown, extra: Record<string, unknown> = {}): WireRequest {
	const body = { model: "claude-sonnet-5-5", max_tokens: 1, messages: [{ role: "user", content }], ...extra };
	const parsed = parseWireRequest(Buffer.from(JSON.stringify(body)));
	if ("refusal" in parsed) throw new Error(parsed.refusal.message);
	return parsed.request;
}

const block = (text: string, marked = false) => ({ type: "text", text, ...(marked ? MARK : {}) });
const pack = block("p".repeat(4000), true);

it("siblings read the shared prefix once the first answer has begun, and not before", () => {
	const cache = new PromptCache();
	const first = cache.plan(request([pack, block("go")]));
	const tooEarly = cache.plan(request([pack, block("python")]));
	expect(first.usage).toMatchObject({ read: 0, fresh: 8 });
	expect(first.usage.write5m).toBe(tooEarly.usage.write5m);
	expect(tooEarly.usage.read).toBe(0);
	first.commit();
	const later = cache.plan(request([pack, block("python")]));
	expect(later.usage).toMatchObject({ read: first.usage.write5m, write5m: 0 });
	expect(later.usage.total).toBe(later.usage.read + later.usage.fresh);
});

it("a growing conversation reads all of the turn before", () => {
	const cache = new PromptCache();
	const texts = Array.from({ length: 6 }, (_, index) => `turn ${index} ${"x".repeat(3000)}`);
	let previous = 0;
	for (let length = 1; length <= texts.length; length++) {
		const plan = cache.plan(request(texts.slice(0, length).map((text, index) => block(text, index === length - 1))));
		expect(plan.usage.read).toBe(previous);
		plan.commit();
		previous = plan.usage.total;
	}
});

it("the look-back ends after twenty positions, and a run of results is one of them", () => {
	const grown = (middle: readonly unknown[]) => {
		const cache = new PromptCache();
		cache.plan(request([pack])).commit();
		return cache.plan(request([{ ...pack, cache_control: undefined }, ...middle, block("end", true)])).usage.read;
	};
	const texts = (count: number) => Array.from({ length: count }, (_, index) => block(`t${index}`));
	expect(grown(texts(18))).toBeGreaterThan(0);
	expect(grown(texts(19))).toBe(0);
	const results = Array.from({ length: 30 }, (_, index) => ({ type: "tool_result", tool_use_id: `t${index}`, content: "x" }));
	expect(grown(results)).toBeGreaterThan(0);
});

it("a prefix below the model's least size is not kept", () => {
	const cache = new PromptCache();
	const short = request([block("s".repeat(1600), true)]);
	const plan = cache.plan(short);
	plan.commit();
	expect(plan.usage).toMatchObject({ write5m: 0, fresh: plan.usage.total });
	expect(cache.plan(short).usage.read).toBe(0);
});

it.each([
	["another model", { model: "claude-opus-5-5" }],
	["another effort", { output_config: { effort: "low" } }],
	["another thinking", { thinking: { type: "adaptive" } }],
	["another tool", { tools: [{ name: "grep", input_schema: { type: "object" } }] }],
	["another system text", { system: "other" }],
])("%s shares nothing", (_name, extra) => {
	const cache = new PromptCache();
	cache.plan(request([pack])).commit();
	expect(cache.plan(request([pack], extra)).usage.read).toBe(0);
	expect(cache.plan(request([pack])).usage.read).toBeGreaterThan(0);
});

it("marks do not change a prefix, and each lifetime is counted apart", () => {
	const cache = new PromptCache();
	const hour = { type: "text", text: "h".repeat(4000), cache_control: { type: "ephemeral", ttl: "1h" } };
	const plan = cache.plan(request([hour, pack]));
	plan.commit();
	expect(plan.usage.write1h).toBe(plan.usage.marks[0]?.tokens);
	expect(plan.usage.write1h + plan.usage.write5m).toBe(plan.usage.total);
	expect(cache.plan(request([{ ...hour, cache_control: undefined }, pack])).usage.read).toBe(plan.usage.total);
});

it("a mark on the request counts as one on its last block", () => {
	const cache = new PromptCache();
	const bare = { ...pack, cache_control: undefined };
	const plan = cache.plan(request([bare], MARK));
	expect(plan.usage.write5m).toBe(plan.usage.total);
});
