import { constants } from "node:fs";
import { access, lstat, readdir, readFile, realpath } from "node:fs/promises";
import path from "node:path";
import type { ReadOnlyBind } from "./sandbox-spec.ts";

/** Compilers and test tools of this machine as commands inside may use them. */
export interface Toolchains {
	/** Folders of programs, in the order of the runner's own search path. */
	readonly path: readonly string[];
	readonly binds: readonly ReadOnlyBind[];
}

/** Programs that checks of the built-in languages start with. */
const PROGRAMS: readonly string[] = [
	...["go", "cargo", "rustc", "python3", "python", "pytest", "ruff", "java", "javac", "mvn", "gradle", "kotlinc"],
	...["npm", "npx", "pnpm", "yarn", "bun", "deno", "dotnet", "ruby", "bundle", "php", "composer", "swift", "cmake", "ctest"],
	...["bats", "shellcheck", "actionlint", "terraform", "tofu", "sqlfluff", "uv", "poetry"],
];

/** Mounted in every sandbox. */
const VISIBLE = ["/usr", "/bin", "/sbin", "/lib", "/lib64"];
/** Already on every sandbox's search path. */
const STANDARD_PATH = new Set(["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"]);

/**
 * Looks for the programs of a runner's search path and says what has to be mounted, read-only, for them to run inside: the
 * folder above `bin`, never a home folder or one directly below it, never anything of the checkout or of temporary
 * folders (a pull request could have written there). Shims of rustup and pyenv are followed to the toolchain that is the
 * default; they would have to write to their own folders. Nothing is executed. Never rejects.
 * @param options.searchPath the runner's PATH
 */
export async function findToolchains(options: {
	readonly searchPath: string;
	readonly home: string;
	/** Folders whose programs are not trusted: the checkout, the run's temporary folder. */
	readonly untrusted: readonly string[];
}): Promise<Toolchains> {
	const folders: string[] = [];
	for (const entry of options.searchPath.split(path.delimiter)) {
		if (!path.isAbsolute(entry) || folders.includes(entry)) continue;
		const names: readonly string[] = await readdir(entry).catch(() => []);
		if (PROGRAMS.some((program) => names.includes(program))) folders.push(entry);
	}
	const roots: string[] = [];
	const search: string[] = [];
	for (const folder of folders) {
		const bin = (await followShims(folder, options.home)) ?? (await realpath(folder).catch(() => undefined));
		if (bin === undefined || search.includes(bin) || STANDARD_PATH.has(bin)) continue;
		if (options.untrusted.some((own) => isBelow(bin, own))) continue;
		if (VISIBLE.some((visible) => isBelow(bin, visible))) {
			search.push(bin);
			continue;
		}
		const root = path.dirname(bin);
		if (!["bin", "sbin"].includes(path.basename(bin)) || isTooWide(root, options.home)) continue;
		search.push(bin);
		roots.push(root);
	}
	return { path: search, binds: roots.map((root) => ({ host: root, inside: root })) };
}

/** The programs behind a folder of shims; undefined when it is none, or its default cannot be told. */
async function followShims(folder: string, home: string): Promise<string | undefined> {
	if (path.basename(folder) === "shims") {
		const versions = path.join(path.dirname(folder), "versions");
		const chosen = (await readFile(path.join(path.dirname(folder), "version"), "utf8").catch(() => "")).trim().split("\n")[0] ?? "";
		return existing(versions, chosen);
	}
	const isRustup = await access(path.join(folder, "rustup"), constants.X_OK).then(
		() => true,
		() => false,
	);
	if (!isRustup) return undefined;
	const settings = await readFile(path.join(home, ".rustup", "settings.toml"), "utf8").catch(() => "");
	const chosen = /^default_toolchain\s*=\s*"([^"]+)"/m.exec(settings)?.[1] ?? "";
	return existing(path.join(home, ".rustup", "toolchains"), chosen);
}

async function existing(folder: string, version: string): Promise<string | undefined> {
	if (!/^[\w.+-]+$/.test(version) || /^\.+$/.test(version)) return undefined;
	const bin = path.join(folder, version, "bin");
	const isFolder = (await lstat(bin).catch(() => undefined))?.isDirectory() === true;
	return isFolder ? realpath(bin).catch(() => undefined) : undefined;
}

function isBelow(place: string, folder: string): boolean {
	return place === folder || place.startsWith(`${folder}/`);
}

/** Whole areas, home folders and what lies directly in them: `~/.cargo` and `~/.local` hold more than programs. */
function isTooWide(root: string, home: string): boolean {
	const depth = root.split("/").filter((part) => part !== "").length;
	return depth < 2 || root === home || path.dirname(root) === home || /^\/(?:home|root|tmp|var|run|etc|proc|sys|dev)\/[^/]+$/.test(root);
}
