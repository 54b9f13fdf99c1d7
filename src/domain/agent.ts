import type { ReasonCode } from "./errors.ts";
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

/**
 * What an agent without a `tools` line gets, and the most an automatic reviewer gets (S-044, BR-55).
 * No commands, no writes, no network.
 */
export const READ_ONLY_TOOLS: readonly ToolName[] = [
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
];

/** Tools that can change files of the tree they work in. A command can, too, so it counts (S-040, S-046). */
export const WRITE_TOOLS: readonly ToolName[] = ["edit_file", "multi_edit", "write_file", "bash"];

/** A definition: prompt, grants, model. What runs is a `ChildRun`. */
export interface AgentDefinition {
	readonly name: string;
	/** What people read where the name is an id: `TypeScript` for `typescript`. */
	readonly displayName?: string;
	readonly description: string;
	readonly kind: AgentKind;
	readonly tier: AgentTier;
	/** For a specialist, the id of its language in the language table. */
	readonly language?: string;
	/** Role text; takes the persona's place in the request (S-063). */
	readonly prompt: string;
	/** The part of `prompt` that may be cut to the lines that bear on the change at hand (COST.md G1). */
	readonly guidance?: string;
	readonly tools: readonly ToolName[];
	/** Restrictions such as `Bash(git diff:*)`; absent means no bracketed restriction (S-043). */
	readonly toolPatterns?: Readonly<Partial<Record<ToolName, readonly string[]>>>;
	readonly disallowedTools: readonly ToolName[];
	/** Restrictions of the deny list such as `Bash(git push:*)`: the tool stays, what matches is denied. */
	readonly disallowedPatterns?: Readonly<Partial<Record<ToolName, readonly string[]>>>;
	/** Granted and denied names of tool servers as written: `mcp__server`, `mcp__server__tool`, `mcp__server__*` (BR-56). */
	readonly serverTools?: { readonly allowed: readonly string[]; readonly denied: readonly string[] };
	/** Alias or full id; absent inherits (S-152). */
	readonly model?: string;
	readonly effort?: Effort;
	readonly maxTurns?: number;
	readonly isolation?: "worktree";
	/** Any other `isolation` value, kept as written: the spawn is refused with it (S-182). */
	readonly unsupportedIsolation?: string;
	/** False: no instructions, no memory files in the prompt (S-062). */
	readonly memory: boolean;
	/** Which persistent memory the file asks for, when it names one. */
	readonly memoryKind?: "user" | "project" | "local";
	readonly skills: readonly string[];
	readonly background: boolean;
	/** Cannot be continued with a message (S-165). */
	readonly oneShot: boolean;
	/** First user turn when the agent is the main one. */
	readonly initialPrompt?: string;
	/** Display only; never checked. */
	readonly color?: string;
	/** What the file asks for. It never widens anything (S-117). */
	readonly permissionMode?: string;
	/** Kept as data; nothing runs them from here (BR-65). */
	readonly hooks?: unknown;
	/** Only from built-in and organisation tiers (D-23). */
	readonly mcpServers?: unknown;
	/** Keys outside the official list, kept and ignored (BR-65). */
	readonly unknownKeys?: readonly string[];
	/** Where it was read, with the SHA-256 of its bytes; absent for built-in agents. */
	readonly source?: { readonly path: string; readonly sha256: string };
}

/** Why a file of an agents folder is not used. `code` is stable; `reason` is for people and says what to change. */
export interface AgentProblem {
	readonly path: string;
	readonly name?: string;
	readonly code: ReasonCode;
	readonly reason: string;
}

/**
 * One Markdown file of an agents folder, read. `documentation` is a note beside the agents (BR-58): no agent, no
 * error; `hint` is set when the file looks as if it was meant to be one.
 */
export type AgentFile =
	| {
			readonly state: "loaded";
			readonly agent: AgentDefinition;
			/** True when the file names no tools, or all of them: the agent has the read-only set (S-044). */
			readonly readOnlyByDefault: boolean;
			/** What had to be mended in the header, each with the line and what to write there. */
			readonly repairs: readonly string[];
			readonly warnings: readonly string[];
	  }
	| { readonly state: "refused"; readonly name?: string; readonly code: ReasonCode; readonly reason: string }
	| { readonly state: "documentation"; readonly reason: string; readonly hint?: string };
