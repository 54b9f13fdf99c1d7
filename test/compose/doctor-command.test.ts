import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkWorkflow } from "../../src/compose/check-workflow.ts";
import { type DoctorOptions, examine, renderChecks } from "../../src/compose/doctor-command.ts";
import { startLoopbackGitHub } from "../../src/demo/loopback-github/start-loopback-github.ts";

const run = promisify(execFile);
let folder: string;
beforeEach(async () => {
	folder = await mkdtemp(path.join(os.tmpdir(), "rookery-doctor-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function commit(files: Readonly<Record<string, string>>): Promise<void> {
	for (const [name, content] of Object.entries(files)) {
		await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
		await writeFile(path.join(folder, name), content);
	}
	await run("git", ["init", "-q", "-b", "main", folder]);
	await run("git", ["-C", folder, "add", "-A"]);
	await run("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "x"]);
}

async function states(options: Partial<DoctorOptions> = {}) {
	const checks = await examine({ folder, environment: {}, bundleFolder: path.resolve("node_modules"), nodeVersion: "20.1.0", ...options });
	return { checks, of: (name: string) => checks.filter((check) => check.name === name) };
}

const WORKFLOW = `on: pull_request
jobs:
  review:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: rookery/rookery@v1
`;

describe("rookery doctor", () => {
	it("1c-15 a sound repository has nothing that failed", async () => {
		await commit({ "a.go": "package a\n" });
		const { checks } = await states();
		expect(checks.filter((check) => check.state === "fail" && check.name !== "grammars")).toEqual([]);
		expect(renderChecks(checks)).toMatch(/ok {4}node +Node 20\.1\.0/);
	});

	it("1c-15 broken settings, policy and agents are named with file, key and the wanted value", async () => {
		await commit({
			".rookery/settings.json": '{ "reveiw": {} }',
			".rookery/policy.json": '{ "denyPaths": 3 }',
			".claude/agents/broken.md": "---\nname: broken\ndescription: x\ntools: [Read\n---\nx\n",
		});
		const { of } = await states();
		expect(of("settings")[0]).toMatchObject({ state: "fail", text: expect.stringMatching(/settings\.json:1:3.*reveiw.*review/) });
		expect(of("policy")[0]).toMatchObject({ state: "fail", text: expect.stringContaining("denyPaths") });
		expect(of("agents").some((check) => check.state === "warn" && check.text.includes("broken.md"))).toBe(true);
	});

	it("1c-15 a maintenance job that nothing starts comes with the lines that would start it", async () => {
		const jobs = { weekly: { run: ["true"], schedule: "17  3 * * 1" }, doctor: { recipe: "ci-doctor" }, byHand: { run: ["true"] } };
		await commit({ ".rookery/settings.json": JSON.stringify({ maintenance: jobs }) });
		expect((await states()).of("maintenance")).toMatchObject([
			{ state: "warn", text: expect.stringContaining("weekly, doctor, byHand"), fix: ["rookery init"] },
		]);
		const workflow = (on: string): string =>
			`on:\n  workflow_dispatch:\n${on}jobs:\n  a:\n    steps:\n      - uses: rookery/rookery@v1\n        with:\n          job: x\n`;
		await commit({ ".github/workflows/jobs.yml": workflow("") });
		const found = (await states()).of("maintenance");
		expect(found.flatMap((check) => check.fix ?? [])).toEqual(expect.arrayContaining(['    - cron: "17 3 * * 1"', "  workflow_run:"]));
		expect(found).toHaveLength(2);
		await commit({
			".github/workflows/jobs.yml": workflow('  schedule:\n    - cron: "17 3 * * 1"\n  workflow_run:\n    workflows: [CI]\n'),
		});
		expect((await states()).of("maintenance")).toMatchObject([{ state: "ok", text: expect.stringContaining("3 jobs") }]);
	});

	it("1c-15 a workflow's gaps come with the exact lines to add", async () => {
		await commit({ ".github/workflows/review.yml": WORKFLOW });
		const { checks, of } = await states();
		const fixes = of("workflow").flatMap((check) => check.fix ?? []);
		for (const line of [
			"uses: rookery/rookery@<full commit SHA>",
			"uses: actions/checkout@<full commit SHA>",
			"  fetch-depth: 0",
			"  persist-credentials: false",
			"  pull-requests: write",
			"  checks: write",
			"concurrency:",
			"timeout-minutes: 20",
		])
			expect(fixes).toContain(line);
		expect(renderChecks(checks)).toContain("|   pull-requests: write");
		const lacking = checkWorkflow(WORKFLOW.replace("    steps:", "    permissions:\n      pull-requests: write\n    steps:"), "w.yml");
		expect(lacking.problems.find((each) => each.state === "fail")?.text).toContain("lacks contents: read, checks: write");
		expect(checkWorkflow("on: push\njobs:\n  a:\n    steps:\n      - run: echo\n", "other.yml")).toEqual({ uses: false, problems: [] });
	});

	it("1c-15 a shallow clone, an old Node and a folder without git are told", async () => {
		await commit({ "a.go": "package a\n" });
		await run("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "y"]);
		const shallow = path.join(folder, "shallow");
		await run("git", ["clone", "-q", "--depth=1", `file://${folder}`, shallow]);
		const { of } = await states({ folder: shallow, nodeVersion: "18.2.0" });
		expect(of("depth")[0]).toMatchObject({ state: "warn", fix: ["with:", "  fetch-depth: 0"] });
		expect(of("node")[0]).toMatchObject({ state: "fail" });
		const nowhere = await mkdtemp(path.join(os.tmpdir(), "rookery-nowhere-"));
		expect((await states({ folder: nowhere })).of("git")[0]).toMatchObject({ state: "fail" });
		await rm(nowhere, { recursive: true });
	});

	it("1c-15 the token is tried against the API it belongs to", async () => {
		await commit({ "a.go": "package a\n" });
		await using github = await startLoopbackGitHub();
		await github.createRepository({ owner: "octo", name: "parcels", from: folder, defaultBranch: "main" });
		github.addUser("mona");
		github.addToken("ghp_good", { login: "mona", permissions: "read" });
		const environment = { GITHUB_TOKEN: "ghp_good", GITHUB_API_URL: github.url, GITHUB_REPOSITORY: "octo/parcels" };
		const good = await states({ environment });
		expect(good.of("token")[0]).toMatchObject({ state: "ok", text: expect.stringContaining("mona") });
		expect(good.of("contents")[0]).toMatchObject({ state: "ok" });
		const bad = await states({ environment: { ...environment, GITHUB_TOKEN: "ghp_bad" } });
		expect(bad.of("token")[0]).toMatchObject({ state: "fail" });
		expect(bad.of("contents")[0]).toMatchObject({ state: "fail", fix: ["permissions:", "  contents: read"] });
		expect(JSON.stringify(bad.checks)).not.toContain("ghp_bad");
	});
});
