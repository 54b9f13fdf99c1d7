import type { WriteResult } from "../../seams.ts";

type Refusal = Extract<WriteResult<never>, { ok: false }>;

/** The parts of an Octokit error that are looked at; anything else is a broken connection. */
interface RequestErrorLike {
	readonly status: number;
	readonly message: string;
	readonly response?: {
		readonly headers?: Readonly<Record<string, string | number | undefined>>;
		readonly data?: unknown;
	};
}

/** From a thrown request error to the seam's refusal; `now` is milliseconds since the epoch. */
export function mapWriteError(error: unknown, now: number): Refusal {
	const request = asRequestError(error);
	if (request === undefined)
		return { ok: false, reason: "uncertain", status: 0, message: shortMessage(String((error as Error)?.message ?? error)) };
	const { status } = request;
	const message = describe(request);
	if (isLimited(request, message)) {
		const retryAfterMs = waitOf(request, now);
		return { ok: false, reason: "limited", status, message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
	}
	// Octokit gives 500 to connections that broke: the write may have happened (BR-45).
	if (status >= 500) return { ok: false, reason: "uncertain", status, message };
	if (status === 401 || status === 403) return { ok: false, reason: "not-permitted", status, message };
	return { ok: false, reason: "refused", status, message };
}

function asRequestError(error: unknown): RequestErrorLike | undefined {
	if (typeof error !== "object" || error === null || !("status" in error) || !("message" in error)) return undefined;
	return typeof error.status === "number" ? (error as RequestErrorLike) : undefined;
}

/** Secondary limits come as 403, 429 and as 422 "submitted too quickly" or code `abuse` (BR-44). */
function isLimited(request: RequestErrorLike, message: string): boolean {
	if (request.status === 429) return true;
	if (request.status === 422) return /submitted too quickly|\babuse\b/i.test(message);
	if (request.status !== 403) return false;
	const headers = request.response?.headers ?? {};
	return (
		headers["retry-after"] !== undefined ||
		headers["x-ratelimit-remaining"] === "0" ||
		/secondary rate|rate limit|abuse detection/i.test(message)
	);
}

/** `retry-after` in seconds, else the reset of a used-up primary limit; a reset in the past says nothing. */
function waitOf(request: RequestErrorLike, now: number): number | undefined {
	const headers = request.response?.headers ?? {};
	const retryAfter = Number(headers["retry-after"]);
	if (Number.isFinite(retryAfter) && retryAfter > 0) return retryAfter * 1_000;
	if (headers["x-ratelimit-remaining"] !== "0") return undefined;
	const reset = Number(headers["x-ratelimit-reset"]) * 1_000;
	return Number.isFinite(reset) && reset > now ? reset - now + 1_000 : undefined;
}

/** GitHub's message with its errors, which are texts or objects; a proxy's page is left out (R17). */
function describe(request: RequestErrorLike): string {
	const data = request.response?.data;
	if (typeof data === "string" || /<html|<!doctype/i.test(request.message)) return `HTTP ${request.status}`;
	if (typeof data !== "object" || data === null) return shortMessage(request.message);
	const main = "message" in data && typeof data.message === "string" ? data.message : request.message;
	const errors = "errors" in data && Array.isArray(data.errors) ? data.errors.map(errorWord) : [];
	return shortMessage([main, ...errors.filter((each) => each !== "" && !main.includes(each))].join(": "));
}

function errorWord(error: unknown): string {
	if (typeof error === "string") return error;
	if (typeof error !== "object" || error === null) return "";
	const fields: Readonly<Record<string, unknown>> = { ...error };
	return [fields["field"], fields["code"], fields["message"]].filter((part) => typeof part === "string").join(" ");
}

function shortMessage(message: string): string {
	const line = message.replace(/\s+/g, " ").trim();
	return line.length > 300 ? `${line.slice(0, 299).toWellFormed()}…` : line;
}
