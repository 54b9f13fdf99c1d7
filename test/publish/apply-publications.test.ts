import { describe, expect, it } from "vitest";
import { createGitHubHost, type GitHubHost } from "../../src/adapters/github/create-github-host.ts";
import type { ReportedFinding } from "../../src/domain/finding.ts";
import type { Publication, PublicationResult } from "../../src/domain/publication.ts";
import type { FaultAction } from "../../src/demo/loopback-github/loopback-types.ts";
import { applyPublications, type ApplyContext } from "../../src/publish/apply-publications.ts";
import { parseMarker, printMarker } from "../../src/publish/marker.ts";
import { readExistingState, toPreviousReview } from "../../src/publish/read-existing-state.ts";
import { synthesize } from "../../src/synthesis/synthesize.ts";
import { commit, git, startRig, TOKENS, type Rig } from "../demo/loopback-github/rig.ts";
import { changedFile, childReport, patchOf, planFor, reported, review } from "../synthesis/build-fixtures.ts";
import { CANARY, pick, planFrom, runContext } from "./build-run.ts";

const onLine2 = reported({ path: "a.txt", quote: "line 2 changed", title: "Line two", body: "It is wrong." });
const onLine15 = reported({ path: "a.txt", quote: "line 15 changed", title: "Line fifteen", category: "security" });

interface RunOptions {
	readonly run?: string;
	readonly attempt?: number;
	readonly findings?: readonly ReportedFinding[];
	readonly token?: string;
	/** The commit that was reviewed, when it is not the head any more. */
	readonly head?: string;
	readonly waitMs?: number;
	/** Changes the plan before it is applied. */
	readonly change?: (publications: readonly Publication[]) => readonly Publication[];
}

interface RunResult {
	readonly results: readonly PublicationResult[];
	readonly logged: readonly string[];
	readonly waits: readonly number[];
	readonly stepSummary: string;
	readonly outputs: Readonly<Record<string, string>>;
}

/** One run on the rig's pull request, from the children's findings to what stands on the loopback GitHub. */
async function run(rig: Rig, options: RunOptions = {}): Promise<RunResult> {
	const host: GitHubHost = await createGitHubHost({
		token: options.token ?? TOKENS.bot,
		baseUrl: rig.hub.url,
		repository: { owner: "acme", name: "widgets" },
		throttle: false,
		retryBaseMs: 1,
		timeoutMs: 5_000,
	});
	const pull = rig.hub.pull(rig.number);
	const head = options.head ?? pull.head.sha;
	const mergeBase = await git(rig.bare, "merge-base", pull.base.sha, head);
	const diff = await git(rig.bare, "diff", "-U3", mergeBase, head, "--", "a.txt");
	const blob = await git(rig.bare, "rev-parse", `${head}:a.txt`);
	const existing = await readExistingState(host.reader, rig.number, "default");
	const previous = toPreviousReview(existing);
	const changeSet = { mergeBase, head, files: [changedFile("a.txt", { newBlob: blob, additions: 2, deletions: 2 })] };
	const plan = planFor({ generalist: ["a.txt"] });
	const synthesis = await synthesize({
		changeSet,
		plan,
		reports: [childReport("generalist", ["a.txt"], { findings: options.findings ?? [onLine2, onLine15] })],
		patches: [patchOf("a.txt", diff.slice(diff.indexOf("@@ ")))],
		readHead: async (path) => git(rig.bare, "show", `${head}:${path}`).catch(() => undefined),
		settings: { review },
		...(previous === undefined ? {} : { previous }),
	});
	const facts = runContext().pullRequest;
	if (facts === undefined) throw new Error("the context is one of a pull request");
	const context = runContext({
		runId: options.run ?? "42",
		attempt: options.attempt ?? 1,
		head,
		mergeBase,
		pullRequest: { ...facts, number: rig.number },
		links: { repository: `${rig.hub.serverUrl}/acme/widgets`, run: `${rig.hub.serverUrl}/acme/widgets/actions/runs/42` },
	});
	const planned = planFrom(synthesis, { context, changeSet, existing, plan });
	const logged: string[] = [];
	const waits: number[] = [];
	let stepSummary = "";
	let outputs: Readonly<Record<string, string>> = {};
	const line = (text: string): void => void logged.push(text);
	const apply: ApplyContext = {
		reader: host.reader,
		writer: host.writer,
		clock: { now: () => 0, sleep: async (ms) => void waits.push(ms) },
		log: { info: line, notice: line, warning: line, error: line, group: line },
		budget: { left: options.waitMs ?? 180_000 },
		identity: existing.identity,
		instance: "default",
		run: context.runId,
		attempt: context.attempt,
		head,
		redact: (text) => text.replaceAll(CANARY, "[redacted]"),
		sinks: {
			stepSummary: async (markdown) => {
				stepSummary = markdown;
			},
			outputs: async (values) => {
				outputs = values;
			},
			artifacts: { folder: "/x", write: async (name) => `/x/${name}` },
		},
	};
	const results = await applyPublications(options.change?.(planned) ?? planned, apply);
	expect(rig.hub.violations).toEqual([]);
	return { results, logged, waits, stepSummary, outputs };
}

const state = (result: RunResult, kind: Publication["kind"]) => result.results.find((each) => each.kind === kind);
const ourStickies = (rig: Rig) => rig.hub.comments(rig.number).filter((comment) => parseMarker("sticky", comment.body) !== undefined);
const posts = (rig: Rig, path: RegExp) => rig.hub.requests.filter((request) => request.method === "POST" && path.test(request.path));
const REVIEWS = /\/reviews$/;
const ISSUE_COMMENTS = /\/issues\/\d+\/comments$/;
const onReviews = (action: FaultAction, times = 1) => ({ method: "POST", path: REVIEWS, action, times });
const onIssueComments = (action: FaultAction, times = 1) => ({ method: "POST", path: ISSUE_COMMENTS, action, times });

describe("applyPublications", () => {
	it("S-008 publishes one review, one marked summary whose usage is the sum of the children, a check and the outputs", async () => {
		await using rig = await startRig();
		const result = await run(rig);
		expect(result.results.map((each) => [each.kind, each.state])).toEqual([
			["review", "created"],
			["sticky", "created"],
			["check", "created"],
			["step-summary", "created"],
			["outputs", "created"],
			["file", "created"],
		]);
		expect(rig.hub.reviews(rig.number)).toHaveLength(1);
		expect(rig.hub.reviewComments(rig.number).map((comment) => comment.line)).toEqual([2, 15]);
		const [sticky] = ourStickies(rig);
		expect(sticky?.body).toContain("4,350 tokens: 1,000 input, 200 cache write, 3,000 cache read, 150 output");
		expect(sticky?.body).toContain("[Run 42]");
		expect(result.outputs["summary-url"]).toBe(state(result, "sticky")?.url);
		expect(rig.hub.checks(rig.hub.pull(rig.number).head.sha)).toHaveLength(1);
	});

	it("S-003 two runs on the same head leave one sticky comment and one review; a second head updates it and is named", async () => {
		await using rig = await startRig();
		await run(rig, { run: "42" });
		const second = await run(rig, { run: "43" });
		expect(state(second, "review")).toBeUndefined();
		expect(state(second, "sticky")?.state).toBe("updated");
		expect(ourStickies(rig)).toHaveLength(1);
		expect(rig.hub.comments(rig.number)).toHaveLength(1);
		expect(rig.hub.reviews(rig.number)).toHaveLength(1);
		const head = await push(rig, { "src/other.ts": "export {}\n" });
		await run(rig, { run: "44" });
		expect(ourStickies(rig)).toHaveLength(1);
		expect(ourStickies(rig)[0]?.body).toContain(`Head: \`${head}\``);
		expect(rig.hub.reviews(rig.number)).toHaveLength(1);
	});

	it("S-003 the same run applied twice changes nothing", async () => {
		await using rig = await startRig();
		await run(rig, { findings: [] });
		const again = await run(rig, { findings: [] });
		expect(state(again, "sticky")?.state).toBe("unchanged");
		expect(rig.hub.reviews(rig.number)).toHaveLength(0);
	});

	it("X-04 a second push with the bug fixed marks it fixed, the other stays open, a new one is posted alone", async () => {
		await using rig = await startRig();
		await run(rig, { run: "42" });
		const lines = Array.from({ length: 20 }, (_, index) =>
			index === 14 ? "line 15 changed" : index === 16 ? "line 17 fresh" : `line ${index + 1}`,
		);
		await push(rig, { "a.txt": `${lines.join("\n")}\n` });
		const onLine17 = reported({ path: "a.txt", quote: "line 17 fresh", title: "Fresh" });
		await run(rig, { run: "43", findings: [onLine15, onLine17] });
		const body = ourStickies(rig)[0]?.body ?? "";
		expect(body).toContain("Since the last review: 1 new, 1 still open, 1 fixed.");
		expect(body).toMatch(/### Fixed since the last review\n\n- Line two \([A-Z0-9]+\)/);
		const reviews = rig.hub.reviews(rig.number);
		expect(reviews).toHaveLength(2);
		expect(rig.hub.reviewComments(rig.number).map((comment) => comment.body.match(/: (.*?)\*\*/)?.[1])).toEqual([
			"Line two",
			"Line fifteen",
			"Fresh",
		]);
		expect(
			parseMarker("sticky", body)
				?.open.map((finding) => finding.title)
				.sort(),
		).toEqual(["Fresh", "Line fifteen"]);
	});

	it("BR-14 R23 a comment that GitHub refuses moves to the file, the others keep their line", async () => {
		await using rig = await startRig();
		const result = await run(rig, { change: withBadLine });
		expect(state(result, "review")?.state).toBe("degraded");
		const comments = rig.hub.reviewComments(rig.number);
		expect(comments.map((comment) => [comment.line, comment.subjectType])).toEqual([
			[15, "line"],
			[null, "file"],
		]);
		expect(ourStickies(rig)).toHaveLength(1);
	});

	it("R23 what finds no place as a comment stands in the summary", async () => {
		await using rig = await startRig();
		rig.hub.faults.add({
			method: "POST",
			path: /\/pulls\/\d+\/comments$/,
			action: { kind: "answer", status: 422, body: { message: "Validation Failed" } },
		});
		await run(rig, { change: withBadLine });
		expect(rig.hub.reviewComments(rig.number)).toHaveLength(1);
		const body = ourStickies(rig)[0]?.body ?? "";
		expect(body).toContain("Findings that could not be placed as comments");
		expect(body).toContain("It is wrong.");
		expect(parseMarker("sticky", body)).toBeDefined();
	});

	it("BR-20 a head that moved by a push: posted for the reviewed commit, and said in the summary", async () => {
		await using rig = await startRig();
		const old = rig.hub.pull(rig.number).head.sha;
		const now = await push(rig, { "src/later.ts": "export {}\n" });
		await run(rig, { head: old });
		expect(posts(rig, REVIEWS)[0]?.body).toMatchObject({ commit_id: old });
		const body = ourStickies(rig)[0]?.body ?? "";
		expect(body).toContain(`the branch moved to \`${now.slice(0, 7)}\``);
		expect(parseMarker("sticky", body)?.head).toBe(old);
	});

	it("BR-20 a reviewed commit that is gone leaves the findings in the summary only", async () => {
		await using rig = await startRig();
		rig.hub.faults.add(
			onReviews({
				kind: "answer",
				status: 422,
				body: { message: "Unprocessable Entity", errors: ["Start commit oid is not part of the pull request"] },
			}),
		);
		const result = await run(rig);
		expect(state(result, "review")).toMatchObject({
			state: "degraded",
			detail: "the reviewed commit is no longer part of the pull request",
		});
		expect(posts(rig, REVIEWS)).toHaveLength(1);
		expect(ourStickies(rig)[0]?.body).toContain("It is wrong.");
	});

	it("BR-37 A97 a stranger's comment with our marker is neither believed nor touched", async () => {
		await using rig = await startRig();
		const forged = printMarker("sticky", { instance: "default", run: "999999999", attempt: 1, head: "a".repeat(40), blobs: {}, open: [] });
		rig.hub.addComment(rig.number, { author: "ada", body: `${forged}\nhello` });
		rig.hub.addComment(rig.number, { author: "ada", body: `> ${forged}\nwhat is this?` });
		const result = await run(rig);
		expect(state(result, "sticky")?.state).toBe("created");
		const comments = rig.hub.comments(rig.number);
		expect(comments).toHaveLength(3);
		expect(comments[0]?.body).toBe(`${forged}\nhello`);
		expect(rig.hub.requests.filter((request) => request.method === "PATCH")).toEqual([]);
	});

	it("BR-37 of two of ours the newest is kept and the other folded", async () => {
		await using rig = await startRig();
		const marker = printMarker("sticky", { instance: "default", run: "5", attempt: 1, head: "a".repeat(40), blobs: {}, open: [] });
		rig.hub.addComment(rig.number, { author: "github-actions[bot]", body: `${marker}\none` });
		rig.hub.addComment(rig.number, { author: "github-actions[bot]", body: `${marker}\ntwo` });
		await run(rig);
		const [one, two, ...others] = rig.hub.comments(rig.number);
		expect(others).toEqual([]);
		expect(one?.body).toContain("This summary was replaced by a newer one");
		expect(parseMarker("sticky", two?.body ?? "")?.run).toBe("42");
	});

	it("BR-37 a marker on comment 101 is found", async () => {
		await using rig = await startRig();
		for (let index = 0; index < 100; index += 1) rig.hub.addComment(rig.number, { author: "ada", body: "x" });
		await run(rig, { run: "42" });
		await run(rig, { run: "43" });
		expect(rig.hub.comments(rig.number)).toHaveLength(101);
	});

	it("an older run and an older attempt never overwrite a newer one", async () => {
		await using rig = await startRig();
		await run(rig, { run: "50", attempt: 2, findings: [onLine15] });
		for (const older of [{ run: "49" }, { run: "50", attempt: 1 }]) {
			const result = await run(rig, older);
			expect(state(result, "sticky")).toMatchObject({ state: "skipped", detail: "run 50 is newer and has written the summary" });
			expect(state(result, "review")?.state).toBe("skipped");
			expect(state(result, "outputs")?.state).toBe("created");
		}
		expect(rig.hub.reviews(rig.number)).toHaveLength(1);
	});

	it("BR-44 R20 a secondary limit is waited for as long as GitHub says, then the write passes once", async () => {
		await using rig = await startRig();
		rig.hub.faults.add(onIssueComments({ kind: "secondary-limit", retryAfterSeconds: 7 }));
		rig.hub.faults.add(
			onReviews({ kind: "answer", status: 422, body: { message: "was submitted too quickly", errors: [{ code: "abuse" }] } }),
		);
		const result = await run(rig);
		expect(result.waits).toEqual([60_000, 7_000]);
		expect(rig.hub.reviews(rig.number)).toHaveLength(1);
		expect(ourStickies(rig)).toHaveLength(1);
	});

	it("BR-44 a limit that lasts uses up the budget with doubling waits, then the summary has it all", async () => {
		await using rig = await startRig();
		rig.hub.faults.add(onReviews({ kind: "secondary-limit" }, 10));
		const result = await run(rig, { waitMs: 200_000 });
		expect(result.waits).toEqual([60_000, 120_000]);
		expect(state(result, "review")).toMatchObject({ state: "degraded" });
		expect(ourStickies(rig)[0]?.body).toContain("GitHub's rate limit did not let the review pass in time");
		expect(ourStickies(rig)[0]?.body).toContain("It is wrong.");
	});

	it("R21 a primary limit that resets in 50 minutes is not waited for; the result is in the step summary", async () => {
		await using rig = await startRig();
		rig.hub.faults.add({ method: "POST", path: /./, times: 20, action: { kind: "primary-limit", resetInSeconds: 3_000 } });
		const result = await run(rig);
		expect(result.waits).toEqual([]);
		expect(rig.hub.comments(rig.number)).toEqual([]);
		expect(state(result, "sticky")?.state).toBe("degraded");
		expect(result.stepSummary).toContain("It is wrong.");
		expect(result.stepSummary).toContain("GitHub's rate limit did not let the comment pass in time");
	});

	it("BR-45 R22 a review that was created behind a 502 is found by its marker and not repeated", async () => {
		await using rig = await startRig();
		rig.hub.faults.add(onReviews({ kind: "applied-then-502" }));
		const result = await run(rig);
		expect(state(result, "review")?.state).toBe("created");
		expect(posts(rig, REVIEWS)).toHaveLength(1);
		expect(rig.hub.reviews(rig.number)).toHaveLength(1);
	});

	it("BR-45 a review that was not created is posted again, once; when it cannot be listed, not at all", async () => {
		await using rig = await startRig();
		rig.hub.faults.add(onReviews({ kind: "html-502" }));
		await run(rig, { run: "42" });
		expect(posts(rig, REVIEWS)).toHaveLength(2);
		expect(rig.hub.reviews(rig.number)).toHaveLength(1);
		await using blind = await startRig();
		blind.hub.faults.add(onReviews({ kind: "applied-then-cut" }));
		blind.hub.faults.add({ method: "GET", path: REVIEWS, times: 10, action: { kind: "html-502" } });
		const result = await run(blind);
		expect(state(result, "review")?.state).toBe("degraded");
		expect(posts(blind, REVIEWS)).toHaveLength(1);
	});

	it("R22 a summary comment that was made behind a broken connection is made once", async () => {
		await using rig = await startRig();
		rig.hub.faults.add(onIssueComments({ kind: "applied-then-cut" }));
		const result = await run(rig);
		expect(state(result, "sticky")?.state).toBe("created");
		expect(ourStickies(rig)).toHaveLength(1);
		expect(posts(rig, ISSUE_COMMENTS)).toHaveLength(1);
	});

	it("R31 a summary that a user deletes between the look-up and the write is made anew", async () => {
		await using rig = await startRig();
		await run(rig, { run: "42" });
		rig.hub.faults.add({
			method: "PATCH",
			path: /\/issues\/comments\//,
			action: { kind: "answer", status: 404, body: { message: "Not Found" } },
		});
		const result = await run(rig, { run: "43", findings: [onLine15] });
		expect(state(result, "sticky")?.state).toBe("created");
		expect(parseMarker("sticky", ourStickies(rig).at(-1)?.body ?? "")?.run).toBe("43");
	});

	it("R26 without any permission each form says so in one line and the findings are in the log and the step summary", async () => {
		await using rig = await startRig();
		const result = await run(rig, { token: TOKENS.reader });
		expect(result.results.map((each) => [each.kind, each.state])).toEqual([
			["review", "degraded"],
			["sticky", "degraded"],
			["check", "degraded"],
			["step-summary", "created"],
			["outputs", "created"],
			["file", "created"],
		]);
		for (const each of result.results) expect(each.detail).not.toContain("\n");
		expect(state(result, "review")?.detail).toContain("pull-requests: write");
		expect(result.logged.some((line) => line.startsWith("a.txt:2: important: Line two"))).toBe(true);
		expect(result.stepSummary).toContain("It is wrong.");
	});

	it("a sink that fails does not stop the others", async () => {
		await using rig = await startRig();
		rig.hub.faults.add({ method: "GET", path: /\/pulls\/\d+$/, times: 10, action: { kind: "html-502" } });
		rig.hub.faults.add({ method: "POST", path: /\/check-runs$/, action: { kind: "html-502" } });
		const result = await run(rig);
		expect(state(result, "check")).toMatchObject({
			state: "degraded",
			detail: "the check was not written: HTTP 502; findings are in the job's log",
		});
		expect(state(result, "review")?.state).toBe("created");
		expect(state(result, "file")?.state).toBe("created");
	});

	it("BR-45 a reply is made once, whatever the connection does", async () => {
		await using rig = await startRig();
		const marker = printMarker("reply", { instance: "default", run: "42", to: 9 });
		const reply = (): readonly Publication[] => [{ kind: "reply", number: rig.number, marker, body: "The answer." }];
		rig.hub.faults.add(onIssueComments({ kind: "applied-then-502" }));
		expect((await run(rig, { change: reply })).results[0]?.state).toBe("created");
		expect((await run(rig, { change: reply })).results[0]?.state).toBe("unchanged");
		expect(rig.hub.comments(rig.number).map((comment) => comment.body)).toEqual([`${marker}\nThe answer.`]);
	});

	it("A87 nothing that reaches a sink holds a secret, even when a plan does", async () => {
		await using rig = await startRig();
		const leak = (publications: readonly Publication[]): readonly Publication[] =>
			JSON.parse(JSON.stringify(publications).replaceAll("Line two", CANARY)) as readonly Publication[];
		const result = await run(rig, { change: leak });
		const everything = JSON.stringify([rig.hub.requests.map((request) => request.body), result]);
		expect(everything).not.toContain("canary");
		expect(everything).toContain("[redacted]");
	});
});

/** Makes the comment on line 2 one that GitHub refuses. */
function withBadLine(publications: readonly Publication[]): readonly Publication[] {
	const planned = pick(publications, "review");
	const comments = planned.comments.map((comment) => (comment.line === 2 ? { ...comment, line: 9 } : comment));
	return publications.map((publication) => (publication.kind === "review" ? { ...planned, comments } : publication));
}

/** A further commit on the pull request's branch; gives the new head. */
async function push(rig: Rig, files: Readonly<Record<string, string>>): Promise<string> {
	await git(rig.work, "switch", "--quiet", "feature");
	const head = await commit(rig.work, "More", files);
	await git(rig.work, "push", "--quiet", rig.bare, "feature");
	const { client } = rig;
	await client(TOKENS.ada).pulls.get({ ...rig.repository, pull_number: rig.number });
	return head;
}
