import {
	closeSync,
	constants,
	existsSync,
	fstatSync,
	ftruncateSync,
	lstatSync,
	mkdirSync,
	openSync,
	readlinkSync,
	readSync,
	realpathSync,
	writeSync,
} from "node:fs";
import path from "node:path";
import { errorText } from "../domain/errors.ts";
import { checkPath, type PathRefusal } from "./path-guard.ts";

/** A regular file below the root, open for reading and writing; closed by scope. */
export interface WritableFile extends Disposable {
	readonly ok: true;
	readonly path: string;
	readonly exists: boolean;
	/** All bytes of it. Throws when the file cannot be read. */
	read(): Buffer;
	/** Puts the bytes in the place of the old ones; the file stays the same file with the same mode. */
	replace(content: Buffer): void;
}

const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Opens a file for a change, or makes it when `create` says so. Like the reading half, it trusts descriptors and no text:
 * folders are walked one by one from the root, each opened without following a link, and the file is looked at after it
 * was opened (A58, A60, A61, A66). Nothing is made outside the root, not even for a moment.
 */
export function openForWriting(root: string, input: string, options: { readonly create: boolean }): WritableFile | PathRefusal {
	const checked = checkPath(input);
	if (!checked.ok) return checked;
	if (checked.path === "") return { ok: false, reason: "is a folder" };
	const realRoot = realpathSync(root);
	const parts = checked.path.split("/");
	const name = parts.pop() ?? "";
	const parent = openFolder(realRoot, parts, options.create);
	if (!parent.ok) return parent;
	try {
		return openFile(parent, name, path.join(realRoot, checked.path), checked.path, options.create);
	} finally {
		closeSync(parent.descriptor);
	}
}

interface OpenFolder {
	readonly ok: true;
	readonly descriptor: number;
	/** How a name in it is reached: through the descriptor where the system can, so that nobody can swap the folder. */
	at(name: string): string;
}

const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

function openFolder(root: string, parts: readonly string[], create: boolean): OpenFolder | PathRefusal {
	const hasDescriptors = existsSync("/proc/self/fd");
	let place = root;
	let descriptor = openSync(root, FOLDER_FLAGS);
	const at = (name: string): string => (hasDescriptors ? `/proc/self/fd/${descriptor}/${name}` : path.join(place, name));
	for (const part of parts) {
		const target = at(part);
		try {
			if (create && lstatSync(target, { throwIfNoEntry: false }) === undefined) mkdirSync(target);
			const next = openSync(target, FOLDER_FLAGS);
			closeSync(descriptor);
			descriptor = next;
			place = path.join(place, part);
		} catch (error) {
			closeSync(descriptor);
			return explain(error, `the folder ${part}`);
		}
	}
	return { ok: true, descriptor, at };
}

function openFile(parent: OpenFolder, name: string, target: string, shown: string, create: boolean): WritableFile | PathRefusal {
	const flags = constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK;
	let descriptor: number;
	let exists = true;
	try {
		descriptor = openSync(parent.at(name), flags);
	} catch (error) {
		if (!create || (error as NodeJS.ErrnoException).code !== "ENOENT") return explain(error);
		try {
			descriptor = openSync(parent.at(name), flags | constants.O_CREAT | constants.O_EXCL, 0o644);
			exists = false;
		} catch (second) {
			return explain(second);
		}
	}
	const refusal = inspect(descriptor, target);
	if (refusal !== undefined) {
		closeSync(descriptor);
		return refusal;
	}
	return {
		ok: true,
		path: shown,
		exists,
		read: () => readAll(descriptor),
		replace: (content) => {
			let written = 0;
			while (written < content.length) written += writeSync(descriptor, content, written, content.length - written, written);
			ftruncateSync(descriptor, content.length);
		},
		[Symbol.dispose]: () => closeSync(descriptor),
	};
}

function inspect(descriptor: number, target: string): PathRefusal | undefined {
	const found = fstatSync(descriptor);
	if (found.isDirectory()) return { ok: false, reason: "is a folder" };
	if (!found.isFile()) return { ok: false, code: "E_PATH", reason: "is not a regular file" };
	if (found.nlink !== 1) return { ok: false, code: "E_PATH", reason: "has more than one hard link" };
	if (found.size > MAX_BYTES) return { ok: false, code: "E_LIMIT", reason: "is larger than 8 MiB" };
	const actual = existsSync("/proc/self/fd") ? readlinkSync(`/proc/self/fd/${descriptor}`) : realpathSync(target);
	return actual === target ? undefined : { ok: false, code: "E_PATH", reason: "lies behind a symbolic link" };
}

function readAll(descriptor: number): Buffer {
	const bytes = Buffer.alloc(Math.min(fstatSync(descriptor).size, MAX_BYTES));
	let length = 0;
	while (length < bytes.length) {
		const read = readSync(descriptor, bytes, length, bytes.length - length, length);
		if (read === 0) break;
		length += read;
	}
	return bytes.subarray(0, length);
}

function explain(error: unknown, what = ""): PathRefusal {
	const prefix = what === "" ? "" : `${what} `;
	switch ((error as NodeJS.ErrnoException).code) {
		case "ENOENT":
			return { ok: false, reason: `${prefix}does not exist` };
		case "ELOOP":
		case "EMLINK":
			return { ok: false, code: "E_PATH", reason: `${prefix}is a symbolic link` };
		// What O_DIRECTORY with O_NOFOLLOW says of a link, too.
		case "ENOTDIR":
			return { ok: false, code: "E_PATH", reason: `${prefix}is a file or a symbolic link` };
		case "EISDIR":
			return { ok: false, reason: "is a folder" };
		case "ENXIO":
		case "EOPNOTSUPP":
			return { ok: false, code: "E_PATH", reason: "is not a regular file" };
		case "EROFS":
		case "EACCES":
		case "EPERM":
			return { ok: false, reason: `${prefix}may not be written` };
		case "ENAMETOOLONG":
			return { ok: false, code: "E_PATH", reason: "has too long a name" };
		default:
			return { ok: false, reason: `${prefix}cannot be opened: ${errorText(error)}` };
	}
}
