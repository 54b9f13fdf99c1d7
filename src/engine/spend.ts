import type { ModelReply, ModelRequest } from "../domain/model-message.ts";
import type { Usage } from "../domain/usage.ts";
import { addUsage, NO_USAGE, totalTokens } from "../domain/usage.ts";
import { errorText } from "../domain/errors.ts";
import type { Clock, ModelClient } from "../seams.ts";
import type { ChildState } from "./child-state.ts";
import { measuredPrompt } from "./child-state.ts";
import { estimateRequest } from "./estimate-tokens.ts";
import { addCost } from "./ledger.ts";
import type { Limit, SpendFacts } from "./stop-conditions.ts";
import { findStop } from "./stop-conditions.ts";

/** How long a client may take to say what an aborted call has cost. */
const ABORT_GRACE_MS = 250;

export type Spend =
	| { readonly kind: "reply"; readonly reply: ModelReply }
	| { readonly kind: "limit"; readonly limit: Limit; readonly detail: string };

type Purpose = SpendFacts["purpose"];

/**
 * The only place where a child spends: limits first, then a reservation in the run's budget, the call, and the
 * charge, which a failed call pays as well (principle 11 of the style guide, S-078 to S-089).
 */
export async function spend(state: ChildState, purpose: Purpose, request: ModelRequest): Promise<Spend> {
	const { environment } = state;
	const facts = gatherFacts(state, purpose, request);
	const stop = findStop(facts);
	if (stop !== undefined) return { kind: "limit", limit: stop, detail: describeLimit(stop, facts) };

	const prompt = Math.max(facts.lastContextTokens, facts.conversationTokens);
	const worst: Usage = { input: 0, cacheWrite: prompt, cacheRead: 0, output: facts.outputTokens };
	const amount = { tokens: totalTokens(worst), usd: environment.price(environment.modelId, worst) ?? 0 };
	// A step may wait for calls of siblings to settle; an extra call never does (S-084).
	const use = environment.budgetUse ?? "child";
	const reserved =
		purpose === "step" ? await environment.budget.reserveWhenFree(amount, state.hardSignal, use) : environment.budget.reserve(amount, use);
	if (!reserved.ok) {
		if (state.hardSignal.aborted) return { kind: "reply", reply: abortedReply(request) };
		const what = reserved.by === "tokens" ? "token budget" : "cost budget";
		return { kind: "limit", limit: "token_budget", detail: `the ${what} of the run has no room for another call` };
	}

	const completed = await completeWithin(
		environment.model,
		{ ...request, session: environment.session },
		state.hardSignal,
		environment.clock,
	);
	// Nobody can say what an abandoned call has cost: the allowance keeps the reservation, the usage counts nothing.
	if (completed.abandoned) reserved.reservation.settle(amount);
	const reply = completed.reply;
	const cost = costOf(state, reply);
	reserved.reservation.settle({ tokens: totalTokens(reply.usage), usd: cost ?? 0 });
	await recordCall(state, purpose, reply, cost);
	return { kind: "reply", reply };
}

function gatherFacts(state: ChildState, purpose: Purpose, request: ModelRequest): SpendFacts {
	const { limits } = state.assignment;
	return {
		purpose,
		steps: state.steps,
		maxSteps: limits.maxSteps,
		usedTokens: totalTokens(state.usage),
		lastContextTokens: purpose === "step" ? measuredPrompt(state) : state.contextTokens,
		conversationTokens: estimateRequest(request),
		outputTokens: request.maxTokens,
		tokenBudget: limits.tokenBudget,
		elapsedMs: state.environment.clock.now() - state.startedAt,
		timeoutMs: limits.timeoutMs,
		signatures: state.signatures,
	};
}

function describeLimit(limit: Limit, facts: Pick<SpendFacts, "maxSteps" | "tokenBudget" | "timeoutMs">): string {
	switch (limit) {
		case "max_steps":
			return `the step limit of ${facts.maxSteps} is reached`;
		case "token_budget":
			return `the token budget of ${facts.tokenBudget} has no room for another call`;
		case "timeout":
			return `the time limit of ${Math.round(facts.timeoutMs / 1000)} s is reached`;
		case "repeated_calls":
			return "the same tool call was made three times in a row";
		case "context_overflow":
			return "the conversation no longer fits the model's context";
	}
}

/** Everything billed for a reply, each request at its own price (S-106). */
function costOf(state: ChildState, reply: ModelReply): number | null {
	const model = reply.model === "" ? state.environment.modelId : reply.model;
	return (reply.billed ?? [reply.usage]).reduce<number | null>((sum, usage) => addCost(sum, state.environment.price(model, usage)), 0);
}

async function recordCall(state: ChildState, purpose: Purpose, reply: ModelReply, cost: number | null): Promise<void> {
	const { environment } = state;
	const failed = reply.stop === "error" || reply.stop === "aborted";
	const tokens = totalTokens(reply.usage);
	state.usage = addUsage(state.usage, reply.usage);
	if (tokens > 0) state.costUsd = addCost(state.costUsd, cost);
	if (tokens > 0 && !failed && purpose !== "compaction") state.contextTokens = tokens;
	if (!failed && reply.model !== "") state.model = reply.model;
	if (!failed || tokens > 0) await environment.ledger.charge(environment.session, reply.usage, tokens > 0 ? cost : 0);
	await environment.journal.append({
		type: "model.call",
		step: state.steps + 1,
		model: reply.model === "" ? environment.modelId : reply.model,
		usage: reply.usage,
		stop: reply.stop,
		durationMs: reply.durationMs,
		attempts: reply.attempts,
		...(reply.failure === undefined ? {} : { failure: `${reply.failure.kind}: ${reply.failure.message}` }),
		purpose,
	});
}

/** What stands for a call that was never made. */
function abortedReply(request: ModelRequest): ModelReply {
	return { stop: "aborted", content: [], usage: NO_USAGE, model: request.model, attempts: 0, durationMs: 0 };
}

/** A model call that ends when the signal says so, whatever the client does; a client that throws is a failed reply. */
export async function completeWithin(
	model: ModelClient,
	request: ModelRequest,
	signal: AbortSignal,
	clock: Clock,
): Promise<{ readonly reply: ModelReply; readonly abandoned: boolean }> {
	const startedAt = clock.now();
	const base = { content: [], usage: NO_USAGE, model: request.model, attempts: 1 };
	if (signal.aborted) return { reply: abortedReply(request), abandoned: false };
	const finished = new AbortController();
	const call = complete();
	const given = clock.sleep(0x7fff_ffff, AbortSignal.any([signal, finished.signal])).then(async () => {
		await clock.sleep(ABORT_GRACE_MS, finished.signal);
		const reply: ModelReply = { ...base, stop: "aborted", durationMs: clock.now() - startedAt };
		return { reply, abandoned: true };
	});
	const result = await Promise.race([call, given]);
	finished.abort();
	return result;

	async function complete(): Promise<{ readonly reply: ModelReply; readonly abandoned: boolean }> {
		try {
			return { reply: await model.complete(request, signal), abandoned: false };
		} catch (error) {
			const failure = { kind: "server" as const, message: errorText(error), fatal: false };
			return {
				reply: { ...base, stop: signal.aborted ? "aborted" : "error", durationMs: clock.now() - startedAt, failure },
				abandoned: false,
			};
		}
	}
}
