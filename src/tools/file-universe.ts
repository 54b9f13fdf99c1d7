import fastGlob from "fast-glob";
import { isGitFolder } from "../guard/path-guard.ts";
import type { ToolContext } from "./tool-context.ts";

/** Files that glob and grep may speak of. A pattern can only ever choose from this list, so it cannot leave the root (A62). */
export interface FileUniverse {
	/** Relative paths in byte order, without git's own and hidden ones. Listed once. */
	list(): Promise<readonly string[]>;
}

/** What a list of files needs to know. */
export type FileUniverseContext = Pick<ToolContext, "root" | "listFiles" | "isDenied">;

/** A walk of a folder without git stops here. */
const MAX_WALKED = 100_000;

export function createFileUniverse(context: FileUniverseContext): FileUniverse {
	let listing: Promise<readonly string[]> | undefined;
	return {
		list() {
			listing ??= load(context);
			return listing;
		},
	};
}

async function load(context: FileUniverseContext): Promise<readonly string[]> {
	const all = context.listFiles === undefined ? await walk(context.root) : await context.listFiles();
	return all.filter((path) => !path.split("/").some(isGitFolder) && context.isDenied?.(path) !== true);
}

/** Never with a pattern of the model: fast-glob follows `..` out of its folder (A62), and links unless told not to (A63). */
async function walk(root: string): Promise<readonly string[]> {
	const paths: string[] = [];
	const entries = fastGlob.stream("**/*", {
		cwd: root,
		dot: true,
		onlyFiles: true,
		followSymbolicLinks: false,
		suppressErrors: true,
		ignore: ["**/.git/**", "**/node_modules/**"],
	});
	for await (const entry of entries) {
		paths.push(String(entry));
		if (paths.length >= MAX_WALKED) break;
	}
	return paths.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}
