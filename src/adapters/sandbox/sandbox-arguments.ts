import { existsSync } from "node:fs";
import { lstat, readlink } from "node:fs/promises";
import path from "node:path";
import type { Bubblewrap } from "./find-bubblewrap.ts";
import { buildGitMounts } from "./git-mounts.ts";
import { INSIDE, type SandboxSpec } from "./sandbox-spec.ts";

/** What bubblewrap is started with. Text number n is read from descriptor `FIRST_TEXT + n`. */
export interface SandboxLaunch {
	readonly arguments: readonly string[];
	readonly texts: readonly string[];
	/** Host user to start as; absent keeps ours. */
	readonly user?: { readonly uid: number; readonly gid: number };
}

export const FIRST_TEXT = 3;
const TEMPORARY_BYTES = 1024 * 1024 * 1024;
const SHARED_MEMORY_BYTES = 64 * 1024 * 1024;
/** Inside, whenever the tree belongs to root: nobody is root in there. */
const PLAIN_ID = 1000;

const SYSTEM_FOLDERS = ["bin", "sbin", "lib", "lib32", "lib64", "libx32"];
/** Configuration without secrets that programs of /usr look for. */
const SYSTEM_FILES = [
	"/etc/ld.so.cache",
	"/etc/alternatives",
	"/etc/localtime",
	"/etc/ssl/certs",
	"/etc/java-17-openjdk",
	"/etc/java-21-openjdk",
	// Not all of it: its settings may hold passwords.
	"/etc/maven/m2.conf",
	"/etc/maven/logging",
];

/** Parts of /proc that act on the machine and are written by its root; bubblewrap itself covers some more. */
const KERNEL_FILES = ["/proc/sys", "/proc/sysrq-trigger", "/proc/mtrr", "/proc/acpi", "/proc/scsi", "/proc/fs", "/proc/pressure"];

/** Environment inside, whole (A73). */
const ENVIRONMENT: Readonly<Record<string, string>> = {
	PATH: `${path.dirname(INSIDE.node)}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
	HOME: INSIDE.home,
	TMPDIR: "/tmp",
	LANG: "C.UTF-8",
	TERM: "dumb",
	CI: "true",
	GIT_CONFIG_NOSYSTEM: "1",
	GIT_CONFIG_GLOBAL: "/dev/null",
	GIT_TERMINAL_PROMPT: "0",
	GIT_OPTIONAL_LOCKS: "0",
	GIT_PAGER: "cat",
	PAGER: "cat",
	// Folders show as owned by somebody else where ids are not mapped; a bare repository in the tree stays data (A47).
	GIT_CONFIG_COUNT: "2",
	GIT_CONFIG_KEY_0: "safe.directory",
	GIT_CONFIG_VALUE_0: "*",
	GIT_CONFIG_KEY_1: "safe.bareRepository",
	GIT_CONFIG_VALUE_1: "explicit",
};

export interface ProgramPlaces {
	/** Node's own program on the host. */
	readonly node: string;
	/** Folder with the worker's program. */
	readonly code: string;
}

/** Builds the whole command line. Rejects when the tree is not there. */
export async function buildSandboxLaunch(
	spec: SandboxSpec,
	bubblewrap: Pick<Bubblewrap, "version">,
	program: ProgramPlaces,
	command: readonly string[],
): Promise<SandboxLaunch> {
	const list = new ArgumentList(bubblewrap.version);
	const owner = await lstat(spec.root);
	if (!owner.isDirectory() || !path.isAbsolute(spec.root)) throw new Error(`the tree ${spec.root} is no folder`);
	const user = chooseUser(owner);
	addIsolation(list, user.inside);
	await addSystem(list, user, program);
	await addTree(list, spec);
	for (const bind of spec.binds ?? []) list.add("--ro-bind", bind.host, bind.inside);
	list.add("--remount-ro", "/dev").add("--remount-ro", "/").add("--chdir", spec.root).add("--clearenv");
	const environment = { ...ENVIRONMENT, PATH: [...(spec.path ?? []), ENVIRONMENT["PATH"]].join(":") };
	for (const [name, value] of Object.entries(environment)) list.add("--setenv", name, value);
	list.add("--", ...command);
	return { arguments: list.words, texts: list.texts, ...(user.outside === undefined ? {} : { user: user.outside }) };
}

class ArgumentList {
	readonly words: string[] = [];
	readonly texts: string[] = [];
	readonly #version: readonly [number, number];

	constructor(version: readonly [number, number]) {
		this.#version = version;
	}

	add(...words: readonly string[]): this {
		this.words.push(...words);
		return this;
	}

	isAtLeast(major: number, minor: number): boolean {
		return this.#version[0] > major || (this.#version[0] === major && this.#version[1] >= minor);
	}

	/** A file of our own text, through a pipe. Without `mount` it is as writable as its folder is, and ten times cheaper. */
	addText(inside: string, text: string, mount?: "mount"): this {
		this.texts.push(text);
		return this.add(mount === undefined ? "--file" : "--ro-bind-data", String(FIRST_TEXT + this.texts.length - 1), inside);
	}

	addMemory(inside: string, bytes: number): this {
		return this.isAtLeast(0, 8) ? this.add("--size", String(bytes), "--tmpfs", inside) : this.add("--tmpfs", inside);
	}
}

interface ChosenUser {
	readonly inside: { readonly uid: number; readonly gid: number };
	readonly outside?: { readonly uid: number; readonly gid: number };
}

/**
 * Without capabilities even root reads and writes only what it owns, so the process is the owner of the tree
 * (SECURITY.md 3.3 no. 5). Inside it is never 0.
 */
function chooseUser(owner: { readonly uid: number; readonly gid: number }): ChosenUser {
	const isRoot = process.getuid?.() === 0;
	const uid = owner.uid === 0 ? PLAIN_ID : owner.uid;
	const gid = owner.gid === 0 ? PLAIN_ID : owner.gid;
	if (isRoot && owner.uid !== 0) return { inside: { uid, gid }, outside: { uid: owner.uid, gid: owner.gid } };
	return { inside: { uid, gid } };
}

function addIsolation(list: ArgumentList, inside: ChosenUser["inside"]): void {
	list.add("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try");
	// Needed although the id inside is not 0: started by root, the child would keep them (SECURITY.md 3.3 no. 1).
	list.add("--cap-drop", "ALL", "--uid", String(inside.uid), "--gid", String(inside.gid));
	list.add("--hostname", "sandbox", "--die-with-parent", "--new-session");
	if (list.isAtLeast(0, 8)) list.add("--disable-userns");
}

async function addSystem(list: ArgumentList, user: ChosenUser, program: ProgramPlaces): Promise<void> {
	const { uid, gid } = user.inside;
	list.add("--ro-bind", "/usr", "/usr");
	for (const name of SYSTEM_FOLDERS) {
		const place = `/${name}`;
		const found = await lstat(place).catch(() => undefined);
		if (found?.isSymbolicLink() === true) list.add("--symlink", await readlink(place), place);
		else if (found?.isDirectory() === true) list.add("--ro-bind", place, place);
	}
	for (const file of SYSTEM_FILES) if (existsSync(file)) list.add("--ro-bind", file, file);
	list.addText("/etc/passwd", `user:x:${uid}:${gid}:user:${INSIDE.home}:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n`);
	list.addText("/etc/group", `user:x:${gid}:\nnogroup:x:65534:\n`);
	list.addText("/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n");
	list.addText("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n");
	list.add("--proc", "/proc", "--dev", "/dev");
	// Kernel settings ask for the host's user and for no capability: a root that has dropped them all could still name the
	// machine's core dump program in there. bubblewrap covers only what it finds writable as a folder, which this is not.
	if (user.outside === undefined && process.getuid?.() === 0) {
		for (const name of KERNEL_FILES) if (existsSync(name)) list.add("--ro-bind", name, name);
	}
	// Both would otherwise take as much memory as the machine has.
	list.addMemory("/dev/shm", SHARED_MEMORY_BYTES);
	list.addMemory("/tmp", TEMPORARY_BYTES).add("--dir", INSIDE.home);
	list.add("--ro-bind", program.node, INSIDE.node, "--ro-bind", program.code, INSIDE.code);
}

async function addTree(list: ArgumentList, spec: SandboxSpec): Promise<void> {
	const { root } = spec;
	list.add(spec.writable ? "--bind" : "--ro-bind", root, root);
	const git = path.join(root, ".git");
	const found = await lstat(git).catch(() => undefined);
	const isOwnFolder = found?.isDirectory() === true;
	// A folder holds the configuration with its token: out of sight, and what commands need comes back below.
	if (isOwnFolder) list.addMemory(git, 1024 * 1024);
	else if (found?.isFile() === true) list.add("--ro-bind", git, git);
	if (spec.git !== undefined) {
		for (const mount of await buildGitMounts(spec.git)) {
			if ("text" in mount) list.addText(mount.inside, mount.text, "mount");
			else list.add("--ro-bind", mount.host, mount.inside);
		}
	}
	if (isOwnFolder) list.add("--remount-ro", git);
	for (const relative of spec.writable ? (spec.readOnlyPaths ?? []) : []) {
		const place = await existingInside(root, relative);
		if (place !== undefined) list.add("--ro-bind", place.path, place.path);
	}
	for (const relative of spec.hiddenPaths ?? []) {
		const place = await existingInside(root, relative);
		if (place === undefined) continue;
		// The device cannot be opened where it is bound, so the file is there and cannot be read.
		if (place.isFolder) list.addMemory(place.path, 4096).add("--remount-ro", place.path);
		else list.add("--ro-bind", "/dev/null", place.path);
	}
}

/** A file or folder below the root that is reached without a link: a mount must not land elsewhere (SECURITY.md 3.3 no. 9). */
async function existingInside(root: string, relative: string): Promise<{ readonly path: string; readonly isFolder: boolean } | undefined> {
	const parts = relative.split("/").filter((part) => part !== "" && part !== ".");
	if (parts.includes("..") || parts.length === 0) return undefined;
	let place = root;
	let isFolder = true;
	for (const part of parts) {
		place = path.join(place, part);
		const found = await lstat(place).catch(() => undefined);
		if (found === undefined || !(found.isDirectory() || found.isFile())) return undefined;
		isFolder = found.isDirectory();
	}
	return { path: place, isFolder };
}
