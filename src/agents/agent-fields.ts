import type { AgentDefinition, AgentTier, ToolName } from "../domain/agent.ts";
import { READ_ONLY_TOOLS } from "../domain/agent.ts";
import type { ReasonCode } from "../domain/errors.ts";
import type { Effort } from "../domain/model-message.ts";
import { classifyModel } from "./resolve-model.ts";
import { splitOutsideBrackets, parseToolList, type ToolList } from "./parse-tool-list.ts";

/** A field that must not be guessed at: the whole file is refused. */
export interface FieldFault {
	readonly code: ReasonCode;
	readonly reason: string;
}

type Data = Readonly<Record<string, unknown>>;

/** The tool part of a definition, or why the file cannot be used (BR-55, D-24, D-25). */
export function readToolFields(data: Data, warnings: string[]): FieldFault | (ToolFields & { readonly readOnlyByDefault: boolean }) {
	const misspelled = Object.keys(data).find((key) => isNearlyToolKey(key));
	if (misspelled !== undefined) {
		return { code: "E_FRONTMATTER", reason: `found the key ${misspelled}, wanted tools or disallowedTools in exactly this spelling` };
	}
	const allow = parseToolList(data["tools"], "allow");
	const allowFault = findListFault("tools", allow);
	if (allowFault !== undefined) return allowFault;
	const denyValue = data["disallowedTools"];
	const deny = denyValue === undefined || denyValue === null ? EMPTY_LIST : parseToolList(denyValue, "deny");
	const denyFault = findListFault("disallowedTools", deny);
	if (denyFault !== undefined) return denyFault;
	noteDropped("tools", allow, warnings);
	noteDropped("disallowedTools", deny, warnings);

	const serverTools = { allowed: serverToolsOf(allow), denied: serverToolsOf(deny) };
	if (serverTools.allowed.length > 0)
		warnings.push(`tools: names of tool servers are kept, but no server is connected: ${shorten(serverTools.allowed)}`);
	const listed = allow.kind === "list" ? allow.tools : READ_ONLY_TOOLS;
	// The one permission mode that narrows is honoured; all others only have no effect (S-117).
	const granted = data["permissionMode"] === "plan" ? listed.filter((tool) => !EDIT_TOOLS.includes(tool)) : listed;
	// A star in the deny list means every tool.
	const deniedTools = deny.kind === "list" ? deny.tools.filter((tool) => deny.patterns[tool] === undefined) : granted;
	return {
		tools: granted,
		disallowedTools: deniedTools,
		...(allow.kind === "list" && hasKeys(allow.patterns) ? { toolPatterns: allow.patterns } : {}),
		...(deny.kind === "list" && hasKeys(deny.patterns) ? { disallowedPatterns: deny.patterns } : {}),
		...(serverTools.allowed.length + serverTools.denied.length > 0 ? { serverTools } : {}),
		readOnlyByDefault: allow.kind === "all",
	};
}

const EDIT_TOOLS: readonly ToolName[] = ["edit_file", "multi_edit", "write_file"];

function shorten(names: readonly string[]): string {
	const rest = names.length - 5;
	return rest > 0 ? `${names.slice(0, 5).join(", ")} and ${rest} more` : names.join(", ");
}

type ToolFields = Pick<AgentDefinition, "tools" | "disallowedTools" | "toolPatterns" | "disallowedPatterns" | "serverTools">;

const EMPTY_LIST: ToolList = { kind: "list", entries: [], tools: [], patterns: {}, serverTools: [], dropped: [], warnings: [] };

/** `Tools`, `disallowed-tools`: close enough to be a restriction that would get lost. */
function isNearlyToolKey(key: string): boolean {
	const plain = key.toLowerCase().replace(/[-_]/g, "");
	return (plain === "tools" && key !== "tools") || (plain === "disallowedtools" && key !== "disallowedTools");
}

function findListFault(key: string, list: ToolList): FieldFault | undefined {
	if (list.kind === "invalid") return { code: "E_FRONTMATTER", reason: `${key}: found ${list.found}, wanted tool names as text or list` };
	if (list.kind === "all" || list.entries.length === 0) return undefined;
	if (list.tools.length > 0 || list.serverTools.length > 0) return undefined;
	const entries = list.dropped.map(({ entry, reason }) => `${entry} (${reason})`).join(", ");
	return { code: "E_POLICY", reason: `${key}: no entry can be used: ${entries}` };
}

function noteDropped(key: string, list: ToolList, warnings: string[]): void {
	if (list.kind !== "list") return;
	if (list.dropped.length > 0) {
		warnings.push(`${key}: dropped ${list.dropped.map(({ entry, reason }) => `${entry} (${reason})`).join(", ")}`);
	}
	warnings.push(...list.warnings.map((warning) => `${key}: ${warning}`));
}

function serverToolsOf(list: ToolList): readonly string[] {
	return list.kind === "list" ? list.serverTools : [];
}

function hasKeys(value: Readonly<Partial<Record<ToolName, unknown>>>): boolean {
	return Object.keys(value).length > 0;
}

const EFFORTS: readonly Effort[] = ["low", "medium", "high", "xhigh", "max"];
const MEMORY_KINDS = ["user", "project", "local"] as const;

/** `model`: alias or id kept as written, absent when it inherits; a URL refuses the file (BR-64, A35). */
export function readModelField(data: Data, warnings: string[]): FieldFault | { readonly model?: string } {
	const value = data["model"];
	if (value === undefined || value === null) return {};
	if (typeof value !== "string") {
		warnings.push(`model: found ${typeof value}, wanted an alias or a full model id; the run's model is used`);
		return {};
	}
	const kind = classifyModel(value);
	if (kind === "forbidden")
		return { code: "E_POLICY", reason: `model: found ${JSON.stringify(value.slice(0, 60))}, wanted an alias, a full model id or inherit` };
	if (kind === "inherit") return {};
	if (kind === "unknown") {
		warnings.push(
			`model: ${JSON.stringify(value.trim().slice(0, 60))} is neither sonnet, opus, haiku, fable nor a full model id; the run's model is used unless agentModels names it`,
		);
	}
	return { model: value.trim() };
}

/** The fields that cannot grant anything: a wrong value is a warning and the default. */
export function readPlainFields(data: Data, tier: AgentTier, warnings: string[]): PlainFields {
	return {
		...readMaxTurns(data["maxTurns"], warnings),
		...readEffort(data["effort"], warnings),
		...readIsolation(data["isolation"], warnings),
		...readMemory(data["memory"], warnings),
		...readPermissionMode(data["permissionMode"], warnings),
		...readCarriedFields(data, tier, warnings),
		skills: readSkills(data["skills"], warnings),
		background: readBackground(data["background"], warnings),
	};
}

type PlainFields = Pick<
	AgentDefinition,
	| "maxTurns"
	| "effort"
	| "isolation"
	| "unsupportedIsolation"
	| "memory"
	| "memoryKind"
	| "permissionMode"
	| "initialPrompt"
	| "color"
	| "hooks"
	| "mcpServers"
	| "skills"
	| "background"
>;

function readMaxTurns(value: unknown, warnings: string[]): { readonly maxTurns?: number } {
	if (value === undefined || value === null) return {};
	const number = typeof value === "string" && /^\d+$/.test(value.trim()) ? Number(value) : value;
	if (typeof number === "number" && Number.isSafeInteger(number) && number >= 1) return { maxTurns: number };
	warnings.push(`maxTurns: found ${show(value)}, wanted a whole number from 1; the run's limit is used`);
	return {};
}

function readEffort(value: unknown, warnings: string[]): { readonly effort?: Effort } {
	if (value === undefined || value === null) return {};
	const effort = EFFORTS.find((candidate) => typeof value === "string" && candidate === value.trim().toLowerCase());
	if (effort !== undefined) return { effort };
	warnings.push(`effort: found ${show(value)}, wanted ${EFFORTS.join(", ")}; the run's effort is used`);
	return {};
}

/** Anything but `worktree` is kept, so that the spawn can be refused with it instead of running unisolated (S-182). */
function readIsolation(value: unknown, warnings: string[]): Pick<AgentDefinition, "isolation" | "unsupportedIsolation"> {
	if (value === undefined || value === null || value === "") return {};
	if (value === "worktree") return { isolation: "worktree" };
	warnings.push(`isolation: found ${show(value)}, wanted worktree; calls of this agent are refused`);
	return { unsupportedIsolation: show(value) };
}

function readMemory(value: unknown, warnings: string[]): Pick<AgentDefinition, "memory" | "memoryKind"> {
	if (value === undefined || value === null || value === true) return { memory: true };
	if (value === false || value === "false" || value === "none") return { memory: false };
	const memoryKind = MEMORY_KINDS.find((kind) => kind === value);
	if (memoryKind !== undefined) return { memory: true, memoryKind };
	warnings.push(`memory: found ${show(value)}, wanted user, project, local or false`);
	return { memory: true };
}

function readPermissionMode(value: unknown, warnings: string[]): { readonly permissionMode?: string } {
	if (typeof value !== "string" || value.trim() === "") return {};
	if (value === "plan") warnings.push("permissionMode: plan takes the edit tools away; it grants nothing");
	else if (value !== "default" && value !== "manual") {
		warnings.push(`permissionMode: ${show(value)} has no effect; an agent file never widens what a run may do`);
	}
	return { permissionMode: value.trim().slice(0, 60) };
}

/** Fields that are carried as data. */
function readCarriedFields(
	data: Data,
	tier: AgentTier,
	warnings: string[],
): Pick<AgentDefinition, "initialPrompt" | "color" | "hooks" | "mcpServers"> {
	const { initialPrompt, color, hooks, mcpServers } = data;
	if (hooks !== undefined && hooks !== null) warnings.push("hooks: kept as data and not run; hooks are set up in the settings");
	const serversTrusted = tier !== "repository";
	if (mcpServers !== undefined && mcpServers !== null && !serversTrusted) {
		warnings.push("mcpServers: ignored; only built-in and organisation agents may name tool servers");
	}
	return {
		...(typeof initialPrompt === "string" ? { initialPrompt } : {}),
		...(typeof color === "string" ? { color: color.slice(0, 60) } : {}),
		...(hooks === undefined || hooks === null ? {} : { hooks }),
		...(mcpServers !== undefined && mcpServers !== null && serversTrusted ? { mcpServers } : {}),
	};
}

function readSkills(value: unknown, warnings: string[]): readonly string[] {
	if (value === undefined || value === null) return [];
	if (typeof value === "string") return [...new Set(splitOutsideBrackets(value))];
	if (Array.isArray(value) && value.every((item) => typeof item === "string")) {
		return [...new Set(value.map((item) => item.trim()).filter((item) => item !== ""))];
	}
	// An unreadable list stays in as one name that no skill has, so that the call is refused and not run without (S-150).
	warnings.push(`skills: found ${show(value)}, wanted a list of skill names`);
	return [show(value)];
}

function readBackground(value: unknown, warnings: string[]): boolean {
	if (value === undefined || value === null) return false;
	if (typeof value === "boolean") return value;
	warnings.push(`background: found ${show(value)}, wanted true or false`);
	return false;
}

/** A found value for a message: short and on one line. */
function show(value: unknown): string {
	const text = typeof value === "string" ? value : JSON.stringify(value);
	return text.replace(/\s+/g, " ").slice(0, 60);
}
