import { chmod, copyFile, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { allowUserNamespaces } from "../../../src/adapters/sandbox/allow-user-namespaces.ts";
import { BUBBLEWRAP_PATHS, findBubblewrap } from "../../../src/adapters/sandbox/find-bubblewrap.ts";
import { openSandbox } from "../../../src/adapters/sandbox/open-sandbox.ts";
import { explainFailure, probeSandbox } from "../../../src/adapters/sandbox/probe.ts";
import { buildSandboxLaunch } from "../../../src/adapters/sandbox/sandbox-arguments.ts";
import { createLocalWorker } from "../../../src/adapters/worker-client/create-local-worker.ts";
import { toolNamed } from "../../engine/engine-parts.ts";
import { canSandbox } from "./sandbox-rig.ts";

let folder: string;
beforeEach(async () => {
	folder = await realpath(await mkdtemp(path.join(os.tmpdir(), "rookery-open-")));
	await chmod(folder, 0o755);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const options = (change: object) => ({ code: folder, temporaryFolder: folder, ...change });

async function plant(name: string, text: string, mode = 0o755): Promise<string> {
	const file = path.join(folder, name);
	await writeFile(file, text, { mode });
	return file;
}

describe("finding the sandbox", () => {
	it("A76 without bubblewrap there is none, with the reason and what to do", async () => {
		expect(await openSandbox(options({ candidates: [path.join(folder, "missing")] }))).toEqual({
			available: false,
			reason: "bubblewrap is not installed",
			fix: expect.stringContaining("apt-get install"),
		});
	});

	it("A76 then commands and writes are refused and never run plainly, and reading goes on", async () => {
		let runs = 0;
		const run = () => {
			runs += 1;
			return { content: "ran" };
		};
		const tools = [
			toolNamed("read_file", run),
			toolNamed("bash", run, { effect: "execute" }),
			toolNamed("edit_file", run, { effect: "write" }),
		];
		await using worker = createLocalWorker({ tools, reason: "bubblewrap is not installed" });
		const results = await Promise.all(worker.tools.map((tool) => tool.run({}, new AbortController().signal, { id: "x" })));
		expect(results.map((result) => result.code)).toEqual([undefined, "E_SANDBOX", "E_SANDBOX"]);
		expect(runs).toBe(1);
	});

	it("A77 only the fixed places count, whatever PATH says", async () => {
		const sentinel = path.join(folder, "ran");
		await plant("bwrap", `#!/bin/sh\ntouch ${sentinel}\necho bubblewrap 9.9\n`);
		const before = process.env["PATH"];
		process.env["PATH"] = `${folder}:${before}`;
		try {
			const found = await findBubblewrap();
			expect(BUBBLEWRAP_PATHS).toContain(found.ok ? found.path : "/usr/bin/bwrap");
		} finally {
			process.env["PATH"] = before;
		}
		expect(await readdir(folder)).toEqual(["bwrap"]);
	});

	it("A77 a program that others may change is not used and not even started", async () => {
		const sentinel = path.join(folder, "ran");
		const script = `#!/bin/sh\ntouch ${sentinel}\necho bubblewrap 9.9\n`;
		const open = await plant("open", script);
		await chmod(open, 0o777);
		expect(await findBubblewrap([open])).toMatchObject({
			ok: false,
			reason: expect.stringMatching(/written by others|does not belong to root/),
		});
		const shared = path.join(folder, "shared");
		await mkdir(shared);
		await chmod(shared, 0o777);
		await copyFile(await plant("script", script), path.join(shared, "bwrap"));
		await chmod(path.join(shared, "bwrap"), 0o755);
		await symlink(path.join(shared, "bwrap"), path.join(folder, "link"));
		expect(await findBubblewrap([path.join(folder, "link")])).toMatchObject({ ok: false });
		expect(await readdir(folder)).not.toContain("ran");
	});

	it("A78 a bubblewrap that cannot make namespaces is no sandbox, and its own words are shown", async () => {
		for (const [said, fix] of [
			["bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", "AppArmor"],
			["bwrap: setting up uid map: Permission denied", "AppArmor"],
			["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "container"],
		] as const) {
			const fake = await plant("fake", `#!/bin/sh\necho "${said}" >&2\nexit 1\n`);
			const probe = await probeSandbox({ ok: true, path: fake, version: [0, 9] }, { node: process.execPath, code: folder }, folder);
			expect(probe).toMatchObject({ ok: false, reason: expect.stringContaining(said.slice(7)), fix: expect.stringContaining(fix) });
			expect(explainFailure(said).reason).toBe(said);
		}
	});

	it("A78 a sandbox that does not cut anything is found out by the probe", async () => {
		// Runs the command plainly, as a broken set-up would.
		const fake = await plant(
			"fake",
			'#!/bin/bash\nwhile [ "$1" != "--" ]; do shift; done; shift\nwhile [ "$1" != /opt/rookery/bin/node ]; do shift; done; shift\nexec NODE "$@"\n'.replace(
				"NODE",
				process.execPath,
			),
		);
		const probe = await probeSandbox({ ok: true, path: fake, version: [0, 9] }, { node: process.execPath, code: folder }, folder);
		expect(probe).toMatchObject({ ok: false, reason: expect.stringMatching(/^the probe got through: .*other processes.*network/) });
		expect((await readdir(folder)).filter((name) => name.startsWith("rookery-probe-"))).toEqual([]);
	});

	it("flags follow the version", async () => {
		const spec = { root: folder, writable: true };
		const places = { node: process.execPath, code: folder };
		const old = await buildSandboxLaunch(spec, { version: [0, 6] }, places, ["true"]);
		const young = await buildSandboxLaunch(spec, { version: [0, 9] }, places, ["true"]);
		expect(old.arguments.filter((word) => word === "--size" || word === "--disable-userns")).toEqual([]);
		expect(young.arguments.filter((word) => word === "--size" || word === "--disable-userns")).toEqual([
			"--disable-userns",
			"--size",
			"--size",
		]);
		for (const { arguments: words } of [old, young]) {
			for (const flag of [
				"--unshare-user",
				"--unshare-pid",
				"--unshare-net",
				"--unshare-ipc",
				"--unshare-uts",
				"--die-with-parent",
				"--new-session",
				"--clearenv",
			])
				expect(words).toContain(flag);
			expect(words.join(" ")).toContain("--cap-drop ALL --uid");
		}
	});

	it("the set-up takes the narrow way first and the wide one only when that does not help", async () => {
		const run = async (helpsAfter: number, installed: boolean) => {
			const commands: string[] = [];
			let probes = 0;
			const result = await allowUserNamespaces(
				async () => {
					probes += 1;
					return probes > helpsAfter;
				},
				{
					fileExists: () => installed,
					runAsRoot: async (command) => {
						commands.push(command.join(" "));
						return command[0] === "sysctl" ? "sudo: a password is required" : undefined;
					},
				},
			);
			return { commands, result };
		};
		expect((await run(0, true)).commands).toEqual([]);
		expect((await run(1, true)).commands).toEqual([
			expect.stringMatching(/^install -m 0644 .*bwrap-userns-restrict/),
			expect.stringMatching(/^apparmor_parser -r/),
		]);
		const wide = await run(9, false);
		expect(wide.commands.map((command) => command.split(" ")[0])).toEqual(["env", "env", "install", "apparmor_parser", "sysctl"]);
		expect(wide.result.steps.at(-1)).toEqual({ what: "lift the restriction for this machine", problem: "sudo: a password is required" });
	});
});

describe.runIf(await canSandbox())("the probe", () => {
	it("S-118 passes here, says what it tried, and leaves nothing behind", async () => {
		const sandbox = await openSandbox(options({}));
		expect(sandbox).toMatchObject({ available: true, name: expect.stringMatching(/^bubblewrap \d/) });
		expect(sandbox.available ? sandbox.checks : []).toEqual(
			expect.arrayContaining([
				"network",
				"other processes",
				"files outside the tree",
				"environment of the first process",
				"settings of the kernel",
				"capabilities",
			]),
		);
		expect(await readdir(folder)).toEqual([]);
	});
});
