/** One simple command of a shell line, its quotes taken off. */
export interface CommandPart {
	/** Words with quotes removed. A word the shell would still change says so. */
	readonly words: readonly CommandWord[];
	/** The words joined with one blank: what a pattern is compared with. */
	readonly text: string;
}

export interface CommandWord {
	readonly text: string;
	/** Holds a variable, a substitution, a glob or a brace: what runs is only known to the shell. */
	readonly dynamic: boolean;
}

export type SplitCommand = { readonly ok: true; readonly parts: readonly CommandPart[] } | { readonly ok: false; readonly reason: string };

const MAX_DEPTH = 8;
const MAX_CHARS = 20_000;

/**
 * Takes a shell line apart at everything that starts another command: `&&`, `||`, `;`, `|`, `&`, line ends, `$(`,
 * backticks and brackets (BR-77). What this reader does not understand for certain is not split, and a caller denies
 * it: no guess ever widens a rule.
 */
export function splitCommand(command: string): SplitCommand {
	if (command.length > MAX_CHARS) return { ok: false, reason: "it is longer than 20,000 characters" };
	if (/[\0\r]/.test(command)) return { ok: false, reason: "it holds a control character" };
	const reader = new CommandReader(command);
	try {
		reader.readList(undefined, 0);
	} catch (error) {
		if (error instanceof Unsplittable) return { ok: false, reason: error.message };
		throw error;
	}
	if (reader.parts.length === 0) return { ok: false, reason: "it holds no command" };
	return { ok: true, parts: reader.parts };
}

class Unsplittable extends Error {}

/** Words that stand before a command and are none themselves. */
const LEADING_WORDS = new Set(["!", "if", "then", "elif", "else", "while", "until", "do", "{", "time"]);
/** Words that end a compound command; nothing runs by them. */
const CLOSING_WORDS = new Set(["fi", "done", "}"]);
/** Words whose own grammar is not read here. */
const UNREAD_WORDS = new Set(["for", "case", "esac", "select", "function", "coproc", "[[", "in"]);

class CommandReader {
	readonly parts: CommandPart[] = [];
	readonly #text: string;
	#at = 0;

	constructor(text: string) {
		this.#text = text;
	}

	/** Reads commands up to `end` (a closing bracket or backtick) or to the end of the text. */
	readList(end: string | undefined, depth: number): void {
		if (depth > MAX_DEPTH) throw new Unsplittable("it is nested too deeply");
		let words: CommandWord[] = [];
		const finish = (): void => {
			this.#addPart(words);
			words = [];
		};
		for (;;) {
			this.#skipBlanks();
			const sign = this.#text[this.#at];
			if (sign === undefined) {
				if (end !== undefined) throw new Unsplittable(`a ${end} is missing`);
				finish();
				return;
			}
			if (sign === end) {
				this.#at++;
				finish();
				return;
			}
			if (sign === "\n" || sign === ";" || sign === "|" || sign === "&") {
				this.#readSeparator(sign);
				finish();
			} else if (sign === "(") {
				if (words.length > 0) throw new Unsplittable("a bracket stands where only the shell knows its meaning");
				this.#at++;
				this.readList(")", depth + 1);
			} else if (sign === ")") {
				throw new Unsplittable("a closing bracket stands alone");
			} else if (sign === ">" || sign === "<") {
				this.#readRedirection(sign);
			} else if (sign === "#") {
				while (this.#at < this.#text.length && this.#text[this.#at] !== "\n") this.#at++;
			} else {
				const word = this.#readWord(depth);
				if (!/^\d+$/.test(word.text) || !/[<>]/.test(this.#text[this.#at] ?? "")) words.push(word);
			}
		}
	}

	#addPart(words: CommandWord[]): void {
		let rest = words;
		while (rest[0] !== undefined && LEADING_WORDS.has(rest[0].text)) rest = rest.slice(1);
		const first = rest[0];
		if (first === undefined || (rest.length === 1 && CLOSING_WORDS.has(first.text))) return;
		if (UNREAD_WORDS.has(first.text)) throw new Unsplittable(`"${first.text}" is not read here; use plain commands`);
		this.parts.push({ words: rest, text: rest.map((word) => word.text).join(" ") });
	}

	#readSeparator(sign: string): void {
		const next = this.#text[this.#at + 1];
		if (sign === "&" && next === ">") throw new Unsplittable("its output goes to a file");
		if (sign === ";" && next === ";") throw new Unsplittable('"case" is not read here; use plain commands');
		this.#at += (sign === "&" || sign === "|") && (next === sign || (sign === "|" && next === "&")) ? 2 : 1;
	}

	/** Only what leaves no file: copies of descriptors and `/dev/null`. Everything else writes or reads past the rules. */
	#readRedirection(sign: string): void {
		const harmless = sign === ">" ? /^>(?:&\d|>?[ \t]*\/dev\/null(?![^\s;|&)<>]))/ : /^<[ \t]*\/dev\/null(?![^\s;|&)<>])/;
		const match = harmless.exec(this.#text.slice(this.#at, this.#at + 200));
		if (match === null) throw new Unsplittable(sign === ">" ? "its output goes to a file" : "it reads from a file or a here-document");
		this.#at += match[0].length;
	}

	#readWord(depth: number): CommandWord {
		let text = "";
		let dynamic = false;
		for (;;) {
			const sign = this.#text[this.#at];
			if (sign === undefined || /[\s;|&()<>]/.test(sign)) break;
			if (sign === "\\") {
				const next = this.#text[this.#at + 1];
				if (next === undefined) throw new Unsplittable("it ends in a backslash");
				// A backslash at a line's end joins the lines.
				if (next !== "\n") text += next;
				this.#at += 2;
			} else if (sign === "'") {
				text += this.#readUntilQuote();
			} else if (sign === '"') {
				const quoted = this.#readDoubleQuoted(depth);
				text += quoted.text;
				dynamic ||= quoted.dynamic;
			} else if (sign === "$" || sign === "`") {
				text += this.#readExpansion(sign, depth, false);
				dynamic = true;
			} else {
				if (/[*?[\]{}]/.test(sign) || (sign === "~" && text === "")) dynamic = true;
				text += sign;
				this.#at++;
			}
		}
		// Lone braces group commands; they are words of the grammar and expand to nothing.
		return { text, dynamic: dynamic && text !== "{" && text !== "}" && text !== "[" && text !== "]" };
	}

	#readUntilQuote(): string {
		const end = this.#text.indexOf("'", this.#at + 1);
		if (end === -1) throw new Unsplittable("a quote is not closed");
		const inner = this.#text.slice(this.#at + 1, end);
		this.#at = end + 1;
		return inner;
	}

	#readDoubleQuoted(depth: number): CommandWord {
		let text = "";
		let dynamic = false;
		this.#at++;
		for (;;) {
			const sign = this.#text[this.#at];
			if (sign === undefined) throw new Unsplittable("a quote is not closed");
			if (sign === '"') {
				this.#at++;
				return { text, dynamic };
			}
			if (sign === "\\") {
				const next = this.#text[this.#at + 1] ?? "";
				if (next !== "\n") text += /[$`"\\]/.test(next) ? next : `\\${next}`;
				this.#at += 2;
			} else if (sign === "$" || sign === "`") {
				text += this.#readExpansion(sign, depth, true);
				dynamic = true;
			} else {
				text += sign;
				this.#at++;
			}
		}
	}

	/** The commands inside are read as commands of their own; the word keeps the place as text. */
	#readExpansion(sign: string, depth: number, quoted: boolean): string {
		const start = this.#at;
		if (sign === "`") {
			this.#at++;
			if (this.#text.slice(this.#at).split("`")[0]?.includes("\\") === true) throw new Unsplittable("backticks with a backslash inside");
			this.readList("`", depth + 1);
			return this.#text.slice(start, this.#at);
		}
		const next = this.#text[start + 1] ?? "";
		if (next === "(") {
			if (this.#text[start + 2] === "(") throw new Unsplittable("shell arithmetic is not read here");
			this.#at += 2;
			this.readList(")", depth + 1);
			return this.#text.slice(start, this.#at);
		}
		if (next === "{") {
			const name = /^\$\{[#!]?\w+(?:\[\w+\])?\}/.exec(this.#text.slice(start));
			if (name === null) throw new Unsplittable("a variable with an operator is not read here");
			this.#at += name[0].length;
			return name[0];
		}
		if (!quoted && (next === "'" || next === '"')) throw new Unsplittable("quotes behind a dollar sign are not read here");
		const name = /^\$(?:\w+|[@*#?$!-])?/.exec(this.#text.slice(start))?.[0] ?? "$";
		this.#at += name.length;
		return name;
	}

	#skipBlanks(): void {
		for (;;) {
			const sign = this.#text[this.#at];
			if (sign === " " || sign === "\t") this.#at++;
			else if (sign === "\\" && this.#text[this.#at + 1] === "\n") this.#at += 2;
			else return;
		}
	}
}
