import type { Tool, ToolWorker } from "../../seams.ts";

/**
 * The tools of a child without a process of its own, for runners without a sandbox. Only what reads is run; commands and
 * writes are refused whatever the gate has said: there is no fallback to plain execution (A76).
 * @param options.reason why there is no sandbox, with what would help
 */
export function createLocalWorker(options: { readonly tools: readonly Tool[]; readonly reason: string }): ToolWorker {
	const refuse = async () => ({
		content: `Not run: no sandbox on this runner (${options.reason}).`,
		isError: true as const,
		code: "E_SANDBOX" as const,
	});
	return {
		tools: options.tools.map((tool) => (tool.effect === "execute" || tool.effect === "write" ? { ...tool, run: refuse } : tool)),
		[Symbol.asyncDispose]: async () => undefined,
	};
}
