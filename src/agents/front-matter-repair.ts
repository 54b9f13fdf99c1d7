/** The official keys of an agent file (BUGS.md 2.1). */
export const OFFICIAL_KEYS = [
	"name",
	"description",
	"tools",
	"disallowedTools",
	"model",
	"permissionMode",
	"maxTurns",
	"skills",
	"mcpServers",
	"hooks",
	"memory",
	"background",
	"effort",
	"isolation",
	"color",
	"initialPrompt",
] as const;

/** Keys whose value is prose, where ` #` is part of the sentence and lines may run on. */
const PROSE_KEYS: ReadonlySet<string> = new Set(["description", "initialPrompt"]);

const KEY_LINE = /^([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+(.*))?$/;
const OFFICIAL_KEY_LINE = new RegExp(`^(?:${OFFICIAL_KEYS.join("|")})[ \\t]*:(?:[ \\t]|$)`);
/** Signs a plain YAML value cannot start with, or that mean something else there (BR-57). */
const RESERVED_START = /^[*&!%@`]/;
/** Quoted, flow and block values have their own rules and are never touched. */
const STRUCTURED_START = /^["'[{|>]/;

export interface RepairedHeader {
	readonly header: string;
	readonly repairs: readonly HeaderRepair[];
}

export interface HeaderRepair {
	/** Lines of the file, 1-based and inclusive. */
	readonly from: number;
	readonly to: number;
	/** For people: where, why and what to write instead. */
	readonly text: string;
}

/**
 * First repair: puts quotes around single-line plain values that YAML takes for something else (BR-53, BR-57).
 * @param headerLine line of the file in which the header starts, for the texts
 */
export function quotePlainValues(header: string, headerLine: number): RepairedHeader {
	const lines = header.split("\n");
	const repairs: HeaderRepair[] = [];
	const output = lines.map((line, index) => {
		const match = KEY_LINE.exec(line);
		const key = match?.[1];
		const value = match?.[2]?.trim();
		if (key === undefined || value === undefined || value === "" || STRUCTURED_START.test(value)) return line;
		if (isContinued(lines, index)) return line;
		const reason = needsQuotes(key, value);
		if (reason === undefined) return line;
		const at = headerLine + index;
		repairs.push({ from: at, to: at, text: `line ${at}: the value of ${key} ${reason}; put it in quotes: ${key}: "…"` });
		return `${key}: ${JSON.stringify(withoutComment(key, value))}`;
	});
	return { header: output.join("\n"), repairs };
}

/** Blank lines do not end a plain value; an indented line behind them still belongs to it. */
function isContinued(lines: readonly string[], index: number): boolean {
	const next = lines.slice(index + 1).find((line) => line.trim() !== "");
	return next !== undefined && /^[ \t]/.test(next);
}

function needsQuotes(key: string, value: string): string | undefined {
	if (RESERVED_START.test(value)) return `starts with ${value.slice(0, 1)}`;
	if (/:[ \t]/.test(value)) return "holds a colon and a blank";
	if (value.endsWith(":")) return "ends in a colon";
	if (PROSE_KEYS.has(key) && /[ \t]#/.test(value)) return "holds a # that would start a comment";
	return undefined;
}

/** Outside prose a ` #` was meant as a comment and must not become part of a tool's or model's name. */
function withoutComment(key: string, value: string): string {
	const comment = PROSE_KEYS.has(key) ? -1 : value.search(/[ \t]#/);
	return comment === -1 ? value : value.slice(0, comment).trimEnd();
}

/**
 * Last repair: a description that runs over several lines without indentation takes everything up to the next
 * official key at column 1; the other keys are then read from their own lines (BR-54).
 */
export function foldProseLines(header: string, headerLine: number): RepairedHeader {
	const lines = header.split("\n");
	const repairs: HeaderRepair[] = [];
	const output: string[] = [];
	for (let index = 0; index < lines.length; index++) {
		const line = lines[index] ?? "";
		const match = KEY_LINE.exec(line);
		const key = match?.[1] ?? "";
		const value = match?.[2]?.trim() ?? "";
		if (!PROSE_KEYS.has(key) || value === "" || STRUCTURED_START.test(value)) {
			output.push(line);
			continue;
		}
		let end = index + 1;
		while (end < lines.length && !OFFICIAL_KEY_LINE.test(lines[end] ?? "")) end++;
		const folded = [value, ...lines.slice(index + 1, end)].join("\n").trimEnd();
		if (!folded.includes("\n")) {
			output.push(line);
			continue;
		}
		const [from, to] = [headerLine + index, headerLine + end - 1];
		repairs.push({
			from,
			to,
			text: `lines ${from} to ${to}: ${key} runs over several lines as plain text; write ${key}: | and indent its lines by two blanks (other programs that read this format do not load the file as it is)`,
		});
		output.push(`${key}: ${JSON.stringify(folded)}`);
		index = end - 1;
	}
	return { header: output.join("\n"), repairs };
}
