import { chmodSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openRepository } from "../../../src/adapters/git/open-repository.ts";
import { createPatchTrees } from "../../../src/adapters/git/patch-trees.ts";
import path from "node:path";
import { commit, type Files, git, makeFolder, makeRepository, writeFiles } from "./git-fixture.ts";

async function setUp(files: Files) {
	const folder = makeRepository();
	const base = commit(folder, files);
	const temporaryFolder = makeFolder();
	const { git: module } = await openRepository(folder);
	const trees = createPatchTrees({ git: module, temporaryFolder });
	const patchOf = (change: Files): Buffer => {
		writeFiles(folder, change);
		git(folder, "add", "-A");
		const patch = Buffer.from(git(folder, "diff", "--cached", "--binary", "--full-index", base));
		git(folder, "reset", "-q", "--hard", base);
		return patch;
	};
	return { folder, base, trees, patchOf, temporaryFolder };
}

describe("patches in the object store", () => {
	it("several become one; what does not fit behind the earlier ones is named and leaves them whole", async () => {
		const { folder, base, trees, patchOf, temporaryFolder } = await setUp({ "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "b.txt": "b\n" });
		const first = patchOf({ "a.txt": "one\n2\n3\n4\n5\n6\n7\n8\n9\n" });
		const clash = patchOf({ "a.txt": "eins\n2\n3\n4\n5\n6\n7\n8\n9\n", "b.txt": "B\n" });
		const last = patchOf({ "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\nnine\n" });
		const { patch, misfits } = await trees.combine(base, [first, Buffer.alloc(0), clash, last]);
		expect(misfits).toEqual([{ index: 2, reason: expect.stringContaining("a.txt") }]);
		const applied = await trees.apply(base, patch);
		if (applied.kind !== "applied") throw new Error(applied.kind);
		expect(git(folder, "show", `${applied.change.tree}:a.txt`)).toBe("one\n2\n3\n4\n5\n6\n7\n8\nnine\n");
		expect(git(folder, "show", `${applied.change.tree}:b.txt`)).toBe("b\n");
		expect(git(folder, "status", "--porcelain")).toBe("");
		expect(readdirSync(temporaryFolder)).toEqual([]);
		expect(await trees.combine(base, [Buffer.alloc(0)])).toEqual({ patch: Buffer.alloc(0), misfits: [] });
	});

	it("files get another content and keep their mode; what is no plain file there is none to edit", async () => {
		const { folder, trees, temporaryFolder } = await setUp({ "run me.sh": "echo\n", "né.txt": "e\r\n" });
		chmodSync(path.join(folder, "run me.sh"), 0o755);
		const base = commit(folder, {});
		const patch = await trees.edit(base, [
			{ path: "run me.sh", content: Buffer.from("echo 2\n") },
			{ path: "né.txt", content: Buffer.from("é\r\n") },
		]);
		const applied = await trees.apply(base, patch);
		if (applied.kind !== "applied") throw new Error(applied.kind);
		expect(applied.change.files.map((file) => [file.path, file.oldMode, file.newMode])).toEqual([
			["né.txt", "100644", "100644"],
			["run me.sh", "100755", "100755"],
		]);
		expect((await trees.readBlob(applied.change.files[0]?.newBlob ?? ""))?.toString("utf8")).toBe("é\r\n");
		await expect(trees.edit(base, [{ path: "gone.txt", content: Buffer.from("") }])).rejects.toThrow("no plain file");
		expect(readdirSync(temporaryFolder)).toEqual([]);
		expect(await trees.readBlob("1".repeat(40))).toBeUndefined();
	});
});
