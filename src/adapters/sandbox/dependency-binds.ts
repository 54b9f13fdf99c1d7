import { lstat, mkdir, realpath } from "node:fs/promises";
import path from "node:path";
import { INSIDE, type ReadOnlyBind } from "./sandbox-spec.ts";

export interface DependencyBinds {
	readonly binds: readonly ReadOnlyBind[];
	/** What was not mounted and why, for the report. */
	readonly problems: readonly string[];
}

/** Folders of the checkout that a workflow installs into and that git does not carry over to a worktree. */
const TREE_FOLDERS = new Set(["node_modules", ".venv", "venv", "vendor", "target"]);
/** Caches in the home folder, by the name a setting uses. */
const HOME_FOLDERS: Readonly<Record<string, string>> = {
	"~/.cargo": ".cargo",
	"~/.m2": ".m2",
	"~/go/pkg/mod": "go/pkg/mod",
	"~/.rustup": ".rustup",
	"~/.gradle": ".gradle",
};
/** Whole areas that hold other people's things or the runner's. */
const TOO_WIDE = new Set([
	"/",
	"/bin",
	"/boot",
	"/dev",
	"/etc",
	"/home",
	"/lib",
	"/mnt",
	"/opt",
	"/proc",
	"/root",
	"/run",
	"/srv",
	"/sys",
	"/tmp",
	"/usr",
	"/var",
]);

/**
 * Read-only views of what the workflow has installed, so that tests run without a network. `node_modules` and the like are
 * shown in the tree, `~/.cargo` and the like in the home folder inside, absolute paths at their own place.
 * Known credential files of those folders are the caller's to keep out; `~/.cargo/credentials.toml` makes `~/.cargo` refused.
 * @param options.names entries of the setting
 */
export async function planDependencyBinds(options: {
	readonly names: readonly string[];
	readonly checkout: string;
	readonly root: string;
	readonly home: string;
}): Promise<DependencyBinds> {
	const binds: ReadOnlyBind[] = [];
	const problems: string[] = [];
	for (const name of options.names) {
		const planned = await planOne(name, options);
		if (typeof planned === "string") problems.push(`${name}: ${planned}`);
		else binds.push(planned);
	}
	return { binds, problems };
}

async function planOne(name: string, options: { checkout: string; root: string; home: string }): Promise<ReadOnlyBind | string> {
	if (TREE_FOLDERS.has(name)) return planTreeFolder(name, options);
	const below = HOME_FOLDERS[name];
	if (below !== undefined) return planFolder(path.join(options.home, below), path.posix.join(INSIDE.home, below));
	if (!path.isAbsolute(name) || path.normalize(name) !== name)
		return "wanted node_modules, .venv, ~/.cargo, ~/.m2, ~/go/pkg/mod or an absolute path";
	return planFolder(name, name);
}

async function planFolder(host: string, inside: string): Promise<ReadOnlyBind | string> {
	const real = await realpath(host).catch(() => undefined);
	if (real === undefined) return "it does not exist";
	if (TOO_WIDE.has(real)) return "the folder is too wide; name the folder with the packages";
	if (/(^|\/)(\.ssh|\.aws|\.gnupg|\.docker|\.kube|_temp)(\/|$)/.test(real)) return "the folder holds credentials or the runner's files";
	for (const credentials of ["credentials.toml", "credentials", "settings.xml", "settings-security.xml"]) {
		if (
			await lstat(path.join(real, credentials)).then(
				() => true,
				() => false,
			)
		)
			return `it holds ${credentials}; name a folder below it, such as ${name(host)}`;
	}
	return { host: real, inside };
}

function name(host: string): string {
	return host.endsWith(".m2") ? `${host}/repository` : `${host}/registry`;
}

/** The place in the tree has to be a real folder: a link that somebody committed would send the mount elsewhere. */
async function planTreeFolder(folder: string, { checkout, root }: { checkout: string; root: string }): Promise<ReadOnlyBind | string> {
	const planned = await planFolder(path.join(checkout, folder), path.join(root, folder));
	if (typeof planned === "string") return planned;
	const found = await lstat(planned.inside).catch(() => undefined);
	if (found === undefined) await mkdir(planned.inside);
	else if (!found.isDirectory()) return "the tree has something else at its place";
	return planned;
}
