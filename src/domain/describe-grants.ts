import type { AgentDefinition, ToolName } from "./agent.ts";

/** What an agent may use, for people: `read_file`, `bash(git diff:*)`, `mcp__server__tool`; the deny list is taken off. */
export function describeGrants(agent: AgentDefinition): readonly string[] {
	const tools = agent.tools.filter((tool) => !agent.disallowedTools.includes(tool));
	return [...tools.flatMap((tool) => withPatterns(tool, agent.toolPatterns?.[tool])), ...(agent.serverTools?.allowed ?? [])];
}

/** What an agent's file takes away, in the same form. */
export function describeDenials(agent: AgentDefinition): readonly string[] {
	const patterns = Object.entries(agent.disallowedPatterns ?? {}).flatMap(([tool, list]) => list.map((pattern) => `${tool}(${pattern})`));
	return [...agent.disallowedTools, ...patterns, ...(agent.serverTools?.denied ?? [])];
}

function withPatterns(tool: ToolName, patterns: readonly string[] | undefined): readonly string[] {
	return patterns === undefined ? [tool] : patterns.map((pattern) => `${tool}(${pattern})`);
}
