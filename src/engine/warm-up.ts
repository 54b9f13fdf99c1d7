import type { Effort, ModelMessage } from "../domain/model-message.ts";
import type { Tool } from "../seams.ts";
import type { RequestPrefix } from "./request-layout.ts";
import { buildRequest } from "./request-layout.ts";
import { type RunAccount, spendOnce } from "./spend-once.ts";

/** Providers without a prompt cache: there is nothing to warm. */
const WITHOUT_CACHE: ReadonlySet<string> = new Set(["offline", "replay"]);
const SESSION = "warm-up";

export interface WarmUpOptions extends RunAccount {
	readonly modelId: string;
	/** Must be the children's: another effort is another cache (COST.md 4.2). */
	readonly effort: Effort;
	readonly prefix: RequestPrefix;
	readonly tools: readonly Tool[];
	/** How many children will share the prefix. */
	readonly children: number;
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
	const spent = await spendOnce(request, options, { session: SESSION, purpose: "warm-up", use: "child" });
	if (!spent.ok) return { ran: false, why: spent.why };
	const { reply } = spent;
	return { ran: true, ok: reply.stop !== "error" && reply.stop !== "aborted" };
}

/** Only what all children share, so that the entry ends at the shared mark. */
function sharedMessages(prefix: RequestPrefix): readonly ModelMessage[] {
	const pack = prefix.pack.length === 0 ? [{ type: "text" as const, text: "." }] : prefix.pack;
	return [{ role: "user", content: pack.map(({ type, text }) => ({ type, text })) }];
}
