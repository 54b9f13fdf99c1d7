import { rm } from "node:fs/promises";
import { createServer } from "node:net";
import { Octokit } from "@octokit/rest";
import { createEmulator } from "emulate";
import { expect, it } from "vitest";
import { startLoopbackGitHub } from "../../../src/demo/loopback-github/start-loopback-github.ts";
import { commit, git, temporaryFolder } from "./rig.ts";

const at = { owner: "octocat", repo: "hello" };

async function freePort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	await new Promise((resolve) => server.close(resolve));
	return typeof address === "object" && address !== null ? address.port : 0;
}

/** One client, one story; what comes back is told without ids, times and addresses. */
async function tellStory(client: Octokit): Promise<readonly unknown[]> {
	const told: unknown[] = [];
	const { data: issue } = await client.issues.create({ ...at, title: "Slow" });
	const issue_number = issue.number;
	told.push(["issue", issue.state, issue.user?.login, issue.title]);
	const { data: comment, status } = await client.issues.createComment({ ...at, issue_number, body: "first" });
	told.push(["comment", status, comment.body, comment.user?.login]);
	told.push(["updated", (await client.issues.updateComment({ ...at, comment_id: comment.id, body: "second" })).data.body]);
	for (let index = 0; index < 104; index += 1) await client.issues.createComment({ ...at, issue_number, body: String(index) });
	const paged = await client.paginate(client.issues.listComments, { ...at, issue_number, per_page: 50 });
	told.push(["paged", paged.map((item) => item.body)]);
	await client.issues.deleteComment({ ...at, comment_id: comment.id });
	told.push(["left", (await client.paginate(client.issues.listComments, { ...at, issue_number, per_page: 100 })).length]);
	await client.issues.addLabels({ ...at, issue_number, labels: ["bug", "slow"] });
	told.push(["labels", (await client.issues.listLabelsOnIssue({ ...at, issue_number })).data.map((label) => label.name).sort()]);
	const { data: blob } = await client.git.createBlob({ ...at, content: "hello\n", encoding: "utf-8" });
	const tree = [
		{ path: "deep/hello.txt", mode: "100644" as const, type: "blob" as const, sha: blob.sha },
		{ path: "run.sh", mode: "100755" as const, type: "blob" as const, content: "#!/bin/sh\n" },
	];
	const { data: made } = await client.git.createTree({ ...at, tree });
	told.push(["objects", blob.sha, made.sha]);
	const head = (await client.git.getRef({ ...at, ref: "heads/main" })).data.object.sha;
	const author = { name: "Ada", email: "ada@example.com", date: "2026-01-01T00:00:00Z" };
	const { data: next } = await client.git.createCommit({
		...at,
		message: "Next",
		tree: made.sha,
		parents: [head],
		author,
		committer: author,
	});
	await client.git.createRef({ ...at, ref: "refs/heads/next", sha: next.sha });
	told.push(["commit", next.tree.sha, next.message, next.author.date.slice(0, 19), next.parents.length]);
	const { data: compared } = await client.repos.compareCommitsWithBasehead({ ...at, basehead: "main...next" });
	told.push(["compare", compared.status, compared.ahead_by, compared.behind_by]);
	told.push([
		"added",
		compared.files
			?.filter((file) => file.status === "added")
			.map((file) => [file.filename, file.additions])
			.sort(),
	]);
	const { data: content } = await client.repos.getContent({ ...at, path: "deep/hello.txt", ref: "next" });
	told.push(["content", "content" in content && Buffer.from(content.content, "base64").toString()]);
	return told;
}

it("agrees with an independent emulator on comments, paging, labels, git objects, compare and contents", async () => {
	await using hub = await startLoopbackGitHub();
	const work = await temporaryFolder();
	await git(work, "init", "--quiet", "--initial-branch=main");
	await commit(work, "Initial commit", { "README.md": "# hello\n" });
	await hub.createRepository({ owner: "octocat", name: "hello", from: work });
	hub.addToken("t_admin", { login: "octocat", permissions: "admin" });
	const emulator = await createEmulator({
		service: "github",
		port: await freePort(),
		seed: {
			tokens: { t_admin: { login: "octocat", scopes: ["repo"] } },
			github: { users: [{ login: "octocat" }], repos: [{ owner: "octocat", name: "hello", auto_init: true }] },
		},
	});
	try {
		const ours = await tellStory(new Octokit({ auth: "t_admin", baseUrl: hub.url }));
		const theirs = await tellStory(new Octokit({ auth: "t_admin", baseUrl: emulator.url }));
		expect(ours).toEqual(theirs);
		expect(hub.violations).toEqual([]);
	} finally {
		await emulator.close();
		await rm(work, { recursive: true, force: true });
	}
});
