import type { Finding } from "../../domain/finding.ts";
import { cutBalanced, MAX_BODY_CHARS } from "../size-packing.ts";
import { capitalise } from "./format.ts";
import { fence } from "./markdown.ts";
import { renderPlace, type LinkContext } from "./permalink.ts";

/** The body of an inline or file comment, marker first. Severity is a word, so that it reads the same in mail. */
export function renderFindingComment(finding: Finding, marker: string): string {
	const parts = [
		marker,
		`**${capitalise(finding.severity)}, ${finding.category}: ${finding.title}** (${finding.id})`,
		finding.body === finding.title ? "" : finding.body,
		finding.tier === "inline" ? renderSuggestion(finding) : renderProposal(finding),
		renderEvidence(finding),
	];
	return cutBalanced(parts.filter((part) => part !== "").join("\n\n"), { limit: MAX_BODY_CHARS, elsewhere: "in the JSON report" });
}

/** A finding that stands in the summary because it has no line in the diff. */
export function renderFindingEntry(finding: Finding, context: LinkContext): string {
	const why = finding.tierReason === "" ? "" : ` (${finding.tierReason})`;
	const state = finding.state === "open" ? ", still open" : "";
	const parts = [
		`**${capitalise(finding.severity)}, ${finding.category}: ${finding.title}** (${finding.id}${state})`,
		`${renderPlace(finding, context)}${why}`,
		finding.body === finding.title ? "" : finding.body,
		renderProposal(finding),
		finding.sources.length === 0 ? "" : renderEvidence(finding),
	];
	return parts.filter((part) => part !== "").join("\n\n");
}

/** GitHub applies the block to the whole range of the comment; deleted lines have none (BR-16). */
function renderSuggestion(finding: Finding): string {
	if (finding.suggestion === undefined) return "";
	return finding.side === "LEFT" ? renderProposal(finding) : fence(finding.suggestion, "suggestion");
}

function renderProposal(finding: Finding): string {
	return finding.suggestion === undefined ? "" : `Proposed code:\n\n${fence(finding.suggestion)}`;
}

const EVIDENCE_WORDS = { reproduced: "Reproduced", traced: "Traced in the code", stated: "Not checked further" } as const;

function renderEvidence(finding: Finding): string {
	const detail = finding.evidence.detail === "" ? "" : `: ${finding.evidence.detail}`;
	const evidence = `${EVIDENCE_WORDS[finding.evidence.kind]}${detail}`.replace(/[.\s]+$/, "");
	return `${evidence}. Confidence ${finding.confidence} of 100. Seen by ${finding.sources.join(", ")}.`;
}
