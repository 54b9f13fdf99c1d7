import { type GrammarId, grammarOfPath } from "../../code-index/grammars.ts";
import { type Bracket, findSyntaxProblems, listBrackets, type SyntaxProblem } from "../../code-index/syntax-errors.ts";
import type { SyntaxService } from "../../code-index/syntax-service.ts";
import type { Fact } from "../../domain/diagnosis.ts";
import { type ChangedText, isNearChange, quoteLine } from "./changed-text.ts";
import { confirmProblem } from "./confirm-problem.ts";
import { holdsPlaceholders, isFixture, isTemplate } from "./path-kinds.ts";

export interface SyntaxFindings {
	readonly facts: readonly Fact[];
	readonly notes: readonly string[];
}

const MAX_FACTS_PER_FILE = 3;

/**
 * Errors that the change brings in. A grammar can be older than the language, so that an error node alone proves
 * nothing: the base must have parsed, and the error needs a second sign that does not depend on the grammar's age
 * (brackets out of balance, one missing token, an operator with nothing behind it, an open string, a Python header
 * without its colon, or text that parses again with one comma or semicolon). Anything else becomes a note.
 * Undefined when the check does not fit the file.
 */
export async function findSyntaxErrors(text: ChangedText, syntax: SyntaxService): Promise<SyntaxFindings | undefined> {
	const grammar = grammarOfPath(text.path);
	if (grammar === undefined || isFixture(text.path) || isTemplate(text.path)) return undefined;
	if (/^[^\n]{0,200}@flow\b/m.test(text.head.slice(0, 2_000))) return undefined;
	const head = await parse(syntax, grammar, text.head);
	if (head === undefined) return undefined;
	if (head.problems.length === 0 || text.blocks.length === 0) return { facts: [], notes: [] };
	const base = text.base === undefined ? undefined : await parse(syntax, grammar, text.base);
	if (base !== undefined && base.problems.length > 0) return { facts: [], notes: [] };
	const unbalanced = findUnbalanced(head.brackets);
	if (unbalanced !== undefined) {
		const fact = bracketFact(text, grammar, unbalanced, head, base?.brackets ?? []);
		return fact === undefined ? { facts: [], notes: [doubt(text, head)] } : { facts: [fact], notes: [] };
	}
	const facts: Fact[] = [];
	for (const problem of head.problems) {
		if (facts.length >= MAX_FACTS_PER_FILE || holdsPlaceholders(problem.text)) break;
		const confirmed = await confirmProblem(text, grammar, problem, syntax);
		if (confirmed === undefined || !isNearChange(text, confirmed.line)) continue;
		if (facts.some((fact) => Math.abs(fact.line - confirmed.line) <= 1)) continue;
		facts.push(toFact(text, grammar, confirmed.line, confirmed.message, confirmed.replacement));
	}
	return { facts, notes: facts.length === 0 ? [doubt(text, head)] : [] };
}

interface Parsed {
	readonly problems: readonly SyntaxProblem[];
	readonly brackets: readonly Bracket[];
}

async function parse(syntax: SyntaxService, grammar: GrammarId, source: string): Promise<Parsed | undefined> {
	const outcome = await syntax.parseSource(grammar, source, (tree) => {
		const problems = findSyntaxProblems(tree);
		return { problems, brackets: problems.length === 0 && source.length > 200_000 ? [] : listBrackets(tree) };
	});
	return outcome.ok ? outcome.value : undefined;
}

interface Unbalanced {
	readonly pair: Bracket["pair"];
	/** More opening than closing ones when positive. */
	readonly excess: number;
}

function findUnbalanced(brackets: readonly Bracket[]): Unbalanced | undefined {
	for (const pair of ["{}", "()", "[]"] as const) {
		const excess = sum(brackets, pair, () => true);
		if (excess !== 0) return { pair, excess };
	}
	return undefined;
}

function sum(brackets: readonly Bracket[], pair: Bracket["pair"], inside: (line: number) => boolean): number {
	return brackets.reduce((total, bracket) => (bracket.pair === pair && inside(bracket.row + 1) ? total + bracket.step : total), 0);
}

/** The change block whose lines account for the excess, and in it the bracket that stands alone. */
function bracketFact(
	text: ChangedText,
	grammar: GrammarId,
	unbalanced: Unbalanced,
	head: Parsed,
	base: readonly Bracket[],
): Fact | undefined {
	const { pair, excess } = unbalanced;
	const opens = excess > 0;
	const culprits = text.blocks.filter((block) => {
		const added = new Set(block.added);
		const deleted = new Set(block.deleted);
		const net = sum(head.brackets, pair, (line) => added.has(line)) - sum(base, pair, (line) => deleted.has(line));
		return Math.sign(net) === Math.sign(excess);
	});
	const block = culprits[0];
	if (block === undefined || culprits.length > 1) return undefined;
	const added = new Set(block.added);
	const own = head.brackets.filter((bracket) => bracket.pair === pair && added.has(bracket.row + 1));
	const missing = head.problems.find((problem) => problem.kind === "missing" && pair.includes(problem.type));
	const line =
		missing !== undefined && added.has(missing.row + 1) && text.base === undefined
			? missing.row + 1
			: (lonely(own, opens) ?? Math.min(block.added[0] ?? block.line, text.lines.length));
	const [opening, closing] = [pair[0] ?? "", pair[1] ?? ""];
	const message = opens
		? `\`${opening}\` is opened here and never closed, so the file no longer parses: add the missing \`${closing}\`.`
		: `There is one \`${closing}\` more than \`${opening}\`, so the file no longer parses.`;
	return toFact(text, grammar, line, message, undefined);
}

/** Line of the last opening bracket without a partner, or of the first closing one. */
function lonely(brackets: readonly Bracket[], opens: boolean): number | undefined {
	const open: Bracket[] = [];
	for (const bracket of brackets) {
		if (bracket.step === 1) open.push(bracket);
		else if (open.pop() === undefined && !opens) return bracket.row + 1;
	}
	const last = open.at(-1);
	return last === undefined ? undefined : last.row + 1;
}

function toFact(text: ChangedText, grammar: GrammarId, line: number, message: string, replacement: string | undefined): Fact {
	return {
		kind: "syntax-error",
		rule: `syntax/${grammar === "tsx" ? "typescript" : grammar}`,
		path: text.path,
		line,
		endLine: line,
		quote: quoteLine(text, line),
		message,
		severity: "critical",
		...(replacement === undefined ? {} : { replacement }),
	};
}

function doubt(text: ChangedText, parsed: Parsed): string {
	const line = (parsed.problems[0]?.row ?? 0) + 1;
	return `${text.path}:${line}: the parser does not understand this; it may be an error or syntax newer than the grammar, so it is not a fact.`;
}
