import { askGit, runGit, tryGit } from "./git-command.ts";
import type { LoopbackState, PullIssue, RepositoryRecord, TestMerge } from "./loopback-state.ts";
import { isAncestor, mergeBaseOf, readBranch } from "./read-commits.ts";
import { type DiffFile, readDiff } from "./read-diff.ts";

const MERGE_PERSON = {
	GIT_AUTHOR_NAME: "GitHub",
	GIT_AUTHOR_EMAIL: "noreply@github.com",
	GIT_COMMITTER_NAME: "GitHub",
	GIT_COMMITTER_EMAIL: "noreply@github.com",
};

/**
 * Brings a pull request up to date with its branches: the head is read from the head repository, so a `git push`
 * is seen at once. A deleted head branch or repository, and a closed pull request, keep the last known head.
 */
export async function refreshPull(state: LoopbackState, repository: RepositoryRecord, issue: PullIssue): Promise<void> {
	const { pull } = issue;
	if (issue.state === "closed") return;
	const headRepository = pull.head.repository === null ? undefined : state.repositories.get(pull.head.repository);
	if (headRepository === undefined) return;
	const tip = await readBranch(headRepository.bare, pull.head.ref);
	if (tip === undefined || tip === pull.head.sha) return;
	await state.withLock(repository, async () => {
		const target = `refs/pull/${issue.number}/head`;
		if (headRepository.bare === repository.bare) await runGit(repository.bare, ["update-ref", target, tip]);
		else await runGit(repository.bare, ["fetch", "--quiet", "--no-tags", headRepository.bare, `+${tip}:${target}`]);
		const baseTip = await readBranch(repository.bare, pull.base.ref);
		if (pull.head.sha !== "") issue.updatedAt = state.now();
		pull.head.sha = tip;
		pull.base.sha = baseTip ?? pull.base.sha;
	});
}

/** The commit the pull request's diff starts at; the base's SHA itself when the histories share nothing. */
export async function pullMergeBase(repository: RepositoryRecord, issue: PullIssue, head = issue.pull.head.sha): Promise<string> {
	const baseTip = issue.state === "open" ? await readBranch(repository.bare, issue.pull.base.ref) : undefined;
	const base = baseTip ?? issue.pull.base.sha;
	return (await mergeBaseOf(repository.bare, base, head)) ?? base;
}

const cacheByRepository = new WeakMap<RepositoryRecord, Map<string, Promise<readonly DiffFile[]>>>();

/** A diff of two full SHAs never changes, so the last few are kept: paging over 3,000 files must not run git 30 times. */
export async function cachedDiff(repository: RepositoryRecord, from: string, to: string): Promise<readonly DiffFile[]> {
	const cache = cacheByRepository.get(repository) ?? new Map<string, Promise<readonly DiffFile[]>>();
	cacheByRepository.set(repository, cache);
	const key = `${from} ${to}`;
	const known = cache.get(key);
	if (known !== undefined) return known;
	const made = readDiff(repository.bare, from, to);
	cache.set(key, made);
	const oldest = cache.keys().next().value;
	if (cache.size > 8 && oldest !== undefined) cache.delete(oldest);
	return made;
}

/** The pull request's diff at its head, or as it was at an older commit of it. */
export async function pullFiles(repository: RepositoryRecord, issue: PullIssue, head = issue.pull.head.sha): Promise<readonly DiffFile[]> {
	return cachedDiff(repository, await pullMergeBase(repository, issue, head), head);
}

/** True for the head and for every commit that is on the head branch and not on the base. */
export async function isPullCommit(repository: RepositoryRecord, issue: PullIssue, commit: string): Promise<boolean> {
	if (commit === issue.pull.head.sha) return true;
	if (!/^[0-9a-f]{40}$/.test(commit)) return false;
	if (!(await isAncestor(repository.bare, commit, issue.pull.head.sha))) return false;
	return !(await isAncestor(repository.bare, commit, await pullMergeBase(repository, issue)));
}

/**
 * The test merge: `refs/pull/N/merge` when the branches merge cleanly, no such ref on a conflict (R35).
 * `mergeable` is null for closed pull requests, and when git is older than 2.38 and cannot merge without a checkout.
 */
export async function refreshTestMerge(state: LoopbackState, repository: RepositoryRecord, issue: PullIssue): Promise<TestMerge> {
	const { pull } = issue;
	const base = (await readBranch(repository.bare, pull.base.ref)) ?? pull.base.sha;
	const head = pull.head.sha;
	if (pull.merge?.head === head && pull.merge.base === base) return pull.merge;
	if (issue.state === "closed") return { head, base, commit: pull.merge?.commit ?? null, mergeable: null };
	return state.withLock(repository, async () => {
		const ref = `refs/pull/${issue.number}/merge`;
		const merged = await tryGit(repository.bare, ["merge-tree", "--write-tree", base, head]);
		let commit: string | null = null;
		if (merged.code !== 0) await askGit(repository.bare, ["update-ref", "-d", ref]);
		else {
			const tree = merged.stdout.toString("utf8").trim();
			const message = `Merge ${head} into ${base}`;
			const environment = { ...MERGE_PERSON, GIT_AUTHOR_DATE: "@1700000000 +0000", GIT_COMMITTER_DATE: "@1700000000 +0000" };
			commit = await runGit(repository.bare, ["commit-tree", tree, "-p", base, "-p", head, "-m", message], { environment });
			await runGit(repository.bare, ["update-ref", ref, commit]);
		}
		// Exit code 1 is a conflict; anything else is a git that does not know the command.
		pull.merge = { head, base, commit, mergeable: merged.code === 0 ? true : merged.code === 1 ? false : null };
		return pull.merge;
	});
}
