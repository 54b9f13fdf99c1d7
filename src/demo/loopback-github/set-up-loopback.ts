import { join } from "node:path";
import { createBareRepository, writeProtectedBranches } from "./bare-repository.ts";
import { runGit } from "./git-command.ts";
import { addIssueComment } from "./handle-issues.ts";
import type { CreatedRepository, LoopbackSetUp, NewRepository } from "./loopback-github.ts";
import {
	ensureUser,
	findIssue,
	findPull,
	fullNameOf,
	type LoopbackState,
	pickRepository,
	type RepositoryRecord,
	repositoryKey,
	WORKFLOW_BOT,
	type WorkflowRunRecord,
} from "./loopback-state.ts";
import { openIssue, openPull } from "./open-issue.ts";
import { refreshPull } from "./refresh-pull.ts";

async function addRepository(state: LoopbackState, folder: string, options: NewRepository): Promise<CreatedRepository> {
	const parent = options.forkOf === undefined ? undefined : state.repositories.get(repositoryKey(options.forkOf));
	if (options.forkOf !== undefined && parent === undefined) throw new Error(`no repository ${options.forkOf} to fork`);
	const fullName = `${options.owner}/${options.name}`;
	const bare = join(folder, options.owner, `${options.name}.git`);
	const defaultBranch = options.defaultBranch ?? parent?.defaultBranch ?? "main";
	await createBareRepository(bare, defaultBranch);
	for (const source of [parent?.bare, options.from]) {
		if (source !== undefined) await runGit(bare, ["fetch", "--quiet", source, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"]);
	}
	if (!state.users.has(options.owner)) ensureUser(state, options.owner);
	const record: RepositoryRecord = {
		id: state.nextId(),
		owner: options.owner,
		name: options.name,
		private: options.private ?? false,
		defaultBranch,
		bare,
		parent: parent === undefined ? null : repositoryKey(fullNameOf(parent)),
		createdAt: state.now(),
		roles: new Map(),
		labels: new Map(),
		issues: new Map(),
		checks: [],
		suites: new Map(),
		statuses: [],
		artifacts: [],
		workflowRuns: [],
		dispatches: [],
		signedCommits: new Set(),
		protectedBranches: new Set(),
	};
	state.repositories.set(repositoryKey(fullName), record);
	return { bare, cloneUrl: `${state.serverUrl}/${fullName}.git` };
}

function removeRepository(state: LoopbackState, fullName: string): void {
	const key = repositoryKey(fullName);
	state.repositories.delete(key);
	for (const repository of state.repositories.values()) {
		for (const issue of repository.issues.values()) {
			if (issue.pull?.head.repository === key) issue.pull.head.repository = null;
		}
	}
}

/** Everything a rig sets up, as GitHub's users and settings pages would. */
export function createSetUp(state: LoopbackState, folder: () => Promise<string>): LoopbackSetUp {
	return {
		async createRepository(options) {
			return addRepository(state, await folder(), options);
		},
		async deleteRepository(fullName) {
			for (const repository of state.repositories.values()) {
				for (const issue of repository.issues.values()) {
					// The last head is kept in the base repository before its origin goes away.
					if (issue.pull?.head.repository === repositoryKey(fullName))
						await refreshPull(state, repository, findPull(repository, issue.number));
				}
			}
			removeRepository(state, fullName);
		},
		addUser(login, options = {}) {
			const type = options.type ?? (login.endsWith("[bot]") ? "Bot" : "User");
			state.users.set(login, { login, id: options.id ?? state.nextId(), type, name: options.name ?? login });
		},
		addToken(token, { login, type, permissions, kind }) {
			if (!state.users.has(login)) this.addUser(login, type === undefined ? {} : { type });
			state.tokens.set(token, { login, permissions, kind: kind ?? (login === WORKFLOW_BOT.login ? "workflow" : "personal") });
		},
		setPermission(fullName, login, role) {
			ensureUser(state, login);
			pickRepository(state, fullName).roles.set(login.toLowerCase(), role);
		},
		async protectBranch(fullName, branch) {
			const repository = pickRepository(state, fullName);
			repository.protectedBranches.add(branch);
			await writeProtectedBranches(repository.bare, repository.protectedBranches);
		},
		async openPullRequest({ repository, ...pull }) {
			ensureUser(state, pull.author);
			return (await openPull(state, pickRepository(state, repository), pull)).number;
		},
		addIssue({ repository, ...issue }) {
			ensureUser(state, issue.author);
			return openIssue(state, pickRepository(state, repository), issue).number;
		},
		addComment(number, { author, body }, repository) {
			ensureUser(state, author);
			return addIssueComment(state, findIssue(pickRepository(state, repository), number), author, body).id;
		},
		closePullRequest(number, options = {}, repository) {
			const issue = findPull(pickRepository(state, repository), number);
			issue.state = "closed";
			issue.closedAt = state.now();
			if (options.merged === true) issue.pull.mergedAt = issue.closedAt;
		},
		addWorkflowRun(run, fullName) {
			const repository = pickRepository(state, fullName);
			const defaults = { id: state.nextId(), name: "CI", path: ".github/workflows/ci.yml", event: "pull_request", status: "completed" };
			const rest = { conclusion: "success", headRepository: fullNameOf(repository), actor: repository.owner, createdAt: state.now() };
			const record: WorkflowRunRecord = { ...defaults, ...rest, ...run };
			repository.workflowRuns.push(record);
			return record.id;
		},
		addArtifact(artifact, fullName) {
			const record = { ...artifact, id: state.nextId(), createdAt: state.now() };
			pickRepository(state, fullName).artifacts.push(record);
			return record.id;
		},
	};
}
