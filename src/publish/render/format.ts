import { totalTokens, type Usage } from "../../domain/usage.ts";

/** `12.3k`, `1.2M`, `950`: tokens as people read them. */
export function formatTokens(tokens: number): string {
	if (tokens < 1_000) return String(tokens);
	if (tokens < 999_950) return `${(tokens / 1_000).toFixed(1)}k`;
	return `${(tokens / 1_000_000).toFixed(1)}M`;
}

/** `1,234,567`, the same in every locale. */
export function formatCount(value: number): string {
	return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** US dollars with enough digits to be worth reading; `n/a` when the model has no price (S-106). */
export function formatCost(costUsd: number | null): string {
	if (costUsd === null) return "n/a";
	if (costUsd === 0) return "$0";
	if (costUsd < 0.0001) return "<$0.0001";
	return costUsd < 0.1 ? `$${costUsd.toFixed(4)}` : `$${costUsd.toFixed(2)}`;
}

/** `850 ms`, `12.3 s`, `4 min 05 s`. */
export function formatDuration(milliseconds: number): string {
	if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
	if (milliseconds < 59_950) return `${(milliseconds / 1_000).toFixed(1)} s`;
	const seconds = Math.round(milliseconds / 1_000);
	return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
}

/** Share of all input tokens that came from the cache, in whole per cent. */
export function formatCachedShare(usage: Usage): string {
	const input = usage.input + usage.cacheWrite + usage.cacheRead;
	return input === 0 ? "–" : `${Math.round((100 * usage.cacheRead) / input)} %`;
}

/** The exact numbers, so that they can be checked against the journals (S-008). */
export function describeUsage(usage: Usage): string {
	return `${formatCount(totalTokens(usage))} tokens: ${formatCount(usage.input)} input, ${formatCount(usage.cacheWrite)} cache write, ${formatCount(usage.cacheRead)} cache read, ${formatCount(usage.output)} output`;
}

export function plural(number: number, noun: string): string {
	return `${formatCount(number)} ${noun}${number === 1 ? "" : "s"}`;
}

export function shortSha(sha: string): string {
	return sha.slice(0, 7);
}

/** First letter in upper case. */
export function capitalise(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}
