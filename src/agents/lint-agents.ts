import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { AgentDefinition, AgentFile } from "../domain/agent.ts";
import { describeDenials, describeGrants } from "../domain/describe-grants.ts";
import { errorText, UserError } from "../domain/errors.ts";
import { AGENT_FOLDERS, type AgentFolderEntry, listFolderAgentFiles } from "./agent-folders.ts";
import { readAgentEntries, sortByPrecedence } from "./catalogue.ts";
import { settleNames } from "./settle-names.ts";

/** One file as `rookery agents lint --json` prints it (a contract: DESIGN.md 14). */
export interface LintedAgent {
	/** Path from the linted folder. */
	readonly file: string;
	readonly name?: string;
	readonly state: "loaded" | "refused";
	/** Grants in the engine's spelling, brackets and server names kept; `read-only` when the file makes no list. */
	readonly tools: readonly string[] | "read-only";
	readonly disallowedTools: readonly string[];
	readonly model?: string;
	readonly repairs: readonly string[];
	readonly warnings: readonly string[];
	/** Why it is refused, after its stable code. A note beside the agents is refused with "taken for documentation", which is no fault. */
	readonly reason?: string;
}

/**
 * Reads all agent files below a folder, or one file. A folder that holds `.claude/agents` or the like is taken for
 * a repository, and only its agent folders are read. Throws a UserError when the path cannot be read.
 * @param builtIn agents whose names a file cannot take; a clash is a warning, since a plugin's folder may be meant
 */
export async function lintAgents(path: string, builtIn: readonly AgentDefinition[]): Promise<readonly LintedAgent[]> {
	const entries = sortByPrecedence(await listEntries(path), "");
	const files = await readAgentEntries(entries, "repository");
	const read = entries.flatMap((entry, index) => (files[index] === undefined ? [] : [{ path: entry.path, file: files[index] }]));
	const loaded = read.flatMap(({ file }) => (file.state === "loaded" ? [file.agent] : []));
	const settled = settleNames(loaded, []);
	const refusals = new Map(settled.problems.map((problem) => [problem.path, `${problem.code}: ${problem.reason}`]));
	const clashes = new Map(settleNames(settled.kept, builtIn).problems.map((problem) => [problem.path, problem.reason]));
	const rows = read.map(({ path: file, file: agentFile }) => {
		const notes = settled.notes.filter((note) => note.path === file).map((note) => note.text);
		const clash = clashes.get(file);
		return describeFile(file, agentFile, refusals.get(file), clash === undefined ? notes : [...notes, `never used: ${clash}`]);
	});
	return rows.sort((a, b) => (a.file < b.file ? -1 : 1));
}

async function listEntries(path: string): Promise<readonly AgentFolderEntry[]> {
	try {
		const found = await stat(path);
		if (!found.isDirectory()) {
			const entries = await listFolderAgentFiles(dirname(path));
			return entries.filter((entry) => entry.path === basename(path));
		}
		const entries: AgentFolderEntry[] = [];
		for (const folder of AGENT_FOLDERS) {
			const inside = await listIfPresent(join(path, folder));
			entries.push(...inside.map((entry) => ({ ...entry, path: `${folder}/${entry.path}` })));
		}
		return entries.length > 0 ? entries : await listFolderAgentFiles(path);
	} catch (error) {
		throw new UserError(`agents lint: cannot read ${path}: ${errorText(error)}`, { cause: error });
	}
}

async function listIfPresent(folder: string): Promise<readonly AgentFolderEntry[]> {
	const found = await stat(folder).catch(() => undefined);
	return found?.isDirectory() ? listFolderAgentFiles(folder) : [];
}

function describeFile(file: string, read: AgentFile, refusal: string | undefined, notes: readonly string[]): LintedAgent {
	if (read.state === "documentation") {
		const reason = read.hint === undefined ? read.reason : `${read.reason}; ${read.hint}`;
		return { file, state: "refused", tools: [], disallowedTools: [], repairs: [], warnings: [], reason };
	}
	if (read.state === "refused") {
		const name = read.name === undefined ? {} : { name: read.name };
		return {
			file,
			...name,
			state: "refused",
			tools: [],
			disallowedTools: [],
			repairs: [],
			warnings: [],
			reason: `${read.code}: ${read.reason}`,
		};
	}
	const { agent } = read;
	return {
		file,
		name: agent.name,
		state: refusal === undefined ? "loaded" : "refused",
		tools: read.readOnlyByDefault ? "read-only" : describeGrants(agent),
		disallowedTools: describeDenials(agent),
		...(agent.model === undefined ? {} : { model: agent.model }),
		repairs: read.repairs,
		warnings: [...read.warnings, ...notes],
		...(refusal === undefined ? {} : { reason: refusal }),
	};
}

/** The same for people: a line a file, below it what to change. */
export function renderLintedAgents(rows: readonly LintedAgent[]): string {
	const lines = rows.flatMap((row) => {
		const tools = row.tools === "read-only" ? "read-only" : row.tools.join(", ") || "no tools";
		const head = row.state === "loaded" ? `loaded   ${row.file}: ${row.name} (${tools})` : `refused  ${row.file}: ${row.reason}`;
		return [
			head,
			...row.repairs.map((repair) => `         repair: ${repair}`),
			...row.warnings.map((warning) => `         warning: ${warning}`),
		];
	});
	const loaded = rows.filter((row) => row.state === "loaded").length;
	const repaired = rows.filter((row) => row.repairs.length > 0).length;
	return [...lines, `${rows.length} files: ${loaded} loaded (${repaired} repaired), ${rows.length - loaded} refused`].join("\n");
}
