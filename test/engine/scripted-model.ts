import type { ContentBlock, ModelFailure, ModelReply, ModelRequest, ReplyStop } from "../../src/domain/model-message.ts";
import type { Usage } from "../../src/domain/usage.ts";
import type { ModelClient } from "../../src/seams.ts";

export type ScriptStep = ModelReply | ((request: ModelRequest, signal: AbortSignal) => ModelReply | Promise<ModelReply>);

export interface ScriptedModel extends ModelClient {
	/** Requests as they came in. */
	readonly requests: ModelRequest[];
}

/** A model that answers from a list; a request too many fails the test with a failed reply. The last entry may repeat. */
export function scriptModel(
	steps: readonly ScriptStep[],
	options: { readonly repeatLast?: boolean; readonly provider?: string } = {},
): ScriptedModel {
	const requests: ModelRequest[] = [];
	return {
		provider: options.provider ?? "scripted",
		requests,
		async complete(request, signal) {
			requests.push(request);
			const step = steps[requests.length - 1] ?? (options.repeatLast === true ? steps.at(-1) : undefined);
			if (step === undefined) return failed("invalid-request", "the script has no more replies");
			return typeof step === "function" ? step(request, signal) : step;
		},
	};
}

export const USAGE: Usage = { input: 100, cacheWrite: 0, cacheRead: 0, output: 10 };

export function reply(stop: ReplyStop, content: readonly ContentBlock[], usage: Usage = USAGE): ModelReply {
	return { stop, content, usage, model: "claude-sonnet-5-5", attempts: 1, durationMs: 1 };
}

export function answer(text: string, usage?: Usage): ModelReply {
	return reply("end-turn", [{ type: "text", text }], usage);
}

let callNumber = 0;

/** A reply that asks for tools; ids are unique in the test process. */
export function asks(
	calls: readonly { readonly tool: string; readonly input?: unknown; readonly id?: string; readonly invalidInput?: string }[],
	options: { readonly text?: string; readonly usage?: Usage; readonly stop?: ReplyStop } = {},
): ModelReply {
	const content: ContentBlock[] = options.text === undefined ? [] : [{ type: "text", text: options.text }];
	for (const call of calls) {
		callNumber += 1;
		const invalid = call.invalidInput === undefined ? {} : { invalidInput: call.invalidInput };
		content.push({ type: "tool-use", id: call.id ?? `call_${callNumber}`, name: call.tool, input: call.input ?? {}, ...invalid });
	}
	return reply(options.stop ?? "tool-use", content, options.usage);
}

export function failed(
	kind: ModelFailure["kind"],
	message: string,
	usage: Usage = { input: 0, cacheWrite: 0, cacheRead: 0, output: 0 },
): ModelReply {
	const fatal = kind === "credit" || kind === "authentication" || kind === "permission";
	return { ...reply("error", [], usage), failure: { kind, message, fatal } };
}

/** Never answers; says aborted when the signal says so, like a real client. */
export function hangs(_request: ModelRequest, signal: AbortSignal): Promise<ModelReply> {
	return new Promise((resolve) => {
		const end = () => resolve({ ...reply("aborted", []), usage: { input: 0, cacheWrite: 0, cacheRead: 0, output: 0 } });
		if (signal.aborted) end();
		signal.addEventListener("abort", end, { once: true });
	});
}
