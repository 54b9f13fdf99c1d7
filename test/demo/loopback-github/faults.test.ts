import { rm } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { startLoopbackGitHub } from "../../../src/demo/loopback-github/start-loopback-github.ts";
import { commit, git, refusal, startRig, TOKENS, temporaryFolder } from "./rig.ts";

const COMMENTS = /\/issues\/\d+\/comments$/;

describe("faults", () => {
	it("R20 R21 imitate the secondary and the primary limit, and count down", async () => {
		await using rig = await startRig();
		const comment = () => rig.client().issues.createComment({ ...rig.repository, issue_number: rig.number, body: "x" });
		rig.hub.faults.add({ method: "POST", path: COMMENTS, action: { kind: "secondary-limit", retryAfterSeconds: 7 } });
		rig.hub.faults.add({ method: "POST", path: COMMENTS, action: { kind: "primary-limit", resetInSeconds: 3_000 } });
		const secondary = await refusal(comment());
		expect([secondary.status, secondary.headers["retry-after"]]).toEqual([403, "7"]);
		expect(secondary.message).toContain("secondary rate limit");
		const primary = await refusal(comment());
		expect([primary.status, primary.headers["x-ratelimit-remaining"]]).toEqual([403, "0"]);
		expect(Number(primary.headers["x-ratelimit-reset"]) - Date.now() / 1000).toBeGreaterThan(2_900);
		expect((await comment()).status).toBe(201);
		expect(rig.hub.faults.pending).toEqual([]);
		expect(rig.hub.comments(rig.number)).toHaveLength(1);
	});

	it("BR-45 applies the write and answers 502", async () => {
		await using rig = await startRig();
		rig.hub.faults.add({ method: "POST", path: /\/reviews$/, action: { kind: "applied-then-502" } });
		const at = { ...rig.repository, pull_number: rig.number };
		const lost = await refusal(rig.client().pulls.createReview({ ...at, event: "COMMENT", body: "run=42" }));
		expect(lost.status).toBe(502);
		expect((await rig.client().pulls.listReviews(at)).data.map((review) => review.body)).toEqual(["run=42"]);
	});

	it("R17 answers with a proxy's page, and any scripted answer", async () => {
		await using rig = await startRig();
		rig.hub.faults.add({ path: /\/repos\/acme\/widgets$/, times: 2, action: { kind: "html-502" } });
		rig.hub.faults.add({
			path: /widgets$/,
			action: { kind: "answer", status: 422, headers: { "x-probe": "1" }, body: { message: "was submitted too quickly" } },
		});
		const get = () => rig.client().repos.get(rig.repository);
		const page = await refusal(get());
		expect([page.status, page.headers["content-type"]]).toEqual([502, "text/html; charset=utf-8"]);
		expect((await refusal(get())).status).toBe(502);
		expect(await refusal(get())).toMatchObject({ status: 422, message: "was submitted too quickly", headers: { "x-probe": "1" } });
		expect((await get()).status).toBe(200);
	});

	it("cuts connections before and after the write", async () => {
		await using rig = await startRig();
		const comment = () => rig.client().issues.createComment({ ...rig.repository, issue_number: rig.number, body: "x" });
		rig.hub.faults.add({ path: COMMENTS, action: { kind: "cut" } });
		rig.hub.faults.add({ path: COMMENTS, action: { kind: "applied-then-cut" } });
		await expect(comment()).rejects.toThrow();
		expect(rig.hub.comments(rig.number)).toHaveLength(0);
		await expect(comment()).rejects.toThrow();
		expect(rig.hub.comments(rig.number)).toHaveLength(1);
		expect(rig.hub.requests.map((request) => request.status)).toEqual([0, 0]);
	});

	it("is slow on request, lets the first requests pass, and can be taken back", async () => {
		await using rig = await startRig();
		const get = () => rig.client().repos.get(rig.repository);
		rig.hub.faults.add({ path: /widgets$/, after: 1, action: { kind: "slow", milliseconds: 120 } });
		const undo = rig.hub.faults.add({ path: /widgets$/, times: 100, action: { kind: "html-502" } });
		undo();
		await get();
		await get();
		const times = rig.hub.requests.map((request) => request.durationMs);
		expect(times[1]).toBeGreaterThanOrEqual(115);
		expect(rig.hub.faults.pending).toEqual([]);
	});

	it("BR-20 moves the head between two calls by a hook", async () => {
		await using rig = await startRig();
		const at = { ...rig.repository, pull_number: rig.number };
		const before = (await rig.client().pulls.get(at)).data.head.sha;
		rig.hub.faults.add({
			path: /\/pulls\/\d+$/,
			action: {
				kind: "hook",
				run: async () => {
					await git(rig.work, "switch", "--quiet", "feature");
					await commit(rig.work, "Meanwhile", { "late.txt": "x\n" });
					await git(rig.work, "push", "--quiet", rig.bare, "feature");
				},
			},
		});
		const after = (await rig.client().pulls.get(at)).data.head.sha;
		expect(after).toBe(await git(rig.work, "rev-parse", "feature"));
		expect(after).not.toBe(before);
	});

	it("strikes git as well: the push arrives, its answer does not", async () => {
		await using rig = await startRig();
		const copy = await temporaryFolder();
		await git(copy, "clone", "--quiet", `${rig.hub.serverUrl.replace("://", `://x:${TOKENS.ada}@`)}/acme/widgets.git`, ".");
		const sha = await commit(copy, "Lost answer", { "l.txt": "x\n" });
		rig.hub.faults.add({ method: "POST", path: /git-receive-pack$/, action: { kind: "applied-then-502" } });
		await expect(git(copy, "push", "--quiet", "origin", "HEAD:refs/heads/lost")).rejects.toThrow();
		await rm(copy, { recursive: true });
		expect((await rig.hub.refs())["refs/heads/lost"]).toBe(sha);
	});
});

describe("journal and life", () => {
	it("records who asked what, also what was never called", async () => {
		await using rig = await startRig();
		await rig.client(TOKENS.ada).issues.createComment({ ...rig.repository, issue_number: rig.number, body: "hello" });
		expect(rig.hub.requests).toEqual([
			expect.objectContaining({ method: "POST", operation: "issues/create-comment", login: "ada", status: 201, body: { body: "hello" } }),
		]);
		expect(rig.hub.requests[0]?.headers["authorization"]).toBe("token");
		expect(rig.hub.requests.some((request) => request.operation === "pulls/create-review")).toBe(false);
	});

	it("is up within 100 milliseconds, before a repository or the contract is loaded", async () => {
		const times: number[] = [];
		for (let round = 0; round < 5; round += 1) {
			const before = performance.now();
			const hub = await startLoopbackGitHub();
			times.push(performance.now() - before);
			await hub.close();
		}
		expect(Math.min(...times)).toBeLessThan(100);
	});

	it("closes with connections open, twice, and nothing answers afterwards", async () => {
		const rig = await startRig();
		await rig.client().repos.get(rig.repository);
		rig.hub.faults.add({ path: /widgets$/, action: { kind: "slow", milliseconds: 5_000 } });
		const hanging = rig.client().repos.get(rig.repository);
		const outcome = expect(hanging).rejects.toThrow();
		await new Promise((resolve) => setTimeout(resolve, 50));
		await rig[Symbol.asyncDispose]();
		await rig.hub.close();
		await outcome;
		await expect(fetch(rig.hub.url)).rejects.toThrow();
	});
});
