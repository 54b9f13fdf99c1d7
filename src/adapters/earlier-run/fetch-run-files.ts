import { mkdir, mkdtemp, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { errorText } from "../../domain/errors.ts";
import type { GitHostActivity } from "../../seams.ts";
import { readZip } from "./read-zip.ts";

/** Where an earlier run's files are on this machine. */
export interface RunFiles {
	/** `<run>.jsonl`. */
	readonly runJournal: string;
	/** Folder with one journal a session. */
	readonly sessions: string;
	/** The chain of decisions, when the run kept one. */
	readonly audit: string;
}

export type FetchedRunFiles = { readonly ok: true; readonly files: RunFiles } | { readonly ok: false; readonly reason: string };

const MAX_ARCHIVE_BYTES = 200 * 1024 * 1024;
const MAX_FILE_BYTES = 50 * 1024 * 1024;
/** Nothing else of an artifact is taken. */
const FILE_NAME = /^[a-z0-9-]{1,100}\.jsonl$/;

/** The places of a run's files below the runner's temporary folder. */
export function runFilesBelow(temp: string, runName: string): RunFiles {
	const sessions = path.join(temp, "rookery", "sessions", runName);
	return { runJournal: `${sessions}.jsonl`, sessions, audit: path.join(temp, "rookery", "audit", `${runName}.jsonl`) };
}

/**
 * The files of an earlier run: from this machine when it still has them, else from the run's artifact. What comes from
 * there is data to be checked by whoever reads it (S-163). Never rejects; the reason says what is missing.
 */
export async function fetchRunFiles(options: {
	readonly temp: string;
	readonly runName: string;
	readonly runId: string;
	readonly activity?: GitHostActivity | undefined;
}): Promise<FetchedRunFiles> {
	const local = runFilesBelow(options.temp, options.runName);
	if (await exists(local.runJournal)) return { ok: true, files: local };
	const id = Number(options.runId);
	if (options.activity === undefined || !Number.isSafeInteger(id) || id < 1)
		return { ok: false, reason: "its files are not on this machine" };
	try {
		const artifacts = await options.activity.artifacts(id);
		const artifact = artifacts.findLast((each) => each.name === `rookery-${options.runName}`);
		if (artifact === undefined)
			return { ok: false, reason: `run ${options.runId} left no artifact rookery-${options.runName}; the workflow has to upload one` };
		if (artifact.expired) return { ok: false, reason: `the artifact ${artifact.name} has expired` };
		if (artifact.bytes > MAX_ARCHIVE_BYTES)
			return { ok: false, reason: `the artifact ${artifact.name} is larger than ${MAX_ARCHIVE_BYTES} bytes` };
		const files = await unpackRun(await options.activity.downloadArtifact(artifact.id), options);
		for (const part of listParts(artifacts, options.runId)) await unpackPart(await options.activity.downloadArtifact(part.id), files);
		return { ok: true, files };
	} catch (error) {
		return { ok: false, reason: `its artifact cannot be read (${errorText(error).split("\n", 1)[0]}); the token needs actions: read` };
	}
}

/** By base names alone: no path of the archive has a say in where something is written. */
async function unpackRun(archive: Buffer, { temp, runName }: { readonly temp: string; readonly runName: string }): Promise<RunFiles> {
	const parent = path.join(temp, "rookery", "earlier");
	await mkdir(parent, { recursive: true, mode: 0o700 });
	const files = runFilesBelow(await mkdtemp(path.join(parent, "run-")), runName);
	await Promise.all([
		mkdir(files.sessions, { recursive: true, mode: 0o700 }),
		mkdir(path.dirname(files.audit), { recursive: true, mode: 0o700 }),
	]);
	for (const entry of readZip(archive)) {
		const parts = entry.name.split("/");
		const name = parts.at(-1) ?? "";
		if (!FILE_NAME.test(name)) continue;
		const isRun = name === `${runName}.jsonl`;
		const target = !isRun ? path.join(files.sessions, name) : parts.at(-2) === "audit" ? files.audit : files.runJournal;
		await writeFile(target, entry.read(MAX_FILE_BYTES), { mode: 0o600 });
	}
	return files;
}

type Artifacts = Awaited<ReturnType<GitHostActivity["artifacts"]>>;

/** Journals of a review that was spread over machines: one artifact a shard, the newest attempt of each. */
function listParts(artifacts: Artifacts, runId: string): Artifacts {
	const newest = new Map<string, { readonly attempt: number; readonly artifact: Artifacts[number] }>();
	for (const artifact of artifacts) {
		const [, run, attempt, shard = ""] = /^rookery-run-([a-z0-9-]+)-(\d+)-shard-(\d{1,2})$/.exec(artifact.name) ?? [];
		if (run !== runId || artifact.expired || artifact.bytes > MAX_ARCHIVE_BYTES) continue;
		if ((newest.get(shard)?.attempt ?? 0) <= Number(attempt)) newest.set(shard, { attempt: Number(attempt), artifact });
	}
	return [...newest.values()].map((each) => each.artifact);
}

/** The children's journals alone; a part's own run journal and audit are not those of the run that was published. */
async function unpackPart(archive: Buffer, files: RunFiles): Promise<void> {
	for (const entry of readZip(archive)) {
		const name = entry.name.split("/").at(-1) ?? "";
		if (!FILE_NAME.test(name) || name.startsWith("run-")) continue;
		await writeFile(path.join(files.sessions, name), entry.read(MAX_FILE_BYTES), { mode: 0o600, flag: "wx" }).catch((error: unknown) => {
			// What is there already came from the run itself.
			if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
		});
	}
}

async function exists(file: string): Promise<boolean> {
	return (await stat(file).catch(() => undefined))?.isFile() === true;
}
