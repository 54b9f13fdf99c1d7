import * as z from "zod";
import type { Tool, ToolOutput } from "../seams.ts";
import { defineTool } from "./define-tool.ts";

const schema = z.strictObject({
	question: z.string().trim().min(5).max(10_000).describe("open question about the repository"),
	paths: z.array(z.string().min(1).max(4_096)).max(200).optional().describe("where to begin"),
});

export type ExploreCall = z.output<typeof schema>;

export interface ExploreToolOptions {
	/** Longer than the child's own limit, which ends first. */
	readonly timeoutMs: number;
	/** Starts the child and waits for it; `callId` is the id of this very call (S-146). */
	ask(call: ExploreCall, signal: AbortSignal, callId: string | undefined): Promise<ToolOutput>;
}

/** Read-only search by a child of its own: only its answer comes back, never the files it read (S-009, S-028). */
export function createExploreTool(options: ExploreToolOptions): Tool {
	const tool = defineTool({
		name: "explore",
		description:
			"Have an open question answered by a read-only search of the repository, with path:line citations. Use it when your context is already large, or when the search is narrow and its intermediate steps are of no use to you. Several calls in one turn run side by side.",
		schema,
		effect: "delegate",
		timeoutMs: options.timeoutMs,
		run: (input, signal) => options.ask(input, signal, undefined),
	});
	return { ...tool, run: (input, signal, call) => options.ask(input as ExploreCall, signal, call?.id) };
}
