import { execFileSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createGit } from "../../../src/adapters/git/create-git.ts";
import { loadChangeSet } from "../../../src/adapters/git/load-change-set.ts";
import { createRepositoryReader } from "../../../src/adapters/git/repository-reader.ts";
import type { FilePatch } from "../../../src/domain/change-set.ts";
import { commit, git, makeRepository, writeFiles } from "./git-fixture.ts";

const moduleFor = (folder: string) => createGit({ gitDirectory: path.join(folder, ".git") });

function outline(patch: FilePatch | undefined): string {
	return (patch?.hunks ?? []).flatMap((hunk) => hunk.lines.map((line) => line.kind[0] + line.text)).join("|");
}

/** Files whose names are bytes; `fs` takes them as buffers. */
function writeBytes(folder: string, name: Buffer, content: string): void {
	writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), name]), content);
}

describe("createRepositoryReader", () => {
	it("M1: tells which files each commit changed, newest first, and leaves merges out", async () => {
		const folder = makeRepository();
		commit(folder, { "a.ts": "1\n", "b c/ü.ts": "1\n" });
		commit(folder, { "a.ts": "2\n" });
		git(folder, "checkout", "-q", "-b", "side");
		const side = commit(folder, { "side.ts": "1\n" });
		git(folder, "checkout", "-q", "-");
		commit(folder, { "b c/ü.ts": null });
		git(folder, "merge", "-q", "--no-edit", side);
		await using reader = createRepositoryReader(moduleFor(folder));
		const commits = await reader.changedTogether?.(git(folder, "rev-parse", "HEAD").trim());
		expect(commits?.map((paths) => [...paths].sort())).toEqual(
			expect.arrayContaining([["side.ts"], ["b c/ü.ts"], ["a.ts"], ["a.ts", "b c/ü.ts"]]),
		);
		expect(commits?.at(-1)).toHaveLength(2);
		expect(commits).toHaveLength(4);
	});

	it("reads files, says undefined for what is not there, and never follows a path out of the tree", async () => {
		const folder = makeRepository();
		symlinkSync("/etc/passwd", path.join(folder, "link"));
		const head = commit(folder, { "a b/ü.txt": "text\n", empty: "", big: "x".repeat(300_000) });
		await using reader = createRepositoryReader(moduleFor(folder));
		const read = async (name: string) => (await reader.readFile(head, name))?.toString();
		expect(await Promise.all(["a b/ü.txt", "empty", "missing", "a b", "link", "../x", "./empty", "/empty", ""].map(read))).toEqual([
			"text\n",
			"",
			undefined,
			undefined,
			"/etc/passwd",
			undefined,
			undefined,
			undefined,
			undefined,
		]);
		expect((await reader.readFile(head, "big"))?.length).toBe(300_000);
		expect((await reader.listFiles(head)).map((file) => [file.path, file.mode])).toEqual([
			["a b/ü.txt", "100644"],
			["big", "100644"],
			["empty", "100644"],
			["link", "120000"],
		]);
		expect((await reader.listFiles(head, "a b")).map((file) => file.path)).toEqual(["a b/ü.txt"]);
		expect(await reader.listFiles(head, "missing")).toEqual([]);
	});

	it("BR-12 the old text of a renamed file is under its old name, and a missing file is no empty file", async () => {
		const folder = makeRepository();
		const base = commit(folder, { "pkg/secure/id.ts": "function id() {\n  return a\n}\n// 1\n// 2\n// 3\n" });
		git(folder, "mv", "pkg/secure/id.ts", "id.ts");
		const head = commit(folder, { "id.ts": "function id() {\n  return b\n}\n// 1\n// 2\n// 3\n" });
		await using reader = createRepositoryReader(moduleFor(folder));
		const { files } = await loadChangeSet(moduleFor(folder), base, head);
		expect(files).toMatchObject([{ path: "id.ts", previousPath: "pkg/secure/id.ts", status: "renamed", additions: 1, deletions: 1 }]);
		expect(await reader.readFile(base, "id.ts")).toBeUndefined();
		expect((await reader.readFile(base, files[0]?.previousPath ?? ""))?.toString()).toContain("return a");
		const [patch] = await reader.patches(base, head, files);
		expect(patch).toMatchObject({ path: "id.ts", previousPath: "pkg/secure/id.ts" });
		expect(outline(patch)).toBe("cfunction id() {|d  return a|a  return b|c}|c// 1|c// 2");
	});

	it("R44 names with newline, quotes, invalid UTF-8, 255 bytes and case twins are listed, read and have patches", async () => {
		const folder = makeRepository();
		const names = [
			Buffer.from("new\nline"),
			Buffer.from('qu"ote\\'),
			Buffer.from("tab\there"),
			Buffer.from([0x63, 0xe9, 0xff, 0x2e, 0x74]),
			Buffer.from(`${"ü".repeat(127)}x`),
			Buffer.from("Twin"),
			Buffer.from("twin"),
			Buffer.from("star*[a]?"),
			Buffer.from(":(exclude)x"),
			Buffer.from("-dash"),
		];
		for (const name of names) writeBytes(folder, name, "old\n");
		const base = commit(folder, {});
		for (const [index, name] of names.entries()) writeBytes(folder, name, `new ${index}\n`);
		const head = commit(folder, {});
		await using reader = createRepositoryReader(moduleFor(folder));
		const { files } = await loadChangeSet(moduleFor(folder), base, head);
		const decoded = names.map((name) => name.toString("utf8"));
		expect(new Set(files.map((file) => file.path))).toEqual(new Set(decoded));
		const patches = await reader.patches(base, head, files);
		for (const [index, name] of decoded.entries()) {
			const place = files.findIndex((file) => file.path === name);
			expect([name, outline(patches[place])]).toEqual([name, `dold|anew ${index}`]);
			expect([name, (await reader.readFile(head, name))?.toString()]).toEqual([name, `new ${index}\n`]);
		}
	});

	it("R44 UTF-16 is binary, CRLF keeps its CR", async () => {
		const folder = makeRepository();
		const base = commit(folder, { "u16.txt": Buffer.from("\ufeffone\n", "utf16le"), "crlf.txt": "one\r\ntwo\r\n" });
		const head = commit(folder, { "u16.txt": Buffer.from("\ufefftwo\n", "utf16le"), "crlf.txt": "one\r\n2\r\n" });
		await using reader = createRepositoryReader(moduleFor(folder));
		const { files } = await loadChangeSet(moduleFor(folder), base, head);
		const patches = await reader.patches(base, head, files);
		expect(files.map((file) => [file.path, file.binary])).toEqual([
			["crlf.txt", false],
			["u16.txt", true],
		]);
		expect(outline(patches[0])).toBe("cone\r|dtwo\r|a2\r");
		expect(patches[1]).toEqual({ path: "u16.txt", binary: true, hunks: [] });
	});

	it("a file that became a link has both halves in one patch", async () => {
		const folder = makeRepository();
		const base = commit(folder, { t: "text\n" });
		writeFiles(folder, { t: null });
		symlinkSync("target", path.join(folder, "t"));
		const head = commit(folder, {});
		await using reader = createRepositoryReader(moduleFor(folder));
		const { files } = await loadChangeSet(moduleFor(folder), base, head);
		expect(files).toMatchObject([{ path: "t", status: "type-changed", additions: 1, deletions: 1 }]);
		const [patch] = await reader.patches(base, head, files);
		expect(outline(patch)).toBe("dtext|atarget");
	});

	it("BR-07 a submodule bump has no hunks and names both commits", async () => {
		const folder = makeRepository();
		const [from, to] = ["1".repeat(40), "2".repeat(40)];
		git(folder, "update-index", "--add", "--cacheinfo", `160000,${from},lib`);
		git(folder, "commit", "-qm", "1");
		const base = git(folder, "rev-parse", "HEAD").trim();
		git(folder, "update-index", "--cacheinfo", `160000,${to},lib`);
		git(folder, "commit", "-qm", "2");
		const head = git(folder, "rev-parse", "HEAD").trim();
		await using reader = createRepositoryReader(moduleFor(folder));
		const { files } = await loadChangeSet(moduleFor(folder), base, head);
		expect(files).toMatchObject([{ path: "lib", submodule: { from, to } }]);
		expect(await reader.patches(base, head, files)).toEqual([{ path: "lib", binary: false, submodule: { from, to }, hunks: [] }]);
		expect(await reader.readFile(head, "lib")).toBeUndefined();
	});

	it("a pull request cannot hide a file from its review by an attribute", async () => {
		const folder = makeRepository();
		const base = commit(folder, { "x.ts": "1\n" });
		const head = commit(folder, { "x.ts": "2\n", ".gitattributes": "* -diff binary\n" });
		await using reader = createRepositoryReader(moduleFor(folder));
		const { files } = await loadChangeSet(moduleFor(folder), base, head);
		const patches = await reader.patches(base, head, files);
		expect(files[1]).toMatchObject({ path: "x.ts", binary: false, additions: 1 });
		expect(outline(patches[1])).toBe("d1|a2");
		expect(git(folder, "diff", base, head, "--", "x.ts")).toContain("Binary files");
	});

	it("many files come in the order asked for, also when one diff is taken for all", async () => {
		const folder = makeRepository();
		const name = (index: number) => `${"deep/".repeat(20)}file-${index}.txt`;
		const all = Array.from({ length: 1200 }, (_, index) => index);
		const base = commit(folder, Object.fromEntries(all.map((index) => [name(index), "old\n"])));
		const head = commit(folder, Object.fromEntries(all.map((index) => [name(index), `new ${index}\n`])));
		await using reader = createRepositoryReader(moduleFor(folder));
		const { files } = await loadChangeSet(moduleFor(folder), base, head);
		const reversed = [...files].reverse();
		for (const some of [reversed, reversed.slice(0, 300)]) {
			const patches = await reader.patches(base, head, some);
			expect(patches.map((patch) => patch.path)).toEqual(some.map((file) => file.path));
			expect(patches.every((patch) => outline(patch) === `dold|anew ${/(\d+)\.txt$/.exec(patch.path)?.[1]}`)).toBe(true);
		}
	});

	it("rejects when git ends, and when a name is no full id", async () => {
		const folder = makeRepository();
		const head = commit(folder, { x: "1\n" });
		await using reader = createRepositoryReader(createGit({ gitDirectory: folder }));
		await expect(reader.readFile(head, "x")).rejects.toThrow("git");
		await expect(reader.listFiles(head)).rejects.toThrow("git ls-tree");
		await expect(reader.readFile("HEAD", "x")).rejects.toThrow("full 40-hex");
		await expect(reader.patches("HEAD", head, [])).rejects.toThrow("full 40-hex");
	});

	it("a standing process keeps no program alive", () => {
		const folder = makeRepository();
		const head = commit(folder, { x: "1\n" });
		const script = `import { createGit } from ${JSON.stringify(path.resolve("src/adapters/git/create-git.ts"))};
import { createRepositoryReader } from ${JSON.stringify(path.resolve("src/adapters/git/repository-reader.ts"))};
const reader = createRepositoryReader(createGit({ gitDirectory: ${JSON.stringify(path.join(folder, ".git"))} }));
process.stdout.write(await reader.readFile("${head}", "x"));`;
		const node = path.resolve("node_modules/.bin/node");
		expect(
			execFileSync(node, ["--input-type=module-typescript", "-e", script], {
				encoding: "utf8",
				timeout: 10_000,
				stdio: ["ignore", "pipe", "ignore"],
			}),
		).toBe("1\n");
	});
});
