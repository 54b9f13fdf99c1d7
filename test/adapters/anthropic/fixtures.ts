import { onTestFinished } from "vitest";
import { createAnthropicClient } from "../../../src/adapters/anthropic/create-anthropic-client.ts";
import type { AnthropicOptions } from "../../../src/adapters/anthropic/create-anthropic-client.ts";
import { startLoopbackModel } from "../../../src/demo/loopback-model/start-loopback-model.ts";
import type { LoopbackModel, LoopbackOptions } from "../../../src/demo/loopback-model/start-loopback-model.ts";
import type { ContentBlock, ModelMessage, ModelReply, ModelRequest } from "../../../src/domain/model-message.ts";
import type { Clock, ModelClient } from "../../../src/seams.ts";

/** A clock whose sleeps pass at once and are written down. */
export interface FakeClock extends Clock {
	readonly slept: number[];
}

export function createFakeClock(onSleep: (ms: number) => void = () => undefined): FakeClock {
	const slept: number[] = [];
	let now = Date.UTC(2026, 10, 24);
	return {
		slept,
		now: () => now,
		sleep: async (ms) => {
			slept.push(ms);
			now += ms;
			onSleep(ms);
		},
	};
}

export interface Rig {
	readonly server: LoopbackModel;
	readonly clock: FakeClock;
	readonly client: ModelClient;
	/** One call with the given history (default: a user turn "go"). */
	ask(request?: Partial<ModelRequest>, signal?: AbortSignal): Promise<ModelReply>;
}

export const KEY = "sk-ant-api03-not-a-real-key-0123456789";

/** A loopback model and a client for it, both gone when the test ends. */
export async function openRig(
	loopback: LoopbackOptions = {},
	options: Partial<AnthropicOptions> & { readonly onSleep?: (ms: number) => void } = {},
): Promise<Rig> {
	const server = await startLoopbackModel(loopback);
	onTestFinished(() => server.close());
	const { onSleep, ...rest } = options;
	const clock = createFakeClock(onSleep);
	const client = createAnthropicClient({ apiKey: KEY, baseUrl: server.url, clock, random: () => 0.5, ...rest });
	return {
		server,
		clock,
		client,
		ask: (request = {}, signal = new AbortController().signal) => client.complete(makeRequest(request), signal),
	};
}

export function makeRequest(request: Partial<ModelRequest> = {}): ModelRequest {
	return {
		model: "claude-sonnet-5-5",
		effort: "high",
		maxTokens: 4096,
		system: [{ type: "text", text: "You review code." }],
		tools: [{ name: "grep", description: "Finds text.", inputSchema: { type: "object", properties: { pattern: { type: "string" } } } }],
		messages: [user("go")],
		...request,
	};
}

export function user(...content: (string | ContentBlock)[]): ModelMessage {
	return { role: "user", content: content.map(toBlock) };
}

export function assistant(...content: (string | ContentBlock)[]): ModelMessage {
	return { role: "assistant", content: content.map(toBlock) };
}

export function call(id: string, input: unknown = {}): ContentBlock {
	return { type: "tool-use", id, name: "grep", input };
}

export function result(toolUseId: string, content = "x"): ContentBlock {
	return { type: "tool-result", toolUseId, content };
}

function toBlock(block: string | ContentBlock): ContentBlock {
	return typeof block === "string" ? { type: "text", text: block } : block;
}
