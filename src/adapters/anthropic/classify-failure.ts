import { cutText } from "../../domain/cut-text.ts";
import type { ModelFailure } from "../../domain/model-message.ts";
import { isRecord } from "./well-formed.ts";

/** A failed attempt: what to tell, and whether another one makes sense. */
export interface ClassifiedFailure {
	readonly failure: ModelFailure;
	readonly retry: boolean;
	/** The provider's own wish, in milliseconds from now. */
	readonly retryAfterMs?: number;
	readonly requestId?: string;
}

type Kind = ModelFailure["kind"];

/** What is looked at of an error of the SDK; it is not told by its class, so that the SDK can stay unloaded here. */
interface ErrorFacts {
	readonly status: number | undefined;
	/** `overloaded_error` and the like; from the body or from the stream's error event. */
	readonly type: string;
	/** The provider's sentence; empty for a body that is not the API's (HTML of a proxy). */
	readonly text: string;
	readonly errorCode: string;
	readonly headers: Headers | undefined;
}

const FATAL: ReadonlySet<Kind> = new Set(["credit", "authentication", "permission"]);
const RETRIED: ReadonlySet<Kind> = new Set(["rate-limited", "overloaded", "server", "connection", "stalled"]);

const CREDIT_TEXT = /credit balance|spend(ing)? limit|usage limits?\b.*(reached|exceeded)|billing/i;
const CREDIT_CODE = /spend_limit|billing|on_hold/;
const TOO_LONG_TEXT = /prompt is too long|exceeds? (the )?(maximum )?context|context (window|limit)|too many tokens/i;

const WORDS: Readonly<Record<Kind, string>> = {
	"rate-limited": "the model provider limits the rate",
	overloaded: "the model provider is overloaded",
	server: "the model provider failed",
	connection: "the connection to the model provider broke",
	stalled: "the model provider sent nothing for too long",
	"too-long": "the request is too long for the model",
	credit: "the account with the model provider has no credit left",
	authentication: "the model provider does not accept the API key",
	permission: "the API key may not do this",
	"not-found": "the model is not known to the provider",
	"invalid-request": "the model provider refused the request",
	deadline: "the time for this call was over",
};

/**
 * Names whatever an attempt threw (BR-74, BR-76). `now` is needed for a `retry-after` that is a date. The message is one
 * line without HTML and without `secret`.
 */
export function classifyFailure(error: unknown, context: { readonly now: number; readonly secret: string }): ClassifiedFailure {
	const facts = readError(error);
	const kind = kindOf(facts);
	const detail = facts.status === undefined && facts.type === "" ? causeCode(error) : facts.text;
	const retryAfterMs = readRetryAfter(facts.headers, context.now);
	const requestId = facts.headers?.get("request-id") ?? undefined;
	return {
		failure: makeFailure(kind, { status: facts.status, detail, secret: context.secret }),
		retry: RETRIED.has(kind) && facts.headers?.get("x-should-retry") !== "false",
		...(retryAfterMs === undefined ? {} : { retryAfterMs }),
		...(requestId === undefined ? {} : { requestId }),
	};
}

/** A failure of a kind, with its words. */
export function makeFailure(
	kind: Kind,
	options: { readonly status?: number | undefined; readonly detail?: string; readonly secret: string },
): ModelFailure {
	const status = options.status === undefined ? "" : ` (HTTP ${options.status})`;
	const detail = toOneLine(options.detail ?? "", options.secret);
	return {
		kind,
		message: `${WORDS[kind]}${status}${detail === "" ? "" : `: ${detail}`}`,
		fatal: FATAL.has(kind),
		...(options.status === undefined ? {} : { status: options.status }),
	};
}

function kindOf(facts: ErrorFacts): Kind {
	if (CREDIT_CODE.test(facts.errorCode) || facts.type === "billing_error" || facts.status === 402) return "credit";
	if ([400, 403, 429].includes(facts.status ?? 400) && CREDIT_TEXT.test(facts.text)) return "credit";
	if (facts.status === undefined) return kindOfEvent(facts.type, facts.text);
	if (facts.status === 400 && TOO_LONG_TEXT.test(facts.text)) return "too-long";
	if (facts.status === 529) return "overloaded";
	if (facts.status >= 500) return "server";
	switch (facts.status) {
		case 401:
			return "authentication";
		case 403:
			return "permission";
		case 404:
			return "not-found";
		case 408:
			return "connection";
		case 413:
			return "too-long";
		case 429:
			return "rate-limited";
		default:
			return "invalid-request";
	}
}

/** An error event in an open stream has a type and no status; what has neither is a broken connection. */
function kindOfEvent(type: string, text: string): Kind {
	switch (type) {
		case "":
			return "connection";
		case "overloaded_error":
			return "overloaded";
		case "rate_limit_error":
			return "rate-limited";
		case "authentication_error":
			return "authentication";
		case "permission_error":
			return "permission";
		case "not_found_error":
			return "not-found";
		case "request_too_large":
			return "too-long";
		case "invalid_request_error":
			return TOO_LONG_TEXT.test(text) ? "too-long" : "invalid-request";
		default:
			return "server";
	}
}

function readError(error: unknown): ErrorFacts {
	const fields = (isRecord(error) ? error : {}) as Record<string, unknown>;
	const body = isRecord(fields["error"]) ? fields["error"] : {};
	const inner = isRecord(body["error"]) ? body["error"] : {};
	const details = isRecord(inner["details"]) ? inner["details"] : {};
	return {
		status: typeof fields["status"] === "number" ? fields["status"] : undefined,
		type: firstText(inner["type"], fields["type"]),
		text: firstText(inner["message"]),
		errorCode: firstText(details["error_code"]),
		headers: fields["headers"] instanceof Headers ? fields["headers"] : undefined,
	};
}

/** `ECONNREFUSED` and the like from the chain of causes. Messages of it may hold addresses, so only the code is taken. */
function causeCode(error: unknown): string {
	for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth++) {
		const code = (cause as { code?: unknown }).code;
		if (typeof code === "string") return code;
	}
	return "";
}

/** Seconds or a date, as HTTP has it; `retry-after-ms` comes first. Undefined when absent or not understood. */
function readRetryAfter(headers: Headers | undefined, now: number): number | undefined {
	const milliseconds = Number.parseFloat(headers?.get("retry-after-ms") ?? "");
	if (milliseconds >= 0) return milliseconds;
	const value = headers?.get("retry-after")?.trim() ?? "";
	if (value === "") return undefined;
	const wait = /^[\d.]+$/.test(value) ? Number.parseFloat(value) * 1000 : Date.parse(value) - now;
	return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}

function toOneLine(text: string, secret: string): string {
	if (/<(!doctype|html|head|body)\b/i.test(text)) return "";
	const masked = (secret === "" ? text : text.replaceAll(secret, "***")).replace(/\bsk-[A-Za-z0-9_-]{8,}/g, "***");
	return cutText(
		masked
			.toWellFormed()
			.replace(/[\p{Cc}\s]+/gu, " ")
			.trim(),
		300,
	);
}

function firstText(...values: readonly unknown[]): string {
	return values.find((value): value is string => typeof value === "string") ?? "";
}
