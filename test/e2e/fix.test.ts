import { execFileSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { RunningStep } from "../../src/demo/runner/run-action.ts";
import { nextRun, type Said, say } from "./say.ts";
import { git, type Scene, startScene, TOKEN } from "./start-scene.ts";

/** A mark that leaves all other tests out, which the built-in checks find and can take out. */
const FOCUSED = 'import { test } from "node:test";\n\ntest.only("adds", () => {});\ntest("subtracts", () => {});\n';
const FIXED = FOCUSED.replace("test.only", "test");
const GREEN = 'import { test } from "node:test";\n\ntest("adds", () => {});\n';
const BASE = { "sum.test.mjs": GREEN, ".rookery/settings.json": '{ "checks": { "typescript": "node --test" } }\n', "package.json": "{}\n" };

const scenes: Scene[] = [];
afterEach(async () => {
	for (const started of scenes.splice(0)) {
		expect(started.github.violations).toEqual([]);
		await started[Symbol.asyncDispose]();
	}
});

/** A pull request that was reviewed, with the id of its one finding. */
async function reviewed(options: Partial<Parameters<typeof startScene>[0]> = {}): Promise<Scene & { readonly id: string }> {
	const scene = await startScene({ base: BASE, head: { "sum.test.mjs": FOCUSED }, ...options });
	scenes.push(scene);
	const result = await scene.start();
	expect(result.exitCode, result.stdout + result.stderr).toBe(0);
	const { findings } = await scene.readReport(result);
	expect(findings.map((finding) => finding.title)).toEqual(["Only this test runs"]);
	return { ...scene, id: findings[0]?.id ?? "" };
}

function bareOf(s: Scene): string {
	return s.github.state.repositories.get("octo/parcels")?.bare ?? "";
}

const show = async (s: Scene, ref: string): Promise<string> => `${await git(bareOf(s), "show", `${ref}:sum.test.mjs`)}\n`;

function lastReply(said: Said): string {
	expect(said.result.exitCode === 0 || said.result.exitCode === 1, said.result.stdout + said.result.stderr).toBe(true);
	return said.replies.at(-1) ?? "";
}

/** Processes of this machine with this very command line. */
function countProcesses(command: string): number {
	const all = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).split("\n");
	return all.filter((line) => line.trim() === command).length;
}

describe("fix, end to end without a key", { timeout: 120_000 }, () => {
	it("X-12 a suggestion becomes one signed commit whose tests ran before and after, and the new head is reviewed", async () => {
		const s = await reviewed();
		const main = (await s.github.refs())["refs/heads/main"];
		const said = await say(s, `/fix ${s.head} ${s.id}`);
		const reply = lastReply(said);
		const refs = await s.github.refs();
		const commit = refs["refs/heads/change"] ?? "";
		expect(commit).not.toBe(s.head);
		expect(await show(s, commit)).toBe(FIXED);
		expect(await git(bareOf(s), "diff", "--name-only", s.head, commit)).toBe("sum.test.mjs");
		const message = await git(bareOf(s), "show", "-s", "--format=%P|%an|%B", commit);
		expect(message).toContain(`${s.head}|github-actions[bot]|Fix ${s.id}: Only this test runs`);
		expect(message).toMatch(/With the patch, node --test \(2 tests\) passes\.\n\nRequested-by: maintainer\nRookery-Run: \d+$/);
		expect(reply).toContain(`Pushed \`${commit.slice(0, 7)}\`, signed, to \`change\` (1 file, +1 −1).`);
		expect(reply).toMatch(/`node --test` \| passed, \d+ passed, .* \| passed, 2 passed,/);
		expect(reply).toContain("Commits of the workflow's own token start no other workflow");
		expect(said.reactions).toContain("+1");
		// The round of the new head tells it as fixed; nothing but the two branches was touched.
		expect(s.sticky()).toContain("0 still open, 1 fixed");
		expect(s.sticky()).toContain(`"head":"${commit}"`);
		expect(refs["refs/heads/main"]).toBe(main);
		expect(
			Object.keys(refs)
				.filter((name) => name.startsWith("refs/heads/"))
				.sort(),
		).toEqual(["refs/heads/change", "refs/heads/main"]);
		expect(said.operations.filter((name) => name === "git/update-ref")).toHaveLength(1);
		const audit = await readFile(path.join(s.folder, "temp", "rookery", "audit", `run-${said.run}-1.jsonl`), "utf8");
		expect(audit).toMatch(/"tool":"push \(api\)".*"target":"refs\/heads\/change \([0-9a-f]{12}\)","decision":"allow"/);
		// What is fixed cannot be fixed again.
		const again = await say(s, `/fix ${commit} all`);
		expect(lastReply(again)).toContain("Nothing to fix");
		expect((await s.github.refs())["refs/heads/change"]).toBe(commit);
	});

	it("X-12 tests that are red with the patch hold it: nothing is pushed, the patch and the output are in the reply", async () => {
		const failing = FOCUSED.replace('test("subtracts", () => {})', 'test("subtracts", () => { throw new Error("off by one"); })');
		const s = await reviewed({ head: { "sum.test.mjs": failing } });
		const before = await s.github.refs();
		const said = await say(s, `/fix ${s.head} all`);
		const reply = lastReply(said);
		expect(reply).toContain("Nothing was pushed (E_PUSH)");
		expect(reply).toContain("off by one");
		expect(reply).toContain('+test("adds"');
		expect(await s.github.refs()).toEqual(before);
		expect(said.operations.filter((name) => /^git\/(?:create|update)|receive-pack/.test(name))).toEqual([]);
		const patch = await readFile(/The patch of this fix: (\S+)/.exec(said.result.stdout)?.[1] ?? "", "utf8");
		expect(patch).toContain('-test.only("adds"');
		expect(said.reactions).toContain("confused");
	});

	it("BR-33 nothing is pushed to a fork: the patch is in the reply, and no code of it is run", async () => {
		const s = await reviewed({ fork: true, role: "read" });
		const fork = await s.github.refs("author/parcels");
		const before = await s.github.refs();
		const reply = lastReply(await say(s, `/fix ${s.head} all`));
		expect(reply).toContain("Nothing was pushed (E_FORK)");
		expect(reply).toContain('-test.only("adds"');
		expect(reply).not.toContain("| Check");
		expect(await s.github.refs("author/parcels")).toEqual(fork);
		expect(await s.github.refs()).toEqual(before);
	});

	it("A09 BR-32 a head that moves while the fix is proved keeps its commits, and the patch is for a person", async () => {
		const s = await reviewed();
		let moved = "";
		s.github.faults.add({
			method: "GET",
			path: /\/pulls\/\d+$/,
			after: 1,
			action: {
				kind: "hook",
				run: async () => {
					if (moved !== "") return;
					await git(s.work, "checkout", "-q", "change");
					await git(s.work, "commit", "-q", "--allow-empty", "-m", "Meanwhile");
					moved = await git(s.work, "rev-parse", "HEAD");
					await git(s.work, "push", "-q", bareOf(s), "change");
				},
			},
		});
		const reply = lastReply(await say(s, `/fix ${s.head} all`));
		expect(moved).not.toBe("");
		expect(reply).toContain("Nothing was pushed (E_STALE): the head has moved to");
		expect(reply).toContain('-test.only("adds"');
		expect((await s.github.refs())["refs/heads/change"]).toBe(moved);
	});

	it("R29 a pull request that is closed while the fix is proved gets no push", async () => {
		const s = await reviewed();
		const before = await s.github.refs();
		s.github.faults.add({
			method: "GET",
			path: /\/pulls\/\d+$/,
			after: 1,
			action: { kind: "hook", run: async () => s.github.closePullRequest(s.number) },
		});
		expect(lastReply(await say(s, `/fix ${s.head} all`))).toContain("the pull request was closed meanwhile");
		expect(await s.github.refs()).toEqual(before);
	});

	it.each(["SIGINT", "SIGTERM"] as const)(
		"R36 %s while the checks run: over in 7 s, nothing is pushed, no tree and no process is left",
		async (signal) => {
			const s = await reviewed({ base: { ...BASE, ".rookery/settings.json": '{ "checks": { "typescript": "sleep 54321" } }\n' } });
			const before = await s.github.refs();
			let step: RunningStep | undefined;
			const running = say(s, `/fix ${s.head} all`, {
				change: {
					onStart: (started) => {
						step = started;
					},
				},
			});
			const isRunning = async () => (await git(s.workspace, "worktree", "list", "--porcelain")).includes("check-after");
			while (!(await isRunning()) || countProcesses("sleep 54321") === 0) await wait(50);
			const stoppedAt = performance.now();
			step?.process.kill(signal);
			const said = await running;
			expect(performance.now() - stoppedAt).toBeLessThan(7_000);
			expect(await s.github.refs()).toEqual(before);
			expect(await git(s.workspace, "worktree", "list", "--porcelain")).not.toMatch(/worktree .*temp/);
			expect(countProcesses("sleep 54321")).toBe(0);
			expect(said.operations.filter((name) => /^git\/(?:create|update)|receive-pack/.test(name))).toEqual([]);
		},
	);

	it("BR-51 a protected branch is asked once and never forced: a branch of our own and a pull request take its place", async () => {
		const s = await reviewed();
		await s.github.protectBranch("octo/parcels", "change");
		const said = await say(s, `/fix ${s.head} all`);
		const reply = lastReply(said);
		const branch = `rookery/fix-${s.number}-${s.id.toLowerCase()}`;
		const refs = await s.github.refs();
		expect(refs["refs/heads/change"]).toBe(s.head);
		expect(await show(s, refs[`refs/heads/${branch}`] ?? "")).toBe(FIXED);
		expect(said.operations.filter((name) => name === "git/update-ref")).toHaveLength(1);
		expect(reply).toContain(`to the new branch \`${branch}\``);
		const opened = s.github.pull(s.number + 1);
		expect(opened).toMatchObject({ base: { ref: "change" }, head: { ref: branch }, draft: false });
		// Asked again, the name is taken and the next one is used; nothing is overwritten.
		await say(s, `/fix ${s.head} ${s.id}`, { change: { runId: nextRun() } });
		expect((await s.github.refs())[`refs/heads/${branch}`]).toBe(refs[`refs/heads/${branch}`]);
	});

	it("commit: git pushes with a header that stands in no argument list; --pr leaves the pull request's branch alone", async () => {
		const settings = '{ "checks": { "typescript": "node --test" }, "commit": "git" }\n';
		const s = await reviewed({ base: { ...BASE, ".rookery/settings.json": settings } });
		const said = await say(s, `/fix ${s.head} --pr all`);
		const branch = `rookery/fix-${s.number}-${s.id.toLowerCase()}`;
		const refs = await s.github.refs();
		expect(refs["refs/heads/change"]).toBe(s.head);
		expect(await show(s, refs[`refs/heads/${branch}`] ?? "")).toBe(FIXED);
		expect(said.operations).toContain("git/receive-pack");
		expect(said.operations.filter((name) => /^git\/(?:create|update)/.test(name))).toEqual([]);
		expect(said.result.stdout.replaceAll(`::add-mask::${TOKEN}`, "")).not.toContain(TOKEN);
		expect(lastReply(said)).toContain(`/pull/${s.number + 1}`);
	});

	it("the bare command below a finding means that finding; with commit: ssh the key in the input signs it", async () => {
		const settings = '{ "checks": { "typescript": "node --test" }, "commit": "ssh" }\n';
		const s = await reviewed({ base: { ...BASE, ".rookery/settings.json": settings } });
		const file = path.join(s.folder, "key");
		execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "bot", "-f", file]);
		const key = await readFile(file, "utf8");
		s.github.addToken("ghp_maintainer", { login: "maintainer", permissions: "write" });
		const root = s.github.reviewComments(s.number)[0]?.id ?? 0;
		const answered = await fetch(`${s.github.url}/repos/octo/parcels/pulls/${s.number}/comments/${root}/replies`, {
			method: "POST",
			headers: { authorization: "token ghp_maintainer", "content-type": "application/json" },
			body: JSON.stringify({ body: `/fix ${s.head}` }),
		});
		const { id } = (await answered.json()) as { id: number };
		const payload = await s.github.reviewCommentPayload(id, "created");
		const result = await s.start({
			event: { name: "pull_request_review_comment", payload },
			...{ sha: s.base, ref: "refs/heads/main", actor: "maintainer", runId: nextRun() },
			inputs: { "github-token": TOKEN, "signing-key": key },
		});
		expect(result.exitCode, result.stdout + result.stderr).toBe(0);
		const commit = (await s.github.refs())["refs/heads/change"] ?? "";
		expect(await show(s, commit)).toBe(FIXED);
		expect(await git(bareOf(s), "cat-file", "commit", commit)).toContain("BEGIN SSH SIGNATURE");
		// The key is masked and gone from the disk.
		const masked = result.stdout.split("\n").filter((line) => !line.startsWith("::add-mask::"));
		expect(masked.join("\n")).not.toContain(key.split("\n")[1] ?? "");
		expect((await readdir(path.join(s.folder, "temp"))).filter((name) => name.startsWith("rookery-key"))).toEqual([]);
	});

	it("without a check that fits, it goes to a draft of its own and says so", async () => {
		const s = await reviewed({ base: { ...BASE, ".rookery/settings.json": '{ "checks": { "typescript": "no-such-program" } }\n' } });
		const reply = lastReply(await say(s, `/fix ${s.head} all`));
		expect(reply).toContain("not installed");
		expect(reply).toContain("nothing has shown it to be sound");
		expect((await s.github.refs())["refs/heads/change"]).toBe(s.head);
		expect(s.github.pull(s.number + 1).draft).toBe(true);
	});

	it("A03 BR-52 who may not write is refused, and a wish that changes nothing makes no commit and no pull request", async () => {
		const s = await reviewed();
		const before = await s.github.refs();
		const reader = await say(s, `/fix ${s.head} all`, { author: "stranger" });
		expect(reader.replies.at(-1)).toContain("needs the role write");
		expect(lastReply(await say(s, `/fix ${s.head} rename everything`))).toContain("There is no fix for");
		expect(lastReply(await say(s, "/fix"))).toContain(`Open findings: ${s.id}`);
		expect(lastReply(await say(s, "/fix ZZ99"))).toContain("There is no open finding `ZZ99`");
		expect(await s.github.refs()).toEqual(before);
		// A head that nobody can say was there before the comment: nothing of it is run, and it is not pushed to.
		await git(s.work, "checkout", "-q", "change");
		await git(s.work, "commit", "-q", "--allow-empty", "-m", "New");
		await git(s.work, "push", "-q", bareOf(s), "change");
		const moved = (await s.github.refs())["refs/heads/change"];
		const unpinned = lastReply(await say(s, "/fix all"));
		expect(unpinned).toContain("Nothing was pushed (E_STALE)");
		expect(unpinned).toContain('-test.only("adds"');
		expect(unpinned).not.toContain("| Check");
		expect((await s.github.refs())["refs/heads/change"]).toBe(moved);
		expect(() => s.github.pull(s.number + 1)).toThrow();
	});
});
