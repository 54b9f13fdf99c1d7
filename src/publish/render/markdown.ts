import { markdownTable } from "markdown-table";

/** A code span around a path or a name, whatever stands in it: paths may hold backticks and line feeds. */
export function code(text: string): string {
	const line = text.replace(/[\s\p{Cc}]+/gu, " ").trim() || " ";
	const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map((run) => run[0].length));
	const ticks = "`".repeat(longest + 1);
	return longest === 0 ? `\`${line}\`` : `${ticks} ${line} ${ticks}`;
}

/** A fence one longer than the longest run of backticks inside (BR-17). */
export function fence(text: string, language = ""): string {
	const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map((run) => run[0].length));
	const ticks = "`".repeat(Math.max(3, longest + 1));
	return `${ticks}${language}\n${text}\n${ticks}`;
}

/** A small table. Cells are one line each; pipes are escaped, in code spans too, as GitHub's tables want it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], right: readonly number[] = []): string {
	const align = head.map((_cell, index) => (right.includes(index) ? "r" : "l"));
	return markdownTable([head.map(cell), ...rows.map((row) => row.map(cell))], { align, alignDelimiters: false, padding: true });
}

function cell(text: string): string {
	return text.replace(/\s*\n\s*/g, " ").replace(/\\?\|/g, "\\|");
}

/** Collapsed by default; blank lines around the content, or GitHub shows it as plain text. */
export function details(summary: string, content: string): string {
	return `<details>\n<summary>${escapeHtml(summary)}</summary>\n\n${content}\n\n</details>`;
}

export function escapeHtml(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
