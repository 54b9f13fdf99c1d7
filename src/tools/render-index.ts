import type {
	ImpactAnswer,
	IndexAnswer,
	MapAnswer,
	QueryAnswer,
	ReferenceAnswer,
	ReferenceHit,
	SymbolAnswer,
	SymbolHit,
} from "../code-index/types.ts";
import type { ToolOutput } from "../seams.ts";
import { showPath } from "./define-tool.ts";

const MAX_LINES = 80;
const MAX_CHARS = 16_000;
const MAX_BESIDE = 8;

/** Answers as lines that begin with a place; `data` is the answer itself. */
function render(lines: readonly string[], answer: IndexAnswer, notes: readonly string[] = []): ToolOutput {
	const shown: string[] = [];
	let chars = 0;
	for (const line of lines.slice(0, MAX_LINES)) {
		chars += line.length + 1;
		if (chars > MAX_CHARS) break;
		shown.push(line);
	}
	if (shown.length < lines.length) shown.push(`(${lines.length - shown.length} more lines are not shown)`);
	if (answer.truncated) shown.push(`(cut: not all of ${answer.candidateFiles} candidate files or hits; name a path to narrow it)`);
	// Said in the text as well: the model does not see `data` (S-020).
	shown.push(
		...notes.map((note) => `(${note})`),
		answer.approximate ? "approximate: true; say so where a finding rests on it" : "approximate: false",
	);
	return { content: shown.join("\n"), data: answer };
}

export function renderSymbols(answer: SymbolAnswer): ToolOutput {
	if (answer.symbols.length === 0) return render(["No definition of this name."], answer);
	return render(answer.symbols.map(symbolLine), answer);
}

function symbolLine(hit: SymbolHit): string {
	return `${showPath(hit.path)}:${hit.line}-${hit.endLine} ${hit.kind} ${titleOf(hit)}: ${hit.signature}`;
}

const titleOf = (hit: SymbolHit): string => (hit.container === undefined ? hit.name : `${hit.container}.${hit.name}`);

export function renderReferences(answer: ReferenceAnswer, what: "uses" | "calls"): ToolOutput {
	const heads = answer.targets.slice(0, 5).map((target) => `defined ${showPath(target.path)}:${target.line} ${titleOf(target)}`);
	if (answer.targets.length > 5) heads.push(`and ${answer.targets.length - 5} more definitions of the name: use path:line:name for one`);
	if (answer.targets.length === 0) heads.push("No definition of this name in the repository; only names are compared.");
	const sure = answer.hits.filter((hit) => hit.certainty !== "name");
	const byName = answer.hits.filter((hit) => hit.certainty === "name");
	// Beside what is known, a few names are enough to see that there are more.
	const shown = byName.slice(0, sure.length > 0 ? MAX_BESIDE : byName.length);
	const body = answer.hits.length === 0 ? [`No ${what} found.`] : [...sure, ...shown].map(hitLine);
	if (shown.length < byName.length) body.push(`and ${byName.length - shown.length} more ${what} by name only`);
	return render([...heads, ...body], answer);
}

function hitLine(hit: ReferenceHit): string {
	const place = `${showPath(hit.path)}:${hit.line}`;
	const around = hit.enclosing === undefined ? "" : ` in ${titleOf(hit.enclosing)}`;
	const role = hit.role === "read" || hit.role === "call" ? "" : `${hit.role} `;
	const certainty = hit.certainty === "name" ? "name only, may be another: " : hit.certainty === "typed" ? "by type: " : "";
	return `${place}${around}: ${certainty}${role}${hit.text}`;
}

export function renderImpact(answer: ImpactAnswer): ToolOutput {
	const heads = answer.targets.slice(0, 5).map((target) => `defined ${showPath(target.path)}:${target.line} ${titleOf(target)}`);
	const nodes = answer.nodes.map((node) => {
		const sure = node.certainty === "name" ? " (name only)" : "";
		const through = `${showPath(node.through.path)}:${node.through.line}`;
		return `${"  ".repeat(node.depth - 1)}${titleOf(node.symbol)} ${through}${sure}`;
	});
	const list = (name: string, files: readonly string[]): string[] =>
		files.length === 0
			? []
			: [`${name}: ${files.slice(0, 30).map(showPath).join(", ")}${files.length > 30 ? ` and ${files.length - 30} more` : ""}`];
	const notes = answer.risk === "unknown" ? ["the risk is not known, which is not a low risk"] : [];
	return render(
		[`risk: ${answer.risk}`, ...heads, ...list("files", answer.files), ...list("tests", answer.tests), ...nodes],
		answer,
		notes,
	);
}

export function renderQuery(answer: QueryAnswer): ToolOutput {
	if (answer.error !== undefined) return { content: answer.error, isError: true, data: answer };
	if (answer.captures.length === 0) return render(["No match."], answer);
	return render(
		answer.captures.map((each) => `${showPath(each.path)}:${each.line} @${each.capture} ${each.text}`),
		answer,
	);
}

export function renderMap(answer: MapAnswer): ToolOutput {
	if (answer.entries.length === 0) return render(["Nothing is known that belongs to it."], answer);
	return render(
		answer.entries.map(({ path, reasons, symbols }) => {
			const defines = symbols.length === 0 ? "" : `; has ${symbols.map((symbol) => symbol.name).join(", ")}`;
			return `${showPath(path)}: ${reasons.join("; ")}${defines}`;
		}),
		answer,
	);
}
