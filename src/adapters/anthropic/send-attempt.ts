import type Anthropic from "@anthropic-ai/sdk";
import type { Usage } from "../../domain/usage.ts";
import { classifyFailure, makeFailure } from "./classify-failure.ts";
import type { ClassifiedFailure } from "./classify-failure.ts";
import { loadSdk, openSdkClient } from "./open-sdk-client.ts";
import { createReplyReader, readWholeMessage } from "./read-reply.ts";
import type { ReadReply } from "./read-reply.ts";
import { startWatchdog } from "./start-watchdog.ts";

export interface AttemptOptions {
	readonly apiKey: string;
	readonly baseUrl: string;
	readonly fetch: typeof globalThis.fetch;
	readonly idleTimeoutMs: number;
	readonly now: () => number;
}

/** What one request came to. `usage` is what it was billed as far as we know, failed or not. */
export type AttemptOutcome =
	| { readonly kind: "reply"; readonly reply: ReadReply; readonly usage: Usage | undefined; readonly requestId?: string }
	| ({ readonly kind: "failure"; readonly usage: Usage | undefined } & ClassifiedFailure)
	| { readonly kind: "aborted"; readonly usage: Usage | undefined };

export type RequestBody = Omit<Anthropic.MessageCreateParamsNonStreaming, "stream">;

/** Sends one request and reads all of its answer; never rejects. An answer that is not whole is a failure (BR-74, R05 to R08). */
export async function sendAttempt(body: RequestBody, options: AttemptOptions, signal: AbortSignal): Promise<AttemptOutcome> {
	const sdk = await loadSdk();
	const watchdog = startWatchdog(options.idleTimeoutMs, signal);
	const reader = createReplyReader();
	let requestId: string | undefined;
	let whole: ReadReply | undefined;
	let thrown: unknown;
	try {
		const client = openSdkClient(sdk, { ...options, timeoutMs: options.idleTimeoutMs * 2, onBytes: watchdog.touch });
		const settings = { signal: watchdog.signal, maxRetries: 0, timeout: options.idleTimeoutMs * 2 };
		if (body.max_tokens === 0) {
			// The warm-up: only a request that is not streamed may ask for no output.
			const answer = await client.messages.create({ ...body, stream: false }, settings).withResponse();
			requestId = answer.request_id ?? undefined;
			whole = readWholeMessage(answer.data);
		} else {
			const answer = await client.messages.create({ ...body, stream: true }, settings).withResponse();
			requestId = answer.request_id ?? undefined;
			for await (const event of answer.data) reader.add(event);
		}
	} catch (error) {
		thrown = error;
	} finally {
		watchdog.stop();
	}
	const reply = whole ?? reader.read();
	const { usage } = reply;
	const id = requestId === undefined ? {} : { requestId };
	if (reply.complete) return { kind: "reply", reply, usage, ...id };
	if (signal.aborted) return { kind: "aborted", usage };
	const secret = options.apiKey;
	if (watchdog.stalled) return { kind: "failure", usage, failure: makeFailure("stalled", { secret }), retry: true, ...id };
	if (thrown !== undefined) return { kind: "failure", usage, ...id, ...classifyFailure(thrown, { now: options.now(), secret }) };
	const failure = makeFailure("connection", { detail: "the answer ended before it was complete", secret });
	return { kind: "failure", usage, failure, retry: true, ...id };
}
