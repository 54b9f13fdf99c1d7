import { created, noContent, notFound, ok, pageOf, textOf, listOf } from "./answer.ts";
import { askGit, runGit, runGitBytes } from "./git-command.ts";
import { type Call, type HandlerTable, loginOf, repositoryOf } from "./handler.ts";
import { HttpProblem, type JsonObject } from "./loopback-types.ts";
import { ensureUser, type LoopbackState, type RepositoryRecord } from "./loopback-state.ts";
import { isAncestor, readCommit } from "./read-commits.ts";
import { renderGitCommit } from "./render-commit.ts";
import { nodeId, repositoryUrl } from "./render-repository.ts";
import { type CommitIdentity, moveRef, touchesWorkflows, type TreeChange, writeBlob, writeCommit, writeTree } from "./write-commit.ts";

function refused(message: string): HttpProblem {
	return new HttpProblem(422, { message });
}

/** The identity GitHub writes when a request names nobody. */
export function identityOf(state: LoopbackState, login: string): CommitIdentity {
	const user = ensureUser(state, login);
	return { name: user.login, email: `${user.id}+${user.login}@users.noreply.github.com` };
}

export const GITHUB_COMMITTER: CommitIdentity = { name: "GitHub", email: "noreply@github.com" };

/** May the token change workflow files? A workflow's own token never may (BR-50). */
export function requireWorkflowAccess(call: Call, paths: readonly string[]): void {
	if (!touchesWorkflows(paths)) return;
	const permissions = call.viewer?.permissions;
	const allowed = permissions === "admin" || (typeof permissions === "object" && permissions.workflows === "write");
	if (!allowed) throw new HttpProblem(403, { message: "Resource not accessible by integration" });
}

function refName(call: Call): string {
	return `refs/${call.parameters["ref"] ?? ""}`;
}

async function renderRef(state: LoopbackState, repository: RepositoryRecord, ref: string): Promise<JsonObject | undefined> {
	const line = await askGit(repository.bare, ["for-each-ref", "--format=%(refname) %(objecttype) %(objectname)", ref]);
	const exact = (line ?? "").split("\n").find((candidate) => candidate.startsWith(`${ref} `));
	if (exact === undefined) return undefined;
	const [, type, sha] = exact.split(" ");
	const api = repositoryUrl(state, repository);
	return {
		ref,
		node_id: nodeId("REF", repository.id, ref),
		url: `${api}/git/${ref}`,
		object: { sha, type, url: `${api}/git/${type ?? "commit"}s/${sha ?? ""}` },
	};
}

function requireUnprotected(repository: RepositoryRecord, ref: string, message: string): void {
	if (repository.protectedBranches.has(ref.replace(/^refs\/heads\//, ""))) throw refused(message);
}

function identityFrom(value: unknown): CommitIdentity | undefined {
	if (typeof value !== "object" || value === null) return undefined;
	const { name, email, date } = value as { name?: unknown; email?: unknown; date?: unknown };
	if (typeof name !== "string" || typeof email !== "string") return undefined;
	return typeof date === "string" ? { name, email, date } : { name, email };
}

async function treeChanges(call: Call, repository: RepositoryRecord): Promise<TreeChange[]> {
	const changes: TreeChange[] = [];
	for (const entry of listOf(call.body, "tree") as readonly JsonObject[]) {
		const path = textOf(entry, "path");
		const content = textOf(entry, "content");
		if (path === undefined || path.startsWith("/") || path.split("/").includes(".."))
			throw refused("tree.path contains a malformed path component");
		const sha = content === undefined ? (textOf(entry, "sha") ?? null) : await writeBlob(repository.bare, Buffer.from(content));
		if (sha !== null && entry["type"] !== "commit" && (await askGit(repository.bare, ["cat-file", "-e", sha])) === undefined) {
			throw refused(`tree.sha ${sha} is not a valid blob`);
		}
		changes.push({ path, mode: textOf(entry, "mode") ?? "100644", sha });
	}
	return changes;
}

async function renderTree(call: Call, repository: RepositoryRecord, sha: string, recursive: boolean): Promise<JsonObject> {
	const api = repositoryUrl(call.state, repository);
	const args = ["ls-tree", "-z", "-l", ...(recursive ? ["-r", "-t"] : []), sha];
	const entries = (await runGit(repository.bare, args)).split("\0").filter((line) => line !== "");
	const tree = entries.map((line) => {
		const [head, path] = [line.slice(0, line.indexOf("\t")), line.slice(line.indexOf("\t") + 1)];
		const [mode, type, id, size] = head.split(/ +/);
		const sized = type === "blob" ? { size: Number(size) } : {};
		return { path, mode, type, sha: id, ...sized, url: `${api}/git/${type ?? "blob"}s/${id ?? ""}` };
	});
	return { sha, url: `${api}/git/trees/${sha}`, tree, truncated: false };
}

export const REF_HANDLERS: HandlerTable = {
	"git/get-ref": async (call) => {
		const found = await renderRef(call.state, repositoryOf(call), refName(call));
		if (found === undefined) throw notFound();
		return ok(found);
	},
	"git/list-matching-refs": async (call) => {
		const repository = repositoryOf(call);
		const names = (await runGit(repository.bare, ["for-each-ref", "--format=%(refname)"])).split("\n");
		const refs = await Promise.all(
			names.filter((name) => name.startsWith(refName(call))).map((name) => renderRef(call.state, repository, name)),
		);
		const page = pageOf(refs, call);
		return ok(page.items, page.headers);
	},
	"git/create-ref": async (call) => {
		const repository = repositoryOf(call);
		const ref = textOf(call.body, "ref") ?? "";
		const sha = textOf(call.body, "sha") ?? "";
		if (!/^refs\/[^/]+\/.+/.test(ref) || (await askGit(repository.bare, ["check-ref-format", ref])) === undefined) {
			throw refused("Reference name is invalid");
		}
		requireUnprotected(repository, ref, "Reference update failed");
		if ((await askGit(repository.bare, ["cat-file", "-e", sha])) === undefined) throw refused("Object does not exist");
		return call.state.withLock(repository, async () => {
			if (!(await moveRef(repository.bare, ref, sha, ""))) throw refused("Reference already exists");
			return created(await renderRef(call.state, repository, ref));
		});
	},
	"git/update-ref": async (call) => {
		const repository = repositoryOf(call);
		const ref = refName(call);
		const sha = textOf(call.body, "sha") ?? "";
		requireUnprotected(repository, ref, "Changes must be made through a pull request.");
		return call.state.withLock(repository, async () => {
			const before = await askGit(repository.bare, ["rev-parse", "--verify", "--quiet", "--end-of-options", ref]);
			if (before === undefined) throw refused("Reference does not exist");
			if ((await askGit(repository.bare, ["cat-file", "-e", sha])) === undefined) throw refused("Object does not exist");
			const forward = await isAncestor(repository.bare, before, sha);
			if (!forward && call.body["force"] !== true) throw refused("Update is not a fast forward");
			if (!(await moveRef(repository.bare, ref, sha, before))) throw refused("Reference cannot be updated");
			return ok(await renderRef(call.state, repository, ref));
		});
	},
	"git/delete-ref": async (call) => {
		const repository = repositoryOf(call);
		const ref = refName(call);
		requireUnprotected(repository, ref, "Cannot delete this branch");
		if ((await renderRef(call.state, repository, ref)) === undefined) throw refused("Reference does not exist");
		await call.state.withLock(repository, async () => runGit(repository.bare, ["update-ref", "-d", ref]));
		return noContent();
	},
};

export const OBJECT_HANDLERS: HandlerTable = {
	"git/create-blob": async (call) => {
		const repository = repositoryOf(call);
		const encoding = textOf(call.body, "encoding") === "base64" ? "base64" : "utf8";
		const sha = await writeBlob(repository.bare, Buffer.from(textOf(call.body, "content") ?? "", encoding));
		return created({ url: `${repositoryUrl(call.state, repository)}/git/blobs/${sha}`, sha });
	},
	"git/get-blob": async (call) => {
		const repository = repositoryOf(call);
		const sha = call.parameters["file_sha"] ?? "";
		if ((await askGit(repository.bare, ["cat-file", "-t", sha])) !== "blob") throw notFound();
		const bytes = await runGitBytes(repository.bare, ["cat-file", "blob", sha]);
		if (call.media === "raw") return { status: 200, bytes, headers: { "content-type": "application/vnd.github.v3.raw; charset=utf-8" } };
		return ok({
			sha,
			node_id: nodeId("B", repository.id, sha),
			size: bytes.length,
			url: `${repositoryUrl(call.state, repository)}/git/blobs/${sha}`,
			content: bytes.toString("base64"),
			encoding: "base64",
		});
	},
	"git/create-tree": async (call) => {
		const repository = repositoryOf(call);
		const base = textOf(call.body, "base_tree");
		const tree =
			base === undefined
				? undefined
				: await askGit(repository.bare, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${base}^{tree}`]);
		if (base !== undefined && tree === undefined) throw refused("base_tree is not a valid tree oid");
		const changes = await treeChanges(call, repository);
		requireWorkflowAccess(
			call,
			changes.map((change) => change.path),
		);
		return created(await renderTree(call, repository, await writeTree(repository.bare, tree, changes), false));
	},
	"git/get-tree": async (call) => {
		const repository = repositoryOf(call);
		const name = call.parameters["tree_sha"] ?? "";
		const sha = await askGit(repository.bare, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{tree}`]);
		if (sha === undefined) throw notFound();
		return ok(await renderTree(call, repository, sha, call.query["recursive"] !== undefined));
	},
	"git/create-commit": async (call) => {
		const repository = repositoryOf(call);
		const author = identityFrom(call.body["author"]);
		const committer = identityFrom(call.body["committer"]);
		const tree = textOf(call.body, "tree") ?? "";
		if ((await askGit(repository.bare, ["cat-file", "-t", tree])) !== "tree") throw refused("Tree SHA does not exist");
		const own = identityOf(call.state, loginOf(call));
		const sha = await writeCommit(repository.bare, {
			tree,
			parents: listOf(call.body, "parents").map(String),
			message: textOf(call.body, "message") ?? "",
			author: author ?? own,
			committer: committer ?? author ?? GITHUB_COMMITTER,
		});
		if (author === undefined && committer === undefined && call.viewer?.kind !== "personal") repository.signedCommits.add(sha);
		const commit = await readCommit(repository.bare, sha);
		if (commit === undefined) throw notFound();
		return created(renderGitCommit(call.state, repository, commit));
	},
	"git/get-commit": async (call) => {
		const repository = repositoryOf(call);
		const commit = await readCommit(repository.bare, call.parameters["commit_sha"] ?? "");
		if (commit === undefined) throw notFound();
		return ok(renderGitCommit(call.state, repository, commit));
	},
};
