import type { CommandPart, CommandWord } from "./split-command.ts";

/**
 * True when one simple command is covered by a pattern of an allow list (BR-77): `git diff:*` and `git diff *` are the
 * words and anything behind them, `cat*` has no word border, a star elsewhere is any text, everything else is exact.
 * `:*` anywhere but at the end covers nothing.
 */
export function isCommandAllowedBy(pattern: string, part: CommandPart): boolean {
	// What is only known to the shell cannot be the command itself.
	if (part.words[0]?.dynamic !== false) return false;
	return compile(pattern)?.test(part.text) ?? false;
}

/**
 * True when a pattern of a deny list covers a command, also behind assignments, paths and the usual wrappers. Deny lists
 * of commands are a courtesy and no boundary (SECURITY.md 1.1, CmdNeedle): what gets past ends at the sandbox (A81).
 */
export function isCommandDeniedBy(pattern: string, part: CommandPart): boolean {
	const expression = compile(pattern);
	// An unreadable denial denies everything.
	if (expression === undefined) return true;
	const wanted = pattern
		.replace(/(?::| )?\*$/, "")
		.trim()
		.split(/\s+/);
	return possibleStarts(part.words).some((words) => {
		if (expression.test(words.map((word) => word.text).join(" "))) return true;
		const named = [{ text: baseName(words[0]?.text ?? ""), dynamic: words[0]?.dynamic ?? false }, ...words.slice(1)];
		if (expression.test(named.map((word) => word.text).join(" "))) return true;
		return matchesUnknownWords(wanted, named);
	});
}

function compile(pattern: string): RegExp | undefined {
	const trimmed = pattern.trim().replace(/\s+/g, " ");
	if (trimmed === "" || /:\*(?!$)/.test(trimmed)) return undefined;
	const open = /^(.*?)(?::\*| \*)$/.exec(trimmed);
	const body = escapePattern(open?.[1] ?? trimmed);
	return new RegExp(open === null ? `^${body}$` : `^${body}(?: .*)?$`, "s");
}

function escapePattern(text: string): string {
	return text
		.split("*")
		.map((piece) => piece.replace(/[\\^$.+?()[\]{}|]/g, "\\$&"))
		.join(".*");
}

/** A variable or glob where a denied word would stand may be that word. */
function matchesUnknownWords(wanted: readonly string[], words: readonly CommandWord[]): boolean {
	if (!words.slice(0, wanted.length).some((word) => word.dynamic)) return false;
	// `git${IFS}push` is one word here and two for the shell.
	if (words[0]?.dynamic === true && words.length < wanted.length) return true;
	return wanted.every((text, index) => words[index]?.dynamic === true || words[index]?.text === text);
}

const WRAPPERS = new Set([
	"env",
	"xargs",
	"sudo",
	"nohup",
	"command",
	"exec",
	"nice",
	"timeout",
	"time",
	"builtin",
	"setsid",
	"stdbuf",
	"eval",
	"find",
]);
const SHELLS = new Set(["sh", "bash", "dash", "zsh", "ash", "ksh"]);

/** Each place at which another command may begin: behind assignments, behind a wrapper and its options, inside `sh -c`. */
function possibleStarts(words: readonly CommandWord[]): readonly (readonly CommandWord[])[] {
	let start = 0;
	while (/^\w+=/.test(words[start]?.text ?? "")) start++;
	const own = words.slice(start);
	const name = baseName(own[0]?.text ?? "");
	const starts = [own];
	if (WRAPPERS.has(name)) for (let index = 1; index < Math.min(own.length, 40); index++) starts.push(own.slice(index));
	if (SHELLS.has(name) || name === "eval") {
		for (const word of own.slice(1)) {
			for (const inner of word.text.split(/&&|\|\||[;|&\n`()]/)) {
				const texts = inner.trim().split(/\s+/);
				starts.push(texts.map((text) => ({ text, dynamic: /[$*?[{]/.test(text) })));
			}
		}
	}
	return starts.filter((list) => list.length > 0);
}

function baseName(word: string): string {
	return word.slice(word.lastIndexOf("/") + 1);
}
