import type { ProposedTest } from "../domain/verification.ts";

/** A test that is longer shows more than one thing. */
const MAX_CHARACTERS = 10_000;
/** Nothing that needs quoting in a patch or in a shell. */
const PATH = /^[\w.@+-][\w./@+-]{0,199}$/;

/**
 * A test file in a verifier's evidence: its path on the first line, its whole text below, in a fence or not. Undefined
 * when there is none of this form. Text of a model: nothing is said here about whether it may be run.
 */
export function readProposedTest(detail: string): ProposedTest | undefined {
	const [first = "", ...rest] = detail.replaceAll("\r\n", "\n").trim().split("\n");
	const path = first
		.replace(/^(?:test|file|path)\s*:\s*/i, "")
		.replace(/[`*:]/g, "")
		.trim();
	const content = unfence(rest.join("\n").trim());
	if (!PATH.test(path) || path.split("/").includes("..") || content === "" || content.length > MAX_CHARACTERS) return undefined;
	return { path, content: `${content}\n` };
}

function unfence(text: string): string {
	const match = /^(`{3,}|~{3,})[^\n]*\n([\s\S]*?)\n\1\s*$/.exec(text);
	return match?.[2] ?? (/^(`{3,}|~{3,})/.test(text) ? "" : text);
}
