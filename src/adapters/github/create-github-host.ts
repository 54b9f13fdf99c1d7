import type { Actor, RepositoryRef } from "../../domain/ids.ts";
import type { CommitPusher, CommitReader, GitHostActivity, GitHostReader, GitHostWriter, PatchTrees } from "../../seams.ts";
import { createCommitReader } from "./create-commit-reader.ts";
import { createGitHubActivity } from "./create-github-activity.ts";
import { createGitHubReader } from "./create-github-reader.ts";
import { createGitHubWriter } from "./create-github-writer.ts";
import { createApiPusher } from "./push-through-api.ts";
import { createOctokit, type OctokitOptions } from "./create-octokit.ts";

export interface GitHubHostOptions extends OctokitOptions {
	readonly repository: RepositoryRef;
	/** The token's account, where it is known from elsewhere (an app's bot). */
	readonly identity?: Actor;
	/** Milliseconds since the epoch; for waits that GitHub gives as a time. */
	readonly now?: () => number;
}

/** GitHub's two halves. The reader may go anywhere; the writer only to `publish/apply-publications.ts` (principle 3). */
export interface GitHubHost {
	readonly reader: GitHostReader;
	readonly writer: GitHostWriter;
	/** Runs, artifacts and reactions, for comment commands. */
	readonly activity: GitHostActivity;
	/** Files of another repository, as far as the token may read it. */
	readonly openCommits: (repository: RepositoryRef) => CommitReader;
	/** Commits through the API, signed by GitHub; takes the new files from the objects that were checked. */
	readonly openPusher: (trees: Pick<PatchTrees, "readBlob">) => CommitPusher;
}

/** Opens one repository with one token. Rejects only when the client cannot be loaded. */
export async function createGitHubHost(options: GitHubHostOptions): Promise<GitHubHost> {
	const octokit = await createOctokit(options);
	return {
		reader: createGitHubReader(octokit, options.repository, {
			identity: options.identity,
			isInstallation: options.token.startsWith("ghs_"),
		}),
		writer: createGitHubWriter(octokit, options.repository, options.now ?? Date.now),
		activity: createGitHubActivity(octokit, options.repository, options.now ?? Date.now),
		openCommits: (repository) => createCommitReader(octokit, repository),
		openPusher: (trees) => createApiPusher({ octokit, repository: options.repository, trees, now: options.now ?? Date.now }),
	};
}
