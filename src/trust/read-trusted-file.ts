import { posix } from "node:path";
import type { Sha } from "../domain/ids.ts";
import type { RepositoryReader } from "../seams.ts";

export type TrustedFile =
	| { readonly kind: "file"; readonly bytes: Buffer }
	| { readonly kind: "link"; readonly target: string }
	| { readonly kind: "absent" };

const LINK_MODE = "120000";
const SUBMODULE_MODE = "160000";

/**
 * A file of the trusted ref, through git's objects. A symbolic link is told apart, so that nobody takes its target's
 * name for content. Rejects only when git itself fails.
 * @param modes modes by path when the tree is listed already; without it the file's folder is listed
 */
export async function readTrustedFile(
	reader: RepositoryReader,
	commit: Sha,
	path: string,
	modes?: ReadonlyMap<string, string>,
): Promise<TrustedFile> {
	const mode = (modes ?? (await listModes(reader, commit, posix.dirname(path)))).get(path);
	if (mode === undefined || mode === SUBMODULE_MODE) return { kind: "absent" };
	const bytes = await reader.readFile(commit, path);
	if (bytes === undefined) return { kind: "absent" };
	return mode === LINK_MODE ? { kind: "link", target: bytes.toString("utf8") } : { kind: "file", bytes };
}

/** Modes by path below a folder, `.` for the whole tree. */
export async function listModes(reader: RepositoryReader, commit: Sha, folder: string): Promise<ReadonlyMap<string, string>> {
	const files = folder === "." ? await reader.listFiles(commit) : await reader.listFiles(commit, folder);
	return new Map(files.map((file) => [file.path, file.mode]));
}
