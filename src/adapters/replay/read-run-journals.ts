import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { UserError } from "../../domain/errors.ts";
import type { JournalEntry } from "../../domain/journal-entry.ts";
import { readJournal } from "../journal-file/read-journal.ts";

/** One journal file of a run. */
export interface SessionJournal {
	readonly file: string;
	readonly entries: readonly JournalEntry[];
	/** The process was killed before the session had its end record (S-065). */
	readonly interrupted: boolean;
}

/** All journals of one run, checked line by line. */
export interface RunJournals {
	/** The run's own: starts, ends, debits and records. */
	readonly run: SessionJournal;
	/** By session, in order of their file names. */
	readonly sessions: ReadonlyMap<string, SessionJournal>;
}

/**
 * Reads what a run left behind. `location` is the run's journal file, the folder of its sessions, or a folder that
 * holds both, as an artifact does. Throws a UserError that names the file for a journal that is missing, broken or
 * has been changed so that its numbers do not fit (S-163: journals are untrusted input).
 */
export async function readRunJournals(location: string): Promise<RunJournals> {
	const { runFile, folder } = await locate(location);
	const run = await readOne(runFile);
	const sessions = new Map<string, SessionJournal>();
	for (const name of await listJournals(folder)) {
		const file = path.join(folder, name);
		if (path.resolve(file) === path.resolve(runFile)) continue;
		const journal = await readOne(file);
		sessions.set(name.slice(0, -".jsonl".length), journal);
	}
	return { run, sessions };
}

async function locate(location: string): Promise<{ readonly runFile: string; readonly folder: string }> {
	if (location.endsWith(".jsonl")) return { runFile: location, folder: location.slice(0, -".jsonl".length) };
	const beside = `${path.resolve(location)}.jsonl`;
	if (await isFile(beside)) return { runFile: beside, folder: location };
	const names = await listJournals(location);
	const runFiles: string[] = [];
	for (const name of names) if (await isRunJournal(path.join(location, name))) runFiles.push(name);
	const [only] = runFiles;
	if (only === undefined) throw new UserError(`journals ${location}: found no run journal; wanted <run>.jsonl beside or in this folder`);
	if (runFiles.length > 1)
		throw new UserError(`journals ${location}: found ${runFiles.length} runs (${runFiles.join(", ")}); name one of the files`);
	const nested = path.join(location, only.slice(0, -".jsonl".length));
	return { runFile: path.join(location, only), folder: (await isFolder(nested)) ? nested : location };
}

/** A child's journal begins with its session; the run's own never does. */
async function isRunJournal(file: string): Promise<boolean> {
	const read = await readJournal(file);
	return read.state === "read" && read.entries[0] !== undefined && !read.entries.some((entry) => entry.type === "session.started");
}

async function listJournals(folder: string): Promise<readonly string[]> {
	if (!(await isFolder(folder))) return [];
	return (await readdir(folder)).filter((name) => name.endsWith(".jsonl")).sort();
}

async function isFile(file: string): Promise<boolean> {
	return (await stat(file).catch(() => undefined))?.isFile() === true;
}

async function isFolder(folder: string): Promise<boolean> {
	return (await stat(folder).catch(() => undefined))?.isDirectory() === true;
}

async function readOne(file: string): Promise<SessionJournal> {
	const read = await readJournal(file);
	if (read.state === "absent") throw new UserError(`journal ${file}: not found; wanted the journal of a run`);
	if (read.state === "broken") throw new UserError(`journal ${file}: line ${read.line}: ${read.reason}`);
	return { file, entries: read.entries, interrupted: read.interrupted };
}
