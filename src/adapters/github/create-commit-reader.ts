import type { Octokit } from "@octokit/rest";
import type { RepositoryRef, Sha } from "../../domain/ids.ts";
import type { CommitReader } from "../../seams.ts";

type TreeEntry = Awaited<ReturnType<CommitReader["listFiles"]>>[number];

/**
 * The files of another repository at a commit, through the Git data API: nothing is cloned. One tree is asked for once,
 * each blob once. Rejects when the repository or the commit cannot be read, and when GitHub cuts the tree short
 * (100,000 entries): a part of a source would be a surprise.
 */
export function createCommitReader(octokit: Octokit, repository: RepositoryRef): CommitReader {
	const target = { owner: repository.owner, repo: repository.name };
	const trees = new Map<Sha, Promise<readonly TreeEntry[]>>();
	const blobs = new Map<Sha, Promise<Buffer>>();
	const readTree = async (commit: Sha): Promise<readonly TreeEntry[]> => {
		const { data } = await octokit.rest.git.getTree({ ...target, tree_sha: commit, recursive: "1" });
		if (data.truncated) throw new Error("GitHub cut the list of its files short; name a repository with fewer files");
		return data.tree.flatMap(({ path, mode, type, sha }) => (type === "tree" ? [] : [{ path, mode, blob: sha }]));
	};
	const readBlob = async (file_sha: Sha): Promise<Buffer> => {
		const { data } = await octokit.rest.git.getBlob({ ...target, file_sha });
		return Buffer.from(data.content, "base64");
	};
	const listFiles = async (commit: Sha, prefix = ""): Promise<readonly TreeEntry[]> => {
		const below = prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`;
		const files = await remember(trees, commit, readTree);
		return files.filter(({ path }) => path.startsWith(below));
	};
	return {
		listFiles,
		readFile: async (commit, path) => {
			const entry = (await listFiles(commit)).find((file) => file.path === path);
			return entry === undefined ? undefined : remember(blobs, entry.blob, readBlob);
		},
	};
}

function remember<T>(known: Map<Sha, Promise<T>>, id: Sha, read: (id: Sha) => Promise<T>): Promise<T> {
	const found = known.get(id) ?? read(id);
	known.set(id, found);
	return found;
}
