/** One step of an expression that ends in a value: a base, then what is done to it. */
export type ExpressionStep =
	| { readonly op: "name" | "member"; readonly name: string }
	| { readonly op: "this" | "super" | "literal" | "call" | "index" | "await" | "construct" }
	/** `(x as T)`, `<T>x`: the type says all. */
	| { readonly op: "cast"; readonly type: string }
	/** `import("m")`. */
	| { readonly op: "import"; readonly module: string };

const NAME = /[\p{L}_$#][\p{L}\p{N}_$]*/uy;
const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}", "<": ">" };

/**
 * Reads the expression left of a member access as steps; undefined for what has no plain form (operators, functions,
 * text that was cut). Knows the spelling of JavaScript, TypeScript and Python.
 */
export function readExpression(text: string): readonly ExpressionStep[] | undefined {
	const trimmed = text.trim();
	if (trimmed === "" || trimmed.endsWith("…")) return undefined;
	const awaited = /^await\s+(.*)$/s.exec(trimmed);
	if (awaited?.[1] !== undefined) {
		const inner = readExpression(awaited[1]);
		return inner === undefined ? undefined : [...inner, { op: "await" }];
	}
	const base = readBase(trimmed);
	return base === undefined ? undefined : readSuffixes(trimmed, base.end, base.steps);
}

interface Base {
	readonly steps: readonly ExpressionStep[];
	readonly end: number;
}

function readBase(text: string): Base | undefined {
	const made = /^new\s+/.exec(text);
	if (made !== null) return readConstruction(text, made[0].length);
	if (text.startsWith("(")) {
		const end = skipBrackets(text, 0);
		const inner = end === undefined ? undefined : readInner(text.slice(1, end - 1));
		return end === undefined || inner === undefined ? undefined : { steps: inner, end };
	}
	if (/^["'`\d]/.test(text) || /^[[{/]/.test(text)) {
		const end = skipLiteral(text);
		return end === undefined ? undefined : { steps: [{ op: "literal" }], end };
	}
	const loaded = /^import\(\s*["']([^"']*)["']\s*\)/.exec(text);
	if (loaded?.[1] !== undefined) return { steps: [{ op: "import", module: loaded[1] }], end: loaded[0].length };
	const name = nameAt(text, 0);
	if (name === undefined) return undefined;
	if (name === "this" || name === "super") return { steps: [{ op: name }], end: name.length };
	return { steps: [{ op: "name", name }], end: name.length };
}

function readConstruction(text: string, start: number): Base | undefined {
	let end = start;
	for (;;) {
		const name = nameAt(text, end);
		if (name === undefined) return undefined;
		end += name.length;
		if (text[end] !== ".") break;
		end++;
	}
	const made = readExpression(text.slice(start, end));
	if (made === undefined) return undefined;
	if (text[end] === "<") end = skipBrackets(text, end) ?? end;
	if (text[end] === "(") end = skipBrackets(text, end) ?? end;
	return { steps: [...made, { op: "construct" }], end };
}

/** What stands in parentheses: a cast, or the first of two alternatives that have the same type as a rule. */
function readInner(text: string): readonly ExpressionStep[] | undefined {
	const cast = findTopLevel(text, /\s(?:as|satisfies)\s+(?!const\b)/y);
	if (cast !== undefined) return [{ op: "cast", type: text.slice(cast.end).trim() }];
	const either = findTopLevel(text, /\s*(?:\?\?|\|\|)\s*|\s+or\s+/y);
	return readExpression(either === undefined ? text : text.slice(0, either.start));
}

function findTopLevel(text: string, pattern: RegExp): { readonly start: number; readonly end: number } | undefined {
	for (let index = 0; index < text.length; index++) {
		pattern.lastIndex = index;
		const found = pattern.exec(text);
		if (found !== null && index > 0) return { start: index, end: pattern.lastIndex };
		const char = text[index] ?? "";
		if ("([{".includes(char) || "\"'`".includes(char)) {
			const end = skipBrackets(text, index);
			if (end === undefined) return undefined;
			index = end - 1;
		}
	}
	return undefined;
}

function readSuffixes(text: string, start: number, base: readonly ExpressionStep[]): readonly ExpressionStep[] | undefined {
	const steps = [...base];
	let index = start;
	while (index < text.length) {
		const rest = text.slice(index);
		const dot = /^\s*(?:\?\.|!?\.)\s*/.exec(rest);
		if (dot !== null && !/^[([]/.test(rest.slice(dot[0].length))) {
			const name = nameAt(text, index + dot[0].length);
			if (name === undefined) return undefined;
			steps.push({ op: "member", name });
			index += dot[0].length + name.length;
			continue;
		}
		if (dot !== null) index += dot[0].length;
		const char = text[index] ?? "";
		if (char === "!" && text[index + 1] !== "=") index++;
		else if (char === "(" || char === "[" || (char === "<" && steps.at(-1)?.op !== "call")) {
			const end = skipBrackets(text, index);
			if (end === undefined) return undefined;
			if (char !== "<") steps.push({ op: char === "(" ? "call" : "index" });
			else if (text[end] !== "(") return undefined;
			index = end;
		} else return undefined;
	}
	return steps;
}

function nameAt(text: string, index: number): string | undefined {
	NAME.lastIndex = index;
	return NAME.exec(text)?.[0];
}

function skipLiteral(text: string): number | undefined {
	const number = /^\d[\w.]*/.exec(text);
	if (number !== null) return number[0].length;
	if (text.startsWith("/")) return text.length;
	return skipBrackets(text, 0);
}

/** Offset behind the bracket or quote that closes the one at `start`; undefined when it is not closed. */
export function skipBrackets(text: string, start: number): number | undefined {
	const open = text[start] ?? "";
	if ("\"'`".includes(open)) {
		for (let index = start + 1; index < text.length; index++) {
			if (text[index] === "\\") index++;
			else if (text[index] === open) return index + 1;
		}
		return undefined;
	}
	const close = CLOSING[open];
	for (let index = start + 1; index < text.length; index++) {
		const char = text[index] ?? "";
		if (char === close && !(close === ">" && text[index - 1] === "=")) return index + 1;
		if ("([{".includes(char) || "\"'`".includes(char) || (char === "<" && open === "<")) {
			const end = skipBrackets(text, index);
			if (end === undefined) return undefined;
			index = end - 1;
		}
	}
	return undefined;
}
