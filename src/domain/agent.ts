import type { Effort } from "./model-message.ts";

/** Earlier wins on a name clash (D-19). */
export type AgentTier = "built-in" | "organisation" | "repository";

export type AgentKind = "specialist" | "generalist" | "reviewer" | "explore" | "plan" | "verifier" | "orchestrator";

/** The tool names of the engine. Claude Code's spellings are mapped to these (S-043). */
export type ToolName =
	| "read_file"
	| "glob"
	| "grep"
	| "diagnose"
	| "find_symbol"
	| "find_references"
	| "find_callers"
	| "impact_analysis"
	| "ast_query"
	| "repo_map"
	| "edit_file"
	| "multi_edit"
	| "write_file"
	| "bash"
	| "bash_output"
	| "kill_shell"
	| "web_fetch"
	| "web_search"
	| "todo_write"
	| "task_create"
	| "task_update"
	| "task_list"
	| "task_get"
	| "skill"
	| "explore"
	| "delegate_expert"
	| "agent"
	| "task"
	| "send_message"
	| "submit_report";

/** A definition: prompt, grants, model. What runs is a `ChildRun`. */
export interface AgentDefinition {
	readonly name: string;
	readonly description: string;
	readonly kind: AgentKind;
	readonly tier: AgentTier;
	/** For a specialist, the id of its language in the language table. */
	readonly language?: string;
	/** Role text; takes the persona's place in the request (S-063). */
	readonly prompt: string;
	readonly tools: readonly ToolName[];
	/** Restrictions such as `Bash(git diff:*)`; absent means no bracketed restriction (S-043). */
	readonly toolPatterns?: Readonly<Partial<Record<ToolName, readonly string[]>>>;
	readonly disallowedTools: readonly ToolName[];
	/** Alias or full id; absent inherits (S-152). */
	readonly model?: string;
	readonly effort?: Effort;
	readonly maxTurns?: number;
	readonly isolation?: "worktree";
	/** False: no instructions, no memory files in the prompt (S-062). */
	readonly memory: boolean;
	readonly skills: readonly string[];
	readonly background: boolean;
	/** Cannot be continued with a message (S-165). */
	readonly oneShot: boolean;
	/** Where it was read, with the SHA-256 of its bytes; absent for built-in agents. */
	readonly source?: { readonly path: string; readonly sha256: string };
}
