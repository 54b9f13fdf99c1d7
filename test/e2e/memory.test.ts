import { afterEach, describe, expect, it } from "vitest";
import { parseMarker } from "../../src/publish/marker.ts";
import { closeAll, FIXED, mean, plain, push, review, reviewerOf, send, start } from "./rounds-rig.ts";
import { say } from "./say.ts";
import { type Files, git, REPOSITORY, type Scene } from "./start-scene.ts";

afterEach(closeAll);

const OTHER = { "z.txt": "z\n" };
const BASE = { "a.go": plain("a"), ...OTHER };

/** A person, or another bot, with a token of its own. */
function signIn(scene: Scene, login: string, type: "User" | "Bot" = "User"): string {
	const token = `ghp_${login.replace(/\W/g, "").padEnd(36, "0")}`;
	scene.github.addUser(login, { type });
	scene.github.addToken(token, { login, type, permissions: "write" });
	return token;
}

async function ask(scene: Scene, token: string, path: string, body: object): Promise<void> {
	const answer = await fetch(`${scene.github.url}${path}`, {
		method: "POST",
		headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
		body: JSON.stringify(body),
	});
	const text = await answer.text();
	expect(answer.ok && !text.includes('"errors"'), text).toBe(true);
}

interface ThreadsAnswer {
	readonly data: { readonly repository: { readonly pullRequest: { readonly reviewThreads: { readonly nodes: readonly Thread[] } } } };
}
interface Thread {
	readonly id: string;
	readonly isResolved: boolean;
	readonly resolvedBy: { readonly login: string } | null;
}

async function threadsOf(scene: Scene, token: string): Promise<readonly Thread[]> {
	const query = `{ repository(owner: "octo", name: "parcels") { pullRequest(number: ${scene.number}) { reviewThreads(first: 50) { nodes { id isResolved resolvedBy { login } } } } } }`;
	const answer = await fetch(scene.github.graphqlUrl, {
		method: "POST",
		headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
		body: JSON.stringify({ query }),
	});
	return ((await answer.json()) as ThreadsAnswer).data.repository.pullRequest.reviewThreads.nodes;
}

async function turn(scene: Scene, token: string, what: "resolve" | "unresolve", index = 0): Promise<void> {
	const thread = (await threadsOf(scene, token))[index];
	const query = `mutation { ${what}ReviewThread(input: { threadId: "${thread?.id}" }) { thread { id } } }`;
	await ask(scene, token, "/graphql", { query });
}

/** A commit on the base branch. */
async function land(scene: Scene, files: Files): Promise<void> {
	await git(scene.work, "checkout", "-q", "main");
	const { mkdir, writeFile } = await import("node:fs/promises");
	const path = await import("node:path");
	for (const [name, content] of Object.entries(files)) {
		await mkdir(path.dirname(path.join(scene.work, name)), { recursive: true });
		await writeFile(path.join(scene.work, name), content ?? "");
	}
	await git(scene.work, "add", "-A");
	await git(scene.work, "commit", "-q", "-m", "Land");
	await send(scene, "main");
	// The base of a pull request moves with its next push.
	await push(scene, {});
}

const suppress = (lines: readonly string[]): Files => ({
	".rookery/suppressions.yml": `suppressions:\n  - ${lines.join("\n    ")}\n`,
});

/** Each test starts the action several times; a busy machine needs a while for it. */
const ROOM = { timeout: 180_000 };

describe("the memory of no, end to end", ROOM, () => {
	it("X-19 1c-4 a conversation that was resolved without a change closes its finding, until it is opened again", async () => {
		const { scene, model } = await start({ base: BASE, head: { "a.go": mean("a") } });
		const first = (await review(scene, model)).report.findings[0];
		const guest = signIn(scene, "guest");
		await turn(scene, guest, "resolve");
		await push(scene, { "z.txt": "zz\n" });
		const ignored = (await review(scene, model)).report;
		expect(ignored.findings).toMatchObject([{ id: first?.id, state: "open" }]);
		const maintainer = signIn(scene, "maintainer");
		await turn(scene, maintainer, "unresolve");
		await turn(scene, maintainer, "resolve");
		await push(scene, { "a.go": `${mean("a")}\n// More.\n` });
		const closed = (await review(scene, model)).report;
		expect(closed.findings).toEqual([]);
		expect(closed.dismissed).toMatchObject([{ finding: { id: first?.id }, reason: "its conversation was resolved by maintainer" }]);
		expect(closed.verdict.state).toBe("clean");
		await turn(scene, maintainer, "unresolve");
		await push(scene, { "z.txt": "zzz\n" });
		const again = (await review(scene, model)).report;
		expect(again.findings).toMatchObject([{ id: first?.id, state: "open" }]);
		expect(scene.github.reviewComments(scene.number)).toHaveLength(1);
	});

	it("X-19 a 👎 of somebody who may write closes a finding; a critical one stays, and a line says so", async () => {
		for (const severity of ["important", "critical"] as const) {
			const { scene, model } = await start({ base: BASE, head: { "a.go": mean("a") } }, reviewerOf(severity));
			await review(scene, model);
			const [comment] = scene.github.reviewComments(scene.number);
			const down = `/repos/${REPOSITORY}/pulls/comments/${comment?.id}/reactions`;
			await ask(scene, signIn(scene, "maintainer"), down, { content: "-1" });
			await push(scene, { "z.txt": "zz\n" });
			const { report } = await review(scene, model);
			if (severity === "important") {
				expect(report.findings).toEqual([]);
				expect(report.dismissed).toMatchObject([{ reason: "👎 by maintainer" }]);
			} else {
				expect(report.findings).toMatchObject([{ severity: "critical", state: "open" }]);
				expect(report.notes.join("\n")).toContain("A critical finding stays although 👎 by maintainer: Division by zero");
				expect(scene.sticky()).toContain("A critical finding stays although");
			}
			await closeAll();
		}
	});

	it("X-19 a suppressed finding is not shown, on no pull request; one whose day is over is there again", async () => {
		const { scene, model } = await start({ base: BASE, head: { "a.go": mean("a") } });
		const first = (await review(scene, model)).report.findings[0];
		const entry = [`fingerprint: "${first?.fingerprint}"`, "who: ada", "why: the caller checks"];
		await land(scene, suppress([...entry, "until: 2999-12-31"]));
		const hidden = (await review(scene, model)).report;
		expect(hidden.findings).toEqual([]);
		expect(hidden.dismissed).toMatchObject([
			{ finding: { id: first?.id }, reason: "suppressed by ada until 2999-12-31: the caller checks" },
		]);
		await land(scene, suppress([...entry, "until: 2001-01-01"]));
		const again = (await review(scene, model)).report;
		expect(again.findings).toMatchObject([{ id: first?.id, state: "open" }]);
		expect(again.notes.join("\n")).toContain("its suppression by ada ended on 2001-01-01");
		expect(scene.github.reviewComments(scene.number)).toHaveLength(1);
	});

	it("X-19 a rule below a directory hides a critical finding with a line that says so; the head's own file counts for nothing", async () => {
		const rule = suppress(["rule: bug", "directory: lib", "who: ada", "why: generated", "until: 2999-01-31"]);
		const { scene, model } = await start(
			{ base: { "lib/a.go": plain("a"), "b.go": plain("b") }, head: { "lib/a.go": mean("a"), "b.go": mean("b"), ...rule } },
			reviewerOf("critical"),
		);
		const first = (await review(scene, model)).report;
		expect(first.findings.map((finding) => finding.path).sort()).toEqual(["b.go", "lib/a.go"]);
		await land(scene, rule);
		const second = (await review(scene, model)).report;
		expect(second.findings.map((finding) => finding.path)).toEqual(["b.go"]);
		expect(second.notes.join("\n")).toContain(
			"A critical finding is not shown (suppressed by ada until 2999-01-31: generated): Division by zero",
		);
	});

	it("X-19 a broken suppressions file ends the run with file, key, found and wanted", async () => {
		const broken = suppress(["rule: bugs", "directory: lib", "who: ada", "why: generated"]);
		const { scene } = await start({ base: { ...BASE, ...broken }, head: { "a.go": mean("a") } });
		const result = await scene.start();
		expect(result.exitCode).toBe(1);
		expect(result.stdout).toContain('.rookery/suppressions.yml: suppressions.0.rule: found "bugs", wanted bug or security');
		expect(scene.github.comments(scene.number)).toEqual([]);
	});

	it("1c-4 /dismiss closes a finding here and shows what closes it everywhere", async () => {
		const { scene, model } = await start({ base: BASE, head: { "a.go": mean("a") } });
		const first = (await review(scene, model)).report.findings[0];
		const said = await say(scene, `/dismiss ${first?.id} callers check`);
		expect(said.replies.at(-1)).toContain(
			`suppressions:\n  - fingerprint: "${first?.fingerprint}"\n    who: "maintainer"\n    why: "callers check"`,
		);
		await push(scene, { "a.go": `${mean("a")}\n// More.\n` });
		const { report } = await review(scene, model);
		expect(report.findings).toEqual([]);
		expect(report.dismissed).toMatchObject([{ reason: "dismissed by maintainer: callers check" }]);
	});

	it("1c-17 a place that another bot has commented on gets no second comment; the finding stands in the summary", async () => {
		const { scene, model } = await start({ base: BASE, head: { "a.go": mean("a") } });
		const line =
			mean("a")
				.split("\n")
				.findIndex((text) => text.includes("len(items)")) + 1;
		const body = { body: "Division by zero.", path: "a.go", line, side: "RIGHT", commit_id: scene.head };
		await ask(scene, signIn(scene, "rabbit[bot]", "Bot"), `/repos/${REPOSITORY}/pulls/${scene.number}/comments`, body);
		const { report } = await review(scene, model);
		expect(report.findings).toMatchObject([{ tier: "body", state: "new" }]);
		expect(scene.github.reviewComments(scene.number)).toHaveLength(1);
		expect(scene.sticky()).toContain("rabbit[bot] has commented on the same lines");
		expect(scene.sticky()).toContain("Without items this panics");
	});
});

describe("conversations of fixed findings, end to end", ROOM, () => {
	const two = { base: { "a.go": plain("a"), "b.go": plain("b") }, head: { "a.go": mean("a"), "b.go": mean("b") } };

	it("X-04 the conversation of a fixed finding is resolved, in one request; the one that is still open is left", async () => {
		const { scene, model } = await start(two);
		await review(scene, model);
		const person = signIn(scene, "maintainer");
		const line =
			mean("a")
				.split("\n")
				.findIndex((text) => text.includes("func Meana")) + 1;
		const remark = { body: "I do not like this.", path: "a.go", line, side: "RIGHT", commit_id: scene.head };
		await ask(scene, person, `/repos/${REPOSITORY}/pulls/${scene.number}/comments`, remark);
		await push(scene, { "a.go": mean("a", FIXED) });
		const before = scene.github.requests.length;
		await review(scene, model);
		// Who we are, the conversations, and one that resolves.
		expect(scene.github.requests.slice(before).filter((request) => request.operation === "graphql")).toHaveLength(3);
		const threads = await threadsOf(scene, person);
		expect(threads.map(({ isResolved, resolvedBy }) => [isResolved, resolvedBy?.login])).toEqual([
			[true, "github-actions"],
			[false, undefined],
			[false, undefined],
		]);
	});

	it("X-04 a conversation that a person opened again is left alone, and one that comes back is told in the summary", async () => {
		const { scene, model } = await start({ base: BASE, head: { "a.go": mean("a") } });
		const first = (await review(scene, model)).report.findings[0];
		const person = signIn(scene, "maintainer");
		await push(scene, { "a.go": mean("a", FIXED) });
		await review(scene, model);
		expect(parseMarker("sticky", scene.sticky() ?? "")?.closed).toEqual([first?.fingerprint]);
		await push(scene, { "a.go": mean("a") });
		const back = (await review(scene, model)).report;
		expect(back.findings).toMatchObject([{ fingerprint: first?.fingerprint, state: "new" }]);
		expect(scene.github.reviewComments(scene.number)).toHaveLength(1);
		expect(scene.sticky()).toContain("Without items this panics");
		await turn(scene, person, "unresolve");
		await push(scene, { "a.go": mean("a", FIXED) });
		const fixed = (await review(scene, model)).report;
		expect(fixed.findings).toMatchObject([{ state: "fixed" }]);
		expect((await threadsOf(scene, person)).map((thread) => thread.isResolved)).toEqual([false]);
	});

	it("X-04 a token that may not resolve says so in the summary and in nothing else", async () => {
		const permissions = { contents: "read", "pull-requests": "write", issues: "write", checks: "write" } as const;
		const { scene, model } = await start({ base: BASE, head: { "a.go": mean("a") }, permissions });
		await review(scene, model);
		await push(scene, { "a.go": mean("a", FIXED) });
		const { result, report } = await review(scene, model);
		expect(result.exitCode).toBe(0);
		expect(report.verdict.state).toBe("clean");
		expect(scene.sticky()).toContain(
			"conversations about fixed findings stay open: this token may not resolve them (it needs contents: write)",
		);
	});
});
