import type { PreviousFinding } from "../domain/synthesis.ts";
import { normalisedQuote } from "./anchor.ts";
import { enclosingSymbol } from "./enclosing-symbol.ts";
import { fingerprintOf } from "./fingerprint.ts";
import type { LineRange } from "./locate-quote.ts";

/** A longer file is searched around the place that is remembered; beyond, the code counts as gone. */
const MAX_LINES = 4_000;

/**
 * Where the code of an earlier finding stands now. The state keeps no code, only the fingerprint, so each place of the
 * file is asked whether it would have that fingerprint, those nearest to the old line first. Undefined: the code is
 * gone, which alone makes a finding "fixed" (BR-68), or the finding never had a line.
 */
export function findStandingCode(
	finding: PreviousFinding,
	lines: readonly string[],
	symbolAt?: (line: number) => string | undefined,
): LineRange | undefined {
	if (finding.line === 0) return undefined;
	const length = Math.max(1, (finding.end ?? finding.line) - finding.line + 1);
	const lineage = finding.from ?? finding.path;
	for (const startLine of linesAround(finding.line, lines.length - length + 1)) {
		const endLine = startLine + length - 1;
		const quote = normalisedQuote({ quote: lines.slice(startLine - 1, endLine).join("\n") });
		if (quote === "") continue;
		const symbol = symbolAt?.(startLine) ?? enclosingSymbol(lines, startLine);
		const fingerprint = fingerprintOf({ category: finding.category, lineage, symbol, quote, title: "" });
		if (fingerprint === finding.fingerprint) return { startLine, endLine };
	}
	return undefined;
}

/** 1 to `last`, nearest to `line` first. */
function* linesAround(line: number, last: number): Generator<number> {
	for (let distance = 0; distance <= Math.max(line, last) && distance <= MAX_LINES / 2; distance += 1) {
		if (line - distance >= 1 && line - distance <= last) yield line - distance;
		if (distance > 0 && line + distance <= last && line + distance >= 1) yield line + distance;
	}
}
