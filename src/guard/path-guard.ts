import type { ReasonCode } from "../domain/errors.ts";

export type PathRefusal = {
	readonly ok: false;
	/** Absent when the path is allowed and there is merely nothing to read. */
	readonly code?: ReasonCode;
	readonly reason: string;
};

export type PathCheck = { readonly ok: true; readonly path: string } | PathRefusal;

const MAX_PATH = 4096;
/** Characters that file systems ignore when they compare names, so that `.g\u200cit` is `.git` there. */
const IGNORED_IN_NAMES = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff]|[\ufe00-\ufe0f]/gu;

/**
 * The first half of the guard, on text alone: gives a path relative to the repository's root in its normal form, or
 * says why it is none (SECURITY.md A57, A59, A66). The second half is `openInside`, which trusts no text.
 */
export function checkPath(input: string): PathCheck {
	if (input.includes("\0")) return refuse("the path holds a NUL character");
	if (input.length > MAX_PATH) return refuse("the path is too long");
	if (/^[/\\]+(proc|dev|sys)([/\\]|$)/i.test(input))
		return { ok: false, code: "E_PROC", reason: "system files are not part of the repository" };
	if (/^[/\\]/.test(input)) return refuse("the path is absolute; give it relative to the repository's root");
	if (/^~/.test(input)) return refuse("home folders are out of reach; give a path relative to the repository's root");
	if (/^[a-z]:([/\\]|$)/i.test(input) || /^[a-z][a-z0-9+.-]*:\/\//i.test(input)) {
		return refuse("drives and addresses are not paths of the repository");
	}
	const parts: string[] = [];
	for (const part of input.split("/")) {
		if (part === "" || part === ".") continue;
		if (part === "..") {
			if (parts.pop() === undefined) return refuse("the path leaves the repository");
			continue;
		}
		if (part.split("\\").includes("..")) return refuse("the path leaves the repository");
		if (isGitFolder(part)) return refuse("git's own files are out of reach");
		parts.push(part);
	}
	return { ok: true, path: parts.join("/") };
}

/** True for `.git` in every spelling that a file system may take for it (A66). */
export function isGitFolder(part: string): boolean {
	return part.split("\\").some((piece) => {
		const name = piece
			.normalize("NFKC")
			.replace(IGNORED_IN_NAMES, "")
			.toLowerCase()
			.replace(/[. ]+$/, "");
		return name === ".git" || /^git~\d+$/.test(name) || name.startsWith(".git:");
	});
}

function refuse(reason: string): PathRefusal {
	return { ok: false, code: "E_PATH", reason };
}
