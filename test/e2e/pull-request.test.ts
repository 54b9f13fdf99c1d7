import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { runPostStep } from "../../src/demo/runner/run-action.ts";
import { ACTION_FOLDER, git, type Scene, startScene, TOKEN } from "./start-scene.ts";

const GO_BASE =
	"package parcels\n\n// Weight adds up.\nfunc Weight(items []int) int {\n\ttotal := 0\n\tfor _, item := range items {\n\t\ttotal += item\n\t}\n\treturn total\n}\n";
const GO_BROKEN = GO_BASE.replace("\treturn total\n}", "\treturn total\n");
const scenes: Scene[] = [];

async function scene(options: Parameters<typeof startScene>[0]): Promise<Scene> {
	const started = await startScene(options);
	scenes.push(started);
	return started;
}

afterEach(async () => {
	for (const started of scenes.splice(0)) {
		expect(started.github.violations).toEqual([]);
		await started[Symbol.asyncDispose]();
	}
});

describe("a pull request, end to end", () => {
	it("S-003 S-008 one review, one sticky comment, a check, outputs and a report; a second run adds nothing", async () => {
		const s = await scene({ base: { "weight.go": GO_BASE }, head: { "weight.go": GO_BROKEN } });
		const first = await s.start();
		expect(first.exitCode, first.stdout + first.stderr).toBe(0);
		expect(first.outputs).toMatchObject({ verdict: "findings", findings: "1", "worst-severity": "critical", tokens: "0" });
		const report = await s.readReport(first);
		expect(report.findings).toHaveLength(1);
		expect(report.findings[0]).toMatchObject({ path: "weight.go", severity: "critical", tier: "inline", state: "new" });
		expect(s.github.reviews(s.number)).toHaveLength(1);
		expect(s.github.reviews(s.number)[0]).toMatchObject({ state: "COMMENTED", commit: s.head });
		expect(s.github.reviewComments(s.number)).toHaveLength(1);
		expect(s.github.checks(s.head)).toHaveLength(1);
		const sticky = s.sticky();
		expect(sticky).toContain(s.head);
		expect(first.summary).toContain("Rookery review");

		const second = await s.start({ runId: "2" });
		expect(second.exitCode).toBe(0);
		expect(s.github.reviews(s.number)).toHaveLength(1);
		expect(s.github.reviewComments(s.number)).toHaveLength(1);
		expect(s.sticky()).toBeDefined();

		const post = await runPostStep(
			{
				actionFolder: ACTION_FOLDER,
				workspace: s.workspace,
				temp: path.join(s.folder, "temp"),
				event: { name: "pull_request", payload: {} },
				inputs: {},
				repository: "octo/parcels",
				sha: s.head,
				ref: "",
				actor: "author",
				apiUrl: s.github.url,
				serverUrl: s.github.serverUrl,
				path: process.env["PATH"] ?? "",
			},
			first.state,
		);
		expect(post.exitCode).toBe(0);
		expect(post.stdout).toContain("Journals of this run");
	});

	it("S-006 each language gets a specialist with exactly its own files", async () => {
		const lines = (text: string, count: number) => Array.from({ length: count }, (_, index) => text.replace("#", String(index))).join("");
		const go = (name: string) => `package p\n\n${lines(`func ${name}#() int { return # }\n`, 20)}`;
		const rust = (name: string) => lines(`pub fn ${name}#() -> u32 { # }\n`, 20);
		const s = await scene({
			base: { "README.md": "# Parcels\n" },
			head: { "a.go": go("A"), "b.go": go("B"), "c.go": go("C"), "src/lib.rs": rust("l"), "src/main.rs": rust("m") },
		});
		const report = await s.readReport(await s.start());
		expect(report.verdict.state).toBe("clean");
		const assigned = Object.fromEntries(report.files.map((file) => [file.path, file.language]));
		expect(assigned).toEqual({ "a.go": "go", "b.go": "go", "c.go": "go", "src/lib.rs": "rust", "src/main.rs": "rust" });
		expect(report.agents.map((agent) => agent.session).sort()).toEqual(["moe-go-1", "moe-rust-1"]);
		expect(s.github.reviews(s.number)).toHaveLength(0);
		expect(s.github.checks(s.head)[0]).toMatchObject({ conclusion: "success" });
	});

	it("a change that is larger than the shared pack is checked all the same, and not called partial", async () => {
		const lines = Array.from({ length: 1_200 }, (_, index) => `func Step${index}(count int) int { return count + ${index} }`);
		const s = await scene({ base: { "steps.go": "package steps\n" }, head: { "steps.go": `package steps\n\n${lines.join("\n")}\n` } });
		const report = await s.readReport(await s.start());
		expect(report.verdict.state, report.verdict.sentence).toBe("clean");
		expect(report.files[0]).toMatchObject({ path: "steps.go", state: "reviewed" });
	});

	it("S-126 every child has its journal, and the checkout is left as it was", async () => {
		const s = await scene({ base: { "weight.go": GO_BASE }, head: { "weight.go": GO_BROKEN } });
		await writeFile(path.join(s.workspace, "untracked.txt"), "mine\n");
		const before = await Promise.all([
			git(s.workspace, "status", "--porcelain"),
			git(s.workspace, "rev-parse", "HEAD"),
			git(s.workspace, "for-each-ref"),
			git(s.workspace, "stash", "list"),
		]);
		const result = await s.start();
		const report = await s.readReport(result);
		const journals = await readdir(result.outputs["journals"] ?? "");
		expect(journals.sort()).toEqual(report.agents.map((agent) => `${agent.session}.jsonl`).sort());
		const after = await Promise.all([
			git(s.workspace, "status", "--porcelain"),
			git(s.workspace, "rev-parse", "HEAD"),
			git(s.workspace, "for-each-ref"),
			git(s.workspace, "stash", "list"),
		]);
		expect(after).toEqual(before);
		expect(await git(s.workspace, "worktree", "list")).not.toContain("\n");
	});

	it("BR-46 R34 a shallow clone is deepened until the merge base is there; never a two-dot diff", async () => {
		const s = await scene({
			base: { "weight.go": GO_BASE },
			head: { "weight.go": GO_BROKEN },
			later: { "other.go": "package parcels\n" },
			depth: 1,
		});
		const result = await s.start();
		expect(result.exitCode, result.stdout + result.stderr).toBe(0);
		const report = await s.readReport(result);
		expect(report.files.map((file) => file.path)).toEqual(["weight.go"]);
		expect(report.notes.join("\n")).toContain("deepened");
	});

	it("BR-33 a fork's head is fetched by the pull request's own ref", async () => {
		const s = await scene({ base: { "weight.go": GO_BASE }, head: { "weight.go": GO_BROKEN }, fork: true, role: "read", checkout: "base" });
		const result = await s.start();
		expect(result.exitCode, result.stdout + result.stderr).toBe(0);
		const report = await s.readReport(result);
		expect(report.run.head).toBe(s.head);
		expect(report.findings).toHaveLength(1);
	});

	it("BR-41 a merged, a closed and a draft pull request are left alone with the reason", async () => {
		const draft = await scene({ base: { "weight.go": GO_BASE }, head: { "weight.go": GO_BROKEN }, draft: true });
		const skipped = await draft.start();
		expect(skipped.exitCode).toBe(0);
		expect(skipped.stdout).toContain("is a draft");
		expect(draft.github.comments(draft.number)).toHaveLength(0);
		const closed = await scene({ base: { "weight.go": GO_BASE }, head: { "weight.go": GO_BROKEN } });
		const payload = await closed.github.pullRequestPayload(closed.number, "synchronize");
		closed.github.closePullRequest(closed.number, { merged: true });
		const late = await closed.start({ event: { name: "pull_request", payload }, runAttempt: "3" });
		expect(late.exitCode).toBe(0);
		expect(late.stdout).toContain("is merged");
		expect(closed.github.comments(closed.number)).toHaveLength(0);
	});

	it("S-037 S-038 S-041 agents of the organisation come before the repository's, at a full SHA and with their own skills", async () => {
		const reviewer = (text: string, extra = "") =>
			`---\nname: house-rules\ndescription: ${text}\ntools: Read, Grep\n${extra}---\n${text}\n`;
		const s = await scene({
			base: { "weight.go": GO_BASE, ".claude/agents/house-rules.md": reviewer("The repository's own") },
			head: { "weight.go": GO_BROKEN },
		});
		const source = await mkdtemp(path.join(os.tmpdir(), "rookery-organisation-"));
		try {
			await git(source, "init", "--quiet", "--initial-branch=main");
			await mkdir(path.join(source, ".claude/agents"), { recursive: true });
			await mkdir(path.join(source, ".claude/skills/tone"), { recursive: true });
			await writeFile(path.join(source, ".claude/agents/house-rules.md"), reviewer("The organisation's own", "skills: tone\n"));
			await writeFile(path.join(source, ".claude/skills/tone/SKILL.md"), "Be brief and kind.\n");
			await git(source, "add", "--all");
			await git(source, "commit", "--quiet", "-m", "Rules of the house");
			const commit = await git(source, "rev-parse", "HEAD");
			await s.github.createRepository({ owner: "octo", name: "agents", from: source, defaultBranch: "main" });
			const result = await s.start({ inputs: { "github-token": TOKEN, "agents-repo": `octo/agents@${commit}` } });
			expect(result.exitCode, result.stdout + result.stderr).toBe(0);
			expect((await s.readReport(result)).agents.map((agent) => agent.name)).toContain("house-rules");
			expect(result.summary).toContain(".claude/agents/house-rules.md");
			expect(result.summary).toContain("octo/agents:.claude/agents/house-rules.md");
		} finally {
			await rm(source, { recursive: true, force: true });
		}
	});

	it("S-038 a source of agents that cannot be read ends the run in one clear line, and so does a branch in place of a SHA", async () => {
		const s = await scene({ base: { "weight.go": GO_BASE }, head: { "weight.go": GO_BROKEN } });
		const missing = await s.start({ inputs: { "github-token": TOKEN, "agents-repo": `octo/agents@${"a".repeat(40)}` } });
		expect(missing.exitCode).toBe(1);
		expect(missing.stdout).toMatch(/input agents-repo: octo\/agents@aaaaaaaaaaaa cannot be read .*contents: read on octo\/agents/);
		const branch = await s.start({ inputs: { "github-token": TOKEN, "agents-repo": "octo/agents@main" }, runAttempt: "2" });
		expect(branch.exitCode).toBe(1);
		expect(branch.stdout).toContain("wanted a full commit SHA");
		expect(s.github.comments(s.number)).toHaveLength(0);
	});

	it("degrades in one line when the token may only read", async () => {
		const s = await scene({ base: { "weight.go": GO_BASE }, head: { "weight.go": GO_BROKEN }, permissions: "read" });
		const result = await s.start();
		expect(result.exitCode, result.stdout + result.stderr).toBe(0);
		expect(s.github.comments(s.number)).toHaveLength(0);
		expect(result.summary).toContain("File no longer parses");
		expect(result.stdout).toMatch(/may not|not permitted|needs/);
		expect((await s.readReport(result)).findings).toHaveLength(1);
	});
});

describe("bad input ends in one clear line", () => {
	const small = { base: { "weight.go": GO_BASE }, head: { "weight.go": GO_BROKEN } };

	it.each([
		["BR-42 an unknown event is a clean skip with its name", { event: { name: "star", payload: { action: "created" } } }, 0, "star"],
		["BR-39 a schedule has no payload to speak of", { event: { name: "schedule", payload: { schedule: "0 5 * * 1" } } }, 0, "schedule"],
		[
			"BR-42 a merge queue needs no review of its own",
			{
				event: {
					name: "merge_group",
					payload: {
						action: "checks_requested",
						merge_group: { head_sha: "a", base_sha: "b", head_ref: "refs/heads/gh-readonly-queue/main/pr-7-abc" },
					},
				},
			},
			0,
			"merge queue",
		],
		["a misspelt provider gets the nearest name", { inputs: { "github-token": TOKEN, provider: "antropic" } }, 1, "anthropic"],
		["a missing token is named", { inputs: { "github-token": "" } }, 1, "github-token"],
		["a wrong token is told apart from a bug", { inputs: { "github-token": "ghs_wrong000000000000000000000000000" } }, 1, "credentials"],
		["a folder without a checkout says what to do", { inputs: { "github-token": TOKEN, "working-directory": "nowhere" } }, 1, "checkout"],
	] as const)("%s", async (_, change, exitCode, text) => {
		const s = await scene(small);
		const result = await s.start(change as never);
		expect(result.exitCode, result.stdout + result.stderr).toBe(exitCode);
		expect(result.stdout + result.stderr).toContain(text);
		expect(s.github.comments(s.number)).toHaveLength(0);
		expect(result.commands.filter((command) => command.name === "error")).toHaveLength(exitCode === 0 ? 0 : 1);
	});

	it("broken settings on the base stop the run before any model call and name the place", async () => {
		const s = await scene({ ...small, base: { ...small.base, ".rookery/settings.json": '{\n\t"review": { "maxInlin": 3 }\n}\n' } });
		const result = await s.start();
		expect(result.exitCode).toBe(1);
		expect(result.stdout).toMatch(/\.rookery\/settings\.json:2:\d+.*maxInlin.*maxInline/);
	});

	it("no changes end as skipped, and the check never waits", async () => {
		const s = await scene({ base: { "weight.go": GO_BASE }, head: {} });
		const result = await s.start();
		expect(result.exitCode, result.stdout + result.stderr).toBe(0);
		expect(result.outputs["verdict"]).toBe("skipped");
	});

	it("R29 a head branch that was deleted is still reviewed from the pull request's ref", async () => {
		const s = await scene({ ...small, checkout: "base" });
		await git(
			s.work,
			"push",
			"-q",
			`${s.github.serverUrl.replace("://", `://x-access-token:${TOKEN}@`)}/octo/parcels.git`,
			":refs/heads/change",
		);
		const result = await s.start();
		expect(result.exitCode, result.stdout + result.stderr).toBe(0);
		await mkdir(s.folder, { recursive: true });
	});
});
