import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findToolchains } from "../../../src/adapters/sandbox/find-toolchains.ts";

describe("toolchains of the runner's search path", () => {
	let top: string;
	beforeEach(async () => {
		top = await realpath(await mkdtemp(path.join(os.tmpdir(), "rookery-toolchains-")));
	});
	afterEach(() => rm(top, { recursive: true, force: true }));

	async function program(...names: readonly string[]): Promise<string> {
		const file = path.join(top, ...names);
		await mkdir(path.dirname(file), { recursive: true });
		await writeFile(file, "#!/bin/sh\n", { mode: 0o755 });
		return path.dirname(file);
	}
	const find = (entries: readonly string[]) =>
		findToolchains({ searchPath: entries.join(":"), home: path.join(top, "home"), untrusted: [path.join(top, "checkout")] });

	it("mounts the folder above bin, and keeps the order", async () => {
		const [go, java] = [await program("cache/go/1.26/bin/go"), await program("cache/java/17/bin/javac")];
		await program("cache/other/bin/unknown");
		expect(await find([java, path.join(top, "cache/other/bin"), go, "/usr/bin"])).toEqual({
			path: [java, go],
			binds: [java, go].map((bin) => ({ host: path.dirname(bin), inside: path.dirname(bin) })),
		});
	});

	it("A82 takes no program out of the checkout, also through a link, and none by a relative path", async () => {
		const own = await program("checkout/node_modules/bin/go");
		await symlink(own, path.join(top, "linked"));
		expect(await find([own, path.join(top, "linked"), "node_modules/.bin", "", "."])).toEqual({ path: [], binds: [] });
	});

	it("never mounts a home folder or what lies directly in it", async () => {
		const local = await program("home/.local/bin/ruff");
		const home = await program("home/bin/go");
		expect(await find([local, home])).toEqual({ path: [], binds: [] });
	});

	it("follows the shims of rustup and pyenv to the default toolchain, and takes no name that leads elsewhere", async () => {
		const cargo = await program("home/.cargo/bin/cargo");
		await program("home/.cargo/bin/rustup");
		const stable = await program("home/.rustup/toolchains/stable-x86_64-unknown-linux-gnu/bin/cargo");
		await writeFile(
			path.join(top, "home/.rustup/settings.toml"),
			'version = "12"\ndefault_toolchain = "stable-x86_64-unknown-linux-gnu"\n',
		);
		const shims = await program("home/.pyenv/shims/python3");
		const python = await program("home/.pyenv/versions/3.12.1/bin/python3");
		await writeFile(path.join(top, "home/.pyenv/version"), "3.12.1\n");
		expect((await find([shims, cargo])).path).toEqual([python, stable]);
		await writeFile(path.join(top, "home/.pyenv/version"), "../../../checkout\n");
		expect((await find([shims])).path).toEqual([]);
	});
});
