import type { ToolName } from "../domain/agent.ts";
import { resolveToolName } from "./tool-names.ts";

/** A `tools` or `disallowedTools` value, understood. */
export type ToolList =
	/** Missing, null, a star or "All tools": no list was made. */
	| { readonly kind: "all" }
	| {
			readonly kind: "list";
			/** Distinct entries as written. */
			readonly entries: readonly string[];
			readonly tools: readonly ToolName[];
			/** Bracketed restrictions by tool; a tool without an entry here is unrestricted. */
			readonly patterns: Readonly<Partial<Record<ToolName, readonly string[]>>>;
			/** `mcp__server`, `mcp__server__tool`, `mcp__server__*`, `mcp__*`. */
			readonly serverTools: readonly string[];
			/** Entries that name nothing we know or can obey, each with why. */
			readonly dropped: readonly { readonly entry: string; readonly reason: string }[];
			readonly warnings: readonly string[];
	  }
	/** Neither text nor a list of texts. */
	| { readonly kind: "invalid"; readonly found: string };

const MAX_ENTRIES = 300;
const MAX_ENTRY_CHARACTERS = 500;
const SERVER_TOOL = /^mcp__(?:\*|[\w.-]+(?:__(?:\*|[\w.*-]+))?)$/;
const BRACKETED = /^([A-Za-z_]+)\(([\s\S]*)\)$/;

/**
 * Reads every shape of a tool list that real files use: comma text, YAML list, text that looks like JSON, a star,
 * "All tools", null, nothing, an empty list (BR-56).
 * @param purpose in an allow list brackets narrow; in a deny list an entry we cannot read denies the whole tool
 */
export function parseToolList(value: unknown, purpose: "allow" | "deny"): ToolList {
	if (value === undefined || value === null) return { kind: "all" };
	const texts = toTexts(value);
	if (texts === undefined) return { kind: "invalid", found: typeof value };
	const entries = [...new Set(texts.flatMap(splitOutsideBrackets))];
	if (entries.length > MAX_ENTRIES) return { kind: "invalid", found: `${entries.length} entries` };
	if (entries.some((entry) => entry === "*" || /^all tools$/i.test(entry))) return { kind: "all" };
	return readEntries(entries, purpose);
}

/** The texts of a value; undefined when there is anything else in it. */
function toTexts(value: unknown): readonly string[] | undefined {
	if (typeof value === "string") return readJsonList(value) ?? [value];
	if (!Array.isArray(value)) return undefined;
	const texts = value.filter((item): item is string => typeof item === "string");
	return texts.length === value.length ? texts : undefined;
}

/** `["Read", "Write"]` written as text: one list, not one name. */
function readJsonList(text: string): readonly string[] | undefined {
	const trimmed = text.trim();
	if (!trimmed.startsWith("[") || !trimmed.endsWith("]")) return undefined;
	try {
		const parsed: unknown = JSON.parse(trimmed);
		if (Array.isArray(parsed) && parsed.every((item) => typeof item === "string")) return parsed;
	} catch {
		// Not JSON after all, for example [Read, Write]: the brackets go, the names stay.
	}
	return [trimmed.slice(1, -1)];
}

/** Splits at commas that stand outside round brackets; trims and drops what is empty. */
export function splitOutsideBrackets(text: string): readonly string[] {
	const parts: string[] = [];
	let depth = 0;
	let start = 0;
	for (let index = 0; index < text.length; index++) {
		const sign = text[index];
		if (sign === "(") depth++;
		else if (sign === ")") depth = Math.max(0, depth - 1);
		else if (sign === "," && depth === 0) {
			parts.push(text.slice(start, index));
			start = index + 1;
		}
	}
	parts.push(text.slice(start));
	return parts.map((part) => part.trim()).filter((part) => part !== "");
}

function readEntries(entries: readonly string[], purpose: "allow" | "deny"): ToolList {
	const named = new Set<ToolName>();
	const plain = new Set<ToolName>();
	const patterns = new Map<ToolName, string[]>();
	const serverTools: string[] = [];
	const dropped: { entry: string; reason: string }[] = [];
	for (const entry of entries) {
		if (entry.length > MAX_ENTRY_CHARACTERS) {
			if (purpose === "deny") return { kind: "invalid", found: "an entry that is too long" };
			dropped.push({ entry: `${entry.slice(0, 40)}…`, reason: `longer than ${MAX_ENTRY_CHARACTERS} characters` });
			continue;
		}
		if (SERVER_TOOL.test(entry)) {
			serverTools.push(entry);
			continue;
		}
		const read = readEntry(entry, purpose);
		if ("reason" in read) {
			dropped.push({ entry, reason: read.reason });
			continue;
		}
		for (const tool of read.tools) {
			named.add(tool);
			if (read.patterns === undefined || !read.restricts.includes(tool)) plain.add(tool);
			else patterns.set(tool, [...(patterns.get(tool) ?? []), ...read.patterns]);
		}
	}
	const warnings: string[] = [];
	for (const tool of patterns.keys()) {
		if (!plain.has(tool)) continue;
		// Both forms: in an allow list the narrower one counts, in a deny list the wider one (D-24).
		if (purpose === "allow") warnings.push(`${tool} stands with and without brackets; only what the brackets name is allowed`);
		else patterns.delete(tool);
	}
	return { kind: "list", entries, tools: [...named], patterns: Object.fromEntries(patterns), serverTools, dropped, warnings };
}

type ReadEntry =
	| { readonly reason: string }
	| { readonly tools: readonly ToolName[]; readonly patterns?: readonly string[]; readonly restricts: readonly ToolName[] };

function readEntry(entry: string, purpose: "allow" | "deny"): ReadEntry {
	const bracketed = BRACKETED.exec(entry);
	const name = bracketed?.[1] ?? entry.replace(/\(.*$/s, "").trim();
	let resolved = resolveToolName(name);
	// A slip in a deny list must not leave the tool open; a slip in an allow list gives nothing.
	if (purpose === "deny" && resolved.kind === "unknown" && resolved.hint !== undefined) resolved = resolveToolName(resolved.hint);
	if (resolved.kind === "not-offered") return { reason: "not offered here" };
	if (resolved.kind === "unknown") return { reason: resolved.hint === undefined ? "unknown" : `unknown, did you mean ${resolved.hint}?` };
	const { tools } = resolved;
	if (!entry.includes("(")) return { tools, restricts: [] };
	const patterns = bracketed === null ? undefined : readPatterns(name, bracketed[2] ?? "");
	if (patterns === undefined) {
		// Dropping only the brackets would widen an allow list; in a deny list the whole tool goes (D-24).
		return purpose === "deny" ? { tools, restricts: [] } : { reason: "its brackets cannot be read, so the tool is not granted" };
	}
	if (patterns.includes("*")) return { tools, restricts: [] };
	// The companions of bash only see what bash started; the pattern stands on the tool that acts.
	const restricts = tools.filter((tool) => tool !== "bash_output" && tool !== "kill_shell");
	return { tools: purpose === "deny" ? restricts : tools, patterns, restricts };
}

/** The patterns in the brackets; undefined when one cannot be obeyed as written (BR-77). */
function readPatterns(name: string, inner: string): readonly string[] | undefined {
	const isAgentList = name === "Agent" || name === "Task" || name === "agent";
	const patterns = isAgentList ? splitOutsideBrackets(inner) : [inner.trim()];
	const readable = patterns.every((pattern) => pattern !== "" && !/\p{Cc}/u.test(pattern) && !/:\*(?!$)/.test(pattern));
	return readable && patterns.length > 0 ? patterns : undefined;
}
