import type { AgentDefinition, AgentFile, ToolName } from "../domain/agent.ts";
import { describeDenials, describeGrants } from "../domain/describe-grants.ts";
import type { AgentDiff } from "../domain/synthesis.ts";

const POWERS: readonly (readonly [AgentDiff["gains"][number], readonly ToolName[]])[] = [
	["write", ["edit_file", "multi_edit", "write_file"]],
	["execute", ["bash"]],
	["network", ["web_fetch", "web_search"]],
];

/**
 * What changes between two versions of an agent file; undefined when neither of them is an agent (S-040).
 * @param before the file on the old side, undefined when it is not there
 */
export function diffAgents(before: AgentFile | undefined, after: AgentFile | undefined): AgentDiff | undefined {
	const old = before?.state === "loaded" ? before.agent : undefined;
	const now = after?.state === "loaded" ? after.agent : undefined;
	const name = now?.name ?? old?.name ?? (after?.state === "refused" ? after.name : undefined);
	if (name === undefined && after?.state !== "refused") return undefined;
	const oldGrants = old === undefined ? [] : describeGrants(old);
	const newGrants = now === undefined ? [] : describeGrants(now);
	return {
		name: name ?? "",
		...(after?.state === "refused" ? { refused: `${after.code}: ${after.reason}` } : {}),
		toolsAdded: newGrants.filter((grant) => !oldGrants.includes(grant)),
		toolsRemoved: oldGrants.filter((grant) => !newGrants.includes(grant)),
		gains: POWERS.filter(([, tools]) => tools.some((tool) => isWidened(tool, old, now))).map(([power]) => power),
		fields: diffFields(old, now),
		promptChanged: (old?.prompt ?? "") !== (now?.prompt ?? ""),
	};
}

/** True when the new version can do something with the tool that the old one could not; narrower brackets are none. */
function isWidened(tool: ToolName, old: AgentDefinition | undefined, now: AgentDefinition | undefined): boolean {
	const after = usable(tool, now);
	if (after === undefined) return false;
	const before = usable(tool, old);
	if (before === undefined) return true;
	const deniedBefore = old?.disallowedPatterns?.[tool] ?? [];
	const deniedAfter = now?.disallowedPatterns?.[tool] ?? [];
	if (deniedBefore.some((pattern) => !deniedAfter.includes(pattern))) return true;
	if (before === "all") return false;
	return after === "all" || after.some((pattern) => !before.includes(pattern));
}

function usable(tool: ToolName, agent: AgentDefinition | undefined): "all" | readonly string[] | undefined {
	if (agent === undefined || !agent.tools.includes(tool) || agent.disallowedTools.includes(tool)) return undefined;
	return agent.toolPatterns?.[tool] ?? "all";
}

function diffFields(old: AgentDefinition | undefined, now: AgentDefinition | undefined): AgentDiff["fields"] {
	const before = old === undefined ? {} : fieldsOf(old);
	const after = now === undefined ? {} : fieldsOf(now);
	return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((field) => {
		const from = before[field];
		const to = after[field];
		if (from === to) return [];
		return [{ field, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }];
	});
}

/** The fields a reader of the diff wants to know of, as text; what the file does not say is left out. */
function fieldsOf(agent: AgentDefinition): Readonly<Record<string, string>> {
	const denied = describeDenials(agent).join(", ");
	const isolation = agent.isolation ?? agent.unsupportedIsolation;
	const fields: Record<string, string | undefined> = {
		model: agent.model,
		maxTurns: agent.maxTurns?.toString(),
		isolation,
		skills: agent.skills.join(", ") || undefined,
		disallowedTools: denied || undefined,
		effort: agent.effort,
		memory: agent.memoryKind ?? (agent.memory ? undefined : "false"),
		permissionMode: agent.permissionMode,
		background: agent.background ? "true" : undefined,
		hooks: agent.hooks === undefined ? undefined : JSON.stringify(agent.hooks),
		mcpServers: agent.mcpServers === undefined ? undefined : JSON.stringify(agent.mcpServers),
	};
	return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
