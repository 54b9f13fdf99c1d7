import { constants } from "node:fs";
import { access, lstat, mkdir, open, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { errorText, UserError } from "../../domain/errors.ts";
import { OUTBOX_FILE, OUTBOX_REPORTS, type RawOutbox } from "../../domain/outbox.ts";

/** Most outboxes in one folder. */
const MAX_OUTBOXES = 128;
const FILES: readonly string[] = [OUTBOX_FILE, OUTBOX_REPORTS];

/** Makes the folder of an outbox. Throws a UserError when the disk says no: better before anything is spent than after (R38). */
export async function makeOutboxFolder(folder: string): Promise<void> {
	try {
		await mkdir(folder, { recursive: true, mode: 0o700 });
		await access(folder, constants.W_OK);
	} catch (error) {
		throw unwritable(folder, error);
	}
}

/** Writes both files into a folder, which is made when it is not there, and gives its path. Throws a UserError when the disk says no. */
export async function writeOutbox(folder: string, outbox: RawOutbox): Promise<string> {
	await makeOutboxFolder(folder);
	try {
		// The head last: a job that is killed in between leaves no outbox.
		await writeFile(path.join(folder, OUTBOX_REPORTS), outbox.reports, { mode: 0o600 });
		await writeFile(path.join(folder, OUTBOX_FILE), outbox.head, { mode: 0o600 });
	} catch (error) {
		throw unwritable(folder, error);
	}
	return folder;
}

function unwritable(folder: string, error: unknown): UserError {
	return new UserError(`outbox ${folder}: cannot be written (${errorText(error)}); wanted a folder below RUNNER_TEMP with room in it`, {
		code: "E_OUTBOX",
		cause: error,
	});
}

/**
 * The outboxes that an earlier step has put into a folder: itself one, or one in each folder of it. Only regular files of
 * the two names are opened, without following links. Throws a UserError: `E_PATH` for anything else in there, `E_LIMIT`
 * for files or numbers beyond the bound.
 */
export async function readOutboxFolder(
	folder: string,
	limits: { readonly head: number; readonly reports: number },
): Promise<readonly RawOutbox[]> {
	const entries = await listFolder(folder);
	if (entries.includes(OUTBOX_FILE)) return [await readOne(folder, entries, limits)];
	if (entries.length > MAX_OUTBOXES) {
		throw new UserError(`input outbox: ${folder}: found ${entries.length} folders, wanted at most ${MAX_OUTBOXES}`, { code: "E_LIMIT" });
	}
	const found: RawOutbox[] = [];
	for (const name of entries) {
		const inner = path.join(folder, name);
		const stat = await lstat(inner);
		if (!stat.isDirectory()) throw strange(inner, stat.isSymbolicLink() ? "a link" : "a file");
		found.push(await readOne(inner, await listFolder(inner), limits));
	}
	return found;
}

async function listFolder(folder: string): Promise<readonly string[]> {
	try {
		return (await readdir(folder)).sort();
	} catch (error) {
		throw new UserError(`input outbox: ${folder} cannot be read (${errorText(error)}); wanted the folder with the downloaded outboxes`, {
			cause: error,
		});
	}
}

async function readOne(
	folder: string,
	entries: readonly string[],
	limits: { readonly head: number; readonly reports: number },
): Promise<RawOutbox> {
	const stranger = entries.find((name) => !FILES.includes(name));
	if (stranger !== undefined) throw strange(path.join(folder, stranger), "something else");
	const [head, reports] = [
		await readBounded(path.join(folder, OUTBOX_FILE), limits.head),
		await readBounded(path.join(folder, OUTBOX_REPORTS), limits.reports),
	];
	return { source: path.basename(folder), head, reports };
}

async function readBounded(file: string, most: number): Promise<Buffer> {
	try {
		await using handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
		const stat = await handle.stat();
		if (!stat.isFile() || stat.nlink !== 1) throw strange(file, "no plain file");
		if (stat.size > most)
			throw new UserError(`outbox refused: ${file}: found ${stat.size} bytes, wanted at most ${most}`, { code: "E_LIMIT" });
		return await handle.readFile();
	} catch (error) {
		if (error instanceof UserError) throw error;
		if (error instanceof Error && "code" in error && error.code === "ELOOP") throw strange(file, "a link");
		throw new UserError(`outbox refused: ${file} cannot be read (${errorText(error)})`, { code: "E_OUTBOX", cause: error });
	}
}

function strange(file: string, what: string): UserError {
	return new UserError(`outbox refused: ${file}: found ${what}, wanted ${FILES.join(" and ")} and nothing else`, { code: "E_PATH" });
}
