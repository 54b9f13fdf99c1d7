import * as z from "zod";
import type { Tool, ToolOutput } from "../seams.ts";
import { defineTool } from "./define-tool.ts";

/** What a model asks for with `delegate_expert` (S-016). */
export interface ExpertCall {
	/** Id of a language, or `auto`. */
	readonly language: string;
	readonly task: string;
	readonly files?: readonly string[] | undefined;
}

export interface DelegateExpertOptions {
	/** Ids of the languages there are; `auto` is added. */
	readonly languages: readonly string[];
	readonly timeoutMs: number;
	ask(call: ExpertCall, signal: AbortSignal, callId: string | undefined): Promise<ToolOutput>;
}

/** Hands a task to the specialist of a language. Unknown languages, short tasks and further keys are error results. */
export function createDelegateExpertTool(options: DelegateExpertOptions): Tool {
	const schema = z.strictObject({
		language: z.enum(["auto", ...options.languages]),
		task: z.string().trim().min(10).max(50_000).describe("bounded, self-contained task"),
		files: z.array(z.string().min(1).max(4_096)).max(200).optional(),
	});
	const tool = defineTool({
		name: "delegate_expert",
		description:
			"Have the specialist of a language carry out a task; auto chooses by files, then by names in the task. Use it when your context is already large, or when the task is narrow and its intermediate steps are of no use to you.",
		schema,
		effect: "delegate",
		timeoutMs: options.timeoutMs,
		run: (input, signal) => options.ask(input, signal, undefined),
	});
	return { ...tool, run: (input, signal, call) => options.ask(input as ExpertCall, signal, call?.id) };
}
