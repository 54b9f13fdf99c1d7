import { noContent, notFound, ok, pageOf, textOf } from "./answer.ts";
import { runGit } from "./git-command.ts";
import { type Call, type HandlerTable, repositoryOf } from "./handler.ts";
import { type Answer, HttpProblem, type JsonObject, type RoleName } from "./loopback-types.ts";
import { type RepositoryRecord, roleOf } from "./loopback-state.ts";
import { type CommitFacts, listCommits, mergeBaseOf, readBranch, readCommit, resolveCommit } from "./read-commits.ts";
import { type DiffFile, readDiff, readDiffText, readPatchText } from "./read-diff.ts";
import { cachedDiff } from "./refresh-pull.ts";
import { renderCommit, renderDiffFile } from "./render-commit.ts";
import { renderFullRepository, renderUser, repositoryPage, repositoryUrl } from "./render-repository.ts";

/** Compare and commit answers hold at most this many files, all on the first page. */
const COMPARED_FILES = 300;

async function commitOf(repository: RepositoryRecord, name: string): Promise<CommitFacts> {
	const sha = await resolveCommit(repository.bare, name);
	const commit = sha === undefined ? undefined : await readCommit(repository.bare, sha);
	if (commit === undefined) throw new HttpProblem(422, { message: `No commit found for SHA: ${name}` });
	return commit;
}

async function commitFiles(repository: RepositoryRecord, commit: CommitFacts): Promise<readonly DiffFile[]> {
	const parent = commit.parents[0];
	if (parent !== undefined) return cachedDiff(repository, parent, commit.sha);
	const empty = await runGit(repository.bare, ["hash-object", "-t", "tree", "-w", "--stdin"], { input: "" });
	return readDiff(repository.bare, empty, commit.sha);
}

function sum(files: readonly DiffFile[], key: "additions" | "deletions"): number {
	return files.reduce((total, file) => total + file[key], 0);
}

/** A compared end: `branch`, or `owner:branch` of a fork, whose commits must have been fetched already. */
async function comparedEnd(call: Call, repository: RepositoryRecord, name: string): Promise<CommitFacts> {
	const [owner, branch] = name.includes(":") ? name.split(":", 2) : [undefined, name];
	const source =
		owner === undefined || owner === repository.owner
			? repository
			: [...call.state.repositories.values()].find((candidate) => candidate.owner === owner && candidate.parent !== null);
	const sha = source === undefined ? undefined : await resolveCommit(source.bare, branch ?? "");
	if (source === undefined || sha === undefined) throw notFound();
	if (source !== repository) await runGit(repository.bare, ["fetch", "--quiet", "--no-tags", source.bare, sha]);
	return commitOf(repository, sha);
}

async function compare(call: Call): Promise<Answer> {
	const repository = repositoryOf(call);
	const basehead = call.parameters["basehead"] ?? "";
	const [baseName, headName] = basehead.split("...", 2);
	if (headName === undefined) throw notFound();
	const [base, head] = [await comparedEnd(call, repository, baseName ?? ""), await comparedEnd(call, repository, headName)];
	const mergeBaseSha = await mergeBaseOf(repository.bare, base.sha, head.sha);
	if (mergeBaseSha === undefined) throw new HttpProblem(404, { message: `No common ancestor between ${baseName ?? ""} and ${headName}.` });
	if (call.media === "diff" || call.media === "patch") {
		const read = call.media === "diff" ? readDiffText : readPatchText;
		const bytes = await read(repository.bare, mergeBaseSha, head.sha);
		return { status: 200, bytes, headers: { "content-type": `application/vnd.github.v3.${call.media}; charset=utf-8` } };
	}
	const commits = await listCommits(repository.bare, ["--reverse", `${base.sha}..${head.sha}`]);
	const behind = Number(await runGit(repository.bare, ["rev-list", "--count", `${head.sha}..${base.sha}`]));
	const files = (await cachedDiff(repository, mergeBaseSha, head.sha)).slice(0, COMPARED_FILES);
	const page = pageOf(commits, call);
	const first = (call.query["page"] ?? "1") === "1";
	const url = `${repositoryUrl(call.state, repository)}/compare/${basehead}`;
	const html = `${repositoryPage(call.state, repository)}/compare/${basehead}`;
	const status = commits.length === 0 ? (behind === 0 ? "identical" : "behind") : behind === 0 ? "ahead" : "diverged";
	return ok(
		{
			url,
			html_url: html,
			permalink_url: html,
			diff_url: `${html}.diff`,
			patch_url: `${html}.patch`,
			base_commit: renderCommit(call.state, repository, base),
			merge_base_commit: renderCommit(call.state, repository, await commitOf(repository, mergeBaseSha)),
			status,
			ahead_by: commits.length,
			behind_by: behind,
			total_commits: commits.length,
			commits: page.items.map((commit) => renderCommit(call.state, repository, commit)),
			...(first ? { files: files.map((file) => renderDiffFile(call.state, repository, head.sha, file)) } : {}),
		},
		page.headers,
	);
}

async function getCommit(call: Call): Promise<Answer> {
	const repository = repositoryOf(call);
	const commit = await commitOf(repository, call.parameters["ref"] ?? "");
	if (call.media === "diff" || call.media === "patch") {
		const bytes = await readDiffText(repository.bare, commit.parents[0] ?? commit.sha, commit.sha);
		return { status: 200, bytes, headers: { "content-type": `application/vnd.github.v3.${call.media}; charset=utf-8` } };
	}
	const files = await commitFiles(repository, commit);
	const [additions, deletions] = [sum(files, "additions"), sum(files, "deletions")];
	const page = pageOf(files, call);
	return ok(
		{
			...renderCommit(call.state, repository, commit),
			stats: { additions, deletions, total: additions + deletions },
			files: page.items.map((file) => renderDiffFile(call.state, repository, commit.sha, file)),
		},
		page.headers,
	);
}

function protection(call: Call, repository: RepositoryRecord, branch: string): JsonObject {
	const url = `${repositoryUrl(call.state, repository)}/branches/${branch}/protection`;
	return {
		url,
		required_pull_request_reviews: {
			url: `${url}/required_pull_request_reviews`,
			dismiss_stale_reviews: false,
			require_code_owner_reviews: false,
			required_approving_review_count: 1,
			require_last_push_approval: false,
		},
		required_signatures: { url: `${url}/required_signatures`, enabled: false },
		enforce_admins: { url: `${url}/enforce_admins`, enabled: true },
		required_linear_history: { enabled: false },
		allow_force_pushes: { enabled: false },
		allow_deletions: { enabled: false },
	};
}

/** The word GitHub derives from a role: maintain counts as write, triage as read. */
function permissionOf(role: RoleName): string {
	if (role === "maintain") return "write";
	return role === "triage" ? "read" : role;
}

function getPermission(call: Call): Answer {
	const repository = repositoryOf(call);
	const login = call.parameters["username"] ?? "";
	const user = [...call.state.users.values()].find((candidate) => candidate.login.toLowerCase() === login.toLowerCase());
	if (user === undefined) throw notFound();
	// Apps are no users: the answer names the login, not the missing permission.
	if (user.type === "Bot" && !repository.roles.has(login.toLowerCase())) throw new HttpProblem(404, { message: `${login} is not a user` });
	const role = roleOf(repository, user.login);
	const rank = ["none", "read", "triage", "write", "maintain", "admin"].indexOf(role);
	const permissions = { pull: rank >= 1, triage: rank >= 2, push: rank >= 3, maintain: rank >= 4, admin: rank >= 5 };
	return ok({
		permission: permissionOf(role),
		role_name: role,
		user: { ...renderUser(call.state, user.login), permissions, role_name: role },
	});
}

export const REPOSITORY_HANDLERS: HandlerTable = {
	"repos/get": async (call) => ok(renderFullRepository(call.state, repositoryOf(call))),
	"repos/get-commit": getCommit,
	"repos/compare-commits-with-basehead": compare,
	"repos/list-commits": async (call) => {
		const repository = repositoryOf(call);
		const commit = await commitOf(repository, call.query["sha"] ?? repository.defaultBranch);
		const path = call.query["path"];
		const commits = await listCommits(repository.bare, ["-n", "1000", commit.sha, ...(path === undefined ? [] : ["--", path])]);
		const page = pageOf(commits, call);
		return ok(
			page.items.map((item) => renderCommit(call.state, repository, item)),
			page.headers,
		);
	},
	"repos/list-branches": async (call) => {
		const repository = repositoryOf(call);
		const lines = await runGit(repository.bare, ["for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/heads"]);
		const branches = lines
			.split("\n")
			.filter((line) => line !== "")
			.map((line) => ({ sha: line.slice(0, 40), name: line.slice(41) }));
		const page = pageOf(branches, call);
		const url = `${repositoryUrl(call.state, repository)}/commits`;
		return ok(
			page.items.map(({ sha, name }) => ({
				name,
				commit: { sha, url: `${url}/${sha}` },
				protected: repository.protectedBranches.has(name),
			})),
			page.headers,
		);
	},
	"repos/get-branch": async (call) => {
		const repository = repositoryOf(call);
		const name = call.parameters["branch"] ?? "";
		const sha = await readBranch(repository.bare, name);
		if (sha === undefined) throw new HttpProblem(404, { message: "Branch not found" });
		const url = `${repositoryUrl(call.state, repository)}/branches/${name}`;
		const isProtected = repository.protectedBranches.has(name);
		return ok({
			name,
			commit: renderCommit(call.state, repository, await commitOf(repository, sha)),
			_links: { self: url, html: `${repositoryPage(call.state, repository)}/tree/${name}` },
			protected: isProtected,
			protection: { enabled: isProtected, required_status_checks: { enforcement_level: "off", contexts: [], checks: [] } },
			protection_url: `${url}/protection`,
		});
	},
	"repos/get-branch-protection": async (call) => {
		const repository = repositoryOf(call);
		const branch = call.parameters["branch"] ?? "";
		if (!repository.protectedBranches.has(branch)) throw new HttpProblem(404, { message: "Branch not protected" });
		return ok(protection(call, repository, branch));
	},
	"repos/get-collaborator-permission-level": async (call) => getPermission(call),
	"repos/create-dispatch-event": async (call) => {
		const { event_type: eventType, client_payload: payload } = call.body;
		repositoryOf(call).dispatches.push({ event: "repository_dispatch", event_type: eventType, client_payload: payload ?? {} });
		return noContent();
	},
	"actions/create-workflow-dispatch": async (call) => {
		const repository = repositoryOf(call);
		const ref = textOf(call.body, "ref") ?? "";
		if ((await resolveCommit(repository.bare, ref.replace(/^refs\//, ""))) === undefined) {
			throw new HttpProblem(422, { message: `No ref found for: ${ref}` });
		}
		repository.dispatches.push({
			event: "workflow_dispatch",
			workflow: call.parameters["workflow_id"],
			ref,
			inputs: call.body["inputs"] ?? {},
		});
		return noContent();
	},
};
