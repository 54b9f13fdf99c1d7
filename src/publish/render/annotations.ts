import type { Finding, Severity } from "../../domain/finding.ts";
import type { Annotation } from "../../domain/publication.ts";

/** A check run takes 50 annotations in one request. */
export const MAX_CHECK_ANNOTATIONS = 50;
/** The runner keeps ten of a kind in a step and drops the rest without a word (R26). */
export const MAX_LOG_ANNOTATIONS = 10;

const LEVELS: Readonly<Record<Severity, Annotation["level"]>> = {
	critical: "failure",
	important: "warning",
	minor: "notice",
	nit: "notice",
};

/** Annotations for findings with a line on the head side, worst first; `left` counts those that did not fit. */
export function renderAnnotations(
	findings: readonly Finding[],
	limit = MAX_CHECK_ANNOTATIONS,
): { readonly annotations: readonly Annotation[]; readonly left: number } {
	const placeable = findings.filter((finding) => finding.state !== "fixed" && finding.side === "RIGHT" && finding.startLine > 0);
	return { annotations: placeable.slice(0, limit).map(toAnnotation), left: Math.max(0, placeable.length - limit) };
}

/** The worst ten of each level for the job's log, and how many of each stay out (R26). */
export function pickLogAnnotations(annotations: readonly Annotation[]): {
	readonly shown: readonly Annotation[];
	readonly left: number;
} {
	const counts = new Map<Annotation["level"], number>();
	const shown = annotations.filter((annotation) => {
		const number = (counts.get(annotation.level) ?? 0) + 1;
		counts.set(annotation.level, number);
		return number <= MAX_LOG_ANNOTATIONS;
	});
	return { shown, left: annotations.length - shown.length };
}

function toAnnotation(finding: Finding): Annotation {
	return {
		path: finding.path,
		startLine: finding.startLine,
		endLine: finding.endLine,
		level: LEVELS[finding.severity],
		title: `${finding.severity}: ${plainText(finding.title)} (${finding.id})`.slice(0, 255),
		message: plainText(finding.body).slice(0, 4_000).toWellFormed() || finding.title,
	};
}

/** Annotations are shown as they are: the filter's escapes would only disturb. No line forms a runner command. */
function plainText(markdown: string): string {
	return markdown
		.replace(/\\([\\`*_[\](){}#:!<>-])/g, "$1")
		.replaceAll("&lt;", "<")
		.replaceAll("&amp;", "&")
		.replace(/^(\s*)::/gm, "$1: :")
		.replace(/##(?=\[)/g, "# #");
}
