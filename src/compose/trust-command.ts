import { lstat, mkdir, open, readFile, rename } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import path from "node:path";
import { createGitHistory } from "../adapters/git/git-history.ts";
import { createObjectStream } from "../adapters/git/object-stream.ts";
import { openRepository } from "../adapters/git/open-repository.ts";
import { createRepositoryReader } from "../adapters/git/repository-reader.ts";
import { listCommittedAgentFiles } from "../agents/agent-folders.ts";
import { EXPLORE_AGENT, PLAN_AGENT } from "../agents/built-in.ts";
import { buildCatalogue, type Catalogue } from "../agents/catalogue.ts";
import type { AgentDefinition } from "../domain/agent.ts";
import { describeGrants } from "../domain/describe-grants.ts";
import { UserError } from "../domain/errors.ts";
import { computeClosures } from "../trust/closure-hash.ts";
import { addPin, EMPTY_TRUST_LOCK, parseTrustLock, TRUST_LOCK_PATH, type TrustLock } from "../trust/trust-lock.ts";

export interface TrustCommandOptions {
	/** Folder of the checkout. */
	readonly repo: string;
	/** Agents to pin; all of the repository when there is none. */
	readonly names: readonly string[];
	/** Commit whose agents are pinned; HEAD unless given. */
	readonly ref?: string;
	/** Who asks for the pin, for the lock file. */
	readonly by?: string;
}

export interface TrustedPin {
	readonly name: string;
	readonly path: string;
	readonly closure: string;
	readonly change: "added" | "changed" | "unchanged";
	readonly tools: readonly string[];
	/** Files that the hash covers. */
	readonly parts: readonly string[];
}

export interface TrustCommandResult {
	/** Absolute path of the lock file. */
	readonly file: string;
	readonly commit: string;
	readonly pins: readonly TrustedPin[];
	/** Agent files that cannot be pinned, and pins whose file is gone. */
	readonly notes: readonly string[];
}

/**
 * `rookery trust [NAME…]`: writes the hash of each named agent, with all it relies on, into the working tree's lock
 * file. The agents are those of the commit, read from git's objects, since those will be compared with it; the
 * file takes effect once it is merged. Throws a UserError for an unknown name, a ref that names no commit, a lock file
 * that is broken or a link.
 */
export async function runTrustCommand(options: TrustCommandOptions): Promise<TrustCommandResult> {
	const repository = await openRepository(options.repo);
	if (repository.workTree === undefined) throw new UserError(`trust: ${options.repo} is a bare repository; wanted a checkout`);
	const objects = createObjectStream(repository.git);
	await using reader = createRepositoryReader(repository.git, objects);
	const ref = options.ref ?? "HEAD";
	const commit = await createGitHistory(repository, objects, {}).resolve(ref);
	if (commit === undefined)
		throw new UserError(`trust: found the ref ${JSON.stringify(ref)}, wanted a commit of this repository`, { code: "E_REF" });
	const repositoryFiles = await listCommittedAgentFiles(reader, commit);
	const catalogue = await buildCatalogue({ builtIn: [EXPLORE_AGENT, PLAN_AGENT], repository: repositoryFiles });
	const agents = chooseAgents(catalogue, options.names, ref);
	const closures = await computeClosures(reader, commit, agents);
	const file = path.join(repository.workTree, TRUST_LOCK_PATH);
	let lock = await readLock(file);
	const pins: TrustedPin[] = [];
	for (const agent of agents) {
		const source = agent.source?.path ?? "";
		const closure = closures.get(source);
		if (closure === undefined) continue;
		const pinned = Object.hasOwn(lock.agents, source) ? lock.agents[source] : undefined;
		const change = pinned === undefined ? "added" : pinned.closure === closure.hash ? "unchanged" : "changed";
		pins.push({
			name: agent.name,
			path: source,
			closure: closure.hash,
			change,
			tools: describeGrants(agent),
			parts: closure.parts.map((part) => part.path),
		});
		if (change === "unchanged") continue;
		const by = options.by === undefined ? {} : { by: options.by };
		lock = parseTrustLock(addPin(lock, { path: source, name: agent.name, closure: closure.hash, ...by }));
	}
	if (pins.some((pin) => pin.change !== "unchanged")) await writeLock(repository.workTree, file, lock);
	const known = new Set(catalogue.agents.map((agent) => agent.source?.path));
	return {
		file,
		commit,
		pins,
		notes: [
			...(options.names.length === 0 ? catalogue.problems.map((problem) => `${problem.path} is no usable agent: ${problem.reason}`) : []),
			...Object.keys(lock.agents).flatMap((pinned) =>
				known.has(pinned) ? [] : [`${pinned} is pinned and is no agent at ${ref}; its line can go`],
			),
		],
	};
}

/** The same for people. */
export function renderTrustResult(result: TrustCommandResult): string {
	const lines = result.pins.map(
		(pin) =>
			`${pin.change.padEnd(9)} ${pin.name} (${pin.path}) ${pin.closure.slice(0, 12)}, tools: ${pin.tools.join(", ") || "none"}, covers ${pin.parts.length} files`,
	);
	const changed = result.pins.some((pin) => pin.change !== "unchanged");
	const end = changed
		? `${result.file} is written; it counts once it is merged, where agents.trust is "pinned".`
		: `${result.file} is up to date.`;
	return [...lines, ...result.notes.map((note) => `note: ${note}`), end].join("\n");
}

function chooseAgents(catalogue: Catalogue, names: readonly string[], ref: string): readonly AgentDefinition[] {
	const own = catalogue.agents.filter((agent) => agent.tier === "repository");
	if (names.length === 0) {
		if (own.length === 0)
			throw new UserError(`trust: there is no agent at ${ref}; wanted .rookery/agents/*.md or .claude/agents/*.md, committed`);
		return own;
	}
	return names.map((name) => {
		const agent = own.find((candidate) => candidate.name === name);
		if (agent !== undefined) return agent;
		const problem = catalogue.problems.find((candidate) => candidate.name === name);
		const known = own.map((candidate) => candidate.name).join(", ") || "none";
		const why = problem === undefined ? "" : ` (${problem.path}: ${problem.reason})`;
		throw new UserError(`trust: found ${JSON.stringify(name.slice(0, 80))}, wanted an agent of the repository at ${ref}: ${known}${why}`, {
			code: "E_CONSENT",
		});
	});
}

async function readLock(file: string): Promise<TrustLock> {
	const found = await lstat(file).catch(() => undefined);
	if (found === undefined) return EMPTY_TRUST_LOCK;
	if (!found.isFile())
		throw new UserError(`${TRUST_LOCK_PATH}: found no plain file, wanted one; a link is never followed`, { code: "E_CONSENT" });
	return parseTrustLock(await readFile(file, "utf8"));
}

/** Written beside and moved into place: a reader never sees half of it, and nothing is written through a link. */
async function writeLock(workTree: string, file: string, lock: TrustLock): Promise<void> {
	const folder = path.dirname(file);
	await mkdir(folder, { recursive: true });
	if (path.dirname(folder) !== workTree || !(await lstat(folder)).isDirectory()) {
		throw new UserError(`${path.basename(folder)}: found a link in the place of the folder, wanted a folder`, { code: "E_LINK" });
	}
	const beside = `${file}.${randomBytes(6).toString("hex")}`;
	const handle = await open(beside, "wx", 0o644);
	try {
		await handle.writeFile(`${JSON.stringify(lock, undefined, "\t")}\n`);
	} finally {
		await handle.close();
	}
	await rename(beside, file);
}
