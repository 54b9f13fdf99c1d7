import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import type Anthropic from "@anthropic-ai/sdk";
import { buildMessage, planStream, seedOf } from "./build-events.ts";
import { checkConversation, turnOrder } from "./check-conversation.ts";
import { checkRequest } from "./check-request.ts";
import type { Fault } from "./fault.ts";
import { openRecord, sumUsage } from "./loopback-request.ts";
import type { LoopbackRequest, UsageTotals } from "./loopback-request.ts";
import { PromptCache } from "./prompt-cache.ts";
import type { PlannedPrompt } from "./prompt-cache.ts";
import { decideByScript, describeCall, findScript } from "./scripted-reply.ts";
import type { ChildScript, Decide, ModelCall, ScriptedReply } from "./scripted-reply.ts";
import { readBody, sendJson, sendRefusal, sendStream } from "./send-response.ts";
import { invalid, parseWireRequest } from "./wire-request.ts";
import type { Refusal, WireBlock, WireRequest } from "./wire-request.ts";

/** Which of the requests to come a fault is played on. */
export interface FaultPlan {
	/** How many; 1 when absent. */
	readonly times?: number;
	/** Fitting requests that pass before it begins. */
	readonly skip?: number;
	readonly matches?: (call: ModelCall) => boolean;
}

export interface LoopbackModel {
	/** Base address for a client, without a path. */
	readonly url: string;
	/** All requests to `/v1/messages` and `/v1/messages/count_tokens`, in order of arrival. */
	readonly requests: readonly LoopbackRequest[];
	/** Everything else that was asked, answered with 404. */
	readonly unexpected: readonly string[];
	setScript(script: readonly ChildScript[] | Decide): void;
	fault(fault: Fault, plan?: FaultPlan): void;
	usageTotals(): UsageTotals;
	/** Ends the server and every open connection. Safe to call twice. */
	close(): Promise<void>;
}

export interface LoopbackOptions {
	readonly scripts?: readonly ChildScript[];
	/** Used instead of `scripts`. */
	readonly decide?: Decide;
	/** Time before each answer begins. */
	readonly latencyMs?: number;
	/** The only key that is let in; any key when absent. */
	readonly apiKey?: string;
	/** Prompts with more tokens are refused as too long; never when absent. */
	readonly contextWindow?: number;
}

interface State {
	readonly options: LoopbackOptions;
	readonly cache: PromptCache;
	/** Order of thinking and calls of each reply with both, by its first call's id. */
	readonly sentTurns: Map<string, readonly string[]>;
	readonly requests: LoopbackRequest[];
	readonly unexpected: string[];
	readonly faults: { readonly fault: Fault; times: number; skip: number; readonly matches: (call: ModelCall) => boolean }[];
	scripts: readonly ChildScript[];
	decide: Decide;
	inFlight: number;
}

/** A request that keeps all rules. */
interface Accepted {
	readonly request: WireRequest;
	readonly call: ModelCall;
	readonly prompt: PlannedPrompt;
	readonly seed: string;
}

const TOO_LARGE: Refusal = { status: 413, type: "request_too_large", message: "Request exceeds the maximum size" };

/**
 * Starts a Messages API on 127.0.0.1 that plays scripts, keeps the real one's rules, simulates its prompt cache and
 * records everything. For tests, demonstrations and measurements; it never reaches a network.
 */
export async function startLoopbackModel(options: LoopbackOptions = {}): Promise<LoopbackModel> {
	const scripts = options.scripts ?? [];
	const state: State = {
		options,
		cache: new PromptCache(),
		sentTurns: new Map(),
		requests: [],
		unexpected: [],
		faults: [],
		scripts,
		decide: options.decide ?? decideByScript(scripts),
		inFlight: 0,
	};
	const server = createServer((incoming, response) => {
		// A client that hangs up is part of the game; nothing is left to be said to it.
		response.on("error", () => response.destroy());
		handle(state, incoming, response).catch(() => response.destroy());
	});
	server.keepAliveTimeout = 60_000;
	await new Promise<void>((resolve, reject) => {
		server.once("error", reject);
		server.listen(0, "127.0.0.1", resolve);
	});
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		requests: state.requests,
		unexpected: state.unexpected,
		setScript: (script) => {
			state.scripts = typeof script === "function" ? [] : script;
			state.decide = typeof script === "function" ? script : decideByScript(script);
		},
		fault: (fault, { times = 1, skip = 0, matches = () => true } = {}) => {
			state.faults.push({ fault, times, skip, matches });
		},
		usageTotals: () => sumUsage(state.requests),
		close: () => closeServer(server),
	};
}

async function handle(state: State, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
	const path = new URL(incoming.url ?? "/", "http://localhost").pathname;
	const counting = path === "/v1/messages/count_tokens";
	if (incoming.method !== "POST" || (path !== "/v1/messages" && !counting)) {
		state.unexpected.push(`${incoming.method} ${incoming.url}`);
		incoming.resume();
		sendRefusal(response, "req_unexpected", { status: 404, type: "not_found_error", message: "Not found" });
		return;
	}
	state.inFlight++;
	const record = openRecord(state.requests.length + 1, path, state.inFlight, incoming.headers);
	state.requests.push(record);
	response.once("close", () => {
		state.inFlight--;
		record.endMs = performance.now();
	});
	const bytes = await readBody(incoming);
	record.bodyMs = performance.now();
	const received = checkHeaders(state, incoming.headers) ?? (bytes === undefined ? TOO_LARGE : receive(state, record, bytes, counting));
	if ("status" in received) {
		record.status = received.status;
		record.error = `${received.type}: ${received.message}`;
		sendRefusal(response, record.requestId, received);
		return;
	}
	if (!counting) return answer(state, record, received, response);
	record.status = 200;
	sendJson(response, 200, record.requestId, { input_tokens: received.prompt.usage.total });
}

/** Answers with the script's reply and whatever fault is due. */
async function answer(state: State, record: LoopbackRequest, accepted: Accepted, response: ServerResponse): Promise<void> {
	const { request, call, prompt, seed } = accepted;
	const reply: ScriptedReply = request.maxTokens === 0 ? { blocks: [], stop: "max_tokens", outputTokens: 0 } : state.decide(call);
	const fault = takeFault(state, call) ?? reply.fault;
	record.fault = fault;
	await wait(reply.latencyMs ?? state.options.latencyMs ?? 0);
	if (response.destroyed) return;
	if (fault?.kind === "status") {
		record.status = fault.status;
		record.error = `${fault.type}: ${fault.message}`;
		sendRefusal(response, record.requestId, fault, fault.headers, fault.body);
		return;
	}
	record.status = 200;
	const message = buildMessage(reply, request.model, prompt.usage, seed, fault);
	const begin = (): void => {
		prompt.commit();
		remember(state, message);
	};
	if (!request.stream) {
		if (fault?.kind === "silence") return;
		if (fault?.kind === "cut") throw new Error("cut");
		if (fault?.kind === "slow") await wait(fault.ms);
		begin();
		record.stop = message.stop_reason ?? undefined;
		bill(record, message.usage);
		sendJson(response, 200, record.requestId, message);
		return;
	}
	await sendStream(response, record.requestId, planStream(message, reply, seed, fault), fault, (event) => {
		if (event.type === "message_start") {
			begin();
			bill(record, event.message.usage);
		} else if (event.type === "message_delta") {
			record.stop = event.delta.stop_reason ?? undefined;
			bill(record, event.usage);
		}
	});
}

/** Reads a body into its record; the rule that it breaks comes back instead of the request. */
function receive(state: State, record: LoopbackRequest, bytes: Buffer, counting: boolean): Refusal | Accepted {
	record.bytes = bytes.length;
	record.rawBody = bytes.toString("utf8");
	const parsed = parseWireRequest(bytes);
	if ("refusal" in parsed) return parsed.refusal;
	const { request } = parsed;
	const call = describeCall(request);
	const script = findScript(state.scripts, call.opening);
	const prompt = state.cache.plan(request);
	record.request = request;
	record.child = script?.name ?? script?.marker;
	record.turn = call.turn;
	record.prompt = prompt.usage;
	const window = state.options.contextWindow ?? Number.POSITIVE_INFINITY;
	if (prompt.usage.total > window) return invalid(`prompt is too long: ${prompt.usage.total} tokens > ${window} maximum`);
	const refusal = checkRequest(request, { counting }) ?? checkConversation(request, state.sentTurns);
	return refusal ?? { request, call, prompt, seed: seedOf(bytes) };
}

function checkHeaders(state: State, headers: IncomingHttpHeaders): Refusal | undefined {
	const { authorization, "x-api-key": header } = headers;
	const key = typeof header === "string" ? header : authorization?.replace(/^Bearer /, "");
	if (key === undefined || key === "") return { status: 401, type: "authentication_error", message: "x-api-key header is required" };
	const wanted = state.options.apiKey;
	if (wanted !== undefined && key !== wanted) return { status: 401, type: "authentication_error", message: "invalid x-api-key" };
	return headers["anthropic-version"] === undefined ? invalid("anthropic-version: header is required") : undefined;
}

function takeFault(state: State, call: ModelCall): Fault | undefined {
	for (const planned of state.faults) {
		if (planned.times <= 0 || !planned.matches(call)) continue;
		if (planned.skip > 0) {
			planned.skip--;
			continue;
		}
		planned.times--;
		return planned.fault;
	}
	return undefined;
}

function remember(state: State, message: Anthropic.Message): void {
	const blocks = message.content as unknown as readonly WireBlock[];
	const firstCall = blocks.find((block) => block.type === "tool_use");
	if (firstCall !== undefined && blocks.some((block) => block.type.includes("thinking"))) {
		state.sentTurns.set(String(firstCall["id"]), turnOrder(blocks));
	}
}

function bill(record: LoopbackRequest, usage: Anthropic.Usage | Anthropic.MessageDeltaUsage): void {
	record.usage = {
		input: usage.input_tokens ?? 0,
		cacheRead: usage.cache_read_input_tokens ?? 0,
		cacheWrite: usage.cache_creation_input_tokens ?? 0,
		output: usage.output_tokens,
	};
}

function closeServer(server: Server): Promise<void> {
	return new Promise((resolve) => {
		server.close(() => resolve());
		server.closeAllConnections();
	});
}
