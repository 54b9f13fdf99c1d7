import { expect, it } from "vitest";
import { makeTrickyRepository } from "../../bench/diff/make-tricky-repository.ts";
import { loadChangeSet } from "../../src/adapters/git/load-change-set.ts";
import { openRepository } from "../../src/adapters/git/open-repository.ts";
import { createRepositoryReader } from "../../src/adapters/git/repository-reader.ts";
import { git, makeFolder } from "../adapters/git/git-fixture.ts";

it("D3 twelve tricky entries have the names and counts of git's own list", async () => {
	const folder = makeFolder();
	await makeTrickyRepository(folder);
	const [base = "", head = ""] = git(folder, "rev-parse", "HEAD~1", "HEAD").trim().split("\n");
	const repository = await openRepository(folder);
	await using reader = createRepositoryReader(repository.git);
	const { files } = await loadChangeSet(repository.git, base, head);
	const patches = await reader.patches(base, head, files);
	expect(files.map((file) => [file.path, file.status])).toEqual([
		["a b/b.txt", "modified"],
		["crlf.txt", "modified"],
		["deleted.txt", "deleted"],
		["image.png", "modified"],
		["link", "modified"],
		["new name.txt", "renamed"],
		["new.txt", "added"],
		["no-newline.txt", "modified"],
		['qu"ote\\é.txt', "modified"],
		["query.sql", "modified"],
		["run.sh", "mode-changed"],
		["with space.txt", "modified"],
	]);
	for (const [index, file] of files.entries()) {
		const lines = patches[index]?.hunks.flatMap((hunk) => hunk.lines) ?? [];
		const count = (kind: string) => lines.filter((line) => line.kind === kind).length;
		const { path, previousPath, binary } = patches[index] ?? {};
		expect({ path, previousPath, binary, additions: count("added"), deletions: count("deleted") }).toEqual({
			path: file.path,
			previousPath: file.previousPath,
			binary: file.binary,
			additions: file.additions,
			deletions: file.deletions,
		});
	}
});
