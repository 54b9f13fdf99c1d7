import { describe, expect, it } from "vitest";
import { openRepository } from "../../src/adapters/git/open-repository.ts";
import { createPatchTrees } from "../../src/adapters/git/patch-trees.ts";
import { createRepositoryReader } from "../../src/adapters/git/repository-reader.ts";
import { DEFAULT_PATCH_LIMITS } from "../../src/domain/patch.ts";
import { NO_POLICY } from "../../src/domain/team-policy.ts";
import { createPathRules } from "../../src/guard/path-rules.ts";
import { type ReadPatch, readPatch } from "../../src/stages/land-patch.ts";
import { chmodSync, symlinkSync } from "node:fs";
import path from "node:path";
import { commit, type Files, git, makeFolder, makeRepository, writeFiles } from "../adapters/git/git-fixture.ts";

const BASE: Files = { "src/a.ts": "one\ntwo\nthree\n", "run.sh": "echo\n" };
const KEY = `ghp_${"9f3kQz7Lw2Xb8Vn4Rt6Yp1Ds5Hj0Gm3Ce7Ua"}`;

interface Rig {
	readonly folder: string;
	readonly base: string;
	read(patch: Buffer, more?: { readonly only?: string; readonly lockFiles?: true }): Promise<ReadPatch>;
}

async function makeRig(files: Files = BASE): Promise<Rig> {
	const folder = makeRepository();
	const base = commit(folder, files);
	const repository = await openRepository(folder);
	const trees = createPatchTrees({ git: repository.git, temporaryFolder: makeFolder() });
	const reader = createRepositoryReader(repository.git);
	return {
		folder,
		base,
		read: (patch, more = {}) =>
			readPatch(
				patch,
				{
					base,
					rules: {
						paths: createPathRules(NO_POLICY),
						limits: DEFAULT_PATCH_LIMITS,
						...(more.only === undefined ? {} : { isWanted: (name) => name === more.only }),
						...(more.lockFiles === undefined ? {} : { lockFiles: true }),
					},
				},
				{ trees, reader, redact: (text) => text.replaceAll("s3cret-of-this-run", "***") },
			),
	};
}

/** The patch that a change of the checkout makes, as `git diff` writes it. */
function patchOf(rig: Rig, change: () => void): Buffer {
	change();
	git(rig.folder, "add", "-A");
	const patch = git(rig.folder, "diff", "--cached", "--binary", "--full-index", "--no-renames", rig.base);
	git(rig.folder, "reset", "-q", "--hard", rig.base);
	return Buffer.from(patch);
}

function codes(read: ReadPatch): readonly string[] {
	return read.kind === "held" ? read.problems.map((problem) => `${problem.code} ${problem.path ?? ""}`.trim()) : [read.kind];
}

describe("what is held against a patch", () => {
	it("a small change of plain files is ready, with the very objects that a commit would hold", async () => {
		const rig = await makeRig();
		const read = await rig.read(patchOf(rig, () => writeFiles(rig.folder, { "src/a.ts": "one\n2\nthree\n", "né w.txt": "new\n" })));
		if (read.kind !== "ready") throw new Error(JSON.stringify(read));
		expect(read.change.files.map((file) => [file.path, file.status])).toEqual([
			["né w.txt", "added"],
			["src/a.ts", "modified"],
		]);
		expect(git(rig.folder, "show", `${read.change.tree}:src/a.ts`)).toBe("one\n2\nthree\n");
		expect(git(rig.folder, "status", "--porcelain")).toBe("");
	});

	it("A51 files that decide what runs, who reviews and what is installed are held, each by its path", async () => {
		const rig = await makeRig({ ...BASE, "package-lock.json": "{}\n", "action.yml": "name: a\n" });
		const patch = patchOf(rig, () =>
			writeFiles(rig.folder, {
				".github/workflows/x.yml": "on: push\n",
				"action.yml": "name: b\n",
				"docs/CODEOWNERS": "* @x\n",
				"package-lock.json": '{ "a": 1 }\n',
				".claude/agents/x.md": "---\nname: x\n---\n",
				"src/a.ts": "one\n",
			}),
		);
		expect([...codes(await rig.read(patch))].sort()).toEqual([
			"E_PROTECTED .claude/agents/x.md",
			"E_PROTECTED .github/workflows/x.yml",
			"E_PROTECTED action.yml",
			"E_PROTECTED docs/CODEOWNERS",
			"E_PROTECTED package-lock.json",
		]);
		const lock = patchOf(rig, () => writeFiles(rig.folder, { "package-lock.json": '{ "a": 1 }\n' }));
		expect(codes(await rig.read(lock, { lockFiles: true }))).toEqual(["ready"]);
	});

	it("A52 links, submodules and executable bits are held; a file that is executable may stay so", async () => {
		const rig = await makeRig();
		const link = patchOf(rig, () => symlinkSync("/etc/passwd", path.join(rig.folder, "link")));
		expect(codes(await rig.read(link))).toEqual(["E_PROTECTED link"]);
		const executable = patchOf(rig, () => chmodSync(path.join(rig.folder, "run.sh"), 0o755));
		expect(codes(await rig.read(executable))).toEqual(["E_PROTECTED run.sh"]);
		const module = Buffer.from(
			`diff --git a/sub b/sub\nnew file mode 160000\nindex ${"0".repeat(40)}..${rig.base}\n--- /dev/null\n+++ b/sub\n@@ -0,0 +1 @@\n+Subproject commit ${rig.base}\n`,
		);
		expect(codes(await rig.read(module))).toEqual(["E_PROTECTED sub"]);
		const kept = await makeRig();
		chmodSync(path.join(kept.folder, "run.sh"), 0o755);
		const again = { ...kept, base: commit(kept.folder, {}) };
		const repository = await openRepository(again.folder);
		const read = await readPatch(
			patchOf(again, () => writeFiles(again.folder, { "run.sh": "echo 2\n" })),
			{ base: again.base, rules: { paths: createPathRules(NO_POLICY), limits: DEFAULT_PATCH_LIMITS } },
			{
				trees: createPatchTrees({ git: repository.git, temporaryFolder: makeFolder() }),
				reader: createRepositoryReader(repository.git),
				redact: (text) => text,
			},
		);
		expect(codes(read)).toEqual(["ready"]);
	});

	it("credentials are held by their line, never by their value; so are this run's own", async () => {
		const rig = await makeRig();
		const read = await rig.read(patchOf(rig, () => writeFiles(rig.folder, { "src/a.ts": `one\nconst key = "${KEY}";\nthree\n` })));
		expect(codes(read)).toEqual(["E_SECRET src/a.ts"]);
		expect(JSON.stringify(read)).toContain("line 2");
		expect(JSON.stringify(read)).not.toContain(KEY);
		const own = await rig.read(patchOf(rig, () => writeFiles(rig.folder, { "src/a.ts": "one\ns3cret-of-this-run\n" })));
		expect(codes(own)).toEqual(["E_SECRET src/a.ts"]);
	});

	it("too many files, too many lines, binary files and paths nobody asked for are held", async () => {
		const rig = await makeRig();
		const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`new/${index}.txt`, "x\n"]));
		expect(codes(await rig.read(patchOf(rig, () => writeFiles(rig.folder, many))))).toEqual(["E_LIMIT"]);
		const long = patchOf(rig, () => writeFiles(rig.folder, { "src/a.ts": "line\n".repeat(801) }));
		expect(codes(await rig.read(long))).toEqual(["E_LIMIT"]);
		const binary = patchOf(rig, () => writeFiles(rig.folder, { "a.bin": Buffer.from([0, 1, 2, 255, 0]) }));
		expect(codes(await rig.read(binary))).toEqual(["E_PROTECTED a.bin"]);
		const other = patchOf(rig, () => writeFiles(rig.folder, { "src/a.ts": "1\n", "run.sh": "2\n" }));
		expect(codes(await rig.read(other, { only: "src/a.ts" }))).toEqual(["E_PATH run.sh"]);
	});

	it("BR-52 a patch without a change is nothing to do, two names that differ in case are two files", async () => {
		const rig = await makeRig({ "F.txt": "a\n", "f.txt": "b\n" });
		expect(codes(await rig.read(Buffer.alloc(0)))).toEqual(["empty"]);
		const blob = git(rig.folder, "rev-parse", `${rig.base}:F.txt`).trim();
		const patch = Buffer.from(
			`diff --git a/F.txt b/F.txt\nindex ${blob}..${"1".repeat(40)} 100644\n--- a/F.txt\n+++ b/F.txt\n@@ -1 +1 @@\n-a\n+c\n`,
		);
		const read = await rig.read(patch);
		expect(read.kind === "ready" && read.change.files.map((file) => file.path)).toEqual(["F.txt"]);
	});

	it("a patch for other text, one that leaves the repository and one that is none are held with git's reason", async () => {
		const rig = await makeRig();
		const misfit = Buffer.from("diff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-other\n+text\n");
		expect(codes(await rig.read(misfit))).toEqual(["E_STALE"]);
		const outside = Buffer.from("diff --git a/../x b/../x\nnew file mode 100644\n--- /dev/null\n+++ b/../x\n@@ -0,0 +1 @@\n+x\n");
		expect(codes(await rig.read(outside))[0]).toMatch(/^E_/);
		const inGit = Buffer.from(
			"diff --git a/.git/hooks/x b/.git/hooks/x\nnew file mode 100644\n--- /dev/null\n+++ b/.git/hooks/x\n@@ -0,0 +1 @@\n+x\n",
		);
		expect(codes(await rig.read(inGit))[0]).toMatch(/^E_/);
		expect(codes(await rig.read(Buffer.from("no patch at all\n")))).toEqual(["E_STALE"]);
	});
});
