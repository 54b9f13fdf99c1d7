import { describe, expect, it } from "vitest";
import { parseAgentFile } from "../../src/agents/agent-file.ts";
import type { TrustDiffRow } from "../../src/domain/synthesis.ts";
import { buildTrustDiff, TRUST_DIFF_NOTICE } from "../../src/trust/trust-diff.ts";
import { classifyTrustPath } from "../../src/trust/trust-paths.ts";
import { createTestRepository, type TreeChange } from "../agents/git-repository.ts";

function agentText(name: string, header: string, body = "You look."): string {
	return `---\nname: ${name}\ndescription: Looks at things\n${header}\n---\n${body}\n`;
}

async function diff(
	base: Readonly<Record<string, TreeChange>>,
	head: Readonly<Record<string, TreeChange>>,
): Promise<readonly TrustDiffRow[]> {
	await using repository = await createTestRepository();
	const from = await repository.commit({ "README.md": "x\n", ...base });
	const to = await repository.commit(head);
	return await buildTrustDiff({
		reader: repository.reader,
		changes: await repository.changes(from, to),
		parseAgent: ({ path, bytes }) => parseAgentFile({ path, bytes, tier: "repository" }),
	});
}

describe("buildTrustDiff", () => {
	it("S-040 flags that a changed agent gains commands, with both hashes and the diff of its text", async () => {
		const path = ".claude/agents/sec.md";
		const rows = await diff(
			{ [path]: agentText("sec", "tools: Read") },
			{ [path]: agentText("sec", "tools: Read, Bash", "You look harder.") },
		);
		expect(rows).toHaveLength(1);
		expect(rows[0]).toMatchObject({
			path,
			kind: "agent",
			change: "changed",
			attention: true,
			agent: { name: "sec", toolsAdded: ["bash", "bash_output", "kill_shell"], toolsRemoved: [], gains: ["execute"], promptChanged: true },
		});
		expect(rows[0]?.text).toContain("GAINS execute ability");
		expect(rows[0]?.oldHash).toMatch(/^[0-9a-f]{64}$/);
		expect(rows[0]?.newHash).not.toBe(rows[0]?.oldHash);
		expect(rows[0]?.patch).toContain("-tools: Read\n+tools: Read, Bash");
		expect(rows[0]?.patch).toContain("+You look harder.");
	});

	it("S-040 lists model, steps, isolation and skills of an agent that changes or is new", async () => {
		const rows = await diff(
			{ ".claude/agents/a.md": agentText("a", "tools: Edit\nmodel: sonnet\nisolation: worktree") },
			{
				".claude/agents/a.md": agentText("a", "tools: Edit\nmodel: opus\nmaxTurns: 50\nskills: [x, y]\nisolation: docker"),
				".claude/agents/b.md": agentText("b", "tools: Write, WebFetch"),
			},
		);
		expect(rows[0]?.agent).toMatchObject({
			gains: [],
			promptChanged: false,
			fields: [
				{ field: "model", from: "sonnet", to: "opus" },
				{ field: "isolation", from: "worktree", to: "docker" },
				{ field: "maxTurns", to: "50" },
				{ field: "skills", to: "x, y" },
			],
		});
		expect(rows[1]).toMatchObject({ change: "added", attention: true, agent: { gains: ["write", "network"] } });
		expect(rows[1]?.oldHash).toBeUndefined();
	});

	it.each([
		["tools: Bash(git diff:*)", "tools: Bash", ["execute"]],
		["tools: Bash", "tools: Bash(git diff:*)", []],
		["tools: Bash(git diff:*)", "tools: Bash(git diff:*), Bash(git log:*)", ["execute"]],
		["tools: Bash\ndisallowedTools: Bash(git push:*)", "tools: Bash", ["execute"]],
		["tools: Read, Edit\ndisallowedTools: Edit", "tools: Read, Edit", ["write"]],
		["tools: Read, Edit", "tools: Read", []],
		["color: red", "tools: WebSearch", ["network"]],
	])("S-040 tells wider from narrower: %s to %s", async (before, after, gains) => {
		const rows = await diff({ ".claude/agents/a.md": agentText("a", before) }, { ".claude/agents/a.md": agentText("a", after) });
		expect(rows[0]?.agent?.gains).toEqual(gains);
	});

	it("X-06 lists every file that steers reviewers, by kind, and no other", async () => {
		const head: Readonly<Record<string, TreeChange>> = {
			".claude/skills/x/SKILL.md": "x\n",
			".claude/hooks/x.sh": "x\n",
			".claude/settings.json": "{}\n",
			".rookery/policy.json": "{}\n",
			"pkg/CLAUDE.md": "x\n",
			"AGENTS.md": "x\n",
			"GEMINI.md": "x\n",
			".github/copilot-instructions.md": "x\n",
			".mcp.json": "{}\n",
			".worktreeinclude": "x\n",
			".github/workflows/ci.yml": "x\n",
			"pkg/.claude/agents/a.md": agentText("a", "tools: Read"),
			"src/claude.ts": "x\n",
			"docs/policy.json": "{}\n",
		};
		const rows = await diff({}, head);
		expect(Object.fromEntries(rows.map((row) => [row.path, row.kind]))).toEqual({
			".claude/skills/x/SKILL.md": "skill",
			".claude/hooks/x.sh": "hook",
			".claude/settings.json": "settings",
			".rookery/policy.json": "policy",
			"pkg/CLAUDE.md": "instructions",
			"AGENTS.md": "instructions",
			"GEMINI.md": "instructions",
			".github/copilot-instructions.md": "instructions",
			".mcp.json": "other",
			".worktreeinclude": "other",
			".github/workflows/ci.yml": "workflow",
			"pkg/.claude/agents/a.md": "agent",
		});
		expect(classifyTrustPath("Claude.MD")).toBe("instructions");
		expect(classifyTrustPath(".CLAUDE/Agents/a.md")).toBe("agent");
		expect(classifyTrustPath(".claude/agents/CLAUDE.md")).toBe("agent");
		expect(classifyTrustPath(".claude/CLAUDE.md")).toBe("instructions");
		expect(classifyTrustPath("docs/agents.md")).toBeUndefined();
		expect(TRUST_DIFF_NOTICE).toContain("take effect after the merge");
	});

	it("X-06 follows a rename into and out of a trusted place", async () => {
		const text = agentText("a", "tools: Read, Bash", "You look.\n".repeat(20));
		const into = await diff({ "docs/a.md": text }, { "docs/a.md": null, ".claude/agents/a.md": text });
		expect(into).toMatchObject([{ path: ".claude/agents/a.md", change: "added", attention: true, agent: { gains: ["execute"] } }]);
		const out = await diff({ ".claude/agents/a.md": text }, { "docs/a.md": text, ".claude/agents/a.md": null });
		expect(out).toMatchObject([{ change: "removed", agent: { name: "a", gains: [] } }]);
	});

	it("A26 shows an agent that the head adds, with what it would grant", async () => {
		const rows = await diff({}, { ".claude/agents/evil.md": agentText("evil", "tools: bash\npermissionMode: bypassPermissions") });
		expect(rows).toMatchObject([
			{
				change: "added",
				attention: true,
				agent: { name: "evil", gains: ["execute"], fields: [{ field: "permissionMode", to: "bypassPermissions" }] },
			},
		]);
	});

	it("A29 names the keys that a head's settings change", async () => {
		const rows = await diff(
			{ ".claude/settings.json": '{"model":"opus"}\n' },
			{ ".claude/settings.json": '{"model":"opus","hooks":{"Stop":[]},"env":{"ANTHROPIC_BASE_URL":"http://127.0.0.1:9"}}\n' },
		);
		expect(rows).toMatchObject([{ kind: "settings", attention: true, text: ".claude/settings.json: changed: keys hooks, env" }]);
	});

	it("A32 reports an emptied policy file as needing attention", async () => {
		const rows = await diff({ ".rookery/policy.json": '{"denyPaths":["a"]}\n' }, { ".rookery/policy.json": "" });
		expect(rows).toMatchObject([{ kind: "policy", attention: true, text: expect.stringContaining("not valid JSON") }]);
	});

	it("BR-34 shows edited agents, new ones, settings and links of the head as reviewed content", async () => {
		const rows = await diff(
			{ ".claude/agents/sec.md": agentText("sec", "tools: Read, Grep") },
			{
				".claude/agents/sec.md": agentText("sec", "tools: Bash"),
				".claude/agents/evil.md": agentText("evil", "tools: Bash"),
				".claude/settings.json": '{"hooks":{}}\n',
				".claude/agents/link.md": { link: "../../README.md" },
			},
		);
		expect(rows.map((row) => row.path).toSorted()).toEqual([
			".claude/agents/evil.md",
			".claude/agents/link.md",
			".claude/agents/sec.md",
			".claude/settings.json",
		]);
		expect(rows.find((row) => row.path.endsWith("link.md"))).toMatchObject({
			attention: true,
			text: expect.stringContaining("symbolic link, which is never followed"),
		});
	});

	it("A33 reads a JavaScript header of the head as data and says that it would not load", async () => {
		const rows = await diff({}, { ".claude/agents/js.md": '---js\n{ name: (globalThis.__rookeryDiffRan = true, "x") }\n---\nbody\n' });
		expect(rows[0]?.agent?.refused).toMatch(/^E_FRONTMATTER/);
		expect(Reflect.get(globalThis, "__rookeryDiffRan")).toBeUndefined();
	});

	it("S-040 keeps hidden characters and markup of the head out of its lines", async () => {
		const rows = await diff({}, { ".claude/agents/a.md": agentText("a", 'tools: Read\nmodel: "<b>`x`|\u202Ey"', "You \u202Elook.") });
		expect(rows[0]?.text).not.toMatch(/[<>|`\u202E]/);
		expect(rows[0]?.patch).toContain("You <U+202E>look.");
	});

	it("S-040 cuts a long diff and says so", async () => {
		const rows = await diff({}, { "CLAUDE.md": "line of text\n".repeat(2_000) });
		expect(rows[0]?.patch?.length).toBeLessThan(4_100);
		expect(rows[0]?.patch).toMatch(/\[cut: \d+ more characters\]$/);
	});
});
