import type { ModelReply, ModelRequest } from "../domain/model-message.ts";
import type { JournalEvent } from "../domain/journal-entry.ts";
import { errorText } from "../domain/errors.ts";
import { totalTokens } from "../domain/usage.ts";
import type { Clock, Journal, ModelClient } from "../seams.ts";
import type { ChildEnvironment } from "./child-environment.ts";
import { estimateRequest } from "./estimate-tokens.ts";
import type { Ledger } from "./ledger.ts";
import type { RunBudget } from "./run-budget.ts";
import { completeWithin } from "./spend.ts";

/** What a single call of the run itself, outside any child, is paid from and recorded in. */
export interface RunAccount {
	readonly model: ModelClient;
	readonly budget: RunBudget;
	readonly ledger: Ledger;
	readonly journal: Journal;
	readonly clock: Clock;
	readonly signal: AbortSignal;
	readonly price: ChildEnvironment["price"];
}

export type SpentOnce = { readonly ok: true; readonly reply: ModelReply } | { readonly ok: false; readonly why: string };

/**
 * One call of the run itself: reserved at its worst price, charged as it was billed, recorded in the run's journal. No
 * room in the budget and a journal that cannot be written are values; a failed call is a reply, and costs what it cost.
 * @param use what the call is for: `final` may draw on what is kept for the end of a run
 */
export async function spendOnce(
	request: ModelRequest,
	account: RunAccount,
	call: {
		readonly session: string;
		readonly purpose: Extract<JournalEvent, { type: "model.call" }>["purpose"];
		readonly use: "child" | "final";
	},
): Promise<SpentOnce> {
	const { budget, ledger, journal, price } = account;
	const worst = { input: 0, cacheWrite: estimateRequest(request), cacheRead: 0, output: request.maxTokens };
	const reserved = budget.reserve({ tokens: totalTokens(worst), usd: price(request.model, worst) ?? 0 }, call.use);
	if (!reserved.ok) return { ok: false, why: "the budget has no room for it" };
	const { reply } = await completeWithin(account.model, { ...request, session: call.session }, account.signal, account.clock);
	const tokens = totalTokens(reply.usage);
	const cost = tokens === 0 ? 0 : price(request.model, reply.usage);
	reserved.reservation.settle({ tokens, usd: cost ?? 0 });
	try {
		if (tokens > 0) await ledger.charge(call.session, reply.usage, cost);
		ledger.settle({ session: call.session, usage: reply.usage, costUsd: cost });
		await journal.append({
			type: "model.call",
			step: 0,
			model: request.model,
			usage: reply.usage,
			stop: reply.stop,
			durationMs: reply.durationMs,
			attempts: reply.attempts,
			...(reply.failure === undefined ? {} : { failure: `${reply.failure.kind}: ${reply.failure.message}` }),
			purpose: call.purpose,
		});
	} catch (error) {
		return { ok: false, why: errorText(error) };
	}
	return { ok: true, reply };
}
