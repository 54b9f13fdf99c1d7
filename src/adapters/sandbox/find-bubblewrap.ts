import { execFile } from "node:child_process";
import { lstat, realpath } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { errorText } from "../../domain/errors.ts";

/** Where bubblewrap may lie. Never looked up by PATH, which a tree or an earlier step may have changed (A77). */
export const BUBBLEWRAP_PATHS: readonly string[] = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"];

export interface Bubblewrap {
	readonly ok: true;
	readonly path: string;
	readonly version: readonly [major: number, minor: number];
}

export type BubblewrapSearch = Bubblewrap | { readonly ok: false; readonly reason: string; readonly fix: string };

const INSTALL = "Install the package bubblewrap before this step (sudo apt-get install --yes bubblewrap).";

/** The first of the fixed places that holds a program only root could have put there. */
export async function findBubblewrap(candidates: readonly string[] = BUBBLEWRAP_PATHS): Promise<BubblewrapSearch> {
	if (process.platform !== "linux") return { ok: false, reason: `there is none for ${process.platform}`, fix: "Use a Linux runner." };
	let refused: string | undefined;
	for (const candidate of candidates) {
		const checked = await checkProgram(candidate);
		if (checked === "absent") continue;
		if (checked !== "sound") {
			refused ??= checked;
			continue;
		}
		const version = await readVersion(candidate);
		if (version === undefined) refused ??= `${candidate} does not tell its version`;
		else return { ok: true, path: candidate, version };
	}
	return { ok: false, reason: refused ?? "bubblewrap is not installed", fix: INSTALL };
}

/** Owner and mode of the program and of every folder above it: whoever may change one of them may change what runs. */
async function checkProgram(candidate: string): Promise<"sound" | "absent" | string> {
	let real: string;
	try {
		real = await realpath(candidate);
	} catch {
		return "absent";
	}
	try {
		for (let place = real; ; place = path.dirname(place)) {
			const found = await lstat(place);
			if (place === real && !found.isFile()) return `${candidate} is no file`;
			// Where user namespaces hide the owner, root shows as the overflow id and nothing can be told.
			if (found.uid !== 0) return `${place} does not belong to root`;
			if ((found.mode & 0o022) !== 0 && (found.mode & 0o1000) === 0) return `${place} may be written by others`;
			if (place === path.dirname(place)) return "sound";
		}
	} catch (error) {
		return `${candidate} cannot be checked: ${errorText(error)}`;
	}
}

async function readVersion(program: string): Promise<readonly [number, number] | undefined> {
	try {
		const { stdout } = await promisify(execFile)(program, ["--version"], { env: {}, timeout: 5_000, encoding: "utf8" });
		const match = /(\d+)\.(\d+)/.exec(stdout);
		return match === null ? undefined : [Number(match[1]), Number(match[2])];
	} catch {
		return undefined;
	}
}
