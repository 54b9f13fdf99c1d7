import { closeSync, constants, existsSync, fstatSync, openSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import path from "node:path";
import { errorText } from "../domain/errors.ts";
import { checkPath, type PathRefusal } from "./path-guard.ts";

/** A regular file below the root, open for reading; closed by scope. */
export interface OpenedFile extends Disposable {
	readonly ok: true;
	/** Repository path in its normal form. */
	readonly path: string;
	readonly descriptor: number;
	readonly size: number;
}

/** Opens files of one tree. Synchronous: on a local disk an open is cheaper than a trip to the thread pool. */
export type FileOpener = (input: string) => OpenedFile | PathRefusal;

/**
 * The second half of the guard (SECURITY.md 3.3 no. 13): open first without following a link and without waiting, then
 * ask the descriptor what was opened. There is no gap between check and use, and a pipe or device cannot hang us.
 * Throws when the root itself does not exist.
 */
export function createFileOpener(root: string): FileOpener {
	const realRoot = realpathSync(root);
	// Other systems have no such folder; there the real path and the file's identity are compared instead.
	const descriptors = existsSync("/proc/self/fd") ? "/proc/self/fd" : undefined;
	return (input) => {
		const checked = checkPath(input);
		if (!checked.ok) return checked;
		if (checked.path === "") return { ok: false, reason: "is a folder" };
		const target = path.join(realRoot, checked.path);
		let descriptor: number;
		try {
			descriptor = openSync(target, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
		} catch (error) {
			return explainOpenError(error);
		}
		const refusal = inspect(descriptor, target, descriptors);
		if (refusal !== undefined) {
			closeSync(descriptor);
			return refusal;
		}
		return {
			ok: true,
			path: checked.path,
			descriptor,
			size: fstatSync(descriptor).size,
			[Symbol.dispose]: () => closeSync(descriptor),
		};
	};
}

function inspect(descriptor: number, target: string, descriptors: string | undefined): PathRefusal | undefined {
	const found = fstatSync(descriptor);
	if (found.isDirectory()) return { ok: false, reason: "is a folder" };
	if (!found.isFile()) return { ok: false, code: "E_PATH", reason: "is not a regular file" };
	if (found.nlink !== 1) return { ok: false, code: "E_PATH", reason: "has more than one hard link" };
	const actual = descriptors === undefined ? realPathOf(target, found) : readlinkSync(`${descriptors}/${descriptor}`);
	// Equal, not only below the root: a folder on the way that is a link shows here.
	if (actual !== target) return { ok: false, code: "E_PATH", reason: "lies behind a symbolic link" };
	return undefined;
}

function realPathOf(target: string, opened: Stats): string | undefined {
	const real = realpathSync(target);
	const now = statSync(real);
	return now.dev === opened.dev && now.ino === opened.ino ? real : undefined;
}

function explainOpenError(error: unknown): PathRefusal {
	switch ((error as NodeJS.ErrnoException).code) {
		case "ENOENT":
		case "ENOTDIR":
			return { ok: false, reason: "does not exist" };
		case "ELOOP":
		case "EMLINK":
			return { ok: false, code: "E_PATH", reason: "is a symbolic link" };
		case "ENXIO":
		case "EOPNOTSUPP":
			return { ok: false, code: "E_PATH", reason: "is not a regular file" };
		case "EACCES":
		case "EPERM":
			return { ok: false, reason: "may not be read" };
		case "ENAMETOOLONG":
			return { ok: false, code: "E_PATH", reason: "has too long a name" };
		default:
			return { ok: false, reason: `cannot be opened: ${errorText(error)}` };
	}
}
