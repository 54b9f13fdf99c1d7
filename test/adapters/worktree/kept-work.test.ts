import {
	existsSync,
	linkSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openRepository } from "../../../src/adapters/git/open-repository.ts";
import { createWorkspaceProvider, type WorkspaceProviderOptions } from "../../../src/adapters/worktree/create-workspace-provider.ts";
import { UserError } from "../../../src/domain/errors.ts";
import { createPathRules } from "../../../src/guard/path-rules.ts";
import { commit, git, makeFolder, makeRepository, writeFiles } from "../git/git-fixture.ts";

const rules = createPathRules({ denyPaths: [], protectedPaths: [] });
const refuse = (name: string) => (rules.hiddenBy(name) === undefined ? undefined : "it holds secrets by its name");

async function makeProvider(folder: string, head: string, change: Partial<WorkspaceProviderOptions> = {}) {
	const problems: string[] = [];
	const temporaryFolder = change.temporaryFolder ?? makeFolder();
	const repository = await openRepository(folder);
	const options = { repository, head, run: "run-1", temporaryFolder, onProblem: (text: string) => void problems.push(text), ...change };
	return { provider: createWorkspaceProvider(options), problems, temporaryFolder };
}

const registrations = (folder: string) => git(folder, "worktree", "list", "--porcelain").split("\n\n").filter(Boolean).slice(1);

describe("what a child leaves in its own tree", () => {
	it("S-192 a tree without changes has none to keep, and nothing of it is left", async () => {
		const folder = makeRepository();
		const head = commit(folder, { "a.txt": "one\n" });
		const { provider, temporaryFolder } = await makeProvider(folder, head);
		const tree = await provider.open({ kind: "own", session: "agent-x-1" });
		// Written again with the same bytes: only its time differs.
		writeFiles(tree.root, { "a.txt": "one\n" });
		expect(await tree.readChanges?.()).toBeUndefined();
		await tree[Symbol.asyncDispose]();
		expect(registrations(folder)).toEqual([]);
		expect(git(folder, "branch", "--list").trim()).toBe("* main");
		expect(readdirSync(temporaryFolder)).toEqual([]);
	});

	it("S-193 edits, new, deleted, binary and executable files are one patch that gives the same tree again", async () => {
		const folder = makeRepository();
		const head = commit(folder, { "a.txt": "one\n", "gone.txt": "x\n", "né w.txt": "1\n", bin: Buffer.from([0, 1, 2]) });
		const { provider } = await makeProvider(folder, head);
		await using tree = await provider.open({ kind: "own", session: "agent-x-1" });
		writeFiles(tree.root, { "a.txt": "two\n", "gone.txt": null, "né w.txt": "2\n", "new/b.txt": "b\n", bin: Buffer.from([9, 0, 200]) });
		writeFileSync(path.join(tree.root, "run.sh"), "#!/bin/sh\n", { mode: 0o755 });
		const changes = await tree.readChanges?.();
		expect([...(changes?.files ?? [])].sort()).toEqual(["a.txt", "bin", "gone.txt", "new/b.txt", "né w.txt", "run.sh"].sort());
		expect(changes?.moved).toBe(false);
		const again = path.join(makeFolder(), "again");
		git(folder, "worktree", "add", "-q", "--detach", again, head);
		writeFileSync(path.join(again, "..", "p.patch"), changes?.patch ?? "");
		git(again, "apply", "--binary", path.join(again, "..", "p.patch"));
		for (const name of ["a.txt", "né w.txt", "new/b.txt", "bin", "run.sh"])
			expect(readFileSync(path.join(again, name)).equals(readFileSync(path.join(tree.root, name))), name).toBe(true);
		expect(existsSync(path.join(again, "gone.txt"))).toBe(false);
		expect(lstatSync(path.join(again, "run.sh")).mode & 0o111).toBe(0o111);
	});

	it("S-193 what was staged or committed in the tree counts as well", async () => {
		const folder = makeRepository();
		const head = commit(folder, { "a.txt": "one\n", "b.txt": "b\n" });
		const { provider } = await makeProvider(folder, head);
		await using tree = await provider.open({ kind: "own", session: "agent-x-1" });
		writeFiles(tree.root, { "a.txt": "two\n" });
		git(tree.root, "add", "a.txt");
		git(tree.root, "commit", "-qm", "in the tree");
		writeFiles(tree.root, { "b.txt": "c\n" });
		const changes = await tree.readChanges?.();
		expect(changes?.files).toEqual(["a.txt", "b.txt"]);
		expect(changes?.moved).toBe(true);
	});

	it("dependency folders and copied files are never part of a change", async () => {
		const folder = makeRepository();
		const head = commit(folder, { "a.txt": "one\n" });
		writeFiles(folder, { ".npmrc.ci": "registry=x\n" });
		const { provider } = await makeProvider(folder, head, { include: { patterns: ".npmrc.ci\n", refuse } });
		await using tree = await provider.open({ kind: "own", session: "agent-x-1" });
		expect(readFileSync(path.join(tree.root, ".npmrc.ci"), "utf8")).toBe("registry=x\n");
		writeFiles(tree.root, { "node_modules/x/index.js": "1\n", "packages/a/node_modules/y.js": "2\n", ".venv/bin/z": "3\n" });
		expect(await tree.readChanges?.()).toBeUndefined();
		writeFiles(tree.root, { "a.txt": "two\n" });
		expect((await tree.readChanges?.())?.files).toEqual(["a.txt"]);
	});

	it("S-195 S-191 a kept tree stays unlocked in its place, outlives the run, and is swept when nobody has come for it", async () => {
		const folder = makeRepository();
		const head = commit(folder, { "a.txt": "one\n" });
		const { provider, temporaryFolder } = await makeProvider(folder, head);
		const tree = await provider.open({ kind: "own", session: "agent-x-1" });
		expect(registrations(folder)[0]).toMatch(/^locked .*rookery .*agent-x-1/m);
		writeFiles(tree.root, { "a.txt": "two\n" });
		await tree.keep?.();
		await tree[Symbol.asyncDispose]();
		await provider[Symbol.asyncDispose]();
		expect(readFileSync(path.join(tree.root, "a.txt"), "utf8")).toBe("two\n");
		expect(registrations(folder)[0]).not.toMatch(/^locked/m);
		// The owner is alive here, so the sweep of another run is told of a dead one by editing the journal.
		const journal = path.join(path.dirname(tree.root), "journal.jsonl");
		const [first = "", ...rest] = readFileSync(journal, "utf8").split("\n");
		const record = JSON.parse(first) as { owner: { pid: number } };
		writeFileSync(journal, [JSON.stringify({ ...record, owner: { ...record.owner, pid: 2 ** 22 + 1 } }), ...rest].join("\n"));
		const later = async (now: number) => {
			const next = await makeProvider(folder, head, { temporaryFolder, clock: { now: () => now } });
			await (await next.provider.open({ kind: "own", session: "y" }))[Symbol.asyncDispose]();
		};
		await later(Date.now());
		expect(existsSync(tree.root)).toBe(true);
		await later(Date.now() + 8 * 24 * 60 * 60 * 1000);
		expect(existsSync(tree.root)).toBe(false);
		expect(registrations(folder)).toEqual([]);
		expect(readdirSync(temporaryFolder)).toEqual([]);
	});

	it("S-196 a new tree takes up earlier work from its patch; one that does not fit is told and leaves nothing", async () => {
		const folder = makeRepository();
		const head = commit(folder, { "a.txt": "one\n" });
		const { provider } = await makeProvider(folder, head);
		const first = await provider.open({ kind: "own", session: "agent-x-1" });
		writeFiles(first.root, { "a.txt": "two\n", "new.txt": "n\n" });
		const patch = (await first.readChanges?.())?.patch ?? Buffer.alloc(0);
		await first[Symbol.asyncDispose]();
		{
			await using second = await provider.open({ kind: "own", session: "agent-x-1", patch });
			expect(second.root).not.toBe(first.root);
			expect(readFileSync(path.join(second.root, "a.txt"), "utf8")).toBe("two\n");
			expect((await second.readChanges?.())?.files).toEqual(["a.txt", "new.txt"]);
		}
		const wrong = Buffer.from(patch.toString("utf8").replace("-one", "-zero"));
		const failure = await provider.open({ kind: "own", session: "agent-x-1", patch: wrong }).catch((error: unknown) => error);
		expect((failure as UserError).code).toBe("E_WORKTREE");
		expect(registrations(folder)).toEqual([]);
	});

	it("A41 a replaced .git file ends the tree's use: nothing that it names is run", async () => {
		const folder = makeRepository();
		const head = commit(folder, { "a.txt": "one\n" });
		const { provider } = await makeProvider(folder, head);
		const outside = makeFolder();
		const sentinel = path.join(outside, "SENT");
		const trap = path.join(outside, "trap");
		writeFileSync(trap, `#!/bin/sh\necho x >>${sentinel}\n`, { mode: 0o755 });
		for (const how of ["file", "folder", "link", "absent"] as const) {
			await using tree = await provider.open({ kind: "own", session: "agent-x-1" });
			const own = path.join(outside, `own-${how}.git`);
			git(outside, "init", "-q", "--bare", own);
			for (const [key, value] of [
				["core.bare", "false"],
				["core.fsmonitor", trap],
				["core.hooksPath", outside],
				["core.sshCommand", trap],
				["filter.x.clean", trap],
				["diff.external", trap],
			] as const)
				git(own, "config", key, value);
			writeFiles(tree.root, { "a.txt": "two\n", ".gitattributes": "* filter=x\n" });
			const file = path.join(tree.root, ".git");
			rmSync(file);
			if (how === "file") writeFileSync(file, `gitdir: ${own}\n`);
			if (how === "folder") renameSync(own, file);
			if (how === "link") symlinkSync(own, file);
			const failure = await tree.readChanges?.().catch((error: unknown) => error);
			expect(failure, how).toBeInstanceOf(UserError);
			expect((failure as UserError).code).toBe("E_WORKTREE");
		}
		expect(existsSync(sentinel)).toBe(false);
		// The trap is a trap: git with discovery springs it.
		const bait = path.join(makeFolder(), "bait");
		git(outside, "init", "-q", bait);
		git(bait, "config", "core.fsmonitor", trap);
		git(bait, "status");
		expect(existsSync(sentinel)).toBe(true);
	});

	it("A44 no filter of the configuration runs while a change is read", async () => {
		const folder = makeRepository();
		const head = commit(folder, { "a.txt": "one\n", ".gitattributes": "* filter=evil diff=evil\n" });
		const outside = makeFolder();
		const sentinel = path.join(outside, "SENT");
		const trap = path.join(outside, "trap");
		writeFileSync(trap, `#!/bin/sh\necho x >>${sentinel}\ncat\n`, { mode: 0o755 });
		git(folder, "config", "filter.evil.clean", trap);
		git(folder, "config", "filter.evil.smudge", trap);
		git(folder, "config", "diff.evil.textconv", trap);
		git(folder, "config", "diff.external", trap);
		const { provider } = await makeProvider(folder, head);
		await using tree = await provider.open({ kind: "own", session: "x" });
		writeFiles(tree.root, { "a.txt": "two\n" });
		expect((await tree.readChanges?.())?.patch.toString("utf8")).toContain("+two");
		expect(existsSync(sentinel)).toBe(false);
	});
});

describe("S-188 subdirectory roots", () => {
	it("S-188 a run in packages/a works in packages/a of the tree, and at its top where the head has no such folder", async () => {
		const folder = makeRepository();
		const base = commit(folder, { "x.txt": "x\n" });
		const head = commit(folder, { "packages/a/index.ts": "1\n" });
		for (const [commitId, expected] of [
			[head, "packages/a"],
			[base, "."],
		] as const) {
			const { provider } = await makeProvider(path.join(folder, "packages/a"), commitId);
			for (const kind of ["own", "shared"] as const) {
				await using tree = await provider.open({ kind, session: "s" });
				expect(tree.folder).toBe(path.join(tree.root, expected));
			}
		}
	});

	it("S-188 a link in the folder's place is not followed", async () => {
		const folder = makeRepository();
		const head = commit(folder, { "packages/a/index.ts": "1\n" });
		git(folder, "checkout", "-q", "-b", "evil");
		git(folder, "rm", "-rq", "packages");
		symlinkSync("/tmp", path.join(folder, "packages"));
		const evil = commit(folder, {});
		git(folder, "checkout", "-q", "main");
		expect(git(folder, "rev-parse", "HEAD").trim()).toBe(head);
		const { provider } = await makeProvider(path.join(folder, "packages/a"), evil);
		await using tree = await provider.open({ kind: "own", session: "s" });
		expect(tree.folder).toBe(tree.root);
	});
});

describe("S-186 .worktreeinclude", () => {
	it("S-186 listed files are copied; patterns that leave, secrets, links of every kind and files that are there are not", async () => {
		const folder = makeRepository();
		const outside = makeFolder();
		writeFiles(outside, { secret: "s3cret\n", "deep/file": "d\n" });
		const head = commit(folder, { "tracked.cfg": "head\n", ".gitignore": "*.ci\nlocal/\n.env*\n" });
		writeFiles(folder, {
			".npmrc.ci": "a=1\n",
			"config/app.ci": "b=2\n",
			"local/one/x": "1\n",
			".env": "KEY=1\n",
			"config/.env.production": "KEY=2\n",
			"tracked.cfg": "changed in the checkout\n",
		});
		symlinkSync(path.join(outside, "secret"), path.join(folder, "link.ci"));
		symlinkSync(path.join(outside, "deep"), path.join(folder, "local/folder-link"));
		linkSync(path.join(outside, "secret"), path.join(folder, "hard.ci"));
		const patterns = [
			"# files for the tests",
			"",
			"*.ci",
			"local/",
			"tracked.cfg",
			"../x",
			"a/../../x",
			"/etc/passwd",
			"~/.ssh/id_rsa",
			".env",
			"config/.env*",
			"{.,..}/secret",
			"!keep",
		].join("\n");
		const { provider, problems } = await makeProvider(folder, head, { include: { patterns, refuse } });
		await using tree = await provider.open({ kind: "own", session: "s" });
		const read = (name: string) => readFileSync(path.join(tree.root, name), "utf8");
		expect([read(".npmrc.ci"), read("config/app.ci"), read("local/one/x")]).toEqual(["a=1\n", "b=2\n", "1\n"]);
		expect(read("tracked.cfg")).toBe("head\n");
		for (const name of [".env", "config/.env.production", "link.ci", "hard.ci", "local/folder-link", "secret"])
			expect(existsSync(path.join(tree.root, name)), name).toBe(false);
		const said = problems.join("\n");
		for (const text of ['"../x" is refused', '"a/../../x" is refused', '".env" is refused', "link.ci is not copied: it is a symbolic link"])
			expect(said).toContain(text);
		expect(said).toContain("local/folder-link is not copied");
		expect(said).toContain("hard.ci is not copied: it has a second name");
		expect(said).toContain("config/.env.production is not copied: it holds secrets");
		expect(said).not.toContain("s3cret");
		expect(await tree.readChanges?.()).toBeUndefined();
	});

	it("S-186 a link that the head puts on the way leads nowhere", async () => {
		const folder = makeRepository();
		const outside = makeFolder();
		symlinkSync(outside, path.join(folder, "config"));
		symlinkSync(path.join(outside, "dangling"), path.join(folder, "top.ci"));
		const head = commit(folder, { "a.txt": "1\n" });
		rmSync(path.join(folder, "config"));
		rmSync(path.join(folder, "top.ci"));
		mkdirSync(path.join(folder, "config"));
		writeFiles(folder, { "config/app.ci": "b=2\n", "top.ci": "t\n" });
		const { provider, problems } = await makeProvider(folder, head, { include: { patterns: "config/app.ci\ntop.ci\n", refuse } });
		await using tree = await provider.open({ kind: "own", session: "s" });
		expect(realpathSync(path.join(tree.root, "config"))).toBe(outside);
		expect(readdirSync(outside)).toEqual([]);
		expect(problems.join("\n")).toContain("a folder of the tree on its way is a link");
	});
});
