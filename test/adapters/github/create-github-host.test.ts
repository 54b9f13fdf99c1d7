import { describe, expect, it } from "vitest";
import { createGitHubHost } from "../../../src/adapters/github/create-github-host.ts";
import { mapWriteError } from "../../../src/adapters/github/map-write-error.ts";
import type { Fault } from "../../../src/demo/loopback-github/loopback-types.ts";
import { startRig, TOKENS, type Rig } from "../../demo/loopback-github/rig.ts";

async function hostOf(rig: Rig, token: string = TOKENS.bot) {
	return createGitHubHost({
		token,
		baseUrl: rig.hub.url,
		repository: { owner: "acme", name: "widgets" },
		throttle: false,
		retryBaseMs: 1,
		timeoutMs: 2_000,
	});
}

const onComments = (action: Fault["action"]): Fault => ({ method: "POST", path: /\/issues\/\d+\/comments$/, action });

describe("GitHub reader", () => {
	it("reads all pages of comments, reviews and files", async () => {
		await using rig = await startRig();
		for (let index = 0; index < 101; index += 1) rig.hub.addComment(rig.number, { author: "ada", body: `comment ${index}` });
		const { reader } = await hostOf(rig);
		const comments = await reader.issueComments(rig.number);
		expect(comments).toHaveLength(101);
		expect(comments[100]).toMatchObject({ body: "comment 100", author: { login: "ada", type: "User" } });
		expect((await reader.pullRequestFiles(rig.number)).map((file) => [file.path, file.status])).toEqual([
			["a.txt", "modified"],
			["old.txt", "removed"],
			["src/new.ts", "added"],
		]);
		expect(rig.hub.violations).toEqual([]);
	});

	it("BR-37 knows its own account: a person's from the API, a workflow's by its fixed id", async () => {
		await using rig = await startRig();
		expect(await (await hostOf(rig, TOKENS.ada)).reader.viewer()).toMatchObject({ login: "ada", type: "User" });
		const bot = await hostOf(rig);
		expect(await bot.reader.viewer()).toEqual({ login: "github-actions[bot]", id: 41_898_282, type: "Bot" });
		const before = rig.hub.requests.length;
		await bot.reader.viewer();
		expect(rig.hub.requests).toHaveLength(before);
		expect(await (await hostOf(rig, "unknown")).reader.viewer()).toBeNull();
	});

	it("BR-31 reads role_name before permission and takes every error for no right", async () => {
		await using rig = await startRig();
		rig.hub.addUser("mona");
		rig.hub.setPermission("acme/widgets", "mona", "maintain");
		rig.hub.addUser("tria");
		rig.hub.setPermission("acme/widgets", "tria", "triage");
		const { reader } = await hostOf(rig);
		expect(await reader.permission("mona")).toBe("maintain");
		expect(await reader.permission("tria")).toBe("triage");
		expect(await reader.permission("nobody-here")).toBe("none");
		rig.hub.faults.add({
			path: /\/permission$/,
			action: { kind: "answer", status: 200, body: { permission: "write", role_name: "release-crew" } },
		});
		expect(await reader.permission("mona")).toBe("write");
		rig.hub.faults.add({ path: /\/permission$/, action: { kind: "answer", status: 403 } });
		expect(await reader.permission("mona")).toBe("none");
	});

	it("BR-30 a deleted account and a deleted fork are read without a crash", async () => {
		await using rig = await startRig();
		const { reader } = await hostOf(rig);
		const comment = { id: 1, user: null, body: null, created_at: "2020-01-01T00:00:00Z", html_url: "u" };
		rig.hub.faults.add({ path: /\/comments$/, action: { kind: "answer", status: 200, body: [comment] } });
		expect(await reader.issueComments(rig.number)).toEqual([
			{ id: 1, author: { login: "ghost", id: 0, type: "Unknown" }, body: "", createdAt: "2020-01-01T00:00:00Z", url: "u" },
		]);
		const facts = await reader.pullRequest(rig.number);
		expect(facts).toMatchObject({
			number: rig.number,
			state: "open",
			fork: false,
			author: { login: "ada" },
			base: { ref: "main", repository: "acme/widgets" },
		});
		expect((await reader.defaultBranch()).name).toBe("main");
	});

	it("repeats reads over a passing failure", async () => {
		await using rig = await startRig();
		const { reader } = await hostOf(rig);
		rig.hub.faults.add({ method: "GET", path: /\/comments$/, action: { kind: "html-502" } });
		expect(await reader.issueComments(rig.number)).toEqual([]);
	});
});

describe("GitHub writer", () => {
	it("BR-45 never repeats a write by itself: a 5xx is uncertain, whether or not it happened", async () => {
		await using rig = await startRig();
		const { writer } = await hostOf(rig);
		rig.hub.faults.add(onComments({ kind: "applied-then-502" }));
		expect(await writer.createComment(rig.number, "once")).toEqual({ ok: false, reason: "uncertain", status: 502, message: "HTTP 502" });
		rig.hub.faults.add(onComments({ kind: "cut" }));
		expect(await writer.createComment(rig.number, "lost")).toMatchObject({ ok: false, reason: "uncertain" });
		rig.hub.faults.add(onComments({ kind: "slow", milliseconds: 2_500 }));
		expect(await writer.createComment(rig.number, "late")).toMatchObject({ ok: false, reason: "uncertain" });
		expect(rig.hub.requests.filter((request) => request.method === "POST")).toHaveLength(3);
	});

	it("BR-44 tells the three forms of a limit from other refusals, with the wait where it is named", async () => {
		await using rig = await startRig();
		const { writer } = await hostOf(rig);
		rig.hub.faults.add(onComments({ kind: "secondary-limit", retryAfterSeconds: 7 }));
		expect(await writer.createComment(rig.number, "x")).toMatchObject({ reason: "limited", status: 403, retryAfterMs: 7_000 });
		rig.hub.faults.add(onComments({ kind: "secondary-limit" }));
		const unnamed = await writer.createComment(rig.number, "x");
		expect(unnamed).toMatchObject({ reason: "limited" });
		expect(unnamed).not.toHaveProperty("retryAfterMs");
		rig.hub.faults.add(onComments({ kind: "primary-limit", resetInSeconds: 3_000 }));
		const primary = await writer.createComment(rig.number, "x");
		expect(primary.ok === false && (primary.retryAfterMs ?? 0)).toBeGreaterThan(2_900_000);
		const abuse = { errors: [{ code: "abuse" }], message: "was submitted too quickly" };
		rig.hub.faults.add(onComments({ kind: "answer", status: 422, body: abuse }));
		expect(await writer.createComment(rig.number, "x")).toMatchObject({ reason: "limited", status: 422 });
		expect(await writer.createComment(rig.number, "x")).toMatchObject({ ok: true });
		expect(rig.hub.violations).toEqual([]);
	});

	it("BR-44 a reset time in the past is no wait at all to go by", () => {
		const error = {
			status: 403,
			message: "You have exceeded a secondary rate limit",
			response: {
				headers: { "x-ratelimit-remaining": "4771", "x-ratelimit-reset": "1" },
				data: { message: "You have exceeded a secondary rate limit" },
			},
		};
		expect(mapWriteError(error, 1_000_000)).toEqual({
			ok: false,
			reason: "limited",
			status: 403,
			message: "You have exceeded a secondary rate limit",
		});
		expect(mapWriteError(new TypeError("fetch failed"), 0)).toMatchObject({ reason: "uncertain", status: 0 });
	});

	it("a read-only token gets a result, not an exception", async () => {
		await using rig = await startRig();
		const { writer } = await hostOf(rig, TOKENS.reader);
		const head = rig.hub.pull(rig.number).head.sha;
		const output = { conclusion: "success", title: "t", summary: "s" };
		expect(await writer.createComment(rig.number, "x")).toMatchObject({ ok: false, reason: "not-permitted", status: 403 });
		expect(await writer.createCheck(head, "Rookery", output, [])).toMatchObject({ ok: false, reason: "not-permitted" });
	});

	it("writes comments, reviews, file comments, checks and reactions as GitHub describes them", async () => {
		await using rig = await startRig();
		const { writer, reader } = await hostOf(rig);
		const head = rig.hub.pull(rig.number).head.sha;
		const made = await writer.createComment(rig.number, "one");
		if (!made.ok) throw new Error(made.message);
		expect(await writer.updateComment(made.value.id, "two")).toMatchObject({ ok: true });
		const comments = [
			{ findingId: "A2", path: "a.txt", side: "RIGHT" as const, line: 2, startLine: 2, body: "same line" },
			{ findingId: "A3", path: "a.txt", side: "LEFT" as const, line: 15, startLine: 14, startSide: "LEFT" as const, body: "old range" },
		];
		expect(await writer.createReview(rig.number, head, "body", comments)).toMatchObject({ ok: true });
		expect(await writer.createFileComment(rig.number, head, { findingId: "A4", path: "a.txt", body: "file" })).toMatchObject({ ok: true });
		const annotation = { path: "a.txt", startLine: 2, endLine: 2, level: "warning" as const, title: "t", message: "m" };
		expect(await writer.createCheck(head, "Rookery", { conclusion: "neutral", title: "t", summary: "s" }, [annotation])).toMatchObject({
			ok: true,
		});
		const reaction = await writer.addReaction({ id: made.value.id, kind: "issue" }, "eyes");
		if (!reaction.ok) throw new Error(reaction.message);
		expect(await writer.removeReaction({ id: made.value.id, kind: "issue" }, reaction.value.id)).toMatchObject({ ok: true });
		const standing = await reader.reviewComments(rig.number);
		expect(standing.map((comment) => [comment.path, comment.line])).toEqual([
			["a.txt", 2],
			["a.txt", 15],
			["a.txt", null],
		]);
		expect((await reader.reviews(rig.number))[0]).toMatchObject({ commit: head, author: { id: 41_898_282 } });
		expect(rig.hub.reviews(rig.number).every((review) => review.state === "COMMENTED")).toBe(true);
		expect(rig.hub.violations).toEqual([]);
	});

	it("BR-14 a line outside the diff is refused with GitHub's words", async () => {
		await using rig = await startRig();
		const { writer } = await hostOf(rig);
		const head = rig.hub.pull(rig.number).head.sha;
		const result = await writer.createReview(rig.number, head, "b", [
			{ findingId: "A2", path: "a.txt", side: "RIGHT", line: 9, body: "x" },
		]);
		expect(result).toMatchObject({ ok: false, reason: "refused", status: 422 });
		expect(result.ok === false && result.message).toContain("must be part of the diff");
	});

	it("R20 with throttling on, writes keep their distance", async () => {
		await using rig = await startRig();
		const { writer } = await createGitHubHost({ token: TOKENS.bot, baseUrl: rig.hub.url, repository: { owner: "acme", name: "widgets" } });
		const started = performance.now();
		await Promise.all([writer.createComment(rig.number, "1"), writer.createComment(rig.number, "2")]);
		expect(performance.now() - started).toBeGreaterThan(1_000);
		expect(rig.hub.comments(rig.number)).toHaveLength(2);
	});
});
