import type { Effort, ModelMessage } from "../domain/model-message.ts";
import { totalTokens } from "../domain/usage.ts";
import { errorText } from "../domain/errors.ts";
import type { Clock, Journal, ModelClient, Tool } from "../seams.ts";
import type { ChildEnvironment } from "./child-environment.ts";
import { estimateRequest } from "./estimate-tokens.ts";
import type { Ledger } from "./ledger.ts";
import type { RequestPrefix } from "./request-layout.ts";
import { buildRequest } from "./request-layout.ts";
import type { RunBudget } from "./run-budget.ts";
import { completeWithin } from "./spend.ts";

/** Providers without a prompt cache: there is nothing to warm. */
const WITHOUT_CACHE: ReadonlySet<string> = new Set(["offline", "replay"]);
const SESSION = "warm-up";

export interface WarmUpOptions {
	readonly model: ModelClient;
	readonly modelId: string;
	/** Must be the children's: another effort is another cache (COST.md 4.2). */
	readonly effort: Effort;
	readonly prefix: RequestPrefix;
	readonly tools: readonly Tool[];
	/** How many children will share the prefix. */
	readonly children: number;
	readonly budget: RunBudget;
	readonly ledger: Ledger;
	readonly journal: Journal;
	readonly clock: Clock;
	readonly signal: AbortSignal;
	readonly price: ChildEnvironment["price"];
}

export type WarmUp = { readonly ran: true; readonly ok: boolean } | { readonly ran: false; readonly why: string };

/**
 * Writes the shared prefix to the provider's cache before the children start: a cache entry can only be read once
 * the reply to its writer has begun, so children that all start at once would all pay for it (COST.md 4.2). A
 * failure is charged and otherwise ignored: the children then simply pay the full price.
 */
export async function warmUp(options: WarmUpOptions): Promise<WarmUp> {
	if (options.children < 2) return { ran: false, why: "only one child" };
	if (WITHOUT_CACHE.has(options.model.provider)) return { ran: false, why: `${options.model.provider} has no cache` };
	const request = buildRequest({ ...options, model: options.modelId, maxTokens: 0, messages: sharedMessages(options.prefix) });
	const worst = { input: 0, cacheWrite: estimateRequest(request), cacheRead: 0, output: 0 };
	const reserved = options.budget.reserve({ tokens: totalTokens(worst), usd: options.price(options.modelId, worst) ?? 0 });
	if (!reserved.ok) return { ran: false, why: "the budget has no room for it" };

	const { reply } = await completeWithin(options.model, request, options.signal, options.clock);
	const tokens = totalTokens(reply.usage);
	const cost = tokens === 0 ? 0 : options.price(options.modelId, reply.usage);
	reserved.reservation.settle({ tokens, usd: cost ?? 0 });
	try {
		if (tokens > 0) await options.ledger.charge(SESSION, reply.usage, cost);
		options.ledger.settle({ session: SESSION, usage: reply.usage, costUsd: cost });
		await options.journal.append({
			type: "model.call",
			step: 0,
			model: options.modelId,
			usage: reply.usage,
			stop: reply.stop,
			durationMs: reply.durationMs,
			attempts: reply.attempts,
			...(reply.failure === undefined ? {} : { failure: `${reply.failure.kind}: ${reply.failure.message}` }),
			purpose: "warm-up",
		});
	} catch (error) {
		return { ran: false, why: errorText(error) };
	}
	return { ran: true, ok: reply.stop !== "error" && reply.stop !== "aborted" };
}

/** Only what all children share, so that the entry ends at the shared mark. */
function sharedMessages(prefix: RequestPrefix): readonly ModelMessage[] {
	const pack = prefix.pack.length === 0 ? [{ type: "text" as const, text: "." }] : prefix.pack;
	return [{ role: "user", content: pack.map(({ type, text }) => ({ type, text })) }];
}
