import os from "node:os";
import path from "node:path";
import { type AgentFolderEntry, listCommittedAgentFiles, listFolderAgentFiles } from "../agents/agent-folders.ts";
import { parseOrganisationSource } from "../agents/organisation-source.ts";
import type { SkillSource } from "../agents/skills.ts";
import type { RepositoryRef } from "../domain/ids.ts";
import { errorText, UserError } from "../domain/errors.ts";
import type { Inputs } from "../intake/inputs.ts";
import type { CommitReader } from "../seams.ts";

/** Agents that come from neither the program nor the repository. They run without a pin (S-038). */
export interface FurtherAgents {
	readonly entries: readonly AgentFolderEntry[];
	/** Where the organisation's agents keep their skills. */
	readonly skills?: SkillSource;
}

/** Folders below the runner's home; earlier wins (S-037). */
const USER_FOLDERS: readonly string[] = [".rookery/agents", ".claude/agents"];

/**
 * The agents that the inputs `agents-repo` and `user-agents` name. A source that was asked for and cannot be read ends
 * the run with a UserError: reviewers that somebody relies on would be missing without a word.
 */
export async function readFurtherAgents(
	inputs: Pick<Inputs, "agentsRepo" | "userAgents">,
	openRepository: (repository: RepositoryRef) => CommitReader,
	home: string = os.homedir(),
): Promise<FurtherAgents> {
	const organisation = inputs.agentsRepo === undefined ? undefined : await readOrganisation(inputs.agentsRepo, openRepository);
	const own = inputs.userAgents ? await Promise.all(USER_FOLDERS.map((folder) => readUserFolder(home, folder))) : [];
	return {
		entries: [...(organisation?.entries ?? []), ...own.flat()],
		...(organisation === undefined ? {} : { skills: organisation.skills }),
	};
}

async function readOrganisation(input: string, openRepository: (repository: RepositoryRef) => CommitReader) {
	const { repository, commit, folder } = parseOrganisationSource(input);
	const name = `${repository.owner}/${repository.name}`;
	const source = `${name}@${commit.slice(0, 12)}`;
	let entries: readonly AgentFolderEntry[];
	const reader = openRepository(repository);
	try {
		entries = await listCommittedAgentFiles(reader, commit, folder === undefined ? {} : { folder });
	} catch (error) {
		throw new UserError(
			`input agents-repo: ${source} cannot be read (${errorText(error).split("\n", 1)[0]}); wanted a commit that github-token may read, with contents: read on ${name}`,
			{ code: "E_REF", cause: error },
		);
	}
	if (entries.length === 0) {
		throw new UserError(
			`input agents-repo: ${source} holds no agent file${folder === undefined ? " in .rookery/agents, .garuda/agents or .claude/agents" : ` in ${folder}`}; wanted Markdown files there`,
			{ code: "E_REF" },
		);
	}
	return { entries: entries.map((entry) => ({ ...entry, path: `${name}:${entry.path}` })), skills: { reader, commit } };
}

/** A folder that is not there holds nothing. */
async function readUserFolder(home: string, folder: string): Promise<readonly AgentFolderEntry[]> {
	try {
		const entries = await listFolderAgentFiles(path.join(home, folder));
		return entries.map((entry) => ({ ...entry, path: `~/${folder}/${entry.path}` }));
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
		throw new UserError(`input user-agents: ~/${folder} cannot be read (${errorText(error)}); wanted a folder of Markdown files`, {
			cause: error,
		});
	}
}
