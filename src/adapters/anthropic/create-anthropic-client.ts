import { UserError } from "../../domain/errors.ts";
import type { ModelFailure, ModelReply, ModelRequest } from "../../domain/model-message.ts";
import { NO_USAGE, addUsage } from "../../domain/usage.ts";
import type { Usage } from "../../domain/usage.ts";
import type { Clock, ModelClient } from "../../seams.ts";
import { makeFailure } from "./classify-failure.ts";
import { planRetry } from "./plan-retry.ts";
import type { RetryLimits } from "./plan-retry.ts";
import type { ReadReply } from "./read-reply.ts";
import { sendAttempt } from "./send-attempt.ts";
import type { AttemptOptions } from "./send-attempt.ts";
import { toWireRequest } from "./to-wire.ts";

export interface AnthropicOptions {
	readonly apiKey: string;
	/** Any address that speaks the Messages API; without `/v1`. */
	readonly baseUrl?: string;
	readonly fetch?: typeof globalThis.fetch;
	readonly clock: Clock;
	/** Longest silence on a connection. */
	readonly idleTimeoutMs?: number;
	/** Requests a call may need, the first one included. */
	readonly maxAttempts?: number;
	/** Longest `retry-after` that is waited for. */
	readonly maxRetryWaitMs?: number;
	/** 0 to 1, for the jitter of retries. */
	readonly random?: () => number;
}

const DEFAULT_BASE_URL = "https://api.anthropic.com";

interface Progress {
	readonly model: string;
	readonly startedAt: number;
	/** A request for no output; an answer to it, always "cut" at once, is all it wants. */
	readonly warmUp: boolean;
	/** Usage of each request that was billed. */
	readonly billed: Usage[];
	attempts: number;
	requestId: string | undefined;
}

interface Session {
	readonly attempt: AttemptOptions;
	readonly limits: RetryLimits;
	readonly clock: Clock;
	readonly random: () => number;
}

/**
 * A client of the Messages API. `complete` never rejects for what the provider does: it tries again within its limits, throws
 * half turns away while counting what they cost, and then says why it failed. Environment variables have no effect.
 * Throws a UserError when the key cannot be a key or the address cannot be one.
 */
export function createAnthropicClient(options: AnthropicOptions): ModelClient {
	const { clock } = options;
	const session: Session = {
		clock,
		random: options.random ?? Math.random,
		limits: { maxAttempts: options.maxAttempts ?? 4, maxRetryWaitMs: options.maxRetryWaitMs ?? 60_000 },
		attempt: {
			apiKey: checkKey(options.apiKey),
			baseUrl: checkBaseUrl(options.baseUrl ?? DEFAULT_BASE_URL),
			fetch: options.fetch ?? globalThis.fetch,
			idleTimeoutMs: options.idleTimeoutMs ?? 60_000,
			now: () => clock.now(),
		},
	};
	return { provider: "anthropic", complete: (request, signal) => complete(session, request, signal) };
}

async function complete(session: Session, request: ModelRequest, signal: AbortSignal): Promise<ModelReply> {
	const { clock, limits } = session;
	const body = toWireRequest(request);
	const progress: Progress = {
		model: body.model,
		warmUp: request.maxTokens === 0,
		startedAt: clock.now(),
		billed: [],
		attempts: 0,
		requestId: undefined,
	};
	let last: ModelFailure | undefined;
	while (!signal.aborted) {
		progress.attempts++;
		const outcome = await sendAttempt(body, session.attempt, signal);
		if (outcome.usage !== undefined) progress.billed.push(outcome.usage);
		if (outcome.kind === "aborted") break;
		progress.requestId = outcome.requestId ?? progress.requestId;
		if (outcome.kind === "reply") return succeed(session, progress, outcome.reply);
		last = outcome.failure;
		const waitMs = planRetry(progress.attempts, outcome, limits, session.random);
		if (waitMs === undefined)
			return fail(session, progress, "error", withAttempts(outcome.failure, progress.attempts, outcome.retryAfterMs));
		await clock.sleep(waitMs, signal);
	}
	const detail = last === undefined ? "" : `before it, ${last.message}`;
	return fail(session, progress, "aborted", makeFailure("deadline", { detail, secret: session.attempt.apiKey }));
}

function succeed(session: Session, progress: Progress, reply: ReadReply): ModelReply {
	const stop = progress.warmUp ? "end-turn" : reply.stop;
	const detail = `it stopped for an unknown reason "${reply.stopReason}"`;
	return {
		...summary(session, progress),
		stop,
		content: reply.content,
		model: reply.model ?? progress.model,
		...(stop === "unknown" ? { failure: makeFailure("server", { detail, secret: session.attempt.apiKey }) } : {}),
	};
}

function fail(session: Session, progress: Progress, stop: "error" | "aborted", failure: ModelFailure): ModelReply {
	return { ...summary(session, progress), stop, content: [], model: progress.model, failure };
}

function summary(session: Session, progress: Progress): Pick<ModelReply, "usage" | "billed" | "attempts" | "durationMs" | "requestId"> {
	return {
		usage: progress.billed.reduce(addUsage, NO_USAGE),
		...(progress.billed.length > 1 ? { billed: progress.billed } : {}),
		attempts: progress.attempts,
		durationMs: session.clock.now() - progress.startedAt,
		...(progress.requestId === undefined ? {} : { requestId: progress.requestId }),
	};
}

function withAttempts(failure: ModelFailure, attempts: number, retryAfterMs: number | undefined): ModelFailure {
	const tries = attempts > 1 ? `, after ${attempts} tries` : "";
	const wish = retryAfterMs === undefined ? "" : `, it asks for ${Math.ceil(retryAfterMs / 1000)} s of waiting`;
	return { ...failure, message: `${failure.message}${tries}${wish}` };
}

function checkKey(key: string): string {
	const trimmed = key.trim();
	if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
	const found = trimmed === "" ? "it is empty" : "it has blanks, line breaks or other characters that no key has";
	throw new UserError(`API key of the model provider: ${found}, wanted the key alone`);
}

function checkBaseUrl(text: string): string {
	const url = URL.canParse(text) ? new URL(text) : null;
	if (url !== null && ["http:", "https:"].includes(url.protocol) && url.username === "" && url.password === "") {
		return text.replace(/\/+$/, "");
	}
	throw new UserError(
		"base URL of the model provider: not an http or https address without a user name, wanted for example https://api.anthropic.com",
	);
}
