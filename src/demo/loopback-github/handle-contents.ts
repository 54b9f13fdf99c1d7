import { notFound, ok, textOf, validationFailed } from "./answer.ts";
import { askGit, runGit, runGitBytes } from "./git-command.ts";
import { type Call, type HandlerTable, loginOf, repositoryOf } from "./handler.ts";
import { GITHUB_COMMITTER, identityOf, requireWorkflowAccess } from "./handle-git-data.ts";
import { type Answer, HttpProblem, type JsonObject } from "./loopback-types.ts";
import type { RepositoryRecord } from "./loopback-state.ts";
import { readBranch, readCommit, resolveCommit } from "./read-commits.ts";
import { renderGitCommit } from "./render-commit.ts";
import { repositoryPage, repositoryUrl } from "./render-repository.ts";
import { moveRef, writeBlob, writeCommit, writeTree } from "./write-commit.ts";

interface TreeEntry {
	readonly mode: string;
	readonly type: string;
	readonly sha: string;
	readonly size: number;
	readonly path: string;
}

/** Up to this size the content is in the answer; above it `content` is empty and `encoding` is `none`. */
const INLINE_BYTES = 1_000_000;

function parseEntries(text: string): TreeEntry[] {
	return text
		.split("\0")
		.filter((line) => line !== "")
		.map((line) => {
			const [mode, type, sha, size] = line.slice(0, line.indexOf("\t")).split(/ +/);
			return { mode: mode ?? "", type: type ?? "", sha: sha ?? "", size: Number(size) || 0, path: line.slice(line.indexOf("\t") + 1) };
		});
}

function contentType(entry: TreeEntry): string {
	if (entry.type === "tree") return "dir";
	if (entry.type === "commit") return "submodule";
	return entry.mode === "120000" ? "symlink" : "file";
}

function renderEntry(call: Call, repository: RepositoryRecord, ref: string, entry: TreeEntry): JsonObject {
	const api = repositoryUrl(call.state, repository);
	const path = entry.path.split("/").map(encodeURIComponent).join("/");
	const self = `${api}/contents/${path}?ref=${encodeURIComponent(ref)}`;
	const git = `${api}/git/${entry.type}s/${entry.sha}`;
	const html = `${repositoryPage(call.state, repository)}/${entry.type}/${encodeURIComponent(ref)}/${path}`;
	return {
		name: entry.path.split("/").at(-1) ?? "",
		path: entry.path,
		sha: entry.sha,
		size: entry.size,
		url: self,
		html_url: html,
		git_url: git,
		download_url: entry.type === "blob" ? `${repositoryPage(call.state, repository)}/raw/${encodeURIComponent(ref)}/${path}` : null,
		type: contentType(entry),
		_links: { self, git, html },
	};
}

/** Base64 with line feeds, as GitHub sends it: clients must not rely on one line. */
function base64Lines(bytes: Buffer): string {
	return bytes
		.toString("base64")
		.replace(/.{60}/g, "$&\n")
		.replace(/([^\n])$/, "$1\n");
}

async function answerFile(call: Call, repository: RepositoryRecord, ref: string, entry: TreeEntry): Promise<Answer> {
	const rendered = renderEntry(call, repository, ref, entry);
	if (entry.type === "commit") return ok({ ...rendered, submodule_git_url: "" });
	const bytes = await runGitBytes(repository.bare, ["cat-file", "blob", entry.sha]);
	if (call.media === "raw") return { status: 200, bytes, headers: { "content-type": "application/vnd.github.v3.raw; charset=utf-8" } };
	if (entry.mode === "120000") return ok({ ...rendered, target: bytes.toString("utf8") });
	const inline = bytes.length <= INLINE_BYTES;
	return ok({ ...rendered, content: inline ? base64Lines(bytes) : "", encoding: inline ? "base64" : "none" });
}

export const CONTENT_HANDLERS: HandlerTable = {
	"repos/get-content": async (call) => {
		const repository = repositoryOf(call);
		const ref = call.query["ref"] ?? repository.defaultBranch;
		const path = (call.parameters["path"] ?? "").replace(/\/+$/, "");
		const commit = await resolveCommit(repository.bare, ref.replace(/^refs\//, ""));
		if (commit === undefined) throw new HttpProblem(404, { message: `No commit found for the ref ${ref}` });
		if (path === "" || path === ".") {
			const root = parseEntries(await runGit(repository.bare, ["ls-tree", "-z", "-l", commit]));
			return ok(root.map((entry) => renderEntry(call, repository, ref, entry)));
		}
		const [entry] = parseEntries(await runGit(repository.bare, ["--literal-pathspecs", "ls-tree", "-z", "-l", commit, "--", path]));
		if (entry === undefined) throw notFound();
		if (entry.type !== "tree") return answerFile(call, repository, ref, entry);
		const list = parseEntries(await runGit(repository.bare, ["ls-tree", "-z", "-l", entry.sha]));
		return ok(list.map((item) => renderEntry(call, repository, ref, { ...item, path: `${path}/${item.path}` })));
	},
	"repos/create-or-update-file-contents": async (call) => {
		const repository = repositoryOf(call);
		const branch = textOf(call.body, "branch") ?? repository.defaultBranch;
		const path = call.parameters["path"] ?? "";
		requireWorkflowAccess(call, [path]);
		return call.state.withLock(repository, async () => {
			const head = await readBranch(repository.bare, branch);
			if (head === undefined) throw new HttpProblem(404, { message: `Branch ${branch} not found` });
			const before = await askGit(repository.bare, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${head}:${path}`]);
			const given = textOf(call.body, "sha");
			const verb = before === undefined ? "create" : "update";
			if (repository.protectedBranches.has(branch)) {
				throw new HttpProblem(409, { message: `Could not ${verb} file: Changes must be made through a pull request.` });
			}
			if (before !== undefined && given === undefined)
				throw new HttpProblem(422, { message: 'Invalid request.\n\n"sha" wasn\'t supplied.' });
			if (given !== undefined && given !== before) throw new HttpProblem(409, { message: `${path} does not match ${given}` });
			const content = textOf(call.body, "content") ?? "";
			if (!/^[A-Za-z0-9+/\s]*=*\s*$/.test(content)) throw validationFailed("Content", "content", "invalid", "content is not valid Base64");
			const blob = await writeBlob(repository.bare, Buffer.from(content, "base64"));
			const tree = await writeTree(repository.bare, head, [{ path, mode: "100644", sha: blob }]);
			const message = textOf(call.body, "message") ?? "";
			const author = identityOf(call.state, loginOf(call));
			const sha = await writeCommit(repository.bare, { tree, parents: [head], message, author, committer: GITHUB_COMMITTER });
			await moveRef(repository.bare, `refs/heads/${branch}`, sha, head);
			repository.signedCommits.add(sha);
			const commit = await readCommit(repository.bare, sha);
			if (commit === undefined) throw notFound();
			const size = Buffer.from(content, "base64").length;
			const entry = renderEntry(call, repository, branch, { mode: "100644", type: "blob", sha: blob, size, path });
			const body = { content: entry, commit: renderGitCommit(call.state, repository, commit) };
			return { status: before === undefined ? 201 : 200, body };
		});
	},
};
