import type { CommitIdentity } from "../domain/patch.ts";
import type { Actor } from "../domain/ids.ts";

/** What one commit of ours is about. Titles and explanations may come from a model; everything else is ours. */
export interface CommitStory {
	/** One line; ours or a model's. */
	readonly subject: string;
	/** Findings that the commit settles. */
	readonly findings: readonly { readonly id: string; readonly title: string; readonly path: string; readonly line: number }[];
	/** What was done and why, in a model's words; may be empty. */
	readonly explanation: string;
	/** What the checks said. */
	readonly proof: string;
	/** Login of the person who asked; absent for jobs that nobody asked for. */
	readonly requestedBy?: string;
	/** Id of the run. */
	readonly run: string;
	readonly redact: (text: string) => string;
}

const SUBJECT_CHARS = 72;
const EXPLANATION_CHARS = 1_500;
const LINE_CHARS = 100;
const MOST_FINDINGS = 20;

/**
 * The message of a commit, by our template only: subject, findings by id, what was done, what showed it, trailers. Text
 * that is not ours is bounded and can neither name people, close issues, skip workflows nor add a trailer (A56).
 */
export function writeCommitMessage(story: CommitStory): string {
	const clean = (text: string): string => disarm(story.redact(text));
	const subject = cut(oneLine(clean(story.subject)), SUBJECT_CHARS) || "Apply a fix";
	const findings = story.findings
		.slice(0, MOST_FINDINGS)
		.map(
			({ id, title, path, line }) =>
				`- ${id}: ${cut(oneLine(clean(title)), LINE_CHARS)} (${oneLine(clean(path))}${line > 0 ? `:${line}` : ""})`,
		);
	const left = story.findings.length - findings.length;
	if (left > 0) findings.push(`- and ${left} more`);
	const explanation = wrap(withoutTrailers(cut(clean(story.explanation), EXPLANATION_CHARS)));
	const trailers = [
		...(story.requestedBy === undefined ? [] : [`Requested-by: ${oneLine(story.requestedBy).replace(/[^\w[\]-]/g, "")}`]),
		`Rookery-Run: ${oneLine(story.run).replace(/[^\w.-]/g, "")}`,
	];
	const parts = [subject, findings.join("\n"), explanation, wrap(oneLine(clean(story.proof)).replaceAll("`", "")), trailers.join("\n")];
	return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** The token's own account, as GitHub links it; a neutral one where it is not known (BR-52: never the machine's). */
export function identityOf(actor: Actor | null): CommitIdentity {
	if (actor === null || actor.id === 0) return { name: "rookery", email: "rookery@users.noreply.github.com" };
	return { name: actor.login, email: `${actor.id}+${actor.login}@users.noreply.github.com` };
}

/** Takes the power out of words that GitHub, Actions and people's tools act on. */
function disarm(text: string): string {
	return (
		text
			.toWellFormed()
			.replace(/\r\n?/g, "\n")
			// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
			.replace(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]|[\u{E0000}-\u{E007F}]/gu, "")
			.replace(/\[\s*(?:skip[\s-]*(?:ci|actions|checks)|(?:ci|actions|no)[\s-]*(?:skip|ci))\s*\]|\*{3}NO_CI\*{3}/gi, "")
			.replace(/\bskip-checks\s*:\s*true\b/gi, "")
			.replace(/@(?=[\w-])/g, "")
			.replace(/https?:\/\/\S+/gi, "(link)")
			.replace(/\b(close[sd]?|fix(?:es|ed)?|resolve[sd]?)\s*:?\s+(?=(?:[\w.-]+\/[\w.-]+)?#\d|GH-\d|\(link\))/gi, "see ")
			.replace(/(?:\b[\w.-]+\/[\w.-]+)?#(?=\d)|\bGH-(?=\d)/gi, "no. ")
	);
}

/** A line in the form of a trailer would be one when it came last. */
function withoutTrailers(text: string): string {
	return text
		.split("\n")
		.map((line) => line.replace(/^(\s*[A-Za-z][A-Za-z0-9-]*-(?:by|with|run|id|to|from|skip|checks)\s*):/i, "$1 -"))
		.map((line) => (/^[A-Z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)+:\s/.test(line) ? line.replace(":", " -") : line))
		.join("\n")
		.trim();
}

function oneLine(text: string): string {
	return text.replace(/\s+/g, " ").trim();
}

function cut(text: string, most: number): string {
	return text.length <= most
		? text
		: `${text
				.slice(0, most - 1)
				.toWellFormed()
				.trimEnd()}…`;
}

/** At most 72 characters a line where words allow it; a line that starts with `#` would be a comment to editors. */
function wrap(text: string): string {
	return text
		.split("\n")
		.flatMap((line) => {
			const words = line.replace(/^#+\s*/, "").split(" ");
			const lines: string[] = [];
			for (const word of words) {
				const last = lines.at(-1);
				if (last !== undefined && last.length + 1 + word.length <= SUBJECT_CHARS) lines[lines.length - 1] = `${last} ${word}`;
				else lines.push(word);
			}
			return lines;
		})
		.join("\n")
		.replace(/\n{3,}/g, "\n\n");
}
