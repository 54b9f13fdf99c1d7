import type { Sha } from "../domain/ids.ts";
import type { RepositoryReader } from "../seams.ts";

export type TrustedFile =
	| { readonly kind: "file"; readonly bytes: Buffer }
	| { readonly kind: "link"; readonly target: string }
	| { readonly kind: "absent" };

const LINK_MODE = "120000";

/**
 * A file of the trusted ref, through git's objects. A symbolic link is told apart, so that nobody takes its target's
 * name for content. Rejects only when git itself fails.
 */
export async function readTrustedFile(reader: RepositoryReader, commit: Sha, path: string): Promise<TrustedFile> {
	const entry = (await reader.listFiles(commit, path)).find((file) => file.path === path);
	if (entry === undefined || entry.mode === "160000") return { kind: "absent" };
	const bytes = await reader.readFile(commit, path);
	if (bytes === undefined) return { kind: "absent" };
	return entry.mode === LINK_MODE ? { kind: "link", target: bytes.toString("utf8") } : { kind: "file", bytes };
}
