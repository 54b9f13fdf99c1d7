import { readFile } from "node:fs/promises";
import { afterEach, describe, expect, it } from "vitest";
import { parseMarker } from "../../src/publish/marker.ts";
import { dispatch, inBare, ofBranch, pullsOf, pushAs, startJobs as startScene } from "./start-jobs.ts";
import { git, REPOSITORY, type Scene, TOKEN } from "./start-scene.ts";

const scenes: Scene[] = [];
const BOT = "41898282+github-actions[bot]@users.noreply.github.com";

afterEach(async () => {
	for (const scene of scenes.splice(0)) {
		expect(scene.github.violations).toEqual([]);
		await scene[Symbol.asyncDispose]();
	}
});

async function startJobs(...options: Parameters<typeof startScene>): Promise<Scene> {
	const scene = await startScene(...options);
	scenes.push(scene);
	return scene;
}

const FORMAT = { run: ["sed -i 's/  */ /g' notes.txt"], checks: ["grep -q 'one two' notes.txt"], labels: ["maintenance"] };

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves when a job's tree stands and the sandboxed process has had time to begin its command. */
async function untilTree(scene: Scene): Promise<void> {
	for (let tries = 0; tries < 600; tries += 1) {
		if (/worktree .*temp/.test(await git(scene.workspace, "worktree", "list", "--porcelain").catch(() => ""))) break;
		await wait(50);
	}
	await wait(1_500);
}

describe("maintenance jobs, end to end", () => {
	it("S-005 S-125 a list of commands becomes one commit on the job's branch and one draft pull request; the checkout stays as it was", async () => {
		const scene = await startJobs({ format: FORMAT }, { ".worktreeinclude": "local.env\n" });
		await git(scene.workspace, "config", "user.name", "x");
		const before = await git(scene.workspace, "status", "--porcelain=v2", "--branch");
		const result = await dispatch(scene, "format");
		expect(result.exitCode, result.stdout).toBe(0);
		const { number, pull, issue } = ofBranch(scene, "rookery/format");
		const refs = await scene.github.refs();
		expect(await inBare(scene, "rev-list", "--count", "main..rookery/format")).toBe("1");
		expect(await inBare(scene, "rev-parse", "rookery/format^")).toBe(scene.base);
		expect(await inBare(scene, "diff", "--name-only", "main", "rookery/format")).toBe("notes.txt");
		expect(await inBare(scene, "show", "rookery/format:notes.txt")).toBe("one two\nthree");
		expect(await inBare(scene, "log", "-1", "--format=%ae %s", "rookery/format")).toBe(`${BOT} Maintenance: format`);
		expect(refs["refs/heads/main"]).toBe(scene.base);
		expect(issue).toMatchObject({ state: "open", title: "Maintenance: format", labels: ["maintenance"] });
		expect(pull).toMatchObject({ draft: true, base: expect.objectContaining({ ref: "main" }) });
		expect(parseMarker("job", issue?.body ?? "")).toMatchObject({
			name: "format",
			base: scene.base,
			head: refs["refs/heads/rookery/format"],
		});
		expect(issue?.body).toContain("`grep -q 'one two' notes.txt`");
		expect(issue?.body).toContain("no workflow starts for it");
		expect(result.outputs).toMatchObject({ verdict: "clean", "pull-requests": expect.stringContaining(`/pull/${number}`) });
		expect(result.summary).toContain("pull request created");
		expect(await git(scene.workspace, "status", "--porcelain=v2", "--branch")).toBe(before);
		expect(await git(scene.workspace, "worktree", "list", "--porcelain")).not.toMatch(/worktree .*temp/);
	}, 60_000);

	it("BR-52 nothing to do is a success without a branch or pull request; the second run adds nothing to the first", async () => {
		const scene = await startJobs({ format: FORMAT, idle: { run: ["true"] } });
		const idle = await dispatch(scene, "idle");
		expect(idle.exitCode, idle.stdout).toBe(0);
		expect(idle.stdout).toContain("idle: nothing to do");
		expect(Object.keys(await scene.github.refs())).not.toContain("refs/heads/rookery/idle");
		await dispatch(scene, "format");
		const [{ number, issue }, refs] = [ofBranch(scene, "rookery/format"), await scene.github.refs()];
		const body = issue?.body;
		const before = scene.github.requests.length;
		const again = await dispatch(scene, "format");
		expect(again.stdout).toContain(`#${number} proposes this change already`);
		expect(await scene.github.refs()).toEqual(refs);
		expect(ofBranch(scene, "rookery/format").issue?.body).toBe(body);
		const writes = scene.github.requests.slice(before).filter((request) => !["GET", "POST"].includes(request.method));
		expect(writes).toEqual([]);
	}, 90_000);

	it("S-005 a later run on a newer base goes on from the branch, without force, and brings the same pull request up to date", async () => {
		const scene = await startJobs({ format: FORMAT });
		await dispatch(scene, "format");
		const first = (await scene.github.refs())["refs/heads/rookery/format"] ?? "?";
		const { number } = ofBranch(scene, "rookery/format");
		const base = await pushAs(scene, "main", { "notes.txt": "one  two\nthree\nfour  five\n" });
		const result = await dispatch(scene, "format", { sha: base });
		expect(result.exitCode, result.stdout).toBe(0);
		expect(result.outputs["pull-requests"]).toContain(`/pull/${number}`);
		expect(await inBare(scene, "log", "-1", "--format=%P", "rookery/format")).toBe(`${base} ${first}`);
		expect(await inBare(scene, "diff", "main", "rookery/format", "--stat", "--", ".")).toContain("notes.txt");
		expect(await inBare(scene, "show", "rookery/format:notes.txt")).toBe("one two\nthree\nfour five");
		const { issue } = ofBranch(scene, "rookery/format");
		expect(parseMarker("job", issue?.body ?? "")).toMatchObject({ base });
	}, 90_000);

	it("X-15 a branch a person has pushed to is left alone and said so; a change a person has closed is not proposed again", async () => {
		const scene = await startJobs({ format: FORMAT });
		await dispatch(scene, "format");
		const { number } = ofBranch(scene, "rookery/format");
		const theirs = await pushAs(scene, "rookery/format", { "notes.txt": "mine\n" });
		const base = await pushAs(scene, "main", { "notes.txt": "one  two\nagain\n" });
		const result = await dispatch(scene, "format", { sha: base });
		expect(result.exitCode, result.stdout).toBe(0);
		expect(result.stdout).toContain(`rookery/format (#${number}) has a commit that this program did not make`);
		expect((await scene.github.refs())["refs/heads/rookery/format"]).toBe(theirs);
		scene.github.closePullRequest(number);
		await inBare(scene, "update-ref", "-d", "refs/heads/rookery/format");
		await dispatch(scene, "format", { sha: base });
		const second = pullsOf(scene, "rookery/format").at(-1)?.number ?? 0;
		expect(second).toBeGreaterThan(number);
		scene.github.closePullRequest(second);
		const closed = await dispatch(scene, "format", { sha: base });
		expect(closed.stdout).toContain(`the same change was closed unmerged in #${second}`);
		expect(pullsOf(scene, "rookery/format").at(-1)?.number).toBe(second);
	}, 120_000);

	it("X-12 a change with red checks is not pushed: patch and report are there, and the run says so", async () => {
		const scene = await startJobs({ format: { ...FORMAT, checks: ["grep -q 'one  two' notes.txt"] } });
		const result = await dispatch(scene, "format");
		expect(result.exitCode, result.stdout).toBe(0);
		expect(result.outputs["verdict"]).toBe("partial");
		expect(result.summary).toContain("was not pushed");
		const patch = /The patch lies at `([^`]+)`/.exec(result.summary)?.[1] ?? "?";
		expect(await readFile(patch, "utf8")).toContain("+one two");
		expect(Object.keys(await scene.github.refs())).not.toContain("refs/heads/rookery/format");
		expect(pullsOf(scene, "rookery/format")).toEqual([]);
	}, 60_000);

	it("BR-50 S-125 workflows and files outside the job's paths are left out of the commit and named in the pull request", async () => {
		const job = {
			run: ["sed -i 's/  */ /g' notes.txt other.txt .github/workflows/ci.yml", "mkdir -p node_modules/a; echo x > node_modules/a/b"],
		};
		const scene = await startJobs(
			{ format: { ...job, paths: ["*.txt", ".github/**"], pathsIgnore: ["other.txt"], checks: [] } },
			{ ".github/workflows/ci.yml": "on:  push\n" },
		);
		const result = await dispatch(scene, "format");
		expect(result.exitCode, result.stdout).toBe(0);
		expect(await inBare(scene, "show", "--stat", "--name-only", "--format=", "rookery/format")).toBe("notes.txt");
		const { issue } = ofBranch(scene, "rookery/format");
		expect(issue?.body).toContain("left out because the job may not change it: `.github/workflows/ci.yml`, `other.txt`");
		expect(issue?.body).toContain("**Proof:** No check is known");
	}, 60_000);

	it("a change above the job's bounds and one that adds a credential are held with the reason", async () => {
		const token = "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";
		const scene = await startJobs({
			large: { run: ["seq 1 30 > notes.txt"], limits: { lines: 20 } },
			leak: { run: [`printf 'token = "ghp_%s"\\n' ${token.slice(4)} > notes.txt`] },
		});
		const large = await dispatch(scene, "large");
		expect(large.stdout).toMatch(/large: 3\d lines are changed; wanted: at most 20 \(E_LIMIT\)/);
		const leak = await dispatch(scene, "leak");
		expect(leak.stdout).toContain("adds what looks like a credential");
		expect(leak.stdout + leak.summary).not.toContain(token);
		expect(pullsOf(scene, "rookery/large")).toEqual([]);
		expect(pullsOf(scene, "rookery/leak")).toEqual([]);
	}, 60_000);

	it("BR-39 a schedule starts the jobs that name its cron line; one that breaks takes no other with it", async () => {
		const schedule = "17 3 * * 1";
		const scene = await startJobs({
			broken: { run: ["echo lost; exit 3"], schedule },
			format: { ...FORMAT, schedule },
			later: { run: ["true"], schedule: "0 0 * * *" },
		});
		const event = { name: "schedule", payload: { schedule } };
		const result = await dispatch(scene, undefined, { event, actor: "user-old" });
		expect(result.exitCode).toBe(1);
		expect(result.outputs["verdict"]).toBe("failed");
		expect(result.stdout).toContain('the command "echo lost; exit 3" ended with exit code 3: lost');
		expect(result.stdout).not.toContain("later");
		expect(ofBranch(scene, "rookery/format").issue?.state).toBe("open");
		const none = await dispatch(scene, undefined, { event: { name: "schedule", payload: { schedule: "1 1 1 1 1" } } });
		expect(none.exitCode).toBe(0);
		expect(none.stdout).toContain("has the schedule");
	}, 90_000);

	it("BR-51 with commit: git it is pushed with a lease; a branch that the repository protects is final", async () => {
		const scene = await startJobs({ format: FORMAT, tidy: FORMAT }, {}, { commit: "git" });
		await scene.github.protectBranch(REPOSITORY, "rookery/format");
		const held = await dispatch(scene, "format");
		expect(held.exitCode, held.stdout).toBe(0);
		expect(held.stdout).toContain("a rule of this repository does not let rookery/format be pushed to");
		expect((await dispatch(scene, "tidy")).exitCode).toBe(0);
		expect(await inBare(scene, "log", "-1", "--format=%ae %ce %P", "rookery/tidy")).toMatch(
			new RegExp(`^41898282\\+\\S+ 41898282\\+\\S+ ${scene.base}$`),
		);
		const visible = held.stdout.split("\n").filter((line) => !line.startsWith("::add-mask::"));
		expect(visible.join("\n") + held.stderr + held.summary).not.toContain(TOKEN);
	}, 60_000);

	it("R37 a run that was killed between push and pull request is taken up by the next one", async () => {
		const scene = await startJobs({ format: FORMAT });
		let kill: () => void = () => undefined;
		// The list of pull requests is asked for again right before one is opened: the branch is pushed by then.
		scene.github.faults.add({ method: "GET", path: /\/pulls$/, after: 1, action: { kind: "hook", run: async () => kill() } });
		const first = await dispatch(scene, "format", {
			onStart: (step) => {
				kill = () => void step.process.kill("SIGKILL");
			},
		});
		expect(first.signal).toBe("SIGKILL");
		const pushed = (await scene.github.refs())["refs/heads/rookery/format"];
		expect(pushed).toMatch(/^[0-9a-f]{40}$/);
		expect(pullsOf(scene, "rookery/format")).toEqual([]);
		const next = await dispatch(scene, "format");
		expect(next.exitCode, next.stdout).toBe(0);
		expect(ofBranch(scene, "rookery/format").issue?.state).toBe("open");
		expect((await scene.github.refs())["refs/heads/rookery/format"]).toBe(pushed);
		expect(parseMarker("job", ofBranch(scene, "rookery/format").issue?.body ?? "")).toMatchObject({ head: pushed });
	}, 90_000);

	it.each(["SIGINT", "SIGTERM"] as const)(
		"R36 %s in the middle of a job's command: over in 7 s, nothing pushed, no worktree left",
		async (signal) => {
			const scene = await startJobs({ slow: { run: ["echo x > notes.txt; sleep 60"] } });
			let stoppedAt = Number.NaN;
			const result = await dispatch(scene, "slow", {
				onStart: (step) => {
					void untilTree(scene).then(() => {
						stoppedAt = performance.now();
						step.process.kill(signal);
					});
				},
			});
			expect(performance.now() - stoppedAt).toBeLessThan(7_000);
			expect(result.exitCode).toBe(1);
			expect(Object.keys(await scene.github.refs())).not.toContain("refs/heads/rookery/slow");
			expect(pullsOf(scene, "rookery/slow")).toEqual([]);
			expect(await git(scene.workspace, "worktree", "list", "--porcelain")).not.toMatch(/worktree .*temp/);
		},
		60_000,
	);

	it("S-109 what the team's policy denies is not run by a job either", async () => {
		const policy = JSON.stringify({ denyCommands: ["sed:*"] });
		const scene = await startJobs({ format: FORMAT }, { ".rookery/policy.json": policy });
		const result = await dispatch(scene, "format");
		expect(result.stdout).toContain("is refused by team policy, rule denyCommands sed:* (E_POLICY)");
		expect(pullsOf(scene, "rookery/format")).toEqual([]);
	}, 60_000);

	it("A51 a changed lock file holds the change, unless the job says that it may", async () => {
		const job = { run: ["echo '{ }' > package-lock.json"], checks: [] };
		const scene = await startJobs({ held: job, free: { ...job, lockFiles: true } }, { "package-lock.json": "{}\n" });
		expect((await dispatch(scene, "held")).stdout).toContain("package-lock.json decides what is installed");
		expect((await dispatch(scene, "free")).exitCode).toBe(0);
		expect(await inBare(scene, "diff", "--name-only", "main", "rookery/free")).toBe("package-lock.json");
	}, 60_000);

	it("A03 who may not write starts no job; an unknown job names those there are", async () => {
		const scene = await startJobs({ format: FORMAT });
		scene.github.addUser("reader");
		scene.github.setPermission(REPOSITORY, "reader", "read");
		const payload = scene.github.workflowDispatchPayload({ sender: "reader", inputs: {} });
		const refused = await dispatch(scene, "format", { event: { name: "workflow_dispatch", payload }, actor: "reader" });
		expect(refused.exitCode).toBe(0);
		expect(refused.stdout).toMatch(/reader has the role read; to start a job, at least write is needed \(E_ACTOR\)/);
		const unknown = await dispatch(scene, "formt");
		expect(unknown.exitCode).toBe(1);
		expect(unknown.stdout).toContain('found "formt", wanted a job that .rookery/settings.json names under maintenance; there are: format');
		expect(pullsOf(scene, "rookery/format")).toEqual([]);
	}, 60_000);
});
