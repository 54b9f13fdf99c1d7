import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { renderAgentsTest, testAgentVersions } from "../../src/compose/agents-test-command.ts";
import { callTool } from "../../src/demo/loopback-model/scripted-reply.ts";
import { type LoopbackModel, startLoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import { commit, git, makeRepository } from "../adapters/git/git-fixture.ts";
import { QUIET } from "../stages/question-rig.ts";
import { agentFile } from "./review-rig.ts";

let server: LoopbackModel;
let bundle: string;
beforeEach(async () => {
	server = await startLoopbackModel();
	bundle = mkdtempSync(path.join(tmpdir(), "rookery-bundle-"));
	symlinkSync(path.resolve("node_modules"), path.join(bundle, "grammars"));
});
afterEach(async () => {
	rmSync(bundle, { recursive: true, force: true });
	await server.close();
});

const finding = (title: string, quote: string, category = "bug") => ({
	path: "src/a.ts",
	quote,
	severity: "important",
	category,
	title,
	body: `${title} in detail, with the way it fails.`,
	confidence: 95,
	evidence: { kind: "traced", detail: "src/a.ts:1" },
});
const report = (...findings: readonly object[]) => callTool("submit_report", { summary: "Done.", findings, open: [] });

function testVersions(repo: string, change: Partial<Parameters<typeof testAgentVersions>[0]> = {}) {
	return testAgentVersions({
		repo,
		name: "sec",
		base: "main",
		provider: "anthropic",
		apiKey: "key-for-tests",
		baseUrl: server.url,
		log: QUIET,
		secrets: { add: () => undefined, redact: (text) => text },
		signal: new AbortController().signal,
		bundleFolder: bundle,
		...change,
	});
}

function makeChange(): string {
	const folder = makeRepository();
	commit(folder, {
		"src/a.ts": "export const a = 1;\n",
		".claude/skills/s/SKILL.md": "OLD-SKILL\n",
		".claude/agents/sec.md": agentFile("sec", { tools: "Read", skills: "s" }, "You are the old sec."),
		".claude/agents/other.md": agentFile("other"),
	});
	git(folder, "checkout", "-q", "-b", "change");
	commit(folder, {
		"src/a.ts": "export const a = 2;\nexport const b = a / 0;\nexport const c = eval(String(b));\n",
		".claude/skills/s/SKILL.md": "NEW-SKILL\n",
		".claude/agents/sec.md": agentFile("sec", { tools: "Read, Grep", skills: "s", model: "haiku" }, "You are the new sec."),
	});
	return folder;
}

describe("rookery agents test", () => {
	it("1c-11 both versions review the same change alone, with their own skills and tools; the difference in findings is told", async () => {
		const both = finding("Division by zero", "export const b = a / 0;");
		server.setScript([
			{ marker: "You are the old sec.\n\n# Task", replies: [report(both, finding("A is two", "export const a = 2;", "compatibility"))] },
			{
				marker: "You are the new sec.\n\n# Task",
				replies: [report(both, finding("Runs text", "export const c = eval(String(b));", "security"))],
			},
		]);
		const folder = makeChange();
		const before = git(folder, "--no-optional-locks", "status", "--porcelain=v2", "--branch");
		const result = await testVersions(folder);
		expect(result.versions.map(({ label, status, tools }) => [label, status, tools])).toEqual([
			["base", "completed", ["read_file"]],
			["head", "completed", ["read_file", "grep"]],
		]);
		expect(result.onlyBase.map(({ title }) => title)).toEqual(["A is two"]);
		expect(result.onlyHead.map(({ title }) => title)).toEqual(["Runs text"]);
		expect(result.both.map(({ title }) => title)).toEqual(["Division by zero"]);
		expect(result.changes).toMatchObject({
			toolsAdded: ["grep"],
			gains: [],
			promptChanged: true,
			fields: [{ field: "model", to: "haiku" }],
		});
		const bodies = server.requests.map((request) => request.rawBody);
		const own = (marker: string) => bodies.find((body) => body.includes(`${marker}\\n\\n# Task`)) ?? "";
		expect(bodies).toHaveLength(2);
		expect(own("You are the new sec.")).toContain('"model":"claude-haiku-5-5"');
		expect(own("You are the old sec.").match(/# Skill: s[^#]*OLD-SKILL/)).not.toBeNull();
		expect(own("You are the new sec.").match(/# Skill: s[^#]*NEW-SKILL/)).not.toBeNull();
		const text = renderAgentsTest(result);
		expect(text).toContain("+ important src/a.ts:3 Runs text");
		expect(text).toContain("- important src/a.ts:1 A is two");
		expect(git(folder, "--no-optional-locks", "status", "--porcelain=v2", "--branch")).toBe(before);
		expect(git(folder, "worktree", "list").trim().split("\n")).toHaveLength(1);
	});

	it("a version that would not run is shown as refused with the reason; the other one is tested", async () => {
		server.setScript([{ marker: "You are the old sec.\n\n# Task", replies: [report()] }]);
		const folder = makeChange();
		commit(folder, { ".claude/agents/sec.md": "---\nname: sec\ndescription: x\ntools: [Read\n---\nbody\n" });
		const result = await testVersions(folder, { baseVersion: "main", headVersion: "change" });
		expect(result.versions[0]).toMatchObject({ status: "completed" });
		expect(result.versions[1]).toMatchObject({ status: "refused", findings: [] });
		expect(renderAgentsTest(result)).toContain("head  change");
	});

	it("an agent that neither version has, and a version that names no commit, are one line", async () => {
		const folder = makeChange();
		await expect(testVersions(folder, { name: "nobody" })).rejects.toThrow(/agents test: found "nobody", wanted an agent of main or HEAD/);
		await expect(testVersions(folder, { headVersion: "nowhere" })).rejects.toThrow(/found the version "nowhere"/);
	});

	it("runs without a key: the offline analyst plays the reviewer", async () => {
		const folder = makeChange();
		const result = await testVersions(folder, { provider: "offline" });
		expect(result.versions.map((version) => version.status)).toEqual(["completed", "completed"]);
		expect(server.requests).toEqual([]);
	});
});
