import { errorText, UserError } from "../../domain/errors.ts";
import { OUTBOX_ARTIFACT, OUTBOX_FILE, OUTBOX_REPORTS, type RawOutbox } from "../../domain/outbox.ts";
import type { GitHostActivity } from "../../seams.ts";
import { readZip } from "../earlier-run/read-zip.ts";

const MAX_ARTIFACTS = 128;
/** Packed; the files themselves are bounded when they are unpacked. */
const MAX_ARCHIVE_BYTES = 16 * 1024 * 1024;
const FILES: readonly string[] = [OUTBOX_FILE, OUTBOX_REPORTS];

/**
 * The outboxes among the artifacts of a run, unpacked in memory: nothing of them is written to a disk. Throws a UserError:
 * `E_PATH` for an archive with anything but the two files at its top, `E_LIMIT` for one beyond the bound, `E_OUTBOX` for one
 * that cannot be read.
 */
export async function fetchOutboxes(
	run: string,
	activity: Pick<GitHostActivity, "artifacts" | "downloadArtifact">,
	limits: { readonly head: number; readonly reports: number },
): Promise<readonly RawOutbox[]> {
	const artifacts = (await listArtifacts(run, activity)).filter(({ name, expired }) => name.startsWith(OUTBOX_ARTIFACT) && !expired);
	if (artifacts.length > MAX_ARTIFACTS) throw limit(`run ${run}`, `${artifacts.length} outboxes`, `at most ${MAX_ARTIFACTS}`);
	const found: RawOutbox[] = [];
	for (const { id, name, bytes } of artifacts) {
		if (bytes > MAX_ARCHIVE_BYTES) throw limit(name, `${bytes} bytes`, `at most ${MAX_ARCHIVE_BYTES}`);
		found.push(unpack(name, await activity.downloadArtifact(id), limits));
	}
	return found;
}

async function listArtifacts(run: string, activity: Pick<GitHostActivity, "artifacts">) {
	try {
		return await activity.artifacts(Number(run));
	} catch (error) {
		throw new UserError(
			`the artifacts of run ${run} cannot be listed (${errorText(error).split("\n", 1)[0]}); the publishing job needs the permission actions: read`,
			{ cause: error },
		);
	}
}

function unpack(name: string, archive: Buffer, limits: { readonly head: number; readonly reports: number }): RawOutbox {
	const read = (file: string, most: number): Buffer => {
		const entry = entries.find((each) => each.name === file);
		if (entry === undefined) throw new UserError(`outbox refused: ${name}: found no ${file}`, { code: "E_OUTBOX" });
		try {
			return entry.read(most);
		} catch (error) {
			throw new UserError(`outbox refused: ${name}: ${errorText(error)}`, { code: "E_LIMIT", cause: error });
		}
	};
	const entries = list(name, archive);
	const stranger = entries.find((entry) => !FILES.includes(entry.name));
	if (stranger !== undefined || entries.length > FILES.length) {
		throw new UserError(
			`outbox refused: ${name}: found ${JSON.stringify((stranger ?? entries[0])?.name.slice(0, 120))}, wanted ${FILES.join(" and ")} and nothing else`,
			{ code: "E_PATH" },
		);
	}
	return { source: name, head: read(OUTBOX_FILE, limits.head), reports: read(OUTBOX_REPORTS, limits.reports) };
}

function list(name: string, archive: Buffer) {
	try {
		return readZip(archive);
	} catch (error) {
		throw new UserError(`outbox refused: ${name}: ${errorText(error)}`, { code: "E_OUTBOX", cause: error });
	}
}

function limit(source: string, found: string, wanted: string): UserError {
	return new UserError(`outbox refused: ${source}: found ${found}, wanted ${wanted}`, { code: "E_LIMIT" });
}
