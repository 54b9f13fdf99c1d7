import { rm } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { commit, git, refusal, startRig, temporaryFolder, TOKENS } from "./rig.ts";

describe("tokens and permissions", () => {
	it("answers an unknown token with 401 and no token with 401 on writes only", async () => {
		await using rig = await startRig();
		expect(await refusal(rig.client("stolen").repos.get(rig.repository))).toMatchObject({ status: 401, message: "Bad credentials" });
		expect((await rig.client(null).repos.get(rig.repository)).status).toBe(200);
		const write = rig.client(null).issues.createComment({ ...rig.repository, issue_number: rig.number, body: "x" });
		expect((await refusal(write)).status).toBe(401);
	});

	it("lets the read-only token of a fork's event read and nothing else", async () => {
		await using rig = await startRig();
		const reader = rig.client(TOKENS.reader);
		const head_sha = rig.hub.pull(rig.number).head.sha;
		expect((await reader.pulls.get({ ...rig.repository, pull_number: rig.number })).status).toBe(200);
		const writes = [
			() => reader.issues.createComment({ ...rig.repository, issue_number: rig.number, body: "x" }),
			() => reader.pulls.createReview({ ...rig.repository, pull_number: rig.number, event: "COMMENT", body: "x" }),
			() => reader.checks.create({ ...rig.repository, name: "c", head_sha }),
			() => reader.git.createRef({ ...rig.repository, ref: "refs/heads/x", sha: head_sha }),
		];
		for (const write of writes)
			expect(await refusal(write())).toMatchObject({ status: 403, message: "Resource not accessible by integration" });
	});

	it("gives a token its scopes one by one", async () => {
		await using rig = await startRig();
		rig.hub.addToken("t-checks", { login: "github-actions[bot]", permissions: { checks: "write", contents: "read" } });
		const client = rig.client("t-checks");
		const head_sha = rig.hub.pull(rig.number).head.sha;
		expect((await client.checks.create({ ...rig.repository, name: "c", head_sha })).status).toBe(201);
		expect((await refusal(client.issues.createComment({ ...rig.repository, issue_number: rig.number, body: "x" }))).status).toBe(403);
	});

	it("refuses GET /user to a workflow token and check runs to a person's token", async () => {
		await using rig = await startRig();
		expect(await refusal(rig.client().users.getAuthenticated())).toMatchObject({ status: 403 });
		expect((await rig.client(TOKENS.ada).users.getAuthenticated()).data.login).toBe("ada");
		const bot = await rig.client().users.getByUsername({ username: "github-actions[bot]" });
		expect(bot.data).toMatchObject({ id: 41898282, type: "Bot" });
		const head_sha = rig.hub.pull(rig.number).head.sha;
		expect(await refusal(rig.client(TOKENS.ada).checks.create({ ...rig.repository, name: "c", head_sha }))).toMatchObject({ status: 403 });
	});

	it("hides a private repository from callers without a token", async () => {
		await using rig = await startRig();
		await rig.hub.createRepository({ owner: "acme", name: "secret", from: rig.work, private: true });
		expect((await refusal(rig.client(null).repos.get({ owner: "acme", repo: "secret" }))).status).toBe(404);
		expect((await rig.client().repos.get({ owner: "acme", repo: "secret" })).data.private).toBe(true);
	});

	it("tells roles from permissions as GitHub does", async () => {
		await using rig = await startRig();
		const roles = { mia: "maintain", tom: "triage", wes: "write", nil: "none" } as const;
		for (const [login, role] of Object.entries(roles)) rig.hub.setPermission("acme/widgets", login, role);
		const ask = async (username: string) => {
			const { data } = await rig.client().repos.getCollaboratorPermissionLevel({ ...rig.repository, username });
			return [data.permission, data.role_name];
		};
		expect(await ask("acme")).toEqual(["admin", "admin"]);
		expect(await ask("mia")).toEqual(["write", "maintain"]);
		expect(await ask("wes")).toEqual(["write", "write"]);
		expect(await ask("tom")).toEqual(["read", "triage"]);
		expect(await ask("ada")).toEqual(["read", "read"]);
		expect(await ask("nil")).toEqual(["none", "none"]);
		for (const username of ["nobody", "github-actions[bot]"]) {
			expect((await refusal(rig.client().repos.getCollaboratorPermissionLevel({ ...rig.repository, username }))).status).toBe(404);
		}
	});
});

describe("lists", () => {
	it("pages 130 comments by Link headers, at most 100 a page", async () => {
		await using rig = await startRig();
		for (let index = 0; index < 130; index += 1) rig.hub.addComment(rig.number, { author: "ada", body: `comment ${index}` });
		const at = { ...rig.repository, issue_number: rig.number };
		const first = await rig.client().issues.listComments(at);
		expect(first.data).toHaveLength(30);
		const second = await rig.client().issues.listComments({ ...at, per_page: 100 });
		expect(second.headers.link).toMatch(/page=2>; rel="next".*page=2>; rel="last"/);
		const all = await rig.client().paginate(rig.client().issues.listComments, { ...at, per_page: 100 });
		expect(all.map((comment) => comment.body)).toEqual(Array.from({ length: 130 }, (_, index) => `comment ${index}`));
		expect(rig.hub.requests.filter((request) => request.operation === "issues/list-comments")).toHaveLength(4);
		const clamped = await rig.client().issues.listComments({ ...at, per_page: 500 });
		expect(clamped.data).toHaveLength(100);
	});

	it("answers an unchanged read with 304", async () => {
		await using rig = await startRig();
		const at = { ...rig.repository, issue_number: rig.number };
		const { headers } = await rig.client().issues.listComments(at);
		const again = rig.client().issues.listComments({ ...at, headers: { "if-none-match": headers.etag ?? "" } });
		expect((await refusal(again)).status).toBe(304);
		rig.hub.addComment(rig.number, { author: "ada", body: "new" });
		const changed = await rig.client().issues.listComments({ ...at, headers: { "if-none-match": headers.etag ?? "" } });
		expect(changed.status).toBe(200);
	});
});

describe("pull requests", () => {
	it("counts lines, files and commits from git, and knows conflicts", async () => {
		await using rig = await startRig();
		const at = { ...rig.repository, pull_number: rig.number };
		expect((await rig.client().pulls.get(at)).data).toMatchObject({
			additions: 4,
			deletions: 3,
			changed_files: 3,
			commits: 2,
			mergeable: true,
		});
		const { data: files } = await rig.client().pulls.listFiles(at);
		expect(files.map(({ filename, status, additions, deletions }) => [filename, status, additions, deletions])).toEqual([
			["a.txt", "modified", 2, 2],
			["old.txt", "removed", 0, 1],
			["src/new.ts", "added", 2, 0],
		]);
		expect(files[0]?.patch).toMatch(/^@@ -1,5 \+1,5 @@\n line 1\n-line 2\n\+line 2 changed\n/);
		expect((await rig.hub.refs())[`refs/pull/${rig.number}/merge`]).toMatch(/^[0-9a-f]{40}$/);
		await commit(rig.work, "Clash", { "a.txt": "other\n" });
		await git(rig.work, "push", "--quiet", rig.bare, "main");
		expect((await rig.client().pulls.get(at)).data).toMatchObject({ mergeable: false, mergeable_state: "dirty", merge_commit_sha: null });
		expect((await rig.hub.refs())[`refs/pull/${rig.number}/merge`]).toBeUndefined();
	});

	it("BR-10 leaves the patch out for binary files and pure renames", async () => {
		await using rig = await startRig();
		await git(rig.work, "switch", "--quiet", "feature");
		await git(rig.work, "mv", "src/keep.ts", "src/kept.ts");
		await commit(rig.work, "Binary", { "logo.png": Buffer.from([0, 1, 2, 255, 0]), "big.txt": `${"y".repeat(600_000)}\n` });
		await git(rig.work, "push", "--quiet", rig.bare, "feature");
		const { data } = await rig.client().pulls.listFiles({ ...rig.repository, pull_number: rig.number });
		const facts = Object.fromEntries(
			data.map((file) => [file.filename, [file.status, file.additions, file.patch === undefined, file.previous_filename]]),
		);
		expect(facts["logo.png"]).toEqual(["added", 0, true, undefined]);
		expect(facts["big.txt"]).toEqual(["added", 1, true, undefined]);
		expect(facts["src/kept.ts"]).toEqual(["renamed", 0, true, "src/keep.ts"]);
	});

	it("BR-11 refuses the diff of more than 300 files and lists at most 3,000", async () => {
		await using rig = await startRig();
		const at = { ...rig.repository, pull_number: rig.number };
		const diff = await rig.client().pulls.get({ ...at, mediaType: { format: "diff" } });
		expect(String(diff.data)).toMatch(/^diff --git a\/a.txt b\/a.txt\n/);
		const patch = await rig.client().pulls.get({ ...at, mediaType: { format: "patch" } });
		expect(String(patch.data)).toContain("Subject: [PATCH 1/2] Change two lines");
		await git(rig.work, "switch", "--quiet", "--create", "many", "main");
		await commit(rig.work, "Many", Object.fromEntries(Array.from({ length: 3_010 }, (_, index) => [`many/${index}.txt`, `${index}\n`])));
		await git(rig.work, "push", "--quiet", rig.bare, "many");
		const pull_number = await rig.hub.openPullRequest({
			repository: "acme/widgets",
			title: "Many",
			author: "ada",
			base: "main",
			head: "many",
		});
		const refused = await refusal(rig.client().pulls.get({ ...rig.repository, pull_number, mediaType: { format: "diff" } }));
		expect(refused).toMatchObject({ status: 406, errors: [{ resource: "PullRequest", field: "diff", code: "too_large" }] });
		expect((await rig.client().pulls.get({ ...rig.repository, pull_number })).data.changed_files).toBe(3_010);
		const files = await rig.client().paginate(rig.client().pulls.listFiles, { ...rig.repository, pull_number, per_page: 100 });
		expect(files).toHaveLength(3_000);
	});

	it("R30 shows a fork's head repository, and null once the fork is deleted", async () => {
		await using rig = await startRig();
		await rig.hub.createRepository({ owner: "eve", name: "widgets", forkOf: "acme/widgets" });
		const copy = await temporaryFolder();
		await git(copy, "clone", "--quiet", rig.hub.state.repositories.get("eve/widgets")?.bare ?? "", ".");
		const sha = await commit(copy, "From outside", { "evil.txt": "x\n" });
		await git(copy, "push", "--quiet", "origin", "HEAD:patch-1");
		await rm(copy, { recursive: true });
		const pull = { repository: "acme/widgets", title: "Fork", author: "eve", base: "main", head: "patch-1", headRepository: "eve/widgets" };
		const pull_number = await rig.hub.openPullRequest(pull);
		const before = (await rig.client().pulls.get({ ...rig.repository, pull_number })).data;
		expect([before.head.label, before.head.repo?.fork, before.head.sha]).toEqual(["eve:patch-1", true, sha]);
		expect((await rig.hub.refs("acme/widgets"))[`refs/pull/${pull_number}/head`]).toBe(sha);
		await rig.hub.deleteRepository("eve/widgets");
		const after = (await rig.client().pulls.get({ ...rig.repository, pull_number })).data;
		expect([after.head.repo, after.head.sha]).toEqual([null, sha]);
		expect((await rig.client().pulls.listFiles({ ...rig.repository, pull_number })).data.map((file) => file.filename)).toEqual([
			"evil.txt",
		]);
		expect(rig.hub.violations).toEqual([]);
	});

	it("R29 keeps the last head when the branch is deleted, and freezes a closed pull request", async () => {
		await using rig = await startRig();
		const at = { ...rig.repository, pull_number: rig.number };
		const head = rig.hub.pull(rig.number).head.sha;
		await rig.client().git.deleteRef({ ...rig.repository, ref: "heads/feature" });
		expect((await rig.client().pulls.get(at)).data.head.sha).toBe(head);
		rig.hub.closePullRequest(rig.number, { merged: true });
		expect((await rig.client().pulls.get(at)).data).toMatchObject({ state: "closed", merged: true });
	});

	it("refuses a second pull request for the same branch, one without commits and one without a base", async () => {
		await using rig = await startRig();
		const at = { ...rig.repository, title: "t" };
		const bot = rig.client();
		expect(await refusal(bot.pulls.create({ ...at, head: "feature", base: "main" }))).toMatchObject({
			status: 422,
			errors: [{ message: "A pull request already exists for acme:feature." }],
		});
		expect(await refusal(bot.pulls.create({ ...at, head: "main", base: "main" }))).toMatchObject({ status: 422 });
		expect(await refusal(bot.pulls.create({ ...at, head: "feature", base: "none" }))).toMatchObject({
			errors: [{ field: "base", code: "invalid" }],
		});
	});
});
