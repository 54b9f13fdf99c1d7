import { distance } from "fastest-levenshtein";
import type { ToolName } from "../domain/agent.ts";

/**
 * Claude Code's spellings and the engine's tools behind each (S-043). Retired spellings that real files still use
 * are here as well (BUGS.md 2.2).
 */
const CLAUDE_CODE_NAMES: Readonly<Record<string, readonly ToolName[]>> = {
	Read: ["read_file"],
	NotebookRead: ["read_file"],
	Glob: ["glob"],
	LS: ["glob"],
	Grep: ["grep"],
	LSP: ["find_symbol"],
	Edit: ["edit_file"],
	MultiEdit: ["edit_file"],
	Write: ["write_file"],
	Bash: ["bash"],
	BashOutput: ["bash_output"],
	KillBash: ["kill_shell"],
	KillShell: ["kill_shell"],
	WebFetch: ["web_fetch"],
	WebSearch: ["web_search"],
	TodoWrite: ["todo_write"],
	TodoRead: ["todo_write"],
	TaskCreate: ["task_create"],
	TaskUpdate: ["task_update"],
	TaskList: ["task_list"],
	TaskGet: ["task_get"],
	Skill: ["skill"],
	Agent: ["agent"],
	Task: ["agent"],
	SendMessage: ["send_message"],
};

/** Claude Code's names of an engine tool, the usual one first: what hooks written for it match and read. */
export function claudeCodeNamesOf(tool: string): readonly string[] {
	if (tool === "multi_edit") return ["MultiEdit", "Edit"];
	return Object.entries(CLAUDE_CODE_NAMES).flatMap(([name, tools]) => (tools.some((own) => own === tool) ? [name] : []));
}

/** Names that exist elsewhere and are not offered here: a note, not a typing mistake. */
const NOT_OFFERED: ReadonlySet<string> = new Set([
	"AskUserQuestion",
	"EnterPlanMode",
	"EnterWorktree",
	"ExitPlanMode",
	"ExitWorktree",
	"ListMcpResources",
	"ListMcpResourcesTool",
	"Monitor",
	"NotebookEdit",
	"PowerShell",
	"ReadMcpResource",
	"ReadMcpResourceTool",
	"ScheduleWakeup",
	"SlashCommand",
	"TaskOutput",
	"TaskStop",
	"TeamCreate",
	"TeamDelete",
	"ToolSearch",
	"Workflow",
]);

const ENGINE_NAMES: readonly ToolName[] = [
	"read_file",
	"glob",
	"grep",
	"diagnose",
	"find_symbol",
	"find_references",
	"find_callers",
	"impact_analysis",
	"ast_query",
	"repo_map",
	"edit_file",
	"multi_edit",
	"write_file",
	"bash",
	"bash_output",
	"kill_shell",
	"web_fetch",
	"web_search",
	"todo_write",
	"task_create",
	"task_update",
	"task_list",
	"task_get",
	"skill",
	"explore",
	"delegate_expert",
	"agent",
	"task",
	"send_message",
	"submit_report",
];

const EDIT_FAMILY: readonly ToolName[] = ["edit_file", "multi_edit"];
const TASK_LIST_FAMILY: readonly ToolName[] = ["todo_write", "task_create", "task_update", "task_list", "task_get"];
const WEB_FAMILY: readonly ToolName[] = ["web_fetch", "web_search"];
const CODE_INDEX_FAMILY: readonly ToolName[] = [
	"find_symbol",
	"find_references",
	"find_callers",
	"impact_analysis",
	"ast_query",
	"repo_map",
];

/**
 * All tools a name stands for (S-069). Families go both ways but for the shell: `bash` brings its two companions,
 * while a file that names only a companion must not get commands by it.
 */
export function toolFamily(tool: ToolName): readonly ToolName[] {
	for (const family of [EDIT_FAMILY, TASK_LIST_FAMILY, WEB_FAMILY, CODE_INDEX_FAMILY]) if (family.includes(tool)) return family;
	return tool === "bash" ? ["bash", "bash_output", "kill_shell"] : [tool];
}

export type NamedTool =
	| { readonly kind: "tool"; readonly tools: readonly ToolName[] }
	| { readonly kind: "not-offered" }
	| { readonly kind: "unknown"; readonly hint?: string };

/**
 * What a name without brackets means, family included. Names are case-sensitive; a wrong case and a small slip
 * get a hint and no tool (BR-56).
 */
export function resolveToolName(name: string): NamedTool {
	const spelled = Object.hasOwn(CLAUDE_CODE_NAMES, name) ? CLAUDE_CODE_NAMES[name] : undefined;
	const tools = spelled ?? ENGINE_NAMES.filter((tool) => tool === name);
	if (tools.length > 0) return { kind: "tool", tools: [...new Set(tools.flatMap(toolFamily))] };
	if (NOT_OFFERED.has(name)) return { kind: "not-offered" };
	const hint = findNearestName(name);
	return hint === undefined ? { kind: "unknown" } : { kind: "unknown", hint };
}

/** The known name a person most likely meant; undefined when none is close. */
function findNearestName(name: string): string | undefined {
	if (name.length > 40) return undefined;
	const known = [...Object.keys(CLAUDE_CODE_NAMES), ...ENGINE_NAMES];
	const sameLetters = known.find((candidate) => candidate.toLowerCase() === name.toLowerCase());
	if (sameLetters !== undefined) return sameLetters;
	const ranked = known
		.map((candidate) => ({ candidate, steps: distance(candidate.toLowerCase(), name.toLowerCase()) }))
		.filter(({ candidate, steps }) => steps <= Math.min(2, Math.floor(candidate.length / 2)))
		.sort((a, b) => a.steps - b.steps);
	return ranked[0]?.candidate;
}
