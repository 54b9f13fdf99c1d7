import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createGitHistory } from "../../../src/adapters/git/git-history.ts";
import { openRepository } from "../../../src/adapters/git/open-repository.ts";
import { resolveRunContext } from "../../../src/context/resolve-run-context.ts";
import type { GitHistory } from "../../../src/seams.ts";
import { commit, git, makeFolder, makeRepository, writeFiles } from "./git-fixture.ts";

interface Remote {
	readonly url: string;
	readonly base: string;
	readonly head: string;
	readonly fork: string;
	readonly side: string;
}

/** A bare remote: `feat` leaves `main` before its `commits` later commits; the pull request 7 lies on no branch. */
function makeRemote(commits: number): Remote {
	const work = makeRepository();
	const fork = commit(work, { x: "1\n" }, "first");
	git(work, "checkout", "-q", "-b", "feat");
	const head = commit(work, { f: "f\n" }, "feature");
	git(work, "checkout", "-q", "--detach");
	const side = commit(work, { g: "g\n" }, "pull request of a fork");
	git(work, "update-ref", "refs/pull/7/head", side);
	git(work, "checkout", "-q", "main");
	for (let index = 1; index <= commits; index++) git(work, "commit", "-q", "--allow-empty", "-m", `m${index}`);
	const base = commit(work, { m: "m\n" }, "last");
	const bare = path.join(makeFolder(), "o.git");
	git(work, "clone", "-q", "--mirror", ".", bare);
	return { url: `file://${bare}`, base, head, fork, side };
}

/** The clone of a workflow: one commit of one branch. */
function cloneShallow(url: string, branch: string): string {
	const folder = path.join(makeFolder(), "s");
	git(path.dirname(folder), "clone", "-q", "--depth=1", "--branch", branch, url, folder);
	return folder;
}

async function openHistory(folder: string): Promise<GitHistory> {
	return createGitHistory(await openRepository(folder, { allowFileProtocol: true }));
}

function refsOf(folder: string): string {
	return git(folder, "for-each-ref") + git(folder, "rev-parse", "HEAD") + existsSync(path.join(folder, ".git/FETCH_HEAD"));
}

const pullRequest = (remote: Remote, head = remote.head) => ({
	kind: "pull-request" as const,
	pullRequest: {
		number: 7,
		base: { ref: "main", sha: remote.base, repository: "o/r" },
		head: { ref: "main", sha: head, repository: null },
	},
});

describe("resolveRunContext with createGitHistory", () => {
	it("BR-46 R34 a shallow clone is deepened until there is a merge base, and the diff is the pull request's alone", async () => {
		const remote = makeRemote(3);
		const folder = cloneShallow(remote.url, "feat");
		git(folder, "fetch", "-q", "--depth=1", "origin", "main");
		const before = refsOf(folder);
		const history = await openHistory(folder);
		expect(await history.mergeBase(remote.base, remote.head)).toBeNull();
		const result = await resolveRunContext(history, pullRequest(remote));
		expect(result).toMatchObject({ ok: true, base: remote.base, head: remote.head, mergeBase: remote.fork });
		expect(result.notes).toEqual(["The shallow clone was deepened by 50 commits to find the merge base."]);
		expect(git(folder, "diff", "--name-only", remote.fork, remote.head)).toBe("f\n");
		expect(refsOf(folder)).toBe(before);
	});

	it("R34 steps go on, and the clone is completed when they are not enough", async () => {
		const remote = makeRemote(120);
		const folder = cloneShallow(remote.url, "feat");
		const history = await openHistory(folder);
		const calls: string[] = [];
		const watched: GitHistory = {
			...history,
			deepen: (tips, by) => {
				calls.push(`deepen ${by}`);
				return history.deepen(tips, by);
			},
		};
		const result = await resolveRunContext(watched, pullRequest(remote));
		expect(result).toMatchObject({ ok: true, mergeBase: remote.fork });
		expect(calls).toEqual(["deepen 50", "deepen 200"]);

		const lazy = await openHistory(cloneShallow(remote.url, "feat"));
		const unwilling: GitHistory = { ...lazy, deepen: async () => ({ ok: true }) };
		const completed = await resolveRunContext(unwilling, pullRequest(remote));
		expect(completed).toMatchObject({ ok: true, mergeBase: remote.fork });
		expect(completed.notes).toContain("The shallow clone was completed to find the merge base.");
	});

	it("BR-46 without a merge base the answer says so and what to do; there is no two-dot fallback", async () => {
		const folder = makeRepository();
		commit(folder, { a: "1\n" });
		git(folder, "checkout", "-q", "--orphan", "other");
		commit(folder, { b: "1\n" });
		const result = await resolveRunContext(await openHistory(folder), { kind: "local", base: "main" });
		expect(result).toMatchObject({ ok: false, kind: "no-merge-base" });
		expect(result.ok ? "" : result.reason).toContain("no common ancestor");
		expect(result.ok ? "" : result.advice).toContain("fetch-depth: 0");
	});

	it("R34 a remote that cannot be reached leaves a clear message", async () => {
		const remote = makeRemote(3);
		const folder = cloneShallow(remote.url, "feat");
		git(folder, "fetch", "-q", "--depth=1", "origin", "main");
		git(folder, "remote", "set-url", "origin", "file:///nonexistent/o.git");
		const result = await resolveRunContext(await openHistory(folder), pullRequest(remote));
		expect(result).toMatchObject({ ok: false, kind: "no-merge-base" });
		expect(result.notes.join()).toContain("could not be deepened");
		git(folder, "remote", "remove", "origin");
		const without = await resolveRunContext(await openHistory(folder), pullRequest(remote));
		expect(without.notes.join()).toContain("no remote named origin");
	});

	it("BR-33 R35 the head of a fork comes by the pull request's own ref, and no merge ref is needed", async () => {
		const remote = makeRemote(3);
		const folder = cloneShallow(remote.url, "main");
		const before = refsOf(folder);
		const result = await resolveRunContext(await openHistory(folder), pullRequest(remote, remote.side));
		expect(result).toMatchObject({ ok: true, head: remote.side, mergeBase: remote.fork });
		expect(result.notes[0]).toBe("The head commit was fetched from pull request 7.");
		expect(refsOf(folder)).toBe(before);
	});

	it("BR-33 a head that the pull request no longer has is refused", async () => {
		const remote = makeRemote(1);
		const folder = cloneShallow(remote.url, "main");
		const result = await resolveRunContext(await openHistory(folder), pullRequest(remote, "3".repeat(40)));
		expect(result).toMatchObject({ ok: false, kind: "missing-commit" });
		expect(result.ok ? "" : result.reason).toContain("refs/pull/7/head has moved");
	});

	it("A38 E_REF for a head ref that is an option, A39 shell characters are data", async () => {
		const remote = makeRemote(1);
		const folder = path.join(makeFolder(), "c");
		git(path.dirname(folder), "clone", "-q", remote.url, folder);
		git(folder, "fetch", "-q", "origin", remote.head);
		const history = await openHistory(folder);
		const withRef = (ref: string) => {
			const request = pullRequest(remote);
			return resolveRunContext(history, {
				...request,
				pullRequest: { ...request.pullRequest, head: { ...request.pullRequest.head, ref } },
			});
		};
		expect(await withRef("--upload-pack=touch SENT")).toMatchObject({ ok: false, kind: "bad-ref", code: "E_REF" });
		// biome-ignore lint/suspicious/noTemplateCurlyInString: shell syntax is the attack.
		expect(await withRef("$(touch${IFS}SENT)")).toMatchObject({ ok: true });
		expect(existsSync(path.join(folder, "SENT"))).toBe(false);
	});

	it("local names: branch, remote branch, tag, id, HEAD and steps back; a branch before a tag of the same name", async () => {
		const remote = makeRemote(1);
		const folder = path.join(makeFolder(), "c");
		git(path.dirname(folder), "clone", "-q", remote.url, folder);
		git(folder, "tag", "v1", remote.fork);
		git(folder, "tag", "main", remote.fork);
		const history = await openHistory(folder);
		const names = ["main", "origin/main", "feat", "v1", "HEAD", remote.head, remote.head.slice(0, 12), "main~1^{}", "missing", "HEAD~2"];
		expect(await Promise.all(names.map((name) => history.resolve(name)))).toEqual([
			remote.base,
			remote.base,
			remote.head,
			remote.fork,
			remote.base,
			remote.head,
			remote.head,
			undefined,
			undefined,
			remote.fork,
		]);
		const result = await resolveRunContext(history, { kind: "local", base: "feat" });
		expect(result).toMatchObject({ ok: true, base: remote.head, head: remote.base, mergeBase: remote.fork, notes: [] });
		expect(await resolveRunContext(history, { kind: "local", base: "missing" })).toMatchObject({ ok: false, kind: "missing-commit" });
		expect(await resolveRunContext(history, { kind: "local", base: "-x" })).toMatchObject({ ok: false, code: "E_REF" });
	});

	it("says how many files are not committed", async () => {
		const folder = makeRepository();
		commit(folder, { x: "1\n" });
		writeFiles(folder, { x: "2\n", "new file": "n\n" });
		const result = await resolveRunContext(await openHistory(folder), { kind: "local", base: "main" });
		expect(result.notes).toEqual(["2 uncommitted files are not part of this review."]);
	});
});
