import type { Finding } from "../../domain/finding.ts";
import type { RunContext } from "../../domain/run-context.ts";
import { code } from "./markdown.ts";

export type LinkContext = Pick<RunContext, "head" | "mergeBase" | "links">;

/** `path:12` as code, linked to the full commit where the run has pages; a moving branch name would go stale. */
export function renderPlace(finding: Pick<Finding, "path" | "side" | "startLine" | "endLine" | "tier">, context: LinkContext): string {
	const lines = lineText(finding);
	const text = code(lines === "" ? finding.path : `${finding.path}:${lines}`);
	const left = finding.side === "LEFT" ? " (before)" : "";
	// A body finding without a line may name a file that does not exist: a dead link helps nobody.
	if (context.links === undefined || (finding.tier === "body" && finding.startLine === 0)) return text + left;
	const commit = finding.side === "LEFT" ? context.mergeBase : context.head;
	const from = finding.startLine === 0 ? "" : `#L${finding.startLine}`;
	const fragment = finding.endLine > finding.startLine ? `${from}-L${finding.endLine}` : from;
	return `[${text}](${context.links.repository}/blob/${commit}/${encodePath(finding.path)}${fragment})${left}`;
}

/** `12` or `12-14`; empty when no line is known. */
export function lineText(finding: Pick<Finding, "startLine" | "endLine">): string {
	if (finding.startLine === 0) return "";
	return finding.endLine > finding.startLine ? `${finding.startLine}-${finding.endLine}` : String(finding.startLine);
}

function encodePath(path: string): string {
	return path
		.split("/")
		.map((part) => encodeURIComponent(part).replace(/[()'!*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`))
		.join("/");
}
