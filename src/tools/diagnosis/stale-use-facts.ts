import type { RemovedUse } from "../../code-index/changes/find-removed-uses.ts";
import type { StaleCall } from "../../code-index/changes/find-stale-calls.ts";
import { describeArguments, describeParameters } from "../../code-index/changes/parameters-fit.ts";
import type { StaleUse } from "../../code-index/changes/tree-comparison.ts";
import type { GrammarId } from "../../code-index/grammars.ts";
import type { Fact } from "../../domain/diagnosis.ts";
import type { Severity } from "../../domain/finding.ts";

/** One cause is told at so many files; the message names how many more there are. */
const MAX_FILES_OF_A_CAUSE = 3;
const MAX_QUOTE = 200;

/** What facts need of a file: its lines, for quotes, and its grammar. */
export interface UseFile {
	readonly lines: readonly string[];
	readonly grammar: GrammarId;
}

/** Facts for uses of removed definitions: one a file and definition, at its first use there, imports first. */
export function toRemovedFacts(uses: readonly RemovedUse[], fileOf: (path: string) => UseFile | undefined): readonly Fact[] {
	return groupByCause(uses).flatMap((group) =>
		group.shown.flatMap(({ use, others }): readonly Fact[] => {
			const file = fileOf(use.path);
			if (file === undefined) return [];
			const { definition, path } = use.target;
			const what =
				use.gone === "export"
					? `\`${definition.name}\` is used here, and since this change it can no longer be reached from here: it still stands in ${path}.`
					: `\`${definition.name}\` is used here, and this change removes it from ${path}.`;
			const hint = use.renamedTo === undefined ? "" : ` It seems to be called \`${use.renamedTo}\` now.`;
			const trace = `defined at ${path}:${definition.line} before the change and not after it; ${use.path}:${use.occurrence.line} was bound to it (${use.evidence})`;
			return [toFact("removed-use", use, file, `${what}${hint}${tellOthers(others, group.hidden)}`, trace, severityOf(use, file.grammar))];
		}),
	);
}

/** Facts for calls that no longer fit: one a file and callable, at the first such call. */
export function toStaleCallFacts(calls: readonly StaleCall[], fileOf: (path: string) => UseFile | undefined): readonly Fact[] {
	return groupByCause(calls).flatMap((group) =>
		group.shown.flatMap(({ use, others }): readonly Fact[] => {
			const file = fileOf(use.path);
			const given = use.occurrence.arguments;
			if (file === undefined || given === undefined) return [];
			const { place } = use;
			const message = `Since this change \`${use.occurrence.name}\` takes ${describeParameters(use.now)} (${place.path}:${place.line}); this call gives ${describeArguments(given)}.`;
			const trace = `it took ${describeParameters(use.before)} before; ${use.path}:${use.occurrence.line} is bound to it (${use.evidence})`;
			return [toFact("stale-call", use, file, `${message}${tellOthers(others, group.hidden)}`, trace, severityOf(use, file.grammar))];
		}),
	);
}

interface Cause<T> {
	readonly shown: readonly { readonly use: T; readonly others: number }[];
	/** Files with a use that are not shown. */
	readonly hidden: number;
}

function groupByCause<T extends StaleUse>(uses: readonly T[]): readonly Cause<T>[] {
	const causes = new Map<string, Map<string, T[]>>();
	for (const use of uses) {
		const key = `${use.target.path}\0${use.target.definition.index}`;
		const files = causes.get(key) ?? new Map<string, T[]>();
		causes.set(key, files.set(use.path, [...(files.get(use.path) ?? []), use]));
	}
	return [...causes.values()].map((files) => {
		const sorted = [...files.values()].map((inFile) => [...inFile].sort(byWeight));
		return {
			shown: sorted.slice(0, MAX_FILES_OF_A_CAUSE).flatMap(([use, ...rest]) => (use === undefined ? [] : [{ use, others: rest.length }])),
			hidden: Math.max(0, sorted.length - MAX_FILES_OF_A_CAUSE),
		};
	});
}

/** Where the name comes into the file, before where it is used. */
function byWeight(a: StaleUse, b: StaleUse): number {
	const weight = (use: StaleUse) => (use.occurrence.role === "import" ? 0 : 1);
	return weight(a) - weight(b) || a.occurrence.index - b.occurrence.index;
}

function tellOthers(others: number, hiddenFiles: number): string {
	const parts = [
		...(others === 0 ? [] : [others === 1 ? "1 more place in this file" : `${others} more places in this file`]),
		...(hiddenFiles === 0 ? [] : [hiddenFiles === 1 ? "1 more file" : `${hiddenFiles} more files`]),
	];
	return parts.length === 0 ? "" : ` The same holds for ${parts.join(" and ")}.`;
}

/** What a compiler refuses breaks everything; elsewhere it breaks when it is reached, an import at once. */
function severityOf(use: StaleUse, grammar: GrammarId): Severity {
	const compiled = grammar === "go" || grammar === "rust" || grammar === "java";
	return compiled || use.occurrence.role === "import" ? "critical" : "important";
}

function toFact(kind: Fact["kind"], use: StaleUse, file: UseFile, message: string, trace: string, severity: Severity): Fact {
	const { line } = use.occurrence;
	const quote = (file.lines[line - 1] ?? "").replace(/\r$/, "");
	return {
		kind,
		rule: `${kind}/${file.grammar === "tsx" ? "typescript" : file.grammar}`,
		path: use.path,
		line,
		endLine: line,
		quote: quote.length > MAX_QUOTE ? "" : quote.toWellFormed(),
		message,
		severity,
		trace,
	};
}
