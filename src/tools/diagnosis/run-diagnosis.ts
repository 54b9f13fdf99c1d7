import { readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { grammarOfPath } from "../../code-index/grammars.ts";
import type { ChangedFile } from "../../domain/change-set.ts";
import type { Diagnosis, Fact } from "../../domain/diagnosis.ts";
import { errorText } from "../../domain/errors.ts";
import { createFileOpener, type FileOpener } from "../../guard/open-inside.ts";
import type { ToolContext } from "../tool-context.ts";
import { buildChangedText, type ChangedText } from "./changed-text.ts";
import { findConflictMarkers } from "./find-conflict-markers.ts";
import { findDataErrors } from "./find-data-errors.ts";
import { findSecrets } from "./find-secrets.ts";
import { findStaleUses } from "./find-stale-uses.ts";
import { findSyntaxErrors } from "./find-syntax-errors.ts";
import { findTestMarks } from "./find-test-marks.ts";

const MAX_CHECKED_BYTES = 1_000_000;

interface Collected {
	readonly facts: Fact[];
	readonly checks: Map<string, number>;
	readonly checked: string[];
	readonly notChecked: { path: string; reason: string }[];
	readonly notes: string[];
}

/**
 * Facts first, model second: everything that can be known about the given changed files without a model. A file that
 * cannot be checked is a row with its reason, never silence. Rejects only when git fails.
 */
export async function runDiagnosis(context: ToolContext, paths: readonly string[] | undefined, signal: AbortSignal): Promise<Diagnosis> {
	const collected: Collected = { facts: [], checks: new Map(), checked: [], notChecked: [], notes: [] };
	const wanted = new Set(paths ?? context.assignedPaths ?? context.changedFiles.map((file) => file.path));
	const files = context.changedFiles.filter((file) => wanted.delete(file.path));
	const asked = new Set([...files.map((file) => file.path), ...wanted]);
	for (const path of wanted) collected.notChecked.push({ path, reason: "not changed by this pull request" });
	const readable = files.filter((file) => {
		const reason = reasonToSkip(context, file);
		if (reason !== undefined) collected.notChecked.push({ path: file.path, reason });
		return reason === undefined;
	});
	const open = createFileOpener(context.root);
	const patches = new Map((readable.length === 0 ? [] : await context.readPatches(readable)).map((patch) => [patch.path, patch]));
	for (const file of readable) {
		if (signal.aborted) {
			collected.notChecked.push({ path: file.path, reason: "out of time" });
			continue;
		}
		const head = readHead(open, file.path);
		if (typeof head !== "string") {
			collected.notChecked.push({ path: file.path, reason: head.reason });
			continue;
		}
		const base = file.status === "added" ? undefined : (await context.readBase(file.previousPath ?? file.path))?.toString("utf8");
		await checkFile(context, buildChangedText(file, patches.get(file.path), head, base), collected);
		await setImmediate();
	}
	await followUses(context, { files, asked, unchanged: wanted.size > 0 }, collected, signal);
	return {
		facts: collected.facts.toSorted((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1)),
		checks: Object.fromEntries(collected.checks),
		checked: collected.checked,
		notChecked: collected.notChecked,
		notes: collected.notes,
	};
}

/**
 * What the change left behind elsewhere. Deleted files are followed by everybody who looks at a file of their language,
 * since they are given to nobody; when an unchanged file is asked for, every changed file may have left a use in it.
 */
async function followUses(
	context: ToolContext,
	wanted: { readonly files: readonly ChangedFile[]; readonly asked: ReadonlySet<string>; readonly unchanged: boolean },
	into: Collected,
	signal: AbortSignal,
): Promise<void> {
	const grammars = new Set(wanted.files.map((file) => grammarOfPath(file.path)));
	const given = new Set(wanted.files.map((file) => file.path));
	const deleted = (file: ChangedFile) => file.status === "deleted" && grammars.has(grammarOfPath(file.path));
	const sources = context.changedFiles.filter((file) => wanted.unchanged || given.has(file.path) || deleted(file));
	try {
		const search = await findStaleUses(context, sources, (path) => !wanted.unchanged || wanted.asked.has(path), signal);
		if (search.followed.length > 0) into.checks.set("uses of changed definitions", search.followed.length);
		into.facts.push(...search.facts);
		into.notes.push(...search.notes);
	} catch (error) {
		into.notes.push(`Uses of changed definitions could not be followed: ${errorText(error)}`);
	}
}

function reasonToSkip(context: ToolContext, file: ChangedFile): string | undefined {
	if (file.status === "deleted") return "deleted";
	if (file.submodule !== undefined) return "submodule";
	if (file.binary) return "binary";
	if (file.newMode === "120000") return "symbolic link";
	if (context.isDenied?.(file.path) === true) return "hidden by policy";
	return undefined;
}

function readHead(open: FileOpener, path: string): string | { readonly reason: string } {
	const opened = open(path);
	if (!opened.ok) return { reason: opened.reason };
	using file = opened;
	if (file.size > MAX_CHECKED_BYTES) return { reason: "over 1 MB" };
	const bytes = Buffer.alloc(file.size);
	const length = readSync(file.descriptor, bytes, 0, file.size, 0);
	const content = bytes.subarray(0, length);
	return content.includes(0) ? { reason: "binary" } : content.toString("utf8");
}

async function checkFile(context: ToolContext, text: ChangedText, into: Collected): Promise<void> {
	const count = (check: string) => into.checks.set(check, (into.checks.get(check) ?? 0) + 1);
	into.checked.push(text.path);
	try {
		const conflicts = await findConflictMarkers(text, context.syntax);
		count("conflict markers");
		into.facts.push(...conflicts);
		into.facts.push(...(await findSecrets(text)));
		count("secrets");
		// The markers themselves are what does not parse; one cause is one fact.
		const errors = conflicts.length > 0 ? undefined : await findSyntaxErrors(text, context.syntax);
		const data = conflicts.length > 0 ? undefined : findDataErrors(text);
		if (errors !== undefined || data !== undefined) count("syntax");
		into.facts.push(...(errors?.facts ?? []), ...(data ?? []));
		into.notes.push(...(errors?.notes ?? []));
		const marks = await findTestMarks(text, context.syntax);
		if (marks !== undefined) count("focused or skipped tests");
		into.facts.push(...(marks ?? []));
	} catch (error) {
		into.notes.push(`${text.path}: a check failed: ${errorText(error)}`);
	}
}
