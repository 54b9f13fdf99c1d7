import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
	chmodSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openRepository } from "../../../src/adapters/git/open-repository.ts";
import { createWorkspaceProvider } from "../../../src/adapters/worktree/create-workspace-provider.ts";
import { UserError } from "../../../src/domain/errors.ts";
import type { Workspace } from "../../../src/seams.ts";
import { commit, git, makeFolder, makeRepository, writeFiles } from "../git/git-fixture.ts";

async function makeProvider(folder: string, head: string, temporaryFolder = makeFolder()) {
	const problems: string[] = [];
	const repository = await openRepository(folder);
	const onProblem = (text: string) => void problems.push(text);
	const provider = createWorkspaceProvider({ repository, head, run: "Run 1", temporaryFolder, onProblem });
	return { provider, problems, temporaryFolder };
}

/** Names, modes and contents of everything below a folder, git directory included; objects and worktree records aside. */
function fingerprint(folder: string): string {
	const hash = createHash("sha256");
	const walk = (current: string): void => {
		for (const name of readdirSync(current).sort()) {
			const file = path.join(current, name);
			const found = lstatSync(file);
			if (file === path.join(folder, ".git", "objects") || file === path.join(folder, ".git", "worktrees")) continue;
			hash.update(`${path.relative(folder, file)} ${found.mode} ${found.isDirectory() ? "" : found.mtimeMs}\n`);
			if (found.isDirectory()) walk(file);
			else if (found.isSymbolicLink()) hash.update(readlinkSync(file));
			else hash.update(readFileSync(file));
		}
	};
	walk(folder);
	return hash.digest("hex");
}

function worktreesOf(folder: string): string[] {
	return git(folder, "worktree", "list", "--porcelain").split("\n\n").filter(Boolean).slice(1);
}

/** A checkout with staged, unstaged, untracked and stashed work. */
function makeBusyRepository(): { readonly folder: string; readonly head: string } {
	const folder = makeRepository();
	const head = commit(folder, { "src/a.ts": "one\n", "b.ts": "b\n" });
	writeFiles(folder, { "b.ts": "stashed\n" });
	git(folder, "stash", "-q");
	writeFiles(folder, { "src/a.ts": "staged\n" });
	git(folder, "add", "src/a.ts");
	writeFiles(folder, { "src/a.ts": "unstaged\n", untracked: "u\n" });
	return { folder, head };
}

/** A run in a process of its own that opens a tree of each kind and then waits to be killed. */
async function startRun(folder: string, head: string, temporaryFolder: string): Promise<{ child: ChildProcess; roots: string[] }> {
	const from = (file: string) => JSON.stringify(path.resolve("src/adapters", file));
	const script = `import { openRepository } from ${from("git/open-repository.ts")};
import { createWorkspaceProvider } from ${from("worktree/create-workspace-provider.ts")};
const repository = await openRepository(${JSON.stringify(folder)});
const provider = createWorkspaceProvider({ repository, head: "${head}", run: "dead", temporaryFolder: ${JSON.stringify(temporaryFolder)} });
const trees = await Promise.all(["shared", "own"].map((kind) => provider.open({ kind, session: "go-1" })));
process.stdout.write(JSON.stringify(trees.map((tree) => tree.root)) + "\\n");
setInterval(() => undefined, 1000);`;
	const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
		stdio: ["ignore", "pipe", "ignore"],
	});
	onTestFinished(() => void child.kill("SIGKILL"));
	const [line] = (await once(child.stdout, "data")) as [Buffer];
	return { child, roots: JSON.parse(line.toString()) as string[] };
}

async function kill(child: ChildProcess): Promise<void> {
	const closed = once(child, "close");
	child.kill("SIGKILL");
	await closed;
}

describe("createWorkspaceProvider", () => {
	it("S-185 every tree stands detached at the commit, outside the checkout, locked while in use, and is gone after", async () => {
		const { folder, head } = makeBusyRepository();
		const { provider, problems, temporaryFolder } = await makeProvider(folder, head);
		const trees = await Promise.all(
			(["shared", "own", "own", "shared"] as const).map((kind, index) => provider.open({ kind, session: `go-${index}` })),
		);
		expect(new Set(trees.map((tree) => tree.root)).size).toBe(3);
		expect(trees[0]?.root).toBe(trees[3]?.root);
		for (const tree of trees) {
			expect(git(tree.root, "rev-parse", "HEAD").trim()).toBe(head);
			expect(git(tree.root, "branch", "--show-current")).toBe("");
			expect(tree.root.startsWith(temporaryFolder)).toBe(true);
			expect(readFileSync(path.join(tree.root, "src/a.ts"), "utf8")).toBe("one\n");
			expect(git(tree.root, "status", "--porcelain")).toBe("");
			expect(statSync(path.dirname(tree.root)).mode & 0o777).toBe(0o700);
		}
		const listed = worktreesOf(folder);
		expect(listed).toHaveLength(3);
		for (const entry of listed) expect(entry).toMatch(/^locked .*rookery .*"?session/m);
		for (const tree of trees) await tree[Symbol.asyncDispose]();
		expect(worktreesOf(folder)).toEqual([]);
		expect(readdirSync(temporaryFolder)).toEqual([]);
		expect(existsSync(path.join(folder, ".git/worktrees"))).toBe(false);
		expect(problems).toEqual([]);
	});

	it("the checkout's status, HEAD, index, refs and stash stay byte-equal, during and after", async () => {
		const { folder, head } = makeBusyRepository();
		git(folder, "status");
		const before = fingerprint(folder);
		const status = git(folder, "--no-optional-locks", "status", "--porcelain=v2", "--branch");
		const { provider } = await makeProvider(folder, head);
		{
			await using shared = await provider.open({ kind: "shared", session: "a" });
			await using own = await provider.open({ kind: "own", session: "b" });
			writeFiles(own.root, { "src/a.ts": "changed\n", new: "n\n", "b.ts": null });
			expect(shared.kind).toBe("shared");
			expect(fingerprint(folder)).toBe(before);
			expect(git(folder, "--no-optional-locks", "status", "--porcelain=v2", "--branch")).toBe(status);
		}
		expect(fingerprint(folder)).toBe(before);
	});

	it("the shared tree goes with its last user, and a later user gets a new one", async () => {
		const folder = makeRepository();
		const head = commit(folder, { x: "1\n" });
		const { provider, temporaryFolder } = await makeProvider(folder, head);
		const first = await provider.open({ kind: "shared", session: "a" });
		const second = await provider.open({ kind: "shared", session: "b" });
		await first[Symbol.asyncDispose]();
		await first[Symbol.asyncDispose]();
		expect(existsSync(path.join(second.root, "x"))).toBe(true);
		await second[Symbol.asyncDispose]();
		expect(readdirSync(temporaryFolder)).toEqual([]);
		const third = await provider.open({ kind: "shared", session: "c" });
		expect(third.root).not.toBe(first.root);
		await provider[Symbol.asyncDispose]();
		expect(readdirSync(temporaryFolder)).toEqual([]);
		expect(worktreesOf(folder)).toEqual([]);
	});

	it("A44 filters, hooks and other programs of the configuration do not run, in either kind of tree", async () => {
		const folder = makeRepository();
		const head = commit(folder, {
			x: "raw\n",
			"sub/y": "raw\n",
			".gitattributes": "* filter=evil\n",
			"sub/.gitattributes": "* filter=a.b\n",
		});
		const outside = makeFolder();
		const trace = path.join(outside, "fired");
		const program = path.join(outside, "post-checkout");
		writeFileSync(program, `#!/bin/sh\necho x >>${trace}\necho filtered\n`, { mode: 0o755 });
		for (const hook of ["reference-transaction", "post-index-change"]) symlinkSync(program, path.join(outside, hook));
		git(folder, "config", "core.hooksPath", outside);
		git(folder, "config", "core.fsmonitor", program);
		for (const driver of ["evil", "a.b"]) {
			for (const step of ["smudge", "clean", "process"]) git(folder, "config", `filter.${driver}.${step}`, program);
			git(folder, "config", `filter.${driver}.required`, "true");
		}
		rmSync(trace, { force: true });
		const { provider } = await makeProvider(folder, head);
		for (const kind of ["shared", "own"] as const) {
			await using tree = await provider.open({ kind, session: "x" });
			expect(readFileSync(path.join(tree.root, "x"), "utf8")).toBe("raw\n");
			expect(readFileSync(path.join(tree.root, "sub/y"), "utf8")).toBe("raw\n");
			expect(readFileSync(path.join(tree.root, "sub/.gitattributes"), "utf8")).toBe("* filter=a.b\n");
		}
		expect(existsSync(trace)).toBe(false);
		// The trap itself works: git as people run it springs it.
		expect(() => git(folder, "worktree", "add", "-q", path.join(outside, "w"))).toThrow();
		expect(existsSync(trace)).toBe(true);
	});

	it("a reader's tree holds the bytes of the blobs, whatever the attributes ask for", async () => {
		const folder = makeRepository();
		writeFiles(folder, { "x.ts": "one\ntwo\n", "y.ts": "$Id$\n" });
		git(folder, "add", "-A");
		const attributes = { ".gitattributes": "*.ts eol=crlf ident\n" };
		const head = commit(folder, attributes);
		const { provider } = await makeProvider(folder, head);
		await using shared = await provider.open({ kind: "shared", session: "a" });
		await using own = await provider.open({ kind: "own", session: "b" });
		const read = (tree: Workspace, name: string) => readFileSync(path.join(tree.root, name), "utf8");
		expect([read(shared, "x.ts"), read(shared, "y.ts")]).toEqual(["one\ntwo\n", "$Id$\n"]);
		expect(read(own, "x.ts")).toBe("one\r\ntwo\r\n");
	});

	it("links are small text files for readers and links for writers", async () => {
		const folder = makeRepository();
		symlinkSync("/etc/passwd", path.join(folder, "link"));
		const head = commit(folder, { x: "1\n" });
		const { provider } = await makeProvider(folder, head);
		await using shared = await provider.open({ kind: "shared", session: "a" });
		await using own = await provider.open({ kind: "own", session: "b" });
		expect(lstatSync(path.join(shared.root, "link")).isFile()).toBe(true);
		expect(readFileSync(path.join(shared.root, "link"), "utf8")).toBe("/etc/passwd");
		expect(readlinkSync(path.join(own.root, "link"))).toBe("/etc/passwd");
	});

	it("A45 submodules are not touched", async () => {
		const folder = makeRepository();
		const trace = path.join(makeFolder(), "fired");
		git(folder, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},lib`);
		writeFiles(folder, {
			".gitmodules": `[submodule "lib"]\n\tpath = lib\n\turl = ext::sh -c touch% ${trace}\n\tupdate = !touch ${trace}\n`,
		});
		git(folder, "add", ".gitmodules");
		git(folder, "commit", "-qm", "1");
		git(folder, "config", "submodule.recurse", "true");
		git(folder, "config", "submodule.lib.update", `!touch ${trace}`);
		const { provider } = await makeProvider(folder, git(folder, "rev-parse", "HEAD").trim());
		for (const kind of ["shared", "own"] as const) {
			await using tree = await provider.open({ kind, session: "x" });
			expect(readdirSync(path.join(tree.root, "lib"))).toEqual([]);
		}
		expect(existsSync(trace)).toBe(false);
	});

	it("A46 a large-file pointer stays text, and its server is not asked", async () => {
		let hits = 0;
		const server = createServer((_, response) => {
			hits++;
			response.end();
		});
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		onTestFinished(() => void server.close());
		const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/lfs`;
		const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 12\n`;
		const folder = makeRepository();
		const head = commit(folder, {
			".lfsconfig": `[lfs]\n\turl = ${url}\n`,
			"x.bin": pointer,
			".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n",
		});
		const program = path.join(makeFolder(), "git-lfs");
		writeFileSync(program, `#!/bin/sh\ncurl -s --max-time 2 ${url}\nexit 1\n`, { mode: 0o755 });
		git(folder, "config", "filter.lfs.smudge", `${program} smudge -- %f`);
		git(folder, "config", "filter.lfs.process", `${program} filter-process`);
		git(folder, "config", "filter.lfs.required", "true");
		const { provider } = await makeProvider(folder, head);
		for (const kind of ["shared", "own"] as const) {
			await using tree = await provider.open({ kind, session: "x" });
			expect(readFileSync(path.join(tree.root, "x.bin"), "utf8")).toBe(pointer);
		}
		expect(hits).toBe(0);
	});

	it("A53 the parent is neither a link nor inside the repository", async () => {
		const folder = makeRepository();
		const elsewhere = makeFolder();
		mkdirSync(path.join(folder, "inside"));
		symlinkSync(elsewhere, path.join(folder, "worktrees"));
		const head = commit(folder, { x: "1\n" });
		for (const [parent, text] of [
			[path.join(folder, "worktrees"), "is a link"],
			[path.join(folder, "inside"), "lies inside the checkout"],
			[folder, "lies inside the checkout"],
			[path.join(folder, "missing"), "no folder can be made"],
		] as const) {
			const { provider } = await makeProvider(folder, head, parent);
			const failure = await provider.open({ kind: "shared", session: "a" }).catch((error: unknown) => error);
			expect(failure).toBeInstanceOf(UserError);
			expect((failure as UserError).code).toBe("E_WORKTREE");
			expect(String(failure)).toContain(text);
		}
		expect(readdirSync(elsewhere)).toEqual([]);
		expect(worktreesOf(folder)).toEqual([]);
	});

	it("S-187 A54 R37 what a killed run left is removed by the next one, which uses none of it", { timeout: 60_000 }, async () => {
		const { folder, head } = makeBusyRepository();
		const before = fingerprint(folder);
		const temporaryFolder = makeFolder();
		const { child, roots } = await startRun(folder, head, temporaryFolder);
		writeFiles(roots[1] ?? "", { "src/a.ts": "planted\n" });
		const { provider, problems } = await makeProvider(folder, head, temporaryFolder);
		{
			// The other run is alive: its trees stay.
			await using tree = await provider.open({ kind: "own", session: "go-1" });
			expect(roots.map((root) => existsSync(root))).toEqual([true, true]);
			expect(roots).not.toContain(tree.root);
		}
		await kill(child);
		expect(fingerprint(folder)).toBe(before);
		{
			await using tree = await provider.open({ kind: "own", session: "go-1" });
			expect(readFileSync(path.join(tree.root, "src/a.ts"), "utf8")).toBe("one\n");
			expect(roots.map((root) => existsSync(root))).toEqual([false, false]);
			expect(worktreesOf(folder)).toHaveLength(1);
		}
		expect(readdirSync(temporaryFolder)).toEqual([]);
		expect(worktreesOf(folder)).toEqual([]);
		expect(problems).toEqual([]);
		expect(fingerprint(folder)).toBe(before);
	});

	it("R40 a registration whose folder is gone is removed, and other people's stay", { timeout: 60_000 }, async () => {
		const folder = makeRepository();
		const head = commit(folder, { x: "1\n" });
		const temporaryFolder = makeFolder();
		const foreign = path.join(makeFolder(), "mine");
		git(folder, "worktree", "add", "-q", "--detach", foreign);
		rmSync(foreign, { recursive: true });
		const { child } = await startRun(folder, head, temporaryFolder);
		await kill(child);
		for (const name of readdirSync(temporaryFolder)) rmSync(path.join(temporaryFolder, name), { recursive: true });
		expect(worktreesOf(folder)).toHaveLength(3);
		const { provider } = await makeProvider(folder, head, temporaryFolder);
		await (await provider.open({ kind: "shared", session: "a" }))[Symbol.asyncDispose]();
		expect(worktreesOf(folder)).toHaveLength(1);
		expect(worktreesOf(folder)[0]).toContain(foreign);
	});

	it("a folder that only looks like ours is left alone", async () => {
		const folder = makeRepository();
		const head = commit(folder, { x: "1\n" });
		const temporaryFolder = makeFolder();
		const victim = makeFolder();
		writeFiles(victim, { precious: "p\n" });
		const commonDirectory = path.join(folder, ".git");
		const owner = { run: "x", pid: 2 ** 22 + 1, started: "", host: "", at: 0 };
		const plant = (name: string, worktree: string, mode: number) => {
			const planted = path.join(temporaryFolder, `rookery-worktrees-${name}`);
			writeFiles(planted, { "journal.jsonl": `${JSON.stringify({ owner, commonDirectory })}\n${JSON.stringify({ worktree })}\n` });
			chmodSync(planted, mode);
			return planted;
		};
		const open = plant("open", path.join(temporaryFolder, "rookery-worktrees-open", "w"), 0o755);
		writeFiles(open, { "w/kept": "k\n" });
		plant("escape", victim, 0o700);
		plant("dots", path.join(temporaryFolder, "rookery-worktrees-dots", "..", "..", path.basename(victim)), 0o700);
		symlinkSync(victim, path.join(temporaryFolder, "rookery-worktrees-link"));
		const { provider } = await makeProvider(folder, head, temporaryFolder);
		await (await provider.open({ kind: "shared", session: "a" }))[Symbol.asyncDispose]();
		expect(readFileSync(path.join(victim, "precious"), "utf8")).toBe("p\n");
		expect(existsSync(path.join(open, "w/kept"))).toBe(true);
		expect(existsSync(path.join(temporaryFolder, "rookery-worktrees-link"))).toBe(true);
	});

	it("BR-48 removing what is already gone is success", async () => {
		const folder = makeRepository();
		const head = commit(folder, { x: "1\n" });
		const { provider, problems, temporaryFolder } = await makeProvider(folder, head);
		const tree = await provider.open({ kind: "own", session: "a" });
		rmSync(tree.root, { recursive: true });
		await tree[Symbol.asyncDispose]();
		const other = await provider.open({ kind: "own", session: "b" });
		git(folder, "worktree", "remove", "--force", "--force", other.root);
		await other[Symbol.asyncDispose]();
		const third = await provider.open({ kind: "own", session: "c" });
		rmSync(path.join(third.root, ".git"));
		await third[Symbol.asyncDispose]();
		expect(problems).toEqual([]);
		expect(worktreesOf(folder)).toEqual([]);
		expect(readdirSync(temporaryFolder)).toEqual([]);
	});

	it("a commit that is not there is told as E_WORKTREE and leaves nothing", async () => {
		const folder = makeRepository();
		commit(folder, { x: "1\n" });
		const { provider, temporaryFolder } = await makeProvider(folder, "1".repeat(40));
		for (const kind of ["shared", "own"] as const) {
			const failure = await provider.open({ kind, session: "a" }).catch((error: unknown) => error);
			expect((failure as UserError).code).toBe("E_WORKTREE");
		}
		expect(readdirSync(temporaryFolder)).toEqual([]);
		expect(worktreesOf(folder)).toEqual([]);
		await expect(makeProvider(folder, "main")).rejects.toThrow("full 40-hex");
	});
});
