import type { GrammarId } from "../../code-index/grammars.ts";
import type { SyntaxProblem } from "../../code-index/syntax-errors.ts";
import type { SyntaxService } from "../../code-index/syntax-service.ts";
import type { ChangedText } from "./changed-text.ts";

export interface ConfirmedProblem {
	/** 1-based. */
	readonly line: number;
	readonly message: string;
	readonly replacement?: string;
}

const MISSING_SEMICOLON = "The `;` at the end of this statement is missing, so the file no longer parses.";
const LISTS =
	/^(object|array|arguments|argument_list|list|dictionary|set|tuple|literal_value|object_pattern|array_pattern|formal_parameters|parameters|parameter_list|field_declaration_list|field_initializer_list|array_expression|array_initializer|enum_body|enum_variant_list|struct_expression)$/;

/**
 * Looks for the second sign that an error is one, in the order of cheapness. Undefined when there is none. The signs
 * were tried on syntax that the grammars do not know (import defer, static accessor, type-only star exports, module
 * imports, statements before `super`): none of them gives one.
 */
export async function confirmProblem(
	text: ChangedText,
	grammar: GrammarId,
	problem: SyntaxProblem,
	syntax: SyntaxService,
): Promise<ConfirmedProblem | undefined> {
	return (
		confirmMissing(text, grammar, problem) ??
		confirmOperator(text, problem) ??
		confirmHeader(text, grammar, problem) ??
		confirmString(text, grammar, problem) ??
		(await confirmComma(text, grammar, problem, syntax)) ??
		(await confirmSemicolon(text, grammar, problem, syntax))
	);
}

/** The parser goes on if it invents this one token. */
function confirmMissing(text: ChangedText, grammar: GrammarId, problem: SyntaxProblem): ConfirmedProblem | undefined {
	if (problem.kind !== "missing") return undefined;
	const line = problem.row + 1;
	if (problem.type === '"' || problem.type === "'" || problem.type === "`")
		return { line, message: "A string is opened here and not closed." };
	if (/identifier/.test(problem.type)) {
		// Behind anything but an operator the invented name may stand for a form that the grammar does not know.
		if (!/[=+*/%&|^!.-]$/.test(text.head.slice(0, problem.startIndex).trimEnd())) return undefined;
		return { line, message: "A name or value is missing here, so the file no longer parses." };
	}
	if (problem.type !== ";" || (grammar !== "rust" && grammar !== "java")) return undefined;
	const source = text.lines[problem.row] ?? "";
	const rest = source.slice(problem.column).trim();
	if (rest !== "" && !/^(\}|\/\/|\/\*)/.test(rest)) return undefined;
	return {
		line,
		message: MISSING_SEMICOLON,
		replacement: insert(source, problem.column, ";"),
	};
}

/** An operator with nothing behind it. */
function confirmOperator(text: ChangedText, problem: SyntaxProblem): ConfirmedProblem | undefined {
	const operator = /^(=|->|[+\-*/%]|&&|\|\||[<>]=?|[!=]==?)$/.exec(problem.text.trim())?.[0];
	if (operator === undefined) return undefined;
	const rest = text.head.slice(problem.endIndex).trimStart();
	if (!/^([;)\]},]|$)/.test(rest) && !(operator === "->" && rest.startsWith("{"))) return undefined;
	return { line: problem.row + 1, message: `Nothing stands behind \`${operator}\` here, so the file no longer parses.` };
}

const PYTHON_HEADER = /^\s*(async\s+)?(def|class|if|elif|else|for|while|try|except|finally|with)\b[^#'"\\]*[^#'"\\:,]$/;

/** A Python block header without its colon: the next line is indented further. */
function confirmHeader(text: ChangedText, grammar: GrammarId, problem: SyntaxProblem): ConfirmedProblem | undefined {
	if (grammar !== "python") return undefined;
	for (let row = problem.row; row <= Math.min(problem.endRow, problem.row + 200); row++) {
		const source = (text.lines[row] ?? "").trimEnd();
		if (!text.added.has(row + 1) || !PYTHON_HEADER.test(source) || !isBalanced(source)) continue;
		const next = text.lines.slice(row + 1).find((line) => line.trim() !== "");
		if (next === undefined || indentOf(next) <= indentOf(source)) continue;
		return {
			line: row + 1,
			message: "The `:` at the end of this line is missing, so the file no longer parses.",
			replacement: `${source}:`,
		};
	}
	return undefined;
}

function isBalanced(source: string): boolean {
	const count = (characters: string) => [...source].filter((character) => characters.includes(character)).length;
	return count("([{") === count(")]}");
}

function indentOf(line: string): number {
	return line.length - line.trimStart().length;
}

/**
 * A string that is still open at the line's end: on the whole line its mark stands an odd number of times. Not in Rust,
 * where an apostrophe may be a lifetime, and not beside JSX, where it may be text.
 */
function confirmString(text: ChangedText, grammar: GrammarId, problem: SyntaxProblem): ConfirmedProblem | undefined {
	const quote = problem.text[0];
	if (grammar === "rust" || (quote !== "'" && quote !== '"')) return undefined;
	if (/\.[cm]?[jt]sx?$/.test(text.path) && /<\/|\/>/.test(text.head)) return undefined;
	const source = text.lines[problem.row] ?? "";
	const count = (part: string) => [...part.replace(/\\./g, "")].filter((character) => character === quote).length;
	if (count(source.slice(problem.column)) !== 1 || count(source) % 2 === 0 || source.includes(quote.repeat(3))) return undefined;
	return { line: problem.row + 1, message: "A string is opened here and not closed." };
}

/** A list that parses when one comma is added. Only inside lists: elsewhere a comma could make sense of newer syntax. */
async function confirmComma(
	text: ChangedText,
	grammar: GrammarId,
	problem: SyntaxProblem,
	syntax: SyntaxService,
): Promise<ConfirmedProblem | undefined> {
	if (!problem.ancestors.slice(0, 2).some((type) => LISTS.test(type))) return undefined;
	for (const index of [problem.startIndex, problem.endIndex]) {
		const place = text.head.slice(0, index).trimEnd().length;
		if (/[,([{]$/.test(text.head.slice(0, place)) || !(await parsesWith(text, grammar, place, ",", syntax))) continue;
		const line = text.head.slice(0, place).split("\n").length;
		return {
			line,
			message: "A `,` is missing here, so the file no longer parses.",
			replacement: insert(text.lines[line - 1] ?? "", place - lineStart(text.head, place), ","),
		};
	}
	return undefined;
}

/** A statement that parses when its line ends in a semicolon. Only at line ends, so that no newer syntax is cut in two. */
async function confirmSemicolon(
	text: ChangedText,
	grammar: GrammarId,
	problem: SyntaxProblem,
	syntax: SyntaxService,
): Promise<ConfirmedProblem | undefined> {
	if (grammar !== "rust" && grammar !== "java") return undefined;
	for (const row of [problem.row, problem.row - 1]) {
		const source = (text.lines[row] ?? "").trimEnd();
		if (!text.added.has(row + 1) || /^\s*$|[;{}(,]$|\/\/|^\s*[*#@]/.test(source)) continue;
		const place = startOfRow(text.head, row) + source.length;
		if (!(await parsesWith(text, grammar, place, ";", syntax))) continue;
		return { line: row + 1, message: MISSING_SEMICOLON, replacement: insert(text.lines[row] ?? "", source.length, ";") };
	}
	return undefined;
}

async function parsesWith(text: ChangedText, grammar: GrammarId, place: number, token: string, syntax: SyntaxService): Promise<boolean> {
	const outcome = await syntax.parseSource(grammar, insert(text.head, place, token), (tree) => tree.rootNode.hasError);
	return outcome.ok && !outcome.value;
}

function insert(source: string, place: number, token: string): string {
	return `${source.slice(0, place)}${token}${source.slice(place)}`;
}

function lineStart(source: string, place: number): number {
	return source.lastIndexOf("\n", place - 1) + 1;
}

function startOfRow(source: string, row: number): number {
	let start = 0;
	for (let passed = 0; passed < row; passed++) start = source.indexOf("\n", start) + 1;
	return start;
}
