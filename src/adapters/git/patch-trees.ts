import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import path from "node:path";
import type { Sha } from "../../domain/ids.ts";
import type { PatchTrees } from "../../seams.ts";
import type { Git } from "./create-git.ts";
import { loadChangeSet } from "./load-change-set.ts";
import { createObjectStream, type ObjectStream } from "./object-stream.ts";

export interface PatchTreesOptions {
	readonly git: Git;
	/** Folder for the index of one call; it is removed with the call. */
	readonly temporaryFolder: string;
	readonly objects?: ObjectStream;
}

/** Applies patches through an index of its own: no checkout and no index of anybody is touched, only objects are added. */
export function createPatchTrees(options: PatchTreesOptions): PatchTrees {
	const { git, objects = createObjectStream(git) } = options;
	return {
		async apply(base, patch) {
			if (patch.length === 0) return { kind: "empty" };
			const applied = await withIndex(options, base, async (index) => {
				const reason = await index.apply(patch);
				return reason === undefined ? { tree: await index.writeTree() } : { reason };
			});
			if (applied.tree === undefined) return { kind: "misfit", reason: applied.reason };
			const { files } = await loadChangeSet(git, base, applied.tree);
			return files.length === 0 ? { kind: "empty" } : { kind: "applied", change: { base, tree: applied.tree, files } };
		},
		combine: (base, patches) =>
			withIndex(options, base, async (index) => {
				const misfits: { index: number; reason: string }[] = [];
				for (const [number, patch] of patches.entries()) {
					const reason = patch.length === 0 ? undefined : await index.apply(patch);
					if (reason !== undefined) misfits.push({ index: number, reason });
				}
				return { patch: await diffTrees(git, base, await index.writeTree()), misfits };
			}),
		edit: (base, files) =>
			withIndex(options, base, async (index) => {
				for (const file of files) await index.replace(file.path, file.content);
				return diffTrees(git, base, await index.writeTree());
			}),
		readBlob: async (blob: Sha) => {
			const object = await objects.read(blob);
			return object?.type === "blob" ? object.content : undefined;
		},
	};
}

interface Index {
	/** Undefined when it fits, else git's reason; the index is then as it was before. */
	apply(patch: Buffer): Promise<string | undefined>;
	replace(path: string, content: Buffer): Promise<void>;
	writeTree(): Promise<Sha>;
}

async function withIndex<T>({ git, temporaryFolder }: PatchTreesOptions, base: Sha, work: (index: Index) => Promise<T>): Promise<T> {
	const file = path.join(temporaryFolder, `rookery-index-${randomUUID()}`);
	const variables = { GIT_INDEX_FILE: file };
	try {
		await git.run(["read-tree", base], { variables });
		return await work({
			async apply(patch) {
				// Exit code 1 is "does not fit", 128 "no patch that I can read"; nothing is written then.
				const args = ["apply", "--cached", "--binary", "--whitespace=nowarn", "-"];
				const { code, stderr } = await git.run(args, { input: patch, variables, okCodes: [0, 1, 128] });
				return code === 0 ? undefined : firstLine(stderr);
			},
			async replace(name, content) {
				const { stdout } = await git.run(["ls-files", "-z", "--stage", "--", name], { variables });
				const mode = /^(100644|100755) [0-9a-f]{40} 0\t/.exec(stdout.toString("latin1"))?.[1];
				if (mode === undefined) throw new Error(`${name} is no plain file at ${base}`);
				const blob = (await git.run(["hash-object", "-w", "--stdin"], { input: content })).stdout.toString("latin1").trim();
				await git.run(["update-index", "-z", "--index-info"], { input: `${mode} ${blob}\t${name}\0`, variables });
			},
			writeTree: async () => (await git.run(["write-tree"], { variables })).stdout.toString("latin1").trim(),
		});
	} finally {
		await rm(file, { force: true });
		await rm(`${file}.lock`, { force: true });
	}
}

/** As `git apply` takes it; empty for equal trees. */
async function diffTrees(git: Git, from: Sha, to: Sha): Promise<Buffer> {
	const args = [
		"--binary",
		"--full-index",
		"--no-renames",
		"--no-ext-diff",
		"--no-textconv",
		"--no-color",
		"--src-prefix=a/",
		"--dst-prefix=b/",
	];
	return (await git.run(["diff", ...args, "--ignore-submodules=none", "--submodule=short", "--end-of-options", from, to, "--"])).stdout;
}

function firstLine(text: string): string {
	return text.split("\n").find((line) => line.trim() !== "") ?? "no message";
}
