import { markdownTable } from "markdown-table";
import type { Score, Scorecard } from "./scorecard.ts";

/** Missed defects and wrong findings that are named one by one. */
const MAX_NAMED = 10;

/** The card for people: totals, then languages, agents and what was missed, as Markdown that reads well in a terminal. */
export function renderScorecard(card: Scorecard): string {
	const { total } = card;
	const parts = [
		`${card.dataset}: ${card.cases.length} pull requests, ${total.defects} known defects, provider ${card.provider}`,
		`precision ${share(total.precision)}, recall ${share(total.recall)}, F1 ${share(total.f1)}, ${cost(total.costUsd)}, ${seconds(total.durationMs)}`,
		card.complete ? "" : "The set does not name every defect: a finding beside its list may be right, so the precision is a lower bound.",
		table(
			["language", "defects", "found", "false", "precision", "recall"],
			Object.entries(card.languages).map(([language, score]) => [language || "(unknown)", ...columns(score)]),
		),
		table(
			["agent", "runs", "found", "false", "precision", "tokens", "cost", "time"],
			card.agents.map((row) => [
				row.agent,
				String(row.runs),
				String(row.found),
				String(row.false),
				share(row.precision),
				String(row.tokens),
				cost(row.costUsd),
				seconds(row.durationMs),
			]),
		),
		list(
			"Missed",
			card.cases.flatMap((each) => each.missed.map((one) => `${each.id}: ${place(one)}: ${one.text}`)),
		),
		list(
			"False",
			card.cases.flatMap((each) => each.wrong.map((one) => `${each.id}: ${place(one)}: ${one.title}`)),
		),
		list(
			"Not run",
			card.failed.map((each) => `${each.id}: ${each.reason}`),
		),
	];
	return parts.filter((part) => part !== "").join("\n\n");
}

function columns(score: Score): readonly string[] {
	return [String(score.defects), String(score.found), String(score.false), share(score.precision), share(score.recall)];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
	return rows.length === 0 ? "" : markdownTable([head, ...rows], { align: head.map((_, index) => (index === 0 ? "l" : "r")) });
}

function list(title: string, lines: readonly string[]): string {
	if (lines.length === 0) return "";
	const left = lines.length - MAX_NAMED;
	const shown = lines.slice(0, MAX_NAMED).map((line) => `- ${line.replace(/\s+/g, " ").slice(0, 160)}`);
	return [`${title} (${lines.length}):`, ...shown, ...(left > 0 ? [`- ${left} more; --json names them`] : [])].join("\n");
}

function place({ path, line }: { readonly path: string; readonly line: number }): string {
	return path === "" ? "somewhere" : line === 0 ? path : `${path}:${line}`;
}

function share(value: number | null): string {
	return value === null ? "–" : `${Math.round(value * 1_000) / 10} %`;
}

function cost(value: number | null): string {
	return value === null ? "cost unknown" : `$${value.toFixed(4)}`;
}

function seconds(milliseconds: number): string {
	return `${(milliseconds / 1_000).toFixed(1)} s`;
}
