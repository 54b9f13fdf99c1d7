import type { AgentDefinition, ToolName } from "../domain/agent.ts";
import type { ReasonCode } from "../domain/errors.ts";
import { toolFamily } from "./tool-names.ts";

/** The one set from which prompt text, catalogue and request are made (S-068). */
export interface GrantedTools {
	readonly tools: readonly ToolName[];
	/** Restrictions that go with them, for the permission check. */
	readonly patterns: Readonly<Partial<Record<ToolName, readonly string[]>>>;
	readonly deniedPatterns: Readonly<Partial<Record<ToolName, readonly string[]>>>;
	/** What the agent asked for and does not get, for the plan table (A35, A36). */
	readonly withheld: readonly { readonly tool: ToolName; readonly code: ReasonCode; readonly reason: string }[];
}

/**
 * The caller's set, filtered by the agent's allow list and then by its deny list; never wider than the caller,
 * whose set is already cut by tier and policy (S-068, A36). Keeps the caller's order, so that siblings share it.
 */
export function resolveAgentTools(agent: AgentDefinition, caller: readonly ToolName[]): GrantedTools {
	const denied = new Set(agent.disallowedTools.flatMap(toolFamily));
	const wanted = new Set(agent.tools.filter((tool) => !denied.has(tool)));
	const tools = caller.filter((tool) => wanted.has(tool));
	const withheld = [...wanted]
		.filter((tool) => !caller.includes(tool))
		.map((tool) => ({
			tool,
			code: "E_POLICY" as const,
			reason: `agent ${agent.name} asks for ${tool}, which this run does not give`,
		}));
	return {
		tools,
		patterns: keepOf(agent.toolPatterns, tools),
		deniedPatterns: keepOf(agent.disallowedPatterns, tools),
		withheld,
	};
}

function keepOf(
	patterns: Readonly<Partial<Record<ToolName, readonly string[]>>> | undefined,
	tools: readonly ToolName[],
): Readonly<Partial<Record<ToolName, readonly string[]>>> {
	const kept: Partial<Record<ToolName, readonly string[]>> = {};
	for (const tool of tools) {
		const list = patterns?.[tool];
		if (list !== undefined) kept[tool] = list;
	}
	return kept;
}
