import { constants } from "node:fs";
import { lstat, mkdir, open } from "node:fs/promises";
import path from "node:path";
import fastGlob from "fast-glob";
import { errorText } from "../../domain/errors.ts";

/** What `.worktreeinclude` of the trusted ref asks for. */
export interface IncludeOptions {
	/** Text of the file: a pattern a line, `#` starts a comment. */
	readonly patterns: string;
	/** The checkout that files are taken from. */
	readonly from: string;
	/** The tree they are put into. It holds the head: links in it may lead anywhere. */
	readonly to: string;
	/** Why a repository path must not be copied; undefined when it may be (S-111). */
	readonly refuse: (path: string) => string | undefined;
}

export interface IncludedFiles {
	/** Repository paths of what was copied. */
	readonly copied: readonly string[];
	/** What was not and why. */
	readonly warnings: readonly string[];
}

const MAX_FILES = 1_000;
const MAX_BYTES = 100 * 1024 * 1024;

/**
 * Copies files that git does not carry over, such as `.npmrc.ci`, from the checkout into a child's tree (S-186). Links
 * are neither copied nor followed on either side, nothing that the tree has is overwritten, no pattern leaves the
 * repository. Never rejects for what stands in the file: what is not copied is a warning.
 */
export async function copyIncludedFiles(options: IncludeOptions): Promise<IncludedFiles> {
	const warnings: string[] = [];
	const patterns = readPatterns(options, warnings);
	if (patterns.length === 0) return { copied: [], warnings };
	const found = await fastGlob([...patterns.flatMap(expand)], {
		cwd: options.from,
		dot: true,
		followSymbolicLinks: false,
		onlyFiles: false,
		unique: true,
		objectMode: true,
		suppressErrors: true,
		ignore: ["**/.git/**", "**/.git", "**/node_modules/**"],
	});
	const copied: string[] = [];
	let bytes = 0;
	for (const entry of found.sort((a, b) => (a.path < b.path ? -1 : 1))) {
		if (entry.dirent.isDirectory()) continue;
		const refusal = entry.dirent.isSymbolicLink() ? "it is a symbolic link" : options.refuse(entry.path);
		if (refusal !== undefined) {
			// What the tree has from git is nobody's business here.
			if (!(await isThere(path.join(options.to, entry.path)))) warnings.push(`.worktreeinclude: ${entry.path} is not copied: ${refusal}`);
			continue;
		}
		if (copied.length >= MAX_FILES || bytes > MAX_BYTES) {
			warnings.push(`.worktreeinclude: only the first ${MAX_FILES} files and ${MAX_BYTES / 1024 / 1024} MB are copied`);
			break;
		}
		const size = await copyOne(options, entry.path);
		if (typeof size === "string") warnings.push(`.worktreeinclude: ${entry.path} is not copied: ${size}`);
		else if (size !== undefined) {
			copied.push(entry.path);
			bytes += size;
		}
	}
	return { copied, warnings };
}

function readPatterns({ patterns, refuse }: IncludeOptions, warnings: string[]): readonly string[] {
	const kept: string[] = [];
	for (const line of patterns.split(/\r?\n/).map((text) => text.trim())) {
		if (line === "" || line.startsWith("#")) continue;
		const why = findPatternFault(line, refuse);
		if (why === undefined) kept.push(line.replace(/^\.\//, ""));
		else warnings.push(`.worktreeinclude: the pattern ${JSON.stringify(line.slice(0, 80))} is refused: ${why}`);
	}
	return kept;
}

function findPatternFault(line: string, refuse: IncludeOptions["refuse"]): string | undefined {
	if (line.includes("\0") || line.includes("\\")) return "it holds a character that no pattern has";
	if (line.startsWith("!")) return "patterns that take away are not read";
	if (/^[~]/.test(line) || /^[a-z]:/i.test(line) || line.split(/[/{},()|]/).includes("..")) return "it leaves the repository";
	return /[*?[{(]/.test(line) ? undefined : refuse(line.replace(/^\//, "").replace(/\/$/, ""));
}

/** As in `.gitignore`: a name without a slash stands for it anywhere, a folder for all that is in it. */
function expand(line: string): readonly string[] {
	const name = line.replace(/\/+$/, "");
	const anchored = name.startsWith("/") ? name.slice(1) : name.includes("/") ? name : `**/${name}`;
	return line.endsWith("/") ? [`${anchored}/**`] : [anchored, `${anchored}/**`];
}

/** Bytes that were copied, a reason, or undefined where the tree has something of that name. */
async function copyOne(options: IncludeOptions, relative: string): Promise<number | string | undefined> {
	const target = path.join(options.to, relative);
	if (await isThere(target)) return undefined;
	try {
		if (!(await isPlainWay(options.from, path.posix.dirname(relative), false))) return "a folder on its way is a link";
		if (!(await isPlainWay(options.to, path.posix.dirname(relative), true))) return "a folder of the tree on its way is a link";
		const source = await open(path.join(options.from, relative), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
		try {
			const found = await source.stat();
			if (!found.isFile()) return "it is no plain file";
			if (found.nlink > 1) return "it has a second name (hard link)";
			if (found.size > MAX_BYTES) return "it is too large";
			const content = await source.readFile();
			const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
			const written = await open(target, flags, found.mode & 0o700);
			try {
				await written.writeFile(content);
			} finally {
				await written.close();
			}
			return content.length;
		} finally {
			await source.close();
		}
	} catch (error) {
		return errorText(error);
	}
}

/** True when each folder from the root down is a folder itself; missing ones are made one by one when asked for. */
async function isPlainWay(root: string, folder: string, make: boolean): Promise<boolean> {
	let place = root;
	for (const part of folder === "." ? [] : folder.split("/")) {
		place = path.join(place, part);
		if (make && !(await isThere(place))) await mkdir(place, { mode: 0o700 });
		if (!(await lstat(place)).isDirectory()) return false;
	}
	return true;
}

async function isThere(place: string): Promise<boolean> {
	return (await lstat(place).catch(() => undefined)) !== undefined;
}
