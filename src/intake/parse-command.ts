import type { ParsedCommand } from "../domain/trigger.ts";
import { nearestName } from "./nearest-name.ts";
import { type CommentLine, readVisibleLines } from "./visible-lines.ts";

/** What commands there are and what we are called. */
export interface CommandNames {
	/** Names without a slash, lower case. */
	readonly commands: readonly string[];
	/** Our name: `/rookery review` is `/review`, and `@rookery …` is a question to us. */
	readonly handle: string;
}

export interface UnknownCommand {
	readonly name: string;
	readonly nearest: string | undefined;
	/** It stood behind our own name, so nobody else was meant. */
	readonly addressed?: true;
}

export interface ParsedComment {
	readonly commands: readonly ParsedCommand[];
	/** Words at a command's place that are no command, with the nearest one (BR-25: no reply unless one is near). */
	readonly unknown: readonly UnknownCommand[];
	/** The whole comment was one command in inline code: worth a hint, never a run (BR-21). */
	readonly quotedCommand?: string;
}

/** What a mention becomes. */
const ASK_COMMAND = "ask";

/** Our own hidden markers start so; a text that carries one is ours and never a command (BR-26). */
export const OWN_MARKER = "<!-- rookery:";

/** The backtracking of a mention search and the like stay small below this; GitHub's limit is 65,536. */
const MAX_CHARACTERS = 100_000;
const COMMAND_LINE = /^ {0,3}\/([A-Za-z][A-Za-z0-9-]{0,39})(?=\s|$)/;

/**
 * The commands of a comment, in their order (BR-21 to BR-25, BR-27). A command stands at the start of a line, alone
 * or with white space behind it; its text is the rest of the line and all lines up to the next command. Without a
 * command, a mention of us asks a question with the whole visible text.
 */
export function parseComment(comment: string, names: CommandNames): ParsedComment {
	if (comment.includes(OWN_MARKER)) return { commands: [], unknown: [] };
	const lines = readVisibleLines(comment.slice(0, MAX_CHARACTERS));
	const commands: { name: string; lines: string[] }[] = [];
	const unknown: UnknownCommand[] = [];
	for (const line of lines) {
		const head = line.kind === "prose" ? readCommandHead(line.masked, names) : undefined;
		if (head?.known === true) {
			commands.push({ name: head.name, lines: [line.text.slice(head.length)] });
		} else if (line.kind !== "dropped") {
			commands.at(-1)?.lines.push(line.text);
		}
		if (head?.known === false) {
			const addressed = head.addressed ? { addressed: true as const } : {};
			unknown.push({ name: head.name, nearest: nearestName(head.name, names.commands), ...addressed });
		}
	}
	if (commands.length > 0) return { commands: commands.map(({ name, lines: text }) => ({ name, text: text.join("\n").trim() })), unknown };
	const question = readMention(lines, names.handle);
	if (question !== undefined) return { commands: [{ name: ASK_COMMAND, text: question }], unknown };
	const quotedCommand = readQuotedCommand(comment, names);
	return { commands: [], unknown, ...(quotedCommand === undefined ? {} : { quotedCommand }) };
}

/**
 * The commands that an edit brought in: those whose name was not in the text before (BR-28). Correcting a question
 * does not ask it again.
 */
export function parseEditedComment(comment: string, before: string, names: CommandNames): ParsedComment {
	const had = new Set(parseComment(before, names).commands.map((command) => command.name));
	const now = parseComment(comment, names);
	return { ...now, commands: now.commands.filter((command) => !had.has(command.name)) };
}

type CommandHead = { readonly known: boolean; readonly name: string; readonly length: number; readonly addressed: boolean };

function readCommandHead(line: string, names: CommandNames): CommandHead | undefined {
	const match = COMMAND_LINE.exec(line);
	if (match === null) return undefined;
	const word = (match[1] ?? "").toLowerCase();
	if (word !== names.handle.toLowerCase())
		return { known: names.commands.includes(word), name: word, length: match[0].length, addressed: false };
	const second = /^\s+([A-Za-z][A-Za-z0-9-]{0,39})(?=\s|$)/.exec(line.slice(match[0].length));
	if (second === null) return { known: names.commands.includes("help"), name: "help", length: match[0].length, addressed: true };
	const name = (second[1] ?? "").toLowerCase();
	return { known: names.commands.includes(name), name, length: match[0].length + second[0].length, addressed: true };
}

/** The visible text without the first mention; undefined when nobody is mentioned. */
function readMention(lines: readonly CommentLine[], handle: string): string | undefined {
	const mention = mentionPattern(handle);
	const shown = lines.filter((line) => line.kind !== "dropped");
	const at = shown.findIndex((line) => line.kind === "prose" && mention.test(line.masked));
	if (at < 0) return undefined;
	const text = shown.map((line, index) => {
		if (index !== at) return line.text;
		const found = mention.exec(line.masked);
		const start = found?.index ?? 0;
		return `${line.text.slice(0, start)}${line.text.slice(start + (found?.[0].length ?? 0))}`.replace(/^[ \t,:;、]+/, "");
	});
	return text.join("\n").trim();
}

/** BR-27: neither part of an address or a longer name on the left, nor of a longer ASCII name or a host on the right. */
function mentionPattern(handle: string): RegExp {
	return new RegExp(`(?<![\\w.@-])@${handle.replace(/[^\w-]/g, "\\$&")}(?:\\[bot\\])?(?![\\w-]|\\.[A-Za-z])`, "i");
}

function readQuotedCommand(comment: string, names: CommandNames): string | undefined {
	const inner = /^(`+)([^`\n]+)\1$/.exec(comment.trim())?.[2]?.trim();
	const head = inner === undefined ? undefined : readCommandHead(inner, names);
	return head?.known === true ? head.name : undefined;
}
