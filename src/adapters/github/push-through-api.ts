import type { Octokit } from "@octokit/rest";
import type { RepositoryRef, Sha } from "../../domain/ids.ts";
import { type CommitRequest, type PushOutcome, requireForward } from "../../domain/patch.ts";
import type { CommitPusher, PatchTrees } from "../../seams.ts";
import { mapWriteError } from "./map-write-error.ts";

/** A POST that got no answer is looked up and never repeated blindly (BR-45). */
const request = { retries: 0 };

export interface ApiPusherOptions {
	readonly octokit: Octokit;
	readonly repository: RepositoryRef;
	/** Reads the new files: the commit is made from the very objects that were checked. */
	readonly trees: Pick<PatchTrees, "readBlob">;
	readonly now: () => number;
}

type Target = { readonly owner: string; readonly repo: string };

/**
 * Commits through GitHub's git data API. Nobody is named as author, so that GitHub signs the commit for the token's own
 * account and shows it as verified; files of any mode and content can be written, which `createCommitOnBranch` cannot.
 */
export function createApiPusher(options: ApiPusherOptions): CommitPusher {
	const target = { owner: options.repository.owner, repo: options.repository.name };
	const readBranch = async (branch: string): Promise<Sha | null> => {
		try {
			const { data } = await options.octokit.rest.git.getRef({ ...target, ref: `heads/${branch}` });
			return data.object.sha;
		} catch (error) {
			if (error instanceof Error && "status" in error && error.status === 404) return null;
			throw error;
		}
	};
	return {
		way: "api",
		readBranch,
		async push(commit) {
			requireForward(commit);
			try {
				const at = await readBranch(commit.branch);
				if (at !== commit.expected) return standsElsewhere(commit, at);
				const made = await writeCommit(commit, options, target);
				return await moveBranch(commit, made, { octokit: options.octokit, target, readBranch });
			} catch (error) {
				return toRefusal(error, options.now());
			}
		},
	};
}

function standsElsewhere({ branch, expected }: CommitRequest, at: Sha | null): PushOutcome {
	if (expected === null) return { ok: false, reason: "taken", message: `there is a branch ${branch} already` };
	return {
		ok: false,
		reason: "stale",
		message: at === null ? `the branch ${branch} is gone` : `${branch} is at ${at}, not at ${expected}`,
	};
}

interface Made {
	readonly sha: Sha;
	readonly verified: boolean;
}

async function writeCommit(commit: CommitRequest, { octokit, trees }: ApiPusherOptions, target: Target): Promise<Made> {
	const entries = [];
	for (const file of commit.change.files) {
		// A rename is a file that is gone and one that is new.
		if (file.status === "renamed" && file.previousPath !== undefined) entries.push(gone(file.previousPath));
		if (file.status === "deleted") {
			entries.push(gone(file.path));
			continue;
		}
		const content = await trees.readBlob(file.newBlob);
		if (content === undefined) throw new Error(`the new content of ${file.path} is not there`);
		const { data } = await octokit.rest.git.createBlob({ ...target, request, content: content.toString("base64"), encoding: "base64" });
		entries.push({ path: file.path, mode: file.newMode as "100644" | "100755", type: "blob" as const, sha: data.sha });
	}
	const [first] = commit.parents;
	const { data: tree } = await octokit.rest.git.createTree({ ...target, request, base_tree: first, tree: entries });
	if (tree.sha !== commit.change.tree) throw new Error(`GitHub made another tree (${tree.sha}) than the one that was checked`);
	const { data } = await octokit.rest.git.createCommit({
		...target,
		request,
		message: commit.message,
		tree: tree.sha,
		parents: [...commit.parents],
	});
	return { sha: data.sha, verified: data.verification?.verified === true };
}

function gone(path: string) {
	return { path, mode: "100644" as const, type: "blob" as const, sha: null };
}

interface Branches {
	readonly octokit: Octokit;
	readonly target: Target;
	readBranch(branch: string): Promise<Sha | null>;
}

/** GitHub refuses an update that is no fast-forward; since the commit goes on from `expected`, that is the lease. */
async function moveBranch(commit: CommitRequest, made: Made, { octokit, target, readBranch }: Branches): Promise<PushOutcome> {
	const { branch, expected } = commit;
	try {
		if (expected === null) await octokit.rest.git.createRef({ ...target, request, ref: `refs/heads/${branch}`, sha: made.sha });
		else await octokit.rest.git.updateRef({ ...target, request, ref: `heads/${branch}`, sha: made.sha, force: false });
	} catch (error) {
		const at = await readBranch(branch).catch(() => undefined);
		if (at !== made.sha) {
			if (at !== undefined && at !== expected) return standsElsewhere(commit, at);
			const clash = expected === null ? await findClash(branch, octokit, target) : undefined;
			if (clash !== undefined) return { ok: false, reason: "taken", message: `there is a branch ${clash} already` };
			throw error;
		}
	}
	return { ok: true, commit: made.sha, signed: made.verified };
}

/** A branch cannot be a folder of branches; GitHub says only that the reference could not be made (BR-49). */
async function findClash(branch: string, octokit: Octokit, target: Target): Promise<string | undefined> {
	const parts = branch.split("/");
	for (let depth = 1; depth < parts.length; depth += 1) {
		const above = parts.slice(0, depth).join("/");
		const { data } = await octokit.rest.git.listMatchingRefs({ ...target, ref: `heads/${above}` });
		if (data.some((found) => found.ref === `refs/heads/${above}`)) return above;
	}
	const { data } = await octokit.rest.git.listMatchingRefs({ ...target, ref: `heads/${branch}/` });
	return data[0]?.ref.replace(/^refs\/heads\//, "");
}

function toRefusal(error: unknown, now: number): PushOutcome {
	const { reason, status, message } = mapWriteError(error, now);
	if (status === 0 && error instanceof Error) throw error;
	const rule = /protected branch|rule violations|through a pull request|GH0(?:06|13)|reference (?:update|cannot)/i.test(message);
	if (rule) return { ok: false, reason: "protected", message };
	if (/workflow/i.test(message)) return { ok: false, reason: "workflow", message };
	if (reason === "limited") return { ok: false, reason: "refused", message };
	return { ok: false, reason, message };
}
