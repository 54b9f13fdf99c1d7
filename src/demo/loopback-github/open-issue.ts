import { validationFailed } from "./answer.ts";
import { runGit } from "./git-command.ts";
import { type IssueRecord, type LoopbackState, type PullIssue, type RepositoryRecord, repositoryKey } from "./loopback-state.ts";
import { readBranch } from "./read-commits.ts";
import { refreshPull } from "./refresh-pull.ts";

export interface NewIssue {
	readonly title: string;
	readonly body?: string | null;
	readonly author: string;
	readonly labels?: readonly string[];
}

export interface NewPull extends NewIssue {
	/** Branch of the repository. */
	readonly base: string;
	/** Branch of the head repository. */
	readonly head: string;
	/** `owner/name`; the repository itself when left out. */
	readonly headRepository?: string;
	readonly draft?: boolean;
}

function nextNumber(repository: RepositoryRecord): number {
	return Math.max(0, ...repository.issues.keys()) + 1;
}

function newIssueFields(state: LoopbackState, repository: RepositoryRecord, issue: NewIssue): IssueRecord {
	const now = state.now();
	return {
		id: state.nextId(),
		number: nextNumber(repository),
		author: issue.author,
		title: issue.title,
		body: issue.body ?? null,
		state: "open",
		createdAt: now,
		updatedAt: now,
		closedAt: null,
		labels: [...(issue.labels ?? [])],
		assignees: [],
		comments: [],
	};
}

export function openIssue(state: LoopbackState, repository: RepositoryRecord, issue: NewIssue): IssueRecord {
	const record = newIssueFields(state, repository, issue);
	repository.issues.set(record.number, record);
	return record;
}

/** Opens a pull request between two existing branches; throws GitHub's 422 when one is missing or nothing differs. */
export async function openPull(state: LoopbackState, repository: RepositoryRecord, pull: NewPull): Promise<PullIssue> {
	const headKey = repositoryKey(pull.headRepository ?? `${repository.owner}/${repository.name}`);
	const headRepository = state.repositories.get(headKey);
	const baseTip = await readBranch(repository.bare, pull.base);
	if (baseTip === undefined) throw validationFailed("PullRequest", "base", "invalid");
	const headTip = headRepository === undefined ? undefined : await readBranch(headRepository.bare, pull.head);
	if (headRepository === undefined || headTip === undefined) throw validationFailed("PullRequest", "head", "invalid");
	const twin = [...repository.issues.values()].find(
		(issue) =>
			issue.state === "open" &&
			issue.pull?.base.ref === pull.base &&
			issue.pull.head.ref === pull.head &&
			issue.pull.head.repository === headKey,
	);
	if (twin !== undefined) {
		const message = `A pull request already exists for ${headRepository.owner}:${pull.head}.`;
		throw validationFailed("PullRequest", "base", "custom", message);
	}
	const record: PullIssue = {
		...newIssueFields(state, repository, pull),
		pull: {
			base: { ref: pull.base, sha: baseTip },
			head: { ref: pull.head, sha: "", repository: headKey, owner: headRepository.owner },
			draft: pull.draft ?? false,
			mergedAt: null,
			reviews: [],
			reviewComments: [],
			resolved: new Map(),
			merge: undefined,
		},
	};
	await refreshPull(state, repository, record);
	const ahead = await runGit(repository.bare, ["rev-list", "--count", `${baseTip}..${headTip}`]);
	if (ahead === "0") {
		const message = `No commits between ${repository.owner}:${pull.base} and ${headRepository.owner}:${pull.head}`;
		throw validationFailed("PullRequest", "base", "custom", message);
	}
	repository.issues.set(record.number, record);
	return record;
}
