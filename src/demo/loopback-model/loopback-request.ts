import type { IncomingHttpHeaders } from "node:http";
import { performance } from "node:perf_hooks";
import { costOf } from "../../domain/cost.ts";
import { NO_USAGE, addUsage } from "../../domain/usage.ts";
import type { Usage } from "../../domain/usage.ts";
import type { Fault } from "./fault.ts";
import type { PromptUsage } from "./prompt-cache.ts";
import type { WireRequest } from "./wire-request.ts";

/** One request to `/v1/messages` and what became of it. Times are milliseconds of one monotonic clock. */
export interface LoopbackRequest {
	readonly requestId: string;
	readonly path: string;
	readonly arrivedMs: number;
	bodyMs: number;
	/** NaN until the answer has ended. */
	endMs: number;
	/** Requests that were open when this one came, itself included. */
	readonly inFlight: number;
	/** Keys are replaced by `(present)`. */
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
	bytes: number;
	rawBody: string;
	/** Undefined when the body could not be read. */
	request: WireRequest | undefined;
	/** Name of the script whose marker fits. */
	child: string | undefined;
	/** Assistant messages in the request. */
	turn: number;
	/** Tokens by section, cache marks, and what was read from and written to the cache. */
	prompt: PromptUsage | undefined;
	/** What was reported, thus billed; `NO_USAGE` for a request that was refused or never answered. */
	usage: Usage;
	status: number;
	error: string | undefined;
	fault: Fault | undefined;
	stop: string | undefined;
}

export function openRecord(id: number, path: string, inFlight: number, incoming: IncomingHttpHeaders): LoopbackRequest {
	const { authorization, "x-api-key": key, ...headers } = incoming;
	return {
		requestId: `req_loopback_${id}`,
		path,
		arrivedMs: performance.now(),
		bodyMs: Number.NaN,
		endMs: Number.NaN,
		inFlight,
		headers: {
			...headers,
			...(authorization === undefined ? {} : { authorization: "(present)" }),
			...(key === undefined ? {} : { "x-api-key": "(present)" }),
		},
		bytes: 0,
		rawBody: "",
		request: undefined,
		child: undefined,
		turn: 0,
		prompt: undefined,
		usage: NO_USAGE,
		status: 0,
		error: undefined,
		fault: undefined,
		stop: undefined,
	};
}

/** What all requests together were billed. */
export interface UsageTotals {
	readonly usage: Usage;
	/** List price, request by request; null when a model has none. */
	readonly costUsd: number | null;
	/** Requests that were billed at all. */
	readonly answered: number;
}

export function sumUsage(requests: readonly LoopbackRequest[]): UsageTotals {
	const answered = requests.filter((record) => record.usage !== NO_USAGE);
	const costs = answered.map((record) => costOf(record.request?.model ?? "", record.usage));
	return {
		usage: answered.map((record) => record.usage).reduce(addUsage, NO_USAGE),
		costUsd: costs.reduce<number | null>((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0),
		answered: answered.length,
	};
}
