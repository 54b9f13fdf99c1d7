import pLimit from "p-limit";
import type { AgentDefinition, AgentFile, AgentProblem, AgentTier } from "../domain/agent.ts";
import { errorText } from "../domain/errors.ts";
import { parseAgentFile } from "./agent-file.ts";
import { AGENT_FOLDERS, type AgentFolderEntry } from "./agent-folders.ts";
import { settleNames } from "./settle-names.ts";

/** All agents of a run and everything that did not become one. */
export interface Catalogue {
	/** In order of tiers, then of precedence. Names are unique. */
	readonly agents: readonly AgentDefinition[];
	/** Files that are no agents and could not be: with path, code and what to change. */
	readonly problems: readonly AgentProblem[];
	/** Repairs and warnings of files that are used. */
	readonly notes: readonly { readonly path: string; readonly text: string }[];
	/** Notes beside the agents; for the debug log only (BR-58). */
	readonly documentation: readonly { readonly path: string; readonly reason: string; readonly hint?: string }[];
}

export interface CatalogueSources {
	readonly builtIn: readonly AgentDefinition[];
	/** Pinned organisation agents and the runner's own, in this order. */
	readonly organisation?: readonly AgentFolderEntry[];
	/** From the trusted ref. */
	readonly repository: readonly AgentFolderEntry[];
	/** Folder of the run inside the repository, without a slash at the end; the agents next to it win (BR-63). */
	readonly workingDirectory?: string;
}

const MAX_FILES = 1_000;

/**
 * Reads every agent file and settles who keeps which name: built-in before organisation before repository
 * (S-037, S-041). Each file stands for itself: none can stop the others (BR-60). Never rejects for what files hold.
 */
export async function buildCatalogue(sources: CatalogueSources): Promise<Catalogue> {
	const organisation = await readTier(sources.organisation ?? [], "organisation");
	const repository = await readTier(sortByPrecedence(sources.repository, sources.workingDirectory ?? ""), "repository");
	const settledOrganisation = settleNames(organisation.agents, sources.builtIn);
	const settledRepository = settleNames(repository.agents, [...sources.builtIn, ...settledOrganisation.kept]);
	return {
		agents: [...sources.builtIn, ...settledOrganisation.kept, ...settledRepository.kept],
		problems: [...organisation.problems, ...settledOrganisation.problems, ...repository.problems, ...settledRepository.problems],
		notes: [...organisation.notes, ...settledOrganisation.notes, ...repository.notes, ...settledRepository.notes],
		documentation: [...organisation.documentation, ...repository.documentation],
	};
}

async function readTier(entries: readonly AgentFolderEntry[], tier: AgentTier): Promise<Catalogue> {
	const agents: AgentDefinition[] = [];
	const problems: AgentProblem[] = [];
	const notes: { path: string; text: string }[] = [];
	const documentation: { path: string; reason: string; hint?: string }[] = [];
	const taken = entries.slice(0, MAX_FILES);
	const files = await readAgentEntries(taken, tier);
	for (const [index, entry] of taken.entries()) {
		const file = files[index];
		if (file === undefined) continue;
		if (file.state === "loaded") {
			agents.push(file.agent);
			for (const text of [...file.repairs, ...file.warnings]) notes.push({ path: entry.path, text });
		} else if (file.state === "refused") {
			problems.push({ path: entry.path, ...(file.name === undefined ? {} : { name: file.name }), code: file.code, reason: file.reason });
		} else {
			documentation.push({ path: entry.path, reason: file.reason, ...(file.hint === undefined ? {} : { hint: file.hint }) });
			// A note that looks like a misplaced agent deserves a word; a plain one does not.
			if (file.hint !== undefined) notes.push({ path: entry.path, text: file.hint });
		}
	}
	for (const entry of entries.slice(MAX_FILES)) {
		problems.push({ path: entry.path, code: "E_LIMIT", reason: `only the first ${MAX_FILES} agent files are read` });
	}
	return { agents, problems, notes, documentation };
}

/** Files that are read at the same time: waiting for the disk is most of the work. */
const AT_ONCE = 16;

/** All entries, read and parsed, in their order. Never rejects. */
export function readAgentEntries(entries: readonly AgentFolderEntry[], tier: AgentTier): Promise<readonly AgentFile[]> {
	const limit = pLimit(AT_ONCE);
	return Promise.all(entries.map((entry) => limit(() => readAgentEntry(entry, tier))));
}

/** One entry, read and parsed; whatever goes wrong is a refusal. */
export async function readAgentEntry(entry: AgentFolderEntry, tier: AgentTier): Promise<AgentFile> {
	switch (entry.kind) {
		case "link":
			return { state: "refused", code: "E_LINK", reason: "it is a symbolic link; links are never followed, put the file itself there" };
		case "submodule":
			return { state: "refused", code: "E_LINK", reason: "it is a submodule; its content belongs to another repository and is not read" };
		case "folder":
			return { state: "refused", code: "E_FRONTMATTER", reason: "it is a folder named like a file; the files in it are read" };
		case "file":
			break;
	}
	try {
		const bytes = await entry.read();
		if (bytes === undefined) return { state: "refused", code: "E_FRONTMATTER", reason: "the file cannot be read" };
		return parseAgentFile({ path: entry.path, bytes, tier });
	} catch (error) {
		return { state: "refused", code: "E_FRONTMATTER", reason: `the file cannot be read: ${errorText(error)}` };
	}
}

/** Nearest folder, then kind of folder, then shortest path, then byte order: the same on every machine (BR-63). */
export function sortByPrecedence(entries: readonly AgentFolderEntry[], workingDirectory: string): readonly AgentFolderEntry[] {
	const ranked = entries.map((entry) => ({ entry, rank: rankPath(entry.path, workingDirectory) }));
	ranked.sort((a, b) => {
		const difference = a.rank.distance - b.rank.distance || a.rank.kind - b.rank.kind || a.entry.path.length - b.entry.path.length;
		return difference !== 0 ? difference : Buffer.compare(Buffer.from(a.entry.path), Buffer.from(b.entry.path));
	});
	return ranked.map(({ entry }) => entry);
}

/** Folders above the working directory come before all others, the closest first. */
const NOT_ABOVE = 1_000;

function rankPath(path: string, workingDirectory: string): { readonly distance: number; readonly kind: number } {
	const kind = AGENT_FOLDERS.findIndex((folder) => path.startsWith(`${folder}/`) || path.includes(`/${folder}/`));
	const folder = kind === -1 ? undefined : AGENT_FOLDERS[kind];
	const owner = folder === undefined ? "" : path.slice(0, Math.max(0, path.indexOf(`${folder}/`) - 1));
	const ownerParts = owner.split("/").filter((part) => part !== "");
	const workParts = workingDirectory.split("/").filter((part) => part !== "" && part !== ".");
	const isAbove = ownerParts.every((part, index) => workParts[index] === part);
	const distance = isAbove ? workParts.length - ownerParts.length : NOT_ABOVE + ownerParts.length;
	return { distance, kind: kind === -1 ? AGENT_FOLDERS.length : kind };
}
