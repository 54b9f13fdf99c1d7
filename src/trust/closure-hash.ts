import { createHash } from "node:crypto";
import { parse } from "jsonc-parser";
import type { AgentDefinition } from "../domain/agent.ts";
import type { Sha } from "../domain/ids.ts";
import type { RepositoryReader } from "../seams.ts";

/** Everything an agent's behaviour hangs on at one commit, as one hash (D-21, X-07). */
export interface Closure {
	/** SHA-256 in hex over all parts. */
	readonly hash: string;
	/** What went in, by path, in byte order; a settings file stands for its hooks only. */
	readonly parts: readonly ClosurePart[];
}

interface ClosurePart {
	readonly path: string;
	readonly mode: string;
	readonly sha256: string;
}

/** Files that every agent's closure holds, whole. */
const SHARED_FILES: readonly string[] = [".worktreeinclude", ".rookery/policy.json"];
const SHARED_FOLDERS: readonly string[] = [".rookery/hooks/", ".claude/hooks/"];
/** Only their hooks change what an agent does by itself; a new colour in the settings needs no new consent. */
const SETTINGS_WITH_HOOKS: readonly string[] = [".rookery/settings.json", ".claude/settings.json"];
const SKILL_FOLDERS: readonly string[] = [".rookery/skills/", ".claude/skills/"];
const SUBMODULE_MODE = "160000";

/**
 * Closures of the repository's agents at a commit, by the path of the agent file: the file itself, all files of
 * its skills, hooks, `.worktreeinclude` and policy. Links count by their own text and are not followed. Rejects
 * only when git itself fails.
 */
export async function computeClosures(
	reader: RepositoryReader,
	commit: Sha,
	agents: readonly AgentDefinition[],
): Promise<ReadonlyMap<string, Closure>> {
	const files = await reader.listFiles(commit);
	const known = new Map<string, Promise<ClosurePart>>();
	const hashFile = (file: { readonly path: string; readonly mode: string; readonly blob: Sha }): Promise<ClosurePart> => {
		const part = known.get(file.path) ?? hashPart(reader, commit, file);
		known.set(file.path, part);
		return part;
	};
	const isShared = (path: string): boolean =>
		SHARED_FILES.includes(path) || SETTINGS_WITH_HOOKS.includes(path) || SHARED_FOLDERS.some((folder) => path.startsWith(folder));
	const closures = new Map<string, Closure>();
	for (const agent of agents) {
		const own = agent.source?.path;
		if (own === undefined || agent.tier !== "repository") continue;
		const skillFolders = agent.skills.flatMap((skill) => SKILL_FOLDERS.map((folder) => `${folder}${skill}/`));
		const wanted = files.filter(({ path }) => path === own || isShared(path) || skillFolders.some((folder) => path.startsWith(folder)));
		closures.set(own, joinParts(await Promise.all(wanted.map(hashFile))));
	}
	return closures;
}

async function hashPart(
	reader: RepositoryReader,
	commit: Sha,
	file: { readonly path: string; readonly mode: string; readonly blob: Sha },
): Promise<ClosurePart> {
	if (file.mode === SUBMODULE_MODE) return { path: file.path, mode: file.mode, sha256: sha256(file.blob) };
	const bytes = (await reader.readFile(commit, file.path)) ?? Buffer.alloc(0);
	return { path: file.path, mode: file.mode, sha256: sha256(SETTINGS_WITH_HOOKS.includes(file.path) ? hooksOf(bytes) : bytes) };
}

/** The hooks of a settings file in one fixed spelling; the whole text when it cannot be read. */
function hooksOf(bytes: Buffer): string {
	const errors: { error: number; offset: number; length: number }[] = [];
	const value: unknown = parse(bytes.toString("utf8").replace(/^\uFEFF/, ""), errors, { allowTrailingComma: true });
	if (errors.length > 0 || typeof value !== "object" || value === null) return bytes.toString("utf8");
	return JSON.stringify(sortKeys("hooks" in value ? value.hooks : null));
}

function sortKeys(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sortKeys);
	if (typeof value !== "object" || value === null) return value;
	const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
	return entries.map(([key, inner]) => [key, sortKeys(inner)]);
}

function joinParts(parts: readonly ClosurePart[]): Closure {
	const sorted = [...parts].sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
	return { hash: sha256(JSON.stringify(sorted.map((part) => [part.path, part.mode, part.sha256]))), parts: sorted };
}

function sha256(data: string | Buffer): string {
	return createHash("sha256").update(data).digest("hex");
}
