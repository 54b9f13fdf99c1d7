import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createGit, type Git, GitError, type GitOptions } from "../../../src/adapters/git/create-git.ts";
import { loadChangeSet } from "../../../src/adapters/git/load-change-set.ts";
import { openRepository } from "../../../src/adapters/git/open-repository.ts";
import { createRepositoryReader } from "../../../src/adapters/git/repository-reader.ts";
import { UserError } from "../../../src/domain/errors.ts";
import { commit, git, makeFolder, makeRepository, writeFiles } from "./git-fixture.ts";

const moduleFor = (folder: string, options: Partial<GitOptions> = {}): Git =>
	createGit({ gitDirectory: path.join(folder, ".git"), ...options });

/** A program that leaves a trace, for every place of a configuration that can name one. */
function makeSentinel(): { readonly program: string; readonly fired: () => boolean } {
	const folder = makeFolder();
	const trace = path.join(folder, "fired");
	const program = path.join(folder, "program");
	writeFileSync(program, `#!/bin/sh\necho "$0 $*" >>${trace}\ncat\n`, { mode: 0o755 });
	return { program, fired: () => existsSync(trace) };
}

/** Every setting of a repository that starts a program or bends the output of a diff. */
function setHostileConfiguration(folder: string, program: string): void {
	const settings = {
		"core.fsmonitor": program,
		"core.hooksPath": path.dirname(program),
		"core.pager": program,
		"core.editor": program,
		"core.sshCommand": program,
		"core.askPass": program,
		"core.gitProxy": program,
		"core.alternateRefsCommand": program,
		"diff.external": program,
		"diff.evil.command": program,
		"diff.evil.textconv": program,
		"filter.evil.smudge": program,
		"filter.evil.clean": program,
		"filter.evil.process": program,
		"filter.evil.required": "true",
		"filter.a.b.smudge": program,
		"filter.a.b.required": "true",
		"credential.helper": `!${program}`,
		"gpg.program": program,
		"log.showSignature": "true",
		"diff.noprefix": "true",
		"diff.mnemonicPrefix": "true",
		"diff.algorithm": "patience",
		"diff.context": "0",
		"diff.interHunkContext": "9",
		"diff.orderFile": path.join(folder, "missing"),
		"diff.renames": "false",
		"diff.relative": "true",
		"diff.suppressBlankEmpty": "true",
		"diff.ignoreSubmodules": "all",
		"diff.submodule": "log",
		"diff.colorMoved": "plain",
		"color.ui": "always",
		"color.diff": "always",
		"core.quotePath": "true",
		"protocol.ext.allow": "always",
		"protocol.file.allow": "always",
	};
	for (const [key, value] of Object.entries(settings)) git(folder, "config", key, value);
	writeFileSync(path.join(folder, ".git", "info", "attributes"), "* diff=evil filter=evil\n");
}

async function readEverything(folder: string, base: string, head: string): Promise<object> {
	const repository = await openRepository(folder);
	await using reader = createRepositoryReader(repository.git);
	const { files } = await loadChangeSet(repository.git, base, head);
	return { files, patches: await reader.patches(base, head, files) };
}

describe("createGit", () => {
	it("BR-09 hostile configuration changes neither the list of changes nor a hunk, and starts nothing", async () => {
		const folder = makeRepository();
		const numbers = Array.from({ length: 30 }, (_, index) => `line ${index}\n\n`);
		const base = commit(folder, { "b/x.ts": numbers.join(""), "a/old name.ts": "one\ntwo\nthree\nfour\n", é: "1\n" });
		numbers[3] = "changed 3\n";
		numbers[14] = "changed 14\n";
		const head = commit(folder, {
			"b/x.ts": numbers.join(""),
			"a/old name.ts": null,
			"a/new name.ts": "one\ntwo\nthree\nfour\n",
			é: "2\n",
		});
		const plain = await readEverything(folder, base, head);
		const { program, fired } = makeSentinel();
		setHostileConfiguration(folder, program);
		expect(await readEverything(folder, base, head)).toEqual(plain);
		expect(fired()).toBe(false);
		expect(plain).toMatchObject({ files: [{ path: "a/new name.ts", previousPath: "a/old name.ts" }, { path: "b/x.ts" }, { path: "é" }] });
		expect((plain as { patches: { hunks: unknown[] }[] }).patches[1]?.hunks).toHaveLength(2);
	});

	it("A44 hostile configuration starts nothing on the calls that touch a working tree", async () => {
		const folder = makeRepository();
		commit(folder, { x: "1\n", ".gitattributes": "* filter=evil diff=evil\nx filter=a.b\n" });
		const { program, fired } = makeSentinel();
		setHostileConfiguration(folder, program);
		for (const hook of ["post-checkout", "post-index-change", "pre-commit", "reference-transaction"]) {
			writeFileSync(path.join(path.dirname(program), hook), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
		}
		const repository = await openRepository(folder);
		const tree = await repository.git.withWorkTree({ gitDirectory: repository.gitDirectory, workTree: folder });
		writeFiles(folder, { x: "2\n", y: "new\n" });
		await tree.porcelain(["status", "--porcelain=v2"]);
		await tree.run(["add", "--", "x", "y"]);
		await tree.run(["read-tree", "--reset", "-u", "HEAD"]);
		await tree.run(["checkout-index", "--all", "--force"]);
		expect(fired()).toBe(false);
		// The trap itself works: git as people run it springs it.
		try {
			git(folder, "status");
		} catch {
			// A filter that answers nonsense makes git fail; only the trace counts.
		}
		expect(fired()).toBe(true);
	});

	it("A49 variables of an earlier step are not passed on", async () => {
		const folder = makeRepository();
		const base = commit(folder, { x: "1\n" });
		const head = commit(folder, { x: "2\n" });
		const { program, fired } = makeSentinel();
		const hostile = {
			GIT_SSH_COMMAND: program,
			GIT_EXTERNAL_DIFF: program,
			GIT_TEMPLATE_DIR: path.dirname(program),
			GIT_ASKPASS: program,
			GIT_PAGER: program,
			GIT_DIR: "/nonexistent",
			GIT_CONFIG_COUNT: "1",
			GIT_CONFIG_KEY_0: "diff.external",
			GIT_CONFIG_VALUE_0: program,
			GIT_CONFIG_PARAMETERS: `'diff.external=${program}'`,
			GIT_TRACE: path.join(path.dirname(program), "fired"),
		};
		Object.assign(process.env, hostile);
		onTestFinished(() => {
			for (const name of Object.keys(hostile)) delete process.env[name];
		});
		expect(await readEverything(folder, base, head)).toMatchObject({ files: [{ path: "x", additions: 1, deletions: 1 }] });
		await (await openRepository(folder)).git.porcelain(["worktree", "list"]);
		expect(fired()).toBe(false);
	});

	it("BR-47 a failure is told with git's words and never looks like an empty answer", async () => {
		const folder = makeFolder();
		const stub = path.join(folder, "git");
		writeFileSync(stub, "#!/bin/sh\necho \"fatal: detected dubious ownership in repository at '/w'\" >&2\nexit 128\n", { mode: 0o755 });
		const failing = createGit({ gitDirectory: folder, binary: stub });
		await expect(loadChangeSet(failing, "1".repeat(40), "2".repeat(40))).rejects.toThrow("detected dubious ownership");
		await expect(openRepository(folder, { binary: stub })).rejects.toThrow("detected dubious ownership");
		const stream = async () => {
			for await (const _ of failing.stream(["diff"])) expect.unreachable();
		};
		await expect(stream()).rejects.toThrow("exit code 128");
	});

	it.runIf(process.getuid?.() === 0)("BR-47 a checkout that belongs to somebody else is read", async () => {
		const folder = makeRepository();
		commit(folder, { x: "1\n" });
		const { chownSync } = await import("node:fs");
		chownSync(folder, 12_345, 12_345);
		chownSync(path.join(folder, ".git"), 12_345, 12_345);
		expect(() => git(folder, "status")).toThrow("dubious ownership");
		const repository = await openRepository(folder);
		expect((await repository.git.run(["rev-parse", "HEAD"])).stdout.toString()).toMatch(/^[0-9a-f]{40}\n$/);
	});

	it("R39 a lock is waited for, and one that stays is named", async () => {
		const folder = makeRepository();
		commit(folder, { x: "1\n" });
		const lock = path.join(folder, ".git", "index.lock");
		let time = 0;
		const slept: number[] = [];
		const clock = {
			now: () => time,
			sleep: async (ms: number) => {
				slept.push(ms);
				time += ms;
			},
		};
		const guarded = createGit({ gitDirectory: path.join(folder, ".git"), workTree: folder, clock });
		writeFileSync(lock, "");
		const failure = await guarded.run(["add", "--", "x"]).catch((error: unknown) => error);
		expect(failure).toBeInstanceOf(UserError);
		expect(String(failure)).toContain(lock);
		expect(slept.reduce((sum, ms) => sum + ms, 0)).toBe(10_000);
		expect(existsSync(lock)).toBe(true);
	});

	it("R39 goes on when the lock is taken away in time", async () => {
		const folder = makeRepository();
		const { rmSync } = await import("node:fs");
		commit(folder, { x: "1\n" });
		const lock = path.join(folder, ".git", "index.lock");
		writeFileSync(lock, "");
		const clock = { now: () => 0, sleep: async () => rmSync(lock, { force: true }) };
		await createGit({ gitDirectory: path.join(folder, ".git"), workTree: folder, clock }).run(["add", "--", "x"]);
	});

	it("A39 a shell never sees an argument", async () => {
		const folder = makeRepository();
		commit(folder, { x: "1\n" });
		const trace = path.join(folder, "SENT");
		// biome-ignore lint/suspicious/noTemplateCurlyInString: shell syntax is the attack.
		const name = "$(touch${IFS}SENT);`touch${IFS}SENT`|touch${IFS}SENT";
		git(folder, "update-ref", `refs/heads/${name}`, "HEAD");
		const found = await moduleFor(folder).run(["rev-parse", "--end-of-options", `refs/heads/${name}`]);
		expect(found.code).toBe(0);
		expect(existsSync(trace)).toBe(false);
	});

	it("A38 an option in the place of a commit is no option", async () => {
		const folder = makeRepository();
		commit(folder, { x: "1\n" });
		const trace = path.join(folder, "SENT");
		await expect(loadChangeSet(moduleFor(folder), `--output=${trace}`, "HEAD")).rejects.toThrow(GitError);
		expect(existsSync(trace)).toBe(false);
	});

	it("gives output as it comes, and ends the process when the loop is left", async () => {
		const folder = makeRepository();
		commit(folder, { big: "x".repeat(3_000_000) });
		let bytes = 0;
		for await (const chunk of moduleFor(folder).stream(["cat-file", "blob", "HEAD:big"])) {
			bytes += chunk.length;
			break;
		}
		expect(bytes).toBeGreaterThan(0);
		expect(bytes).toBeLessThan(3_000_000);
	});

	it("the signal ends a call, and too much output is refused", async () => {
		const folder = makeFolder();
		const stub = path.join(folder, "git");
		writeFileSync(stub, "#!/bin/sh\nexec sleep 60\n", { mode: 0o755 });
		const slow = createGit({ gitDirectory: folder, binary: stub });
		await expect(slow.run(["x"], { signal: AbortSignal.timeout(50) })).rejects.toThrow("timeout");
		const repository = makeRepository();
		commit(repository, { big: "x".repeat(100_000) });
		await expect(moduleFor(repository).run(["cat-file", "blob", "HEAD:big"], { maxBytes: 1000 })).rejects.toThrow("larger than 1000 bytes");
	});

	it("sends the header to its remote alone, never in an argument, and keeps it out of errors", async () => {
		const seen: string[] = [];
		const server = createServer((request, response) => {
			seen.push(String(request.headers.authorization));
			response.writeHead(403).end(`no ${request.headers.authorization}`);
		});
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		onTestFinished(() => void server.close());
		const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/o/r.git`;
		const credential = Buffer.from("x-access-token:ghs_secret_value").toString("base64");
		const folder = makeRepository();
		const header = `AUTHORIZATION: basic ${credential}`;
		git(folder, "config", `http.${url}.extraheader`, "AUTHORIZATION: basic left-over");
		const failure = await moduleFor(folder, { authorization: { url, header } })
			.run(["fetch", "--end-of-options", url.replace("//", "//user:ghs_secret_value@"), "HEAD"])
			.catch(String);
		expect(new Set(seen)).toEqual(new Set([`basic ${credential}`]));
		expect(failure).toContain("403");
		expect(failure).not.toContain("ghs_secret_value");
		expect(failure).not.toContain(credential);
		await moduleFor(folder, { authorization: { url: "https://elsewhere.invalid/", header } })
			.run(["fetch", "--end-of-options", url.replace("/r.git", "/other.git"), "HEAD"])
			.catch(String);
		expect(seen.at(-1)).toBe("undefined");
	});

	it("A45 protocols that start programs are refused", async () => {
		const folder = makeRepository();
		const trace = path.join(folder, "SENT");
		git(folder, "config", "protocol.ext.allow", "always");
		for (const url of [`ext::sh -c touch% ${trace}`, "ssh://h.invalid/x", "git://h.invalid/x", `file://${folder}`]) {
			await expect(moduleFor(folder).run(["fetch", "--end-of-options", url])).rejects.toThrow(/not allowed/);
		}
		expect(existsSync(trace)).toBe(false);
	});
});

describe("openRepository", () => {
	it("finds a checkout from below, a linked worktree and a bare repository", async () => {
		const folder = makeRepository();
		const head = commit(folder, { "packages/a/x": "1\n" });
		const outside = makeFolder();
		git(folder, "worktree", "add", "-q", "--detach", path.join(outside, "w"));
		git(outside, "clone", "-q", "--bare", folder, "b.git");
		const gitDirectory = path.join(folder, ".git");
		const common = { commonDirectory: gitDirectory, workTree: folder };
		expect(await openRepository(folder)).toMatchObject({ ...common, gitDirectory, prefix: "" });
		expect(await openRepository(path.join(folder, "packages/a"))).toMatchObject({ ...common, gitDirectory, prefix: "packages/a" });
		expect(await openRepository(path.join(folder, ".git"))).toMatchObject({ ...common, gitDirectory });
		expect(await openRepository(path.join(outside, "w"))).toMatchObject({
			gitDirectory: path.join(gitDirectory, "worktrees/w"),
			commonDirectory: gitDirectory,
			workTree: path.join(outside, "w"),
		});
		const bare = await openRepository(path.join(outside, "b.git"));
		expect(bare).toMatchObject({ gitDirectory: path.join(outside, "b.git"), workTree: undefined });
		expect((await bare.git.run(["rev-parse", "HEAD"])).stdout.toString().trim()).toBe(head);
	});

	it("says what is wrong with a folder that is missing or in no repository", async () => {
		const folder = makeFolder();
		await expect(openRepository(folder)).rejects.toThrow(UserError);
		await expect(openRepository(folder)).rejects.toThrow("not a git repository");
		await expect(openRepository(path.join(folder, "missing"))).rejects.toThrow("cannot be read");
	});

	it("a bare repository kept as files of the tree is not opened", async () => {
		const folder = makeRepository();
		commit(folder, { x: "1\n" });
		const { program, fired } = makeSentinel();
		mkdirSync(path.join(folder, "evil"));
		git(path.join(folder, "evil"), "init", "-q", "--bare", ".");
		git(path.join(folder, "evil"), "config", "core.fsmonitor", program);
		await expect(openRepository(path.join(folder, "evil"))).rejects.toThrow("safe.bareRepository");
		expect(fired()).toBe(false);
	});
});
