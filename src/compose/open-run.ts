import { mkdir } from "node:fs/promises";
import path from "node:path";
import { createArtifactFolder } from "../adapters/artifact-folder.ts";
import type { Git } from "../adapters/git/create-git.ts";
import { createGitHistory } from "../adapters/git/git-history.ts";
import type { GitAuthorization } from "../adapters/git/git-environment.ts";
import { loadChangeSet } from "../adapters/git/load-change-set.ts";
import { createObjectStream } from "../adapters/git/object-stream.ts";
import { openRepository, type Repository } from "../adapters/git/open-repository.ts";
import { createPatchTrees } from "../adapters/git/patch-trees.ts";
import { createRepositoryReader } from "../adapters/git/repository-reader.ts";
import { createJournalFolder } from "../adapters/journal-file/create-journal-folder.ts";
import { listPublishedAgents } from "../adapters/journal-file/list-published-agents.ts";
import { createSystemClock } from "../adapters/system-clock.ts";
import { createWorkspaceProvider } from "../adapters/worktree/create-workspace-provider.ts";
import { locateAssets } from "../code-index/grammars.ts";
import { createSyntaxService } from "../code-index/syntax-service.ts";
import type { Clock, Log, Secrets } from "../seams.ts";
import type { PipelineSeams } from "../stages/pipeline-seams.ts";
import { auditPath, openAuditForRun } from "./open-audit-for-run.ts";
import { openSandboxForRun } from "./open-sandbox-for-run.ts";

export interface OpenRunOptions {
	/** Folder of the checkout. */
	readonly folder: string;
	/** Folder for temporary files: journals, worktrees, report. */
	readonly temp: string;
	/** Lower-case letters, digits, hyphens. */
	readonly runName: string;
	readonly log: Log;
	readonly secrets: Secrets;
	/** Folder that holds the bundle; the grammars lie beside it. */
	readonly bundleFolder: string;
	readonly authorization?: GitAuthorization;
	readonly network?: Readonly<Record<string, string>>;
	readonly remoteUrl?: string;
	readonly allowFileProtocol?: boolean;
	/** now: the sandbox is tried while everything else is opened, because the trust tier will depend on it. */
	readonly probeSandbox?: "now" | "when asked";
	/** The search path of this machine, for the toolchains that commands in the sandbox may use. */
	readonly searchPath?: string;
	/** Install and allow what the sandbox needs. */
	readonly setUpSandbox?: boolean;
	readonly signal: AbortSignal;
}

/** Everything of a run that depends on the machine and not on GitHub or a model. */
export interface OpenedRun {
	readonly repository: Repository;
	readonly git: Git;
	readonly clock: Clock;
	readonly seams: Pick<
		PipelineSeams,
		| "clock"
		| "log"
		| "signal"
		| "redact"
		| "hideSecret"
		| "history"
		| "reader"
		| "loadChangeSet"
		| "openWorkspaces"
		| "patchTrees"
		| "journals"
		| "listPublishedAgents"
		| "audit"
		| "auditFile"
		| "sandbox"
		| "artifacts"
		| "syntax"
	>;
	[Symbol.asyncDispose](): Promise<void>;
}

/** Opens the repository and everything around it. Throws a UserError when the folder is no git checkout. */
export async function openRun(options: OpenRunOptions): Promise<OpenedRun> {
	const clock = createSystemClock();
	await mkdir(options.temp, { recursive: true });
	const sandbox = openSandboxForRun({
		bundleFolder: options.bundleFolder,
		temporaryFolder: options.temp,
		folder: options.folder,
		setUp: options.setUpSandbox === true,
		...(options.searchPath === undefined ? {} : { searchPath: options.searchPath }),
		onProblem: (text) => options.log.warning(text),
	});
	if (options.probeSandbox === "now") void sandbox.probe();
	const repository = await openRepository(options.folder, {
		...(options.authorization === undefined ? {} : { authorization: options.authorization }),
		...(options.network === undefined ? {} : { network: options.network }),
		...(options.allowFileProtocol === true ? { allowFileProtocol: true } : {}),
	});
	const objects = createObjectStream(repository.git);
	const reader = createRepositoryReader(repository.git, objects);
	const redact = (text: string) => options.secrets.redact(text);
	const audit = await openAuditForRun({ temp: options.temp, runName: options.runName, clock, redact });
	const journals = createJournalFolder({ temp: options.temp, run: options.runName, clock, redact });
	return {
		repository,
		git: repository.git,
		clock,
		seams: {
			clock,
			log: options.log,
			signal: options.signal,
			redact,
			hideSecret: (value) => options.secrets.add(value),
			reader,
			history: createGitHistory(repository, objects, {
				signal: options.signal,
				...(options.remoteUrl === undefined ? {} : { remoteUrl: options.remoteUrl }),
			}),
			patchTrees: createPatchTrees({ git: repository.git, temporaryFolder: options.temp, objects }),
			loadChangeSet: (mergeBase, head) => loadChangeSet(repository.git, mergeBase, head, options.signal),
			openWorkspaces: (head, include) =>
				createWorkspaceProvider({
					repository,
					head,
					run: options.runName,
					temporaryFolder: options.temp,
					...(include === undefined ? {} : { include }),
					onProblem: (text) => options.log.info(text),
				}),
			journals,
			listPublishedAgents: () => listPublishedAgents(journals.folder),
			audit,
			auditFile: auditPath(options.temp, options.runName),
			sandbox,
			artifacts: createArtifactFolder(path.join(options.temp, "rookery", "reports", options.runName)),
			syntax: createSyntaxService({ locateAsset: locateAssets(path.join(options.bundleFolder, "grammars")) }),
		},
		async [Symbol.asyncDispose]() {
			await reader[Symbol.asyncDispose]();
			await audit.close();
		},
	};
}
