import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import path from "node:path";
import type { Sha } from "../../domain/ids.ts";
import type { PatchTrees } from "../../seams.ts";
import { type Git, GitError } from "./create-git.ts";
import { loadChangeSet } from "./load-change-set.ts";
import { createObjectStream, type ObjectStream } from "./object-stream.ts";

export interface PatchTreesOptions {
	readonly git: Git;
	/** Folder for the index of one call; it is removed with the call. */
	readonly temporaryFolder: string;
	readonly objects?: ObjectStream;
}

/** Applies patches through an index of its own: no checkout and no index of anybody is touched, only objects are added. */
export function createPatchTrees({ git, temporaryFolder, objects = createObjectStream(git) }: PatchTreesOptions): PatchTrees {
	return {
		async apply(base, patch) {
			if (patch.length === 0) return { kind: "empty" };
			const index = path.join(temporaryFolder, `rookery-index-${randomUUID()}`);
			const variables = { GIT_INDEX_FILE: index };
			try {
				await git.run(["read-tree", base], { variables });
				await git.run(["apply", "--cached", "--binary", "--whitespace=nowarn", "-"], { input: patch, variables });
				const tree = (await git.run(["write-tree"], { variables })).stdout.toString("latin1").trim();
				const { files } = await loadChangeSet(git, base, tree);
				return files.length === 0 ? { kind: "empty" } : { kind: "applied", change: { base, tree, files } };
			} catch (error) {
				// Exit code 1 is git apply's "does not fit", 128 its "no patch that I can read".
				if (error instanceof GitError && /^git apply ended/.test(error.message)) return { kind: "misfit", reason: firstLine(error.stderr) };
				throw error;
			} finally {
				await rm(index, { force: true });
				await rm(`${index}.lock`, { force: true });
			}
		},
		readBlob: async (blob: Sha) => {
			const object = await objects.read(blob);
			return object?.type === "blob" ? object.content : undefined;
		},
	};
}

function firstLine(text: string): string {
	return text.split("\n").find((line) => line.trim() !== "") ?? "no message";
}
