import { findModel } from "./model-table.ts";
import type { ModelReply } from "./model-message.ts";
import type { Usage } from "./usage.ts";

export interface CostOptions {
	/** Sent through the batch interface, which costs half (S-106). */
	readonly batch?: boolean;
	/** Lifetime of the cache entries that were written; five minutes unless said otherwise. */
	readonly cacheLifetime?: "5m" | "1h";
}

/**
 * US dollars of one request, or null when the model is not in the price table (S-106: tokens only, no invented sum).
 * The usage must be that of one request: models with a price step charge the whole request at the upper price when its
 * prompt, cache reads and writes included, is above the step (COST.md 4.1). Costs of several requests are added up.
 */
export function costOf(model: string, usage: Usage, options: CostOptions = {}): number | null {
	const entry = findModel(model);
	if (entry === undefined) return null;
	const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
	const price = entry.longPrompt !== undefined && prompt > entry.longPrompt.aboveTokens ? entry.longPrompt.price : entry.price;
	const writePrice = options.cacheLifetime === "1h" ? price.cacheWrite1h : price.cacheWrite5m;
	const sum = usage.input * price.input + usage.cacheRead * price.cacheRead + usage.cacheWrite * writePrice + usage.output * price.output;
	return (sum * (options.batch === true ? entry.batchFactor : 1)) / 1_000_000;
}

/** US dollars of a reply with all its attempts, each at its own price; null when the model is unknown. */
export function costOfReply(reply: Pick<ModelReply, "model" | "usage" | "billed">, options: CostOptions = {}): number | null {
	const costs = (reply.billed ?? [reply.usage]).map((usage) => costOf(reply.model, usage, options));
	return costs.reduce<number | null>((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
}
