import { errorText } from "../domain/errors.ts";
import type { FixedFinding, FixWish } from "../domain/fix.ts";
import type { Actor } from "../domain/ids.ts";
import type { RunContext } from "../domain/run-context.ts";
import type { PreviousFinding } from "../domain/synthesis.ts";
import { applySuggestions, readSuggestion, type Suggestion } from "../fix/read-suggestions.ts";
import { createPathRules } from "../guard/path-rules.ts";
import type { Pack } from "../plan/build-pack.ts";
import { isOurs, parseMarker } from "../publish/marker.ts";
import type { HostReviewComment } from "../seams.ts";
import { hideDenied } from "./hide-denied.ts";
import type { Change } from "./load-change.ts";
import type { Trusted } from "./load-trusted.ts";
import type { PipelineSeams } from "./pipeline-seams.ts";
import { type FixerWork, runFixers } from "./run-fixers.ts";
import { settleSandbox } from "./settle-sandbox.ts";

/** Work for one commit: the patch, which findings it settles, and what was not done. */
export interface PreparedFix {
	/** In its own bytes; empty when nothing was changed. */
	readonly patch: Buffer;
	readonly findings: readonly FixedFinding[];
	/** Words of the children about what they did, for the commit's message; not ours. */
	readonly explanation: string;
	readonly notes: readonly string[];
	/** US dollars; null when a model has no known price. */
	readonly costUsd: number | null;
}

export interface FixInput {
	readonly wish: FixWish;
	readonly context: RunContext;
	readonly trusted: Trusted;
	/** Review comments of the pull request; only ours are looked at. */
	readonly comments: readonly HostReviewComment[];
	readonly identity: Actor | null;
	/** What children need, made when the first one is; a text says why there can be none. */
	readonly openChildren: () => Promise<{ readonly seams: PipelineSeams; readonly change: Change; readonly pack: Pack } | string>;
}

type FixSeams = Pick<PipelineSeams, "patchTrees" | "reader">;

/**
 * Makes the patch for a wish. A suggestion that a review of ours has offered and that still fits is applied as it is: that
 * needs no model, no command and no trust in the head. What is left goes to writing children.
 */
export async function prepareFix(input: FixInput, seams: FixSeams): Promise<PreparedFix> {
	const { wish, context, trusted } = input;
	const own = input.comments.filter((comment) => isOurs(comment, input.identity));
	const suggested = await takeSuggestions(wish.findings, own, { context, trusted }, seams);
	const rest = wish.findings.filter((finding) => !suggested.fixed.has(finding.fingerprint));
	const opened = rest.length === 0 && wish.instruction === "" ? undefined : await input.openChildren();
	const children = typeof opened === "object" ? await runChildrenFor(rest, own, input, opened) : undefined;
	const works = children?.works ?? [];
	const { patch, misfits } = await seams.patchTrees.combine(context.head, [suggested.patch, ...works.map(finishedPatch)]);
	const missed = new Map(misfits.map(({ index, reason }) => [index - 1, reason]));
	const findings = [
		...[...suggested.fixed].flatMap((fingerprint) => {
			const finding = wish.findings.find((each) => each.fingerprint === fingerprint);
			return finding === undefined ? [] : [{ finding, state: "fixed" as const, by: "suggestion", note: "its suggestion was applied" }];
		}),
		...works.flatMap((work, index) => readWork(work, missed.get(index))),
		...(children === undefined ? rest.map((finding) => leave(finding, whyLeft(finding, suggested.left, opened))) : []),
	];
	return {
		patch,
		findings,
		explanation: works
			.flatMap((work, index) => (missed.has(index) || finishedPatch(work).length === 0 ? [] : [work.report.text]))
			.join("\n\n"),
		notes: listNotes(works, opened, children?.fatal),
		costUsd: children === undefined ? 0 : children.totals.costUsd,
	};
}

function whyLeft(finding: PreviousFinding, left: ReadonlyMap<string, string>, opened: unknown): string {
	const own = left.get(finding.fingerprint);
	const reason = typeof opened === "string" ? opened : "nobody could take it up";
	return own === undefined
		? `it has no suggestion that could be applied, and ${reason}`
		: `its suggestion was not applied: ${own}; and ${reason}`;
}

function leave(finding: PreviousFinding, note: string): FixedFinding {
	return { finding, state: "left", note };
}

function listNotes(works: readonly FixerWork[], opened: unknown, fatal: { readonly message: string } | undefined): readonly string[] {
	return [
		...works.flatMap(({ report }) =>
			report.status === "completed"
				? []
				: [`${report.session} ended as ${report.status} (${report.stopReason})${report.error === undefined ? "" : `: ${report.error}`}`],
		),
		...(fatal === undefined ? [] : [`the model could not be asked any more: ${fatal.message}`]),
		...(typeof opened === "string" && works.length === 0 ? [opened] : []),
	];
}

interface Suggested {
	readonly patch: Buffer;
	/** Fingerprints. */
	readonly fixed: ReadonlySet<string>;
	readonly left: ReadonlyMap<string, string>;
}

/** The suggestions of our own comments for the wanted findings, the newest of each, applied to the head's objects. */
async function takeSuggestions(
	findings: readonly PreviousFinding[],
	own: readonly HostReviewComment[],
	{ context, trusted }: Pick<FixInput, "context" | "trusted">,
	{ patchTrees, reader }: FixSeams,
): Promise<Suggested> {
	const paths = createPathRules(trusted.policy);
	const wanted = new Set(findings.map((finding) => finding.fingerprint));
	const newest = new Map<string, Suggestion>();
	for (const comment of own) {
		const marker = parseMarker("finding", comment.body);
		if (marker === undefined || !wanted.has(marker.fingerprint) || comment.original === null) continue;
		const found = readSuggestion(comment.body, { fingerprint: marker.fingerprint, path: comment.path, ...comment.original });
		if (found !== undefined) newest.set(marker.fingerprint, found);
	}
	const fixed = new Set<string>();
	const left = new Map<string, string>();
	const files: { path: string; content: Buffer }[] = [];
	for (const [path, suggestions] of groupByPath([...newest.values()])) {
		const refuse = (reason: string): void => suggestions.forEach((each) => void left.set(each.fingerprint, reason));
		if (!paths.isVisible(path)) {
			refuse("its file is out of reach");
			continue;
		}
		const head = await reader.readFile(context.head, path);
		const texts = new Map(
			await Promise.all(suggestions.map(async (each) => [each, await readText(() => reader.readFile(each.commit, path))] as const)),
		);
		if (head === undefined || !isText(head)) {
			refuse("its file is not there any more, or no text");
			continue;
		}
		const applied = applySuggestions(head.toString("utf8"), suggestions, (each) => texts.get(each) ?? "");
		for (const fingerprint of applied.applied) fixed.add(fingerprint);
		for (const each of applied.left) left.set(each.fingerprint, each.reason);
		if (applied.applied.length > 0) files.push({ path, content: Buffer.from(applied.content) });
	}
	return { patch: files.length === 0 ? Buffer.alloc(0) : await patchTrees.edit(context.head, files), fixed, left };
}

/** A commit of an earlier round may be gone from a clone: its suggestions do not fit then. */
async function readText(read: () => Promise<Buffer | undefined>): Promise<string> {
	try {
		return (await read())?.toString("utf8") ?? "";
	} catch {
		return "";
	}
}

function isText(bytes: Buffer): boolean {
	return Buffer.from(bytes.toString("utf8"), "utf8").equals(bytes);
}

function groupByPath(suggestions: readonly Suggestion[]): ReadonlyMap<string, readonly Suggestion[]> {
	const groups = new Map<string, Suggestion[]>();
	for (const each of suggestions) groups.set(each.path, [...(groups.get(each.path) ?? []), each]);
	return groups;
}

async function runChildrenFor(
	rest: readonly PreviousFinding[],
	own: readonly HostReviewComment[],
	{ wish, context, trusted }: FixInput,
	opened: { readonly seams: PipelineSeams; readonly change: Change; readonly pack: Pack },
): ReturnType<typeof runFixers> {
	const seams = await settleSandbox({ context, trusted }, opened.seams);
	const change = hideDenied(opened.change, createPathRules(trusted.policy));
	const headFiles = new Set((await seams.reader.listFiles(context.head)).map((file) => file.path));
	const texts = new Map(
		own.flatMap((comment) => {
			const marker = parseMarker("finding", comment.body);
			return marker === undefined ? [] : [[marker.fingerprint, comment.body.replace(/^<!--[^\n]*-->\s*/, "")] as const];
		}),
	);
	const tasks = rest.map((finding) => ({ ...finding, text: texts.get(finding.fingerprint) ?? "" }));
	return runFixers({ context, trusted, change, pack: opened.pack, tasks, instruction: wish.instruction, headFiles }, seams);
}

/** Half of a change is none: what a child left that did not come to its end is in its artifact, and goes no further. */
function finishedPatch({ report, patch }: FixerWork): Buffer {
	return report.status === "completed" ? patch : Buffer.alloc(0);
}

/** A child says of each finding what it did, by its id; one that changed nothing has fixed nothing, whatever it says. */
function readWork({ report, tasks, patch }: FixerWork, misfit: string | undefined): readonly FixedFinding[] {
	const by = report.session;
	return tasks.map((task): FixedFinding => {
		const { text: _text, ...finding } = task;
		if (misfit !== undefined) return { ...leave(finding, `its change does not fit behind another one: ${misfit}`), by };
		if (report.status !== "completed") return { ...leave(finding, whyNothing(report)), by };
		if (patch.length === 0) return { ...leave(finding, lineOf(report.text, task.id) ?? whyNothing(report)), by };
		const said = lineOf(report.text, task.id);
		if (said !== undefined && /^not fixed\b/i.test(said)) return { ...leave(finding, said), by };
		return { finding, state: "fixed", by, note: said ?? "" };
	});
}

function whyNothing(report: FixerWork["report"]): string {
	return report.status === "completed"
		? "nothing was changed"
		: `the child ended as ${report.status}: ${errorText(report.error ?? report.stopReason)}`;
}

const MAX_NOTE = 300;

/** `R7K2: …` at the start of a line of the child's answer. */
function lineOf(text: string, id: string): string | undefined {
	const line = text.split("\n").find((each) => each.replace(/^[\s*\-`>]+/, "").startsWith(`${id}`));
	const said = line
		?.slice(line.indexOf(id) + id.length)
		.replace(/^[`*]*\s*:?\s*/, "")
		.trim();
	return said === undefined || said === "" ? undefined : said.slice(0, MAX_NOTE).toWellFormed();
}
