import type { SyntaxService } from "../../code-index/syntax-service.ts";
import { grammarOfPath } from "../../code-index/grammars.ts";
import type { Fact } from "../../domain/diagnosis.ts";
import { type ChangedText, quoteLine } from "./changed-text.ts";
import { isFixture, isProse } from "./path-kinds.ts";

const START = /^<{7}(?: \S.*)?$/;
const MIDDLE = /^={7}$/;
const END = /^>{7}(?: \S.*)?$/;

/**
 * Merge conflicts that were committed. Seven equal signs alone are a heading's underline, seven `>` a deep quotation:
 * only the three marks in their order count, or in code a lone mark with its branch name.
 */
export async function findConflictMarkers(text: ChangedText, syntax: SyntaxService): Promise<readonly Fact[]> {
	if (isFixture(text.path)) return [];
	const fenced = isProse(text.path) ? fencedLines(text.lines) : new Set<number>();
	const found = listConflicts(text.lines, isProse(text.path)).filter(
		(conflict) => touches(text.added, conflict) && !fenced.has(conflict.line),
	);
	if (found.length === 0) return [];
	const facts = found.map((conflict) => toFact(text, conflict));
	const quoted = await linesInsideStrings(text, syntax);
	return facts.filter((fact) => !quoted.has(fact.line));
}

interface Conflict {
	readonly line: number;
	readonly endLine: number;
}

function listConflicts(lines: readonly string[], prose: boolean): readonly Conflict[] {
	const conflicts: Conflict[] = [];
	let start: number | undefined;
	let middle = false;
	lines.forEach((text, index) => {
		const line = index + 1;
		if (START.test(text)) {
			if (start !== undefined && !prose && text.length > 7) conflicts.push({ line: start, endLine: start });
			start = line;
			middle = false;
		} else if (MIDDLE.test(text)) middle = start !== undefined;
		else if (END.test(text)) {
			if (start !== undefined && middle) conflicts.push({ line: start, endLine: line });
			// A mark that was left behind when the others were cleaned away.
			else if (!prose && text.length > 7) conflicts.push({ line, endLine: line });
			start = undefined;
			middle = false;
		}
	});
	if (start !== undefined && !prose && (lines[start - 1] ?? "").length > 7) conflicts.push({ line: start, endLine: start });
	return conflicts;
}

function touches(added: ReadonlySet<number>, conflict: Conflict): boolean {
	return added.has(conflict.line) || added.has(conflict.endLine);
}

function toFact(text: ChangedText, conflict: Conflict): Fact {
	const whole = conflict.endLine > conflict.line;
	return {
		kind: "conflict-marker",
		rule: "conflict-marker",
		path: text.path,
		line: conflict.line,
		endLine: conflict.endLine,
		quote: quoteLine(text, conflict.line),
		message: whole
			? `An unresolved merge conflict was committed: both sides and their markers stand in lines ${conflict.line} to ${conflict.endLine}.`
			: "A marker of a merge conflict was left in the file.",
		severity: "critical",
	};
}

function fencedLines(lines: readonly string[]): ReadonlySet<number> {
	const inside = new Set<number>();
	let fence: string | undefined;
	lines.forEach((text, index) => {
		const mark = /^\s*(`{3,}|~{3,})/.exec(text)?.[1]?.slice(0, 3);
		if (mark !== undefined) fence = fence === undefined ? mark : fence === mark ? undefined : fence;
		else if (fence !== undefined) inside.add(index + 1);
	});
	return inside;
}

/** Where the file still parses, marks inside a string are data, for example in the tests of a merge program. */
async function linesInsideStrings(text: ChangedText, syntax: SyntaxService): Promise<ReadonlySet<number>> {
	const grammar = grammarOfPath(text.path);
	if (grammar === undefined) return new Set();
	const outcome = await syntax.parseSource(grammar, text.head, (tree) => {
		const inside = new Set<number>();
		if (tree.rootNode.hasError) return inside;
		for (const [index, line] of text.lines.entries()) {
			if (!START.test(line) && !END.test(line)) continue;
			for (let node = tree.rootNode.descendantForPosition({ row: index, column: 0 }); node !== null; ) {
				if (/string|template|text_block|char/.test(node.type)) inside.add(index + 1);
				const parent = node.parent;
				if (parent === null) break;
				node = parent;
			}
		}
		return inside;
	});
	return outcome.ok ? outcome.value : new Set();
}
