import type { ReasonCode } from "../../domain/errors.ts";

/** How a command ended. */
export interface CommandEnd {
	readonly exitCode: number | null;
	readonly signal: string | null;
	/** Set when we ended it, and why. */
	readonly stopped?: "timed out" | "cancelled" | "killed" | LimitName;
	readonly durationMs: number;
}

export type LimitName = "output limit" | "process limit" | "memory limit";

export interface ExplainedEnd {
	readonly note: string;
	readonly code?: ReasonCode;
	readonly isError: boolean;
}

/** What programs say when there is no network, with the host they wanted. */
const NETWORK_WORDS: readonly RegExp[] = [
	/Could not resolve host(?:name)?:? '?([\w.:-]+)/i,
	/getaddrinfo (?:ENOTFOUND|EAI_AGAIN) ([\w.:-]+)/i,
	/(?:lookup|resolve host address|Name or service not known.*) [‘'"]?([\w.-]+\.[\w.-]+)/i,
	/Failed to connect to ([\w.:-]+)/i,
	/connect (?:ECONNREFUSED|ENETUNREACH) ([\w.:-]+)/i,
	/(?:Temporary failure in name resolution|Network is unreachable|Name or service not known)/i,
];

const LIMIT_WORDS =
	/File size limit exceeded|File too large|Cannot allocate memory|Failed to allocate|out of memory|MemoryError|OutOfMemoryError|std::bad_alloc|Resource temporarily unavailable|No space left on device|unable to create (?:native )?thread/i;

/** Says how a command ended and, when it failed at a wall of the sandbox, at which (E_NET, E_LIMIT). */
export function explainEnd(end: CommandEnd, output: string): ExplainedEnd {
	const seconds = `${Math.round(end.durationMs / 100) / 10} s`;
	if (end.stopped !== undefined) {
		const isLimit = end.stopped.endsWith("limit");
		return {
			note: `[${isLimit ? `ended at its ${end.stopped} (E_LIMIT)` : end.stopped} after ${seconds}]`,
			...(isLimit ? { code: "E_LIMIT" } : {}),
			isError: true,
		};
	}
	const how = end.signal === null ? `exit code ${end.exitCode ?? "unknown"}` : `ended by ${end.signal}`;
	if (end.exitCode === 0) return { note: `[${how}, ${seconds}]`, isError: false };
	const words = output.slice(-8_000);
	for (const pattern of NETWORK_WORDS) {
		const found = pattern.exec(words);
		if (found === null) continue;
		const host = found[1] === undefined ? "" : ` to ${found[1].replace(/[.:]+$/, "")}`;
		return {
			note: `[${how}, ${seconds}; the command tried to connect${host}, and there is no network here (E_NET)]`,
			code: "E_NET",
			isError: false,
		};
	}
	if (end.signal === "SIGXFSZ" || LIMIT_WORDS.test(words)) {
		return { note: `[${how}, ${seconds}; a limit of the sandbox was reached (E_LIMIT)]`, code: "E_LIMIT", isError: false };
	}
	return { note: `[${how}, ${seconds}]`, isError: false };
}
