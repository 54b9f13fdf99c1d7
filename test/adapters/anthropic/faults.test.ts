import { describe, expect, it } from "vitest";
import {
	badGateway,
	creditExhausted,
	overloaded,
	promptTooLong,
	rateLimited,
	requestTooLarge,
	wrongKey,
} from "../../../src/demo/loopback-model/fault.ts";
import type { Fault } from "../../../src/demo/loopback-model/fault.ts";
import { callTool, say } from "../../../src/demo/loopback-model/scripted-reply.ts";
import { KEY, createFakeClock, makeRequest, openRig } from "./fixtures.ts";
import { createAnthropicClient } from "../../../src/adapters/anthropic/create-anthropic-client.ts";

const always = { times: 99 };

describe("refused requests", () => {
	it("R01 waits as long as retry-after says and goes on", async () => {
		const { server, clock, ask } = await openRig({ decide: () => say("ok") });
		server.fault(rateLimited(2));
		const reply = await ask();
		expect(reply).toMatchObject({ stop: "end-turn", attempts: 2, content: [{ text: "ok" }] });
		expect(clock.slept).toHaveLength(1);
		expect(clock.slept[0]).toBeGreaterThanOrEqual(2000);
		expect(clock.slept[0]).toBeLessThanOrEqual(2200);
		expect(reply.usage).toEqual(server.usageTotals().usage);
	});

	it("R01 a retry-after that is a date, or in milliseconds, is understood", async () => {
		const { server, clock, ask } = await openRig({ decide: () => say("ok") });
		const limited = (headers: Record<string, string>): Fault => ({
			kind: "status",
			status: 429,
			type: "rate_limit_error",
			message: "",
			headers,
		});
		server.fault(limited({ "retry-after": new Date(clock.now() + 30_000).toUTCString() }));
		server.fault(limited({ "retry-after-ms": "100", "retry-after": "50" }));
		expect((await ask()).attempts).toBe(3);
		expect(clock.slept[0]).toBeGreaterThanOrEqual(30_000);
		expect(clock.slept[1]).toBe(105);
	});

	it("R02 a retry-after of an hour is not waited for: the call fails at once as rate limited", async () => {
		const { server, clock, ask } = await openRig();
		server.fault(rateLimited(3600), always);
		const reply = await ask();
		expect(reply).toMatchObject({ stop: "error", attempts: 1, failure: { kind: "rate-limited", fatal: false, status: 429 } });
		expect(reply.failure?.message).toContain("3600 s");
		expect(clock.slept).toEqual([]);
	});

	it("R02 our deadline cuts a wait, and the reply still says that the rate was limited", async () => {
		const deadline = new AbortController();
		const { server, clock, ask } = await openRig({}, { onSleep: () => deadline.abort() });
		server.fault(rateLimited(50), always);
		const reply = await ask({}, deadline.signal);
		expect(reply).toMatchObject({ stop: "aborted", attempts: 1, failure: { kind: "deadline", fatal: false } });
		expect(reply.failure?.message).toContain("limits the rate");
		expect(clock.slept).toHaveLength(1);
	});

	it("R03 overload is tried again with growing, jittered waits", async () => {
		const waits = async (random: () => number) => {
			const { server, clock, ask } = await openRig({ decide: () => say("ok") }, { random });
			server.fault(overloaded(), { times: 2 });
			expect(await ask()).toMatchObject({ stop: "end-turn", attempts: 3 });
			return clock.slept;
		};
		expect(await waits(() => 0)).toEqual([500, 1000]);
		expect(await waits(() => 1)).toEqual([1000, 2000]);
	});

	it("R04 overload without end is given up after four requests", async () => {
		const { server, clock, ask } = await openRig();
		server.fault(overloaded(), always);
		const reply = await ask();
		expect(reply).toMatchObject({ stop: "error", attempts: 4, content: [], failure: { kind: "overloaded", fatal: false, status: 529 } });
		expect(reply.failure?.message).toContain("after 4 tries");
		expect(server.requests).toHaveLength(4);
		expect(clock.slept).toHaveLength(3);
	});

	it.each([
		["R16", "413", requestTooLarge(), "too-long", false],
		["BR-76", "prompt too long", promptTooLong(), "too-long", false],
		["BR-76", "credit in a 400", creditExhausted(), "credit", true],
		[
			"R16",
			"a spend limit in a 400",
			{ ...creditExhausted(), message: "You have reached your specified API usage limits. Spend limit reached." },
			"credit",
			true,
		],
		["R16", "401", wrongKey(), "authentication", true],
		["R16", "402", { ...wrongKey(), status: 402, type: "billing_error", message: "Payment required" }, "credit", true],
		["R16", "403", { ...wrongKey(), status: 403, type: "permission_error", message: "not allowed" }, "permission", true],
		["BR-76", "404", { ...wrongKey(), status: 404, type: "not_found_error", message: "model: no-such" }, "not-found", false],
		["R16", "400", { ...wrongKey(), status: 400, type: "invalid_request_error", message: "messages: no" }, "invalid-request", false],
		[
			"BR-76",
			"a spend limit in a 429",
			{ ...wrongKey(), status: 429, type: "rate_limit_error", message: "Monthly spend limit reached" },
			"credit",
			true,
		],
	] as const)("%s %s is not tried again and has its name", async (_id, _name, fault, kind, fatal) => {
		const { server, ask } = await openRig();
		server.fault(fault as Fault, always);
		const reply = await ask();
		expect(reply).toMatchObject({ stop: "error", attempts: 1, content: [], failure: { kind, fatal } });
		expect(server.requests).toHaveLength(1);
		expect(reply.failure?.message).not.toMatch(/[\r\n]/);
		expect(reply.requestId).toBe("req_loopback_1");
	});

	it("R16 the key is in no message, even when the provider repeats it", async () => {
		const { server, ask } = await openRig();
		server.fault({ ...wrongKey(), message: `invalid key ${KEY}\nand Bearer ${KEY}, also sk-ant-other-key-123` } as Fault);
		const reply = await ask();
		expect(JSON.stringify(reply)).not.toContain("sk-ant");
		expect(reply.failure?.message).toBe(
			"the model provider does not accept the API key (HTTP 401): invalid key *** and Bearer ***, also ***",
		);
	});

	it("R17 nothing of a proxy's HTML is in the message, and the request is tried again", async () => {
		const { server, ask } = await openRig({ decide: () => say("ok") });
		server.fault(badGateway(), { times: 4 });
		const reply = await ask();
		expect(reply).toMatchObject({ stop: "error", attempts: 4, failure: { kind: "server", status: 502 } });
		expect(reply.failure?.message).toBe("the model provider failed (HTTP 502), after 4 tries");
		expect((await ask()).stop).toBe("end-turn");
	});

	it("R17 HTML inside the API's own form of error is left out, too", async () => {
		const { server, ask } = await openRig();
		server.fault({ kind: "status", status: 500, type: "api_error", message: "<!DOCTYPE html><p>down</p>" }, always);
		expect((await ask()).failure?.message).not.toContain("<");
	});

	it("BR-75 a long message of the provider is cut without half an emoji", async () => {
		const { server, ask } = await openRig();
		server.fault({ kind: "status", status: 400, type: "invalid_request_error", message: `a${"\u{1F525}".repeat(400)}` });
		const message = (await ask()).failure?.message ?? "";
		expect(message.isWellFormed()).toBe(true);
		expect(message.length).toBeLessThan(400);
	});

	it("a server that says not to come again is obeyed", async () => {
		const { server, ask } = await openRig();
		server.fault({ ...overloaded(), headers: { "x-should-retry": "false" } } as Fault, always);
		expect((await ask()).attempts).toBe(1);
	});

	it("a connection that is refused is tried again and then named by its code, without the address", async () => {
		const client = createAnthropicClient({ apiKey: KEY, baseUrl: "http://127.0.0.1:1", clock: createFakeClock() });
		const reply = await client.complete(makeRequest(), new AbortController().signal);
		expect(reply).toMatchObject({ stop: "error", attempts: 4, failure: { kind: "connection" } });
		expect(reply.failure?.message).not.toContain("127.0.0.1");
	});
});

describe("broken streams", () => {
	it.each<[string, string, Fault]>([
		["R05 BR-74", "an error event after half a text", { kind: "error-event", type: "overloaded_error", message: "Overloaded" }],
		["R06", "a socket that is cut in a tool call", { kind: "cut" }],
		["R07", "a stream that ends without message_stop", { kind: "no-message-stop" }],
	])("%s %s: the half turn is thrown away, the turn repeated, and what it cost is counted", async (_id, _name, fault) => {
		const { server, ask } = await openRig({ decide: () => callTool("bash", { command: "touch x" }, { text: "Looking. ".repeat(50) }) });
		server.fault(fault);
		const reply = await ask();
		expect(reply).toMatchObject({ stop: "tool-use", attempts: 2 });
		expect(reply.content.filter(({ type }) => type === "tool-use")).toHaveLength(1);
		expect(reply.content.filter(({ type }) => type === "text")).toHaveLength(1);
		expect(reply.billed).toHaveLength(2);
		expect(reply.usage).toEqual(server.usageTotals().usage);
		expect(reply.usage.input).toBe(2 * (server.requests[0]?.usage.input ?? Number.NaN));
	});

	it.each([
		["api_error", "server", 4],
		["rate_limit_error", "rate-limited", 4],
		["overloaded_error", "overloaded", 4],
		["authentication_error", "authentication", 1],
		["permission_error", "permission", 1],
		["billing_error", "credit", 1],
		["invalid_request_error", "invalid-request", 1],
	])("BR-74 an error event of type %s is %s", async (type, kind, attempts) => {
		const { server, ask } = await openRig({ decide: () => say("half") });
		server.fault({ kind: "error-event", type, message: "no" }, always);
		expect(await ask()).toMatchObject({ stop: "error", content: [], attempts, failure: { kind } });
	});

	it.each([["headers"], ["message-start"]] as const)("R08 silence after %s is ended by our own timer and tried again", async (after) => {
		const { server, ask } = await openRig({ decide: () => say("ok") }, { idleTimeoutMs: 400 });
		server.fault({ kind: "silence", after });
		const started = performance.now();
		const reply = await ask();
		expect(reply).toMatchObject({ stop: "end-turn", attempts: 2 });
		expect(performance.now() - started).toBeGreaterThanOrEqual(400);
		expect(reply.usage).toEqual(server.usageTotals().usage);
		expect(server.requests[0]?.endMs).not.toBeNaN();
	});

	it("R08 silence without end is a stalled call after four requests", async () => {
		const { server, ask } = await openRig({ decide: () => say("ok") }, { idleTimeoutMs: 60 });
		server.fault({ kind: "silence", after: "headers" }, always);
		expect(await ask()).toMatchObject({ stop: "error", attempts: 4, failure: { kind: "stalled", fatal: false } });
	});

	it("R08 the warm-up is watched, too", async () => {
		const { server, ask } = await openRig({}, { idleTimeoutMs: 60, maxAttempts: 1 });
		server.fault({ kind: "silence", after: "headers" });
		expect(await ask({ maxTokens: 0 })).toMatchObject({ stop: "error", attempts: 1, failure: { kind: "stalled" } });
	});

	it("R08 a long thought is no silence: pings keep a stream alive", async () => {
		const { server, ask } = await openRig({ decide: () => say("ok") }, { idleTimeoutMs: 400 });
		server.fault({ kind: "slow", ms: 1000, pingEveryMs: 50 });
		expect(await ask()).toMatchObject({ stop: "end-turn", attempts: 1 });
	});
});

describe("our own stop", () => {
	it("in the middle of a stream gives an aborted reply with what it cost", async () => {
		const { server, ask } = await openRig({ decide: () => say("never") });
		server.fault({ kind: "silence", after: "message-start" });
		const stopper = new AbortController();
		const pending = ask({}, stopper.signal);
		await expect.poll(() => server.usageTotals().answered).toBe(1);
		await new Promise((resolve) => setTimeout(resolve, 100));
		stopper.abort(new Error("stop"));
		const reply = await pending;
		expect(reply).toMatchObject({ stop: "aborted", content: [], attempts: 1, failure: { kind: "deadline" } });
		expect(reply.usage).toEqual(server.usageTotals().usage);
	});

	it("before the first request means that none is made", async () => {
		const { server, ask } = await openRig();
		expect(await ask({}, AbortSignal.abort())).toMatchObject({ stop: "aborted", attempts: 0, usage: { input: 0 } });
		expect(server.requests).toHaveLength(0);
	});
});
