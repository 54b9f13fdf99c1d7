import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { buildRouter } from "../../../src/demo/loopback-github/build-router.ts";
import { CONTRACT_OPERATIONS } from "../../../src/demo/loopback-github/contract-operations.ts";
import { handlerOf } from "../../../src/demo/loopback-github/handlers.ts";
import type { Contract } from "../../../src/demo/loopback-github/loopback-types.ts";
import { refusal, startRig } from "./rig.ts";

const contract = JSON.parse(await readFile(new URL("../../../src/demo/contract.json", import.meta.url), "utf8")) as Contract;

describe("contract", () => {
	it("holds exactly the listed operations, and each has a handler", () => {
		expect(contract.operations.map((operation) => operation.id).sort()).toEqual([...CONTRACT_OPERATIONS].sort());
		expect(CONTRACT_OPERATIONS.filter((id) => handlerOf(id) === undefined)).toEqual([]);
	});

	it("stays small enough to ship", () => {
		expect(JSON.stringify(contract).length).toBeLessThan(450_000);
	});

	it("refuses and records a misspelled body property", async () => {
		await using rig = await startRig();
		const { hub, number, repository } = rig;
		const wrong = await refusal(
			rig.client().request("POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews", {
				...repository,
				pull_number: number,
				evnt: "COMMENT",
			} as never),
		);
		expect(wrong.status).toBe(422);
		expect(wrong.headers["x-contract-violation"]).toContain("evnt");
		expect(hub.violations).toEqual([expect.objectContaining({ kind: "request", operation: "pulls/create-review" })]);
		expect(hub.reviews(number)).toEqual([]);
	});

	it("refuses a misspelled property of an inline comment, a wrong enum and an unknown query key", async () => {
		await using rig = await startRig();
		const { repository, number: pull_number } = rig;
		const comments = [{ path: "a.txt", body: "x", line: 2, startline: 1 } as never];
		await refusal(rig.client().pulls.createReview({ ...repository, pull_number, event: "COMMENT", comments }));
		await refusal(rig.client().pulls.createReview({ ...repository, pull_number, event: "comment" as never, body: "x" }));
		await refusal(rig.client().pulls.listFiles({ ...repository, pull_number, perpage: 100 } as never));
		expect(rig.hub.violations.map((violation) => violation.message)).toEqual([
			expect.stringContaining("startline"),
			expect.stringContaining("event"),
			expect.stringContaining("perpage"),
		]);
	});

	it("refuses more than 50 annotations", async () => {
		await using rig = await startRig();
		const head_sha = rig.hub.pull(rig.number).head.sha;
		const annotation = { path: "a.txt", start_line: 1, end_line: 1, annotation_level: "notice", message: "m" } as const;
		const output = { title: "t", summary: "s", annotations: Array.from({ length: 51 }, () => annotation) };
		const wrong = await refusal(rig.client().checks.create({ ...rig.repository, name: "c", head_sha, output }));
		expect(wrong).toMatchObject({ status: 422, message: expect.stringContaining("50") });
		expect(rig.hub.checks(head_sha)).toEqual([]);
	});

	it("records a call to an operation that is not in the contract", async () => {
		await using rig = await startRig();
		expect((await refusal(rig.client().repos.listTags(rig.repository))).status).toBe(404);
		expect(rig.hub.violations).toEqual([expect.objectContaining({ kind: "route", operation: null })]);
	});
});

describe("router", () => {
	const router = buildRouter(contract.operations);
	const cases: readonly (readonly [string, string, string, Record<string, string>])[] = [
		["GET", "/repos/o/r/contents/a/b.txt", "repos/get-content", { path: "a/b.txt" }],
		["GET", "/repos/o/r/contents/", "repos/get-content", { path: "" }],
		["GET", "/repos/o/r/contents/a%20b/%23.txt", "repos/get-content", { path: "a b/#.txt" }],
		["GET", "/repos/o/r/git/ref/heads/feature/x", "git/get-ref", { ref: "heads/feature/x" }],
		["GET", "/repos/o/r/compare/main...feature/x", "repos/compare-commits-with-basehead", { basehead: "main...feature/x" }],
		["GET", "/repos/o/r/branches/feature/x/protection", "repos/get-branch-protection", { branch: "feature/x" }],
		["GET", "/repos/o/r/branches/feature/x", "repos/get-branch", { branch: "feature/x" }],
		["GET", "/repos/o/r/commits/feature/x/check-runs", "checks/list-for-ref", { ref: "feature/x" }],
		["GET", "/repos/o/r/commits/feature/x", "repos/get-commit", { ref: "feature/x" }],
		["GET", "/repos/o/r/pulls/7/comments", "pulls/list-review-comments", { pull_number: "7" }],
		["PATCH", "/repos/o/r/issues/comments/9", "issues/update-comment", { comment_id: "9" }],
		["GET", "/repos/o/r/issues/7/comments", "issues/list-comments", { issue_number: "7" }],
	];

	it.each(cases)("%s %s is %s", (method, path, operation, parameters) => {
		const route = router(method, path);
		expect(route?.operation.id).toBe(operation);
		expect(route?.parameters).toMatchObject(parameters);
	});

	it("knows no route for another method or path", () => {
		expect(router("DELETE", "/repos/o/r")).toBeUndefined();
		expect(router("GET", "/repos/o/r/unheard/of")).toBeUndefined();
	});
});
