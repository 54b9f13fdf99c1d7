import { closeSync, constants, openSync, readSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Sha } from "../domain/ids.ts";
import type { CommitReader } from "../seams.ts";
import { MAX_FILE_BYTES } from "./front-matter.ts";

/** One thing found in an agents folder. Only `file` has content; all else is listed as a problem and never followed. */
export interface AgentFolderEntry {
	/** Path from the repository's or the folder's root, with `/`. */
	readonly path: string;
	readonly kind: "file" | "link" | "submodule" | "folder";
	/** The bytes; rejects or gives undefined when they cannot be read. */
	read(): Promise<Uint8Array | undefined>;
}

/** Earlier counts more when two of them stand side by side (S-037). */
export const AGENT_FOLDERS = [".rookery/agents", ".garuda/agents", ".claude/agents"] as const;

const IN_AGENT_FOLDER = /(?:^|\/)\.(?:rookery|garuda|claude)\/agents\//;
/** A link or submodule in place of the folder itself, or of the folder above it. */
const FOLDER_ITSELF = /(?:^|\/)\.(?:rookery|garuda|claude)(?:\/agents)?$/;
/** Packages somebody else wrote may bring agents of their own; they are not this repository's. */
const FOREIGN_FOLDER = /(?:^|\/)(?:node_modules|vendor)\//;
/** Holds nearly every real file at once. */
const FIRST_READ_BYTES = 16_384;
const LINK_MODE = "120000";
const SUBMODULE_MODE = "160000";

/**
 * The agent files of a commit, read through git's objects and never from a checkout (BR-34).
 * @param options.folder look only there and take every Markdown file; without it, the three agent folders at any depth
 */
export async function listCommittedAgentFiles(
	reader: CommitReader,
	commit: Sha,
	options: { readonly folder?: string } = {},
): Promise<readonly AgentFolderEntry[]> {
	const files = await reader.listFiles(commit, options.folder);
	const entries: AgentFolderEntry[] = [];
	const namedFolders = new Set<string>();
	for (const { path, mode } of files) {
		const inside = options.folder !== undefined || (IN_AGENT_FOLDER.test(path) && !FOREIGN_FOLDER.test(path));
		const special = mode === LINK_MODE || mode === SUBMODULE_MODE;
		if (!inside && !(special && FOLDER_ITSELF.test(path))) continue;
		for (const folder of findMarkdownFolders(path)) namedFolders.add(folder);
		if (special) entries.push({ path, kind: mode === LINK_MODE ? "link" : "submodule", read: async () => undefined });
		else if (isMarkdown(path)) entries.push({ path, kind: "file", read: () => reader.readFile(commit, path) });
	}
	for (const path of namedFolders) entries.push({ path, kind: "folder", read: async () => undefined });
	return entries;
}

/**
 * The Markdown files of a folder on disk, for the linter and for the runner's own agents. Links are not followed.
 * Rejects when the folder itself cannot be read.
 */
export async function listFolderAgentFiles(folder: string): Promise<readonly AgentFolderEntry[]> {
	const entries: AgentFolderEntry[] = [];
	const visit = async (relative: string): Promise<void> => {
		const found = await readdir(join(folder, relative), { withFileTypes: true });
		for (const item of found.sort((a, b) => (a.name < b.name ? -1 : 1))) {
			const path = relative === "" ? item.name : `${relative}/${item.name}`;
			if (item.isSymbolicLink()) {
				if (isMarkdown(path)) entries.push({ path, kind: "link", read: async () => undefined });
			} else if (item.isDirectory()) {
				if (item.name === ".git" || item.name === "node_modules") continue;
				if (isMarkdown(path)) entries.push({ path, kind: "folder", read: async () => undefined });
				await visit(path);
			} else if (item.isFile() && isMarkdown(path)) {
				entries.push({ path, kind: "file", read: async () => readPlainFile(join(folder, path)) });
			}
		}
	};
	await visit("");
	return entries;
}

/**
 * Reads no more than shows that a file is too large, and nothing but plain files: a folder may hold anything. At once,
 * because for files this small a trip through the thread pool takes several times as long as the reading.
 */
function readPlainFile(file: string): Uint8Array {
	const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	try {
		let buffer = Buffer.allocUnsafe(FIRST_READ_BYTES);
		let filled = 0;
		for (;;) {
			filled += readSync(descriptor, buffer, filled, buffer.length - filled, filled);
			// A short read of a plain file is its end.
			if (filled < buffer.length || filled > MAX_FILE_BYTES) return buffer.subarray(0, filled);
			buffer = Buffer.concat([buffer, Buffer.allocUnsafe(Math.min(filled, MAX_FILE_BYTES + 1 - filled))]);
		}
	} finally {
		closeSync(descriptor);
	}
}

function isMarkdown(path: string): boolean {
	return path.toLowerCase().endsWith(".md");
}

/** Folders on the way to a file that are named like an agent file. */
function findMarkdownFolders(path: string): readonly string[] {
	const parts = path.split("/");
	return parts.slice(0, -1).flatMap((part, index) => (isMarkdown(part) ? [parts.slice(0, index + 1).join("/")] : []));
}
