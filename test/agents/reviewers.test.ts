import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callTool, callTools } from "../../src/demo/loopback-model/scripted-reply.ts";
import { type LoopbackModel, startLoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import type { ReviewPlan } from "../../src/domain/review-plan.ts";
import { agentFile, openReview, type ReviewRig } from "./review-rig.ts";

let server: LoopbackModel;
beforeEach(async () => {
	server = await startLoopbackModel();
});
afterEach(() => server.close());

const DONE = callTool("submit_report", { summary: "All sound.", findings: [], open: [] });
const BASE = { "src/a.ts": "export const a = 1;\n", "CLAUDE.md": "BASE-INSTRUCTIONS: use tabs.\n" };
const onlyReviewers = (plan: ReviewPlan): ReviewPlan => ({
	...plan,
	assignments: plan.assignments.filter((assignment) => assignment.agent.kind === "reviewer"),
});
const bodiesOf = (marker: string) => server.requests.map((request) => request.rawBody).filter((body) => body.includes(marker));
const firstOf = (marker: string) => {
	const [body] = bodiesOf(marker);
	if (body === undefined) throw new Error(`no request of ${marker}`);
	return JSON.parse(body) as {
		model: string;
		output_config?: { effort?: string };
		tools: readonly { name: string }[];
		messages: readonly { role: string; content: readonly { type: string; text?: string }[] }[];
	};
};
const textOf = (marker: string) =>
	firstOf(marker)
		.messages[0]?.content.map((block) => block.text ?? "")
		.join("\n") ?? "";
const toolsOf = (marker: string) => firstOf(marker).tools.map((tool) => tool.name);
const skipReason = (rig: ReviewRig, name: string) => rig.plan.skippedAgents.find((agent) => agent.name === name)?.reason ?? "";

describe("the repository's own reviewers", () => {
	it("S-068 S-044 BR-55 a reviewer has the tools of its file and the report, never more; prompt and request agree", async () => {
		server.setScript([{ marker: "You are ", replies: [DONE] }]);
		const base = {
			...BASE,
			".claude/agents/narrow.md": agentFile("narrow", { tools: "Read, Grep" }),
			".claude/agents/plain.md": agentFile("plain"),
			".claude/agents/denying.md": agentFile("denying", { tools: "Read, Glob, Grep", disallowedTools: "Grep" }),
			".claude/agents/wide.md": agentFile("wide", { tools: "Read, Edit, Bash, WebFetch, Task" }),
			".rookery/settings.json": '{"review":{"reviewers":[{"agent":"wide","when":"always"}]}}',
		};
		await using rig = await openReview(server, { base, plan: onlyReviewers });
		const outcome = await rig.run();
		expect(outcome.reports.map((report) => report.status)).toEqual(["completed", "completed", "completed", "completed"]);
		expect(toolsOf("You are narrow.").sort()).toEqual(["grep", "read_file", "submit_report"]);
		expect(toolsOf("You are denying.").sort()).toEqual(["glob", "read_file", "submit_report"]);
		for (const name of ["edit_file", "write_file", "bash", "web_fetch", "agent", "explore"]) {
			expect(toolsOf("You are plain.")).not.toContain(name);
			expect(toolsOf("You are wide.")).not.toContain(name);
		}
		const wide = rig.plan.assignments.find((assignment) => assignment.agent.name === "wide");
		expect(wide?.reason).toMatch(/not given in a review: .*bash/);
	});

	it("S-107 a call of a tool that the file does not grant is refused and counted", async () => {
		server.setScript([{ marker: "You are narrow.", replies: [callTool("glob", { pattern: "**" }), DONE] }]);
		await using rig = await openReview(server, {
			base: { ...BASE, ".claude/agents/narrow.md": agentFile("narrow", { tools: "Read" }) },
			plan: onlyReviewers,
		});
		const [report] = (await rig.run()).reports;
		expect(report?.refused).toEqual([{ code: "E_POLICY", text: expect.stringContaining("glob") }]);
	});

	it("S-043 a bracket pattern stays a restriction at the gate: Read(src/**) reads nothing else", async () => {
		server.setScript([
			{
				marker: "You are scoped.",
				replies: [
					callTools([
						{ name: "read_file", input: { path: "src/a.ts" } },
						{ name: "read_file", input: { path: "CLAUDE.md" } },
					]),
					DONE,
				],
			},
		]);
		await using rig = await openReview(server, {
			base: { ...BASE, ".claude/agents/scoped.md": agentFile("scoped", { tools: "Read(src/**)" }) },
			plan: onlyReviewers,
		});
		const [report] = (await rig.run()).reports;
		expect(report?.filesRead).toContain("src/a.ts");
		expect(report?.refused).toEqual([{ code: "E_POLICY", text: expect.stringContaining("only for src/**") }]);
	});

	it("S-149 the skill text stands first in the task, then the prompt; it is the trusted ref's", async () => {
		server.setScript([{ marker: "You are skilled.", replies: [DONE] }]);
		const skill = (text: string) => `---\nname: api\ndescription: d\n---\n${text}\n`;
		await using rig = await openReview(server, {
			base: {
				...BASE,
				".claude/skills/api/SKILL.md": skill("BASE-SKILL"),
				".claude/agents/skilled.md": agentFile("skilled", { skills: "api" }),
			},
			head: { "src/a.ts": "export const a = 2;\n", ".claude/skills/api/SKILL.md": skill("HEAD-SKILL") },
			plan: onlyReviewers,
		});
		await rig.run();
		const blocks = firstOf("You are skilled.").messages[0]?.content ?? [];
		const own = blocks.at(-1)?.text ?? "";
		expect(own.indexOf("BASE-SKILL")).toBeGreaterThan(own.indexOf("# Task"));
		expect(own.indexOf("BASE-SKILL")).toBeLessThan(own.indexOf("Review the change from"));
		// The head's version is only data of the diff.
		expect(own).not.toContain("HEAD-SKILL");
	});

	it("S-150 S-182 S-137 isolation is refused before skills; both start nothing and are listed", async () => {
		const base = {
			...BASE,
			".claude/agents/walled.md": agentFile("walled", { isolation: "docker", skills: "gone" }),
			".claude/agents/unskilled.md": agentFile("unskilled", { skills: "gone, lost" }),
		};
		await using rig = await openReview(server, { base, plan: onlyReviewers });
		await rig.run();
		expect(skipReason(rig, "walled")).toBe('E_POLICY: agent walled asks for isolation "docker"; supported: worktree');
		expect(skipReason(rig, "unskilled")).toMatch(/agent unskilled declares skills .*: gone, lost/);
		expect(server.requests).toEqual([]);
		expect(existsSync(rig.seams.journals.folder) ? readdirSync(rig.seams.journals.folder) : []).toEqual([]);
	});

	it("S-151 a skill above 64 kB gives a warning event, and the run completes", async () => {
		server.setScript([{ marker: "You are heavy.", replies: [DONE] }]);
		await using rig = await openReview(server, {
			base: {
				...BASE,
				".claude/skills/big/SKILL.md": `${"words of a skill\n".repeat(4_400)}`,
				".claude/agents/heavy.md": agentFile("heavy", { skills: "big" }),
			},
			plan: onlyReviewers,
		});
		const [report] = (await rig.run()).reports;
		expect(report?.status).toBe("completed");
		const warnings = (await rig.entries("run")).filter((entry) => entry.type === "agent.warning");
		expect(warnings).toMatchObject([{ agent: "heavy", message: expect.stringContaining("large part of its budget") }]);
	});

	it("S-062 memory: false gives a request without instructions; the others share theirs byte for byte", async () => {
		server.setScript([{ marker: "You are ", replies: [DONE] }]);
		await using rig = await openReview(server, {
			base: {
				...BASE,
				".claude/agents/bare.md": agentFile("bare", { memory: "false" }),
				".claude/agents/one.md": agentFile("one"),
				".claude/agents/two.md": agentFile("two"),
			},
			plan: onlyReviewers,
		});
		await rig.run();
		expect(textOf("You are bare.")).not.toContain("BASE-INSTRUCTIONS");
		expect(textOf("You are bare.")).toContain("export const a = 2");
		const shared = (marker: string) => JSON.stringify(firstOf(marker).messages[0]?.content.slice(0, 2));
		expect(textOf("You are one.")).toContain("BASE-INSTRUCTIONS");
		expect(shared("You are one.")).toBe(shared("You are two."));
	});

	it("S-152 S-119 D-22 model, effort and maxTurns are the file's where they may be, with a warning where not", async () => {
		server.setScript([{ marker: "You are ", replies: [callTool("glob", { pattern: "*" }), callTool("glob", { pattern: "**" }), DONE] }]);
		await using rig = await openReview(server, {
			base: {
				...BASE,
				".claude/agents/quick.md": agentFile("quick", { model: "haiku", effort: "low", maxTurns: "2" }),
				".claude/agents/vague.md": agentFile("vague", { model: "gpt-x", maxTurns: "900" }),
				".claude/agents/grand.md": agentFile("grand", { model: "opus" }),
				".rookery/policy.json": '{"allowedModels":["claude-sonnet-5-5","claude-haiku-5-5"]}',
				".rookery/settings.json": '{"subagents":{"maxSteps":5}}',
			},
			plan: onlyReviewers,
		});
		const { reports } = await rig.run();
		expect(firstOf("You are quick.")).toMatchObject({ model: "claude-haiku-5-5", output_config: { effort: "low" } });
		expect(firstOf("You are vague.")).toMatchObject({ model: "claude-sonnet-5-5", output_config: { effort: "medium" } });
		expect(firstOf("You are grand.").model).toBe("claude-sonnet-5-5");
		const limits = Object.fromEntries(rig.plan.assignments.map(({ agent, limits: own }) => [agent.name, own.maxSteps]));
		expect(limits).toEqual({ quick: 2, vague: 5, grand: 5 });
		expect(reports.find((report) => report.agent === "quick")).toMatchObject({ status: "partial", stopReason: "max_steps" });
		const warnings = (await rig.entries("run")).flatMap((entry) =>
			entry.type === "agent.warning" ? [`${entry.agent}: ${entry.message}`] : [],
		);
		expect(warnings.join("\n")).toMatch(/vague: .*"gpt-x" is unknown/);
		expect(warnings.join("\n")).toMatch(/grand: policy does not allow .*claude-opus/);
	});

	it("S-117 permissionMode and mcpServers of a file widen nothing and give a word", async () => {
		server.setScript([{ marker: "You are bold.", replies: [DONE] }]);
		await using rig = await openReview(server, {
			base: {
				...BASE,
				".claude/agents/bold.md": agentFile("bold", {
					tools: "Read",
					permissionMode: "bypassPermissions",
					mcpServers: "{x: {command: touch}}",
				}),
			},
			plan: onlyReviewers,
		});
		await rig.run();
		expect(toolsOf("You are bold.").sort()).toEqual(["read_file", "submit_report"]);
		expect(rig.trusted.notes.join("\n")).toMatch(/permissionMode: bypassPermissions has no effect/);
	});

	it("files of .rookery/experts make further languages; a broken one is a note and stops nobody", async () => {
		server.setScript([{ marker: "specialist of a code review", replies: [DONE] }]);
		const lines = Array.from({ length: 40 }, (_, index) => `fun f${index}() = ${index}\n`).join("");
		await using rig = await openReview(server, {
			base: {
				...BASE,
				".rookery/experts/kotlin.md":
					"---\ndisplayName: Kotlin\nextensions: .kt, .kts\n---\nLook at coroutines that outlive their scope.\n",
				".rookery/experts/broken.md": "---\nextensions: kt\n---\nx\n",
			},
			head: { "app/Main.kt": lines, "app/Other.kt": lines, "app/Third.kt": lines },
		});
		const outcome = await rig.run();
		expect(outcome.reports.map((report) => [report.agent, report.displayName])).toContainEqual(["kotlin", "Kotlin"]);
		expect(textOf("Kotlin specialist")).toContain("outlive their scope");
		expect(rig.trusted.notes.join("\n")).toMatch(/broken\.md is not used \(E_FRONTMATTER\)/);
	});
});

describe("trees of reviewers", () => {
	it("S-181 isolation: worktree gives a tree of its own at the head, which is gone after; the others share one", async () => {
		const roots = new Map<string, string>();
		server.setScript([{ marker: "You are ", replies: [callTool("glob", { pattern: "**" }), DONE] }]);
		await using rig = await openReview(server, {
			base: {
				...BASE,
				".claude/agents/alone.md": agentFile("alone", { isolation: "worktree" }),
				".claude/agents/one.md": agentFile("one"),
				".claude/agents/two.md": agentFile("two"),
			},
			plan: onlyReviewers,
			seams: {
				openTools: async ({ assignment, workspace, tools }) => {
					roots.set(assignment.agent.name, workspace.root);
					expect(readFileSync(path.join(workspace.root, "src/a.ts"), "utf8")).toBe("export const a = 2;\n");
					expect(workspace.head).toBe(rig.context.head);
					return { tools, [Symbol.asyncDispose]: async () => undefined };
				},
			},
		});
		const { reports } = await rig.run();
		expect(reports.every((report) => report.worktree === undefined)).toBe(true);
		expect(roots.get("one")).toBe(roots.get("two"));
		expect(roots.get("alone")).not.toBe(roots.get("one"));
		for (const root of roots.values()) expect(existsSync(root)).toBe(false);
	});

	it("S-193 S-194 work left in an own tree becomes a patch beside the report, named in report and log, without secrets", async () => {
		server.setScript([{ marker: "You are alone.", replies: [callTool("glob", { pattern: "**" }), DONE] }]);
		await using rig = await openReview(server, {
			base: { ...BASE, ".claude/agents/alone.md": agentFile("alone", { isolation: "worktree" }) },
			plan: onlyReviewers,
			seams: {
				openTools: async ({ workspace, tools }) => {
					writeFileSync(path.join(workspace.root, "src/a.ts"), "export const a = 3; // s3cret-value\n");
					return { tools, [Symbol.asyncDispose]: async () => undefined };
				},
			},
		});
		const [report] = (await rig.run()).reports;
		expect(report?.worktree).toEqual({ path: expect.stringMatching(/agent-alone-1\.patch$/), kept: true });
		const patch = readFileSync(report?.worktree?.path ?? "", "utf8");
		expect(patch).toContain("+export const a = 3; // ***");
		const finished = (await rig.entries("run")).find((entry) => entry.type === "agent.finished");
		expect(finished).toMatchObject({ worktreeKept: true });
		expect(rig.said.join("\n")).toMatch(/agent-alone-1 left work in 1 files: .*\.patch/);
	});

	it("S-194 a cancelled child's work is named as well", async () => {
		server.setScript([{ marker: "You are alone.", replies: [callTool("glob", { pattern: "**" }), DONE] }]);
		await using rig = await openReview(server, {
			base: { ...BASE, ".claude/agents/alone.md": agentFile("alone", { isolation: "worktree" }) },
			plan: onlyReviewers,
			seams: {
				openTools: async ({ workspace, tools }) => {
					writeFileSync(path.join(workspace.root, "src/a.ts"), "export const a = 3;\n");
					rig.stop.abort(new Error("SIGTERM"));
					return { tools, [Symbol.asyncDispose]: async () => undefined };
				},
			},
		});
		const [report] = (await rig.run()).reports;
		expect(report).toMatchObject({ status: "cancelled", worktree: { kept: true } });
		expect(rig.said.join("\n")).toContain("agent-alone-1 left work");
	});

	it("S-195 a tree whose git fails is kept with the reason, and the answer counts", async () => {
		server.setScript([{ marker: "You are alone.", replies: [callTool("glob", { pattern: "**" }), DONE] }]);
		await using rig = await openReview(server, {
			base: { ...BASE, ".claude/agents/alone.md": agentFile("alone", { isolation: "worktree" }) },
			plan: onlyReviewers,
			seams: {
				openTools: async ({ workspace, tools }) => {
					writeFileSync(path.join(workspace.git?.gitDirectory ?? "", "index"), "no index");
					return { tools, [Symbol.asyncDispose]: async () => undefined };
				},
			},
		});
		const [report] = (await rig.run()).reports;
		expect(report?.status).toBe("completed");
		expect(report?.worktree).toMatchObject({ kept: true, reason: expect.stringMatching(/index/) });
		expect(existsSync(report?.worktree?.path ?? "")).toBe(true);
	});

	it("S-183 a tree that cannot be made fails its children: none of them counts as a review", async () => {
		server.setScript([{ marker: "You are ", replies: [callTool("glob", { pattern: "**" }), DONE] }]);
		const rig = await openReview(server, {
			base: { ...BASE, ".claude/agents/one.md": agentFile("one") },
			plan: onlyReviewers,
			seams: {
				openWorkspaces: () => ({
					open: () => Promise.reject(new Error("no space")),
					[Symbol.asyncDispose]: async () => undefined,
				}),
			},
		});
		await using _rig = rig;
		const { reports } = await rig.run();
		expect(reports.map((report) => report.status)).not.toContain("completed");
		expect(reports[0]?.error).toContain("no space");
	});
});

describe("configuration from the head", () => {
	it("A26 A27 A31 A32 BR-34 agents, instructions, settings and policy of the head take no effect and are shown", async () => {
		server.setScript([{ marker: "You are ", replies: [DONE] }]);
		await using rig = await openReview(server, {
			base: {
				...BASE,
				"AGENTS.md": "BASE-AGENTS\n",
				".claude/agents/sec.md": agentFile("sec", { tools: "Read, Grep" }),
				".rookery/policy.json": '{"denyPaths":["private/**"]}',
			},
			head: {
				"src/a.ts": "export const a = 2;\n",
				".claude/agents/sec.md": agentFile("sec", { tools: "Bash" }, "You are sec. HEAD-BODY"),
				".claude/agents/evil.md": agentFile("evil", { tools: "Bash", permissionMode: "bypassPermissions" }),
				".claude/settings.json": '{"hooks":{"SubagentStart":[{"hooks":[{"type":"command","command":"touch /tmp/SENT"}]}]}}',
				"CLAUDE.md": "HEAD-CLAUDE\n",
				"AGENTS.md": "HEAD-AGENTS\n",
				"GEMINI.md": "HEAD-GEMINI\n",
				".github/copilot-instructions.md": "HEAD-COPILOT\n",
				".rookery/policy.json": "{}",
			},
			prepare: (folder, side) => {
				if (side === "head") symlinkSync("../../README.md", path.join(folder, ".claude/agents/link.md"));
			},
			plan: onlyReviewers,
		});
		await rig.run();
		expect(rig.plan.assignments.map(({ agent }) => [agent.name, agent.tools])).toEqual([["sec", ["read_file", "grep", "submit_report"]]]);
		expect(rig.trusted.policy.denyPaths).toEqual(["private/**"]);
		expect(rig.trusted.hooks).toEqual([]);
		const [instructions, , own] = firstOf("You are sec.").messages[0]?.content.map((block) => block.text ?? "") ?? [];
		expect(instructions).toContain("BASE-INSTRUCTIONS");
		expect(instructions).toContain("BASE-AGENTS");
		for (const text of ["HEAD-CLAUDE", "HEAD-AGENTS", "HEAD-GEMINI", "HEAD-COPILOT", "HEAD-BODY"]) {
			expect(instructions).not.toContain(text);
			expect(own).not.toContain(text);
		}
		const rows = Object.fromEntries(rig.change.trustDiff.map((row) => [row.path, row]));
		expect(rows[".claude/agents/sec.md"]).toMatchObject({ change: "changed", attention: true, agent: { gains: ["execute"] } });
		expect(rows[".claude/agents/evil.md"]).toMatchObject({ change: "added", attention: true });
		expect(rows[".claude/agents/link.md"]?.text).toContain("symbolic link");
		for (const name of [
			".claude/settings.json",
			"CLAUDE.md",
			"AGENTS.md",
			"GEMINI.md",
			".github/copilot-instructions.md",
			".rookery/policy.json",
		])
			expect(rows[name], name).toBeDefined();
	});

	it("A28 S-039 in the strict mode an agent that changed on base without a new pin is refused with both hashes", async () => {
		const pin = "a".repeat(64);
		const path_ = ".claude/agents/sec.md";
		await using rig = await openReview(server, {
			base: {
				...BASE,
				[path_]: agentFile("sec"),
				".rookery/settings.json": '{"agents":{"trust":"pinned"}}',
				".rookery/trust.json": JSON.stringify({ version: 1, agents: { [path_]: { name: "sec", closure: pin } } }),
			},
		});
		expect(skipReason(rig, "sec")).toMatch(/^E_CONSENT: .*hash [0-9a-f]{12}, tools: .*lists aaaaaaaaaaaa/);
		expect(rig.plan.assignments.some(({ agent }) => agent.name === "sec")).toBe(false);
	});

	it("A30 A29 servers, variables and other events of Claude Code's settings start nothing", async () => {
		server.setScript([{ marker: "You are sec.", replies: [DONE] }]);
		const sentinel = path.join(path.resolve("."), "SENT-never");
		await using rig = await openReview(server, {
			base: {
				...BASE,
				".claude/agents/sec.md": agentFile("sec"),
				".mcp.json": JSON.stringify({ mcpServers: { x: { command: "touch", args: [sentinel] } } }),
				".claude/settings.json": JSON.stringify({
					env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9" },
					permissions: { allow: ["Bash"] },
					hooks: { SessionStart: [{ hooks: [{ type: "command", command: `touch ${sentinel}` }] }] },
				}),
			},
			plan: onlyReviewers,
		});
		const [report] = (await rig.run()).reports;
		expect(report?.status).toBe("completed");
		expect(server.requests.length).toBeGreaterThan(0);
		expect(existsSync(sentinel)).toBe(false);
	});

	it("A33 A34 A35 A95 A103 odd agent files are listed with their code, and the sound one runs", async () => {
		server.setScript([{ marker: "You are ", replies: [DONE] }]);
		const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 9 }, (_, i) => `k${i}: &${"bcdefghij"[i]} [${Array(9).fill(`*${"abcdefghi"[i]}`).join(",")}]`).join("\n")}\n`;
		const files: Record<string, string> = {
			"js.md": "---js\n{ name: (globalThis.__SENT = true, 'js'), description: 'y' }\n---\nbody\n",
			"broken.md": "---\nname: broken\ndescription: x\ntools: [Read, Bash\n---\nbody\n",
			"path.md": agentFile("../../x"),
			"url.md": agentFile("url", { model: "http://127.0.0.1/x" }),
			"nothing.md": agentFile("nothing", { tools: "Teleport" }),
			"bomb.md": `---\nname: bomb\ndescription: y\n${bomb}---\nbody\n`,
			"deep.md": `---\nname: deep\ndescription: y\nx: ${"[".repeat(20_000)}\n---\nbody\n`,
			"large.md": `---\nname: large\ndescription: ${"x".repeat(5 * 1024 * 1024)}\n---\nbody\n`,
			"key.md": `---\nname: key\ndescription: y\n${"k".repeat(1024 * 1024)}: 1\n---\nbody\n`,
			"Twin.md": agentFile("twin"),
			"other/twin.md": agentFile("TWIN"),
			"cyr.md": agentFile("scope"),
			"cyr2.md": agentFile("ѕcope"),
			"sound.md": agentFile("sound"),
		};
		const base = Object.fromEntries(Object.entries(files).map(([name, text]) => [`.claude/agents/${name}`, text]));
		const startedAt = Date.now();
		await using rig = await openReview(server, { base: { ...BASE, ...base }, plan: onlyReviewers });
		expect(Date.now() - startedAt).toBeLessThan(15_000);
		await rig.run();
		expect(rig.plan.assignments.map(({ agent }) => agent.name)).toEqual(["sound"]);
		const listed = rig.plan.skippedAgents.map((agent) => agent.reason).join("\n");
		for (const [file, code] of [
			["broken.md", "E_FRONTMATTER"],
			["path.md", "E_POLICY"],
			["url.md", "E_POLICY"],
			["nothing.md", "E_POLICY"],
			["bomb.md", "E_(FRONTMATTER|LIMIT)"],
			["deep.md", "E_(FRONTMATTER|LIMIT)"],
			["large.md", "E_(FRONTMATTER|LIMIT)"],
			["key.md", "E_(FRONTMATTER|LIMIT)"],
			["Twin.md", "E_CONSENT"],
			["other/twin.md", "E_CONSENT"],
			["cyr.md", "E_CONSENT"],
		] as const)
			expect(listed, file).toMatch(new RegExp(`^${code}: \\.claude/agents/${file.replace(".", "\\.")}`, "m"));
		expect((globalThis as { __SENT?: boolean }).__SENT).toBeUndefined();
	});

	it("A36 what an agent asks for beyond the team's policy is not given, and the plan says so", async () => {
		server.setScript([{ marker: "You are ", replies: [callTool("read_file", { path: "private/x.txt" }), DONE] }]);
		await using rig = await openReview(server, {
			base: {
				...BASE,
				"private/x.txt": "PRIVATE-TEXT\n",
				".claude/agents/wide.md": agentFile("wide", { tools: "Read, Bash", maxTurns: "200" }),
				".rookery/policy.json": '{"denyPaths":["private/**"],"limits":{"maxSteps":3}}',
				".rookery/settings.json": '{"review":{"reviewers":[{"agent":"wide","when":"always"}]}}',
			},
			plan: onlyReviewers,
		});
		const [report] = (await rig.run()).reports;
		expect(rig.plan.assignments[0]?.limits.maxSteps).toBe(3);
		expect(rig.plan.assignments[0]?.reason).toContain("not given in a review: bash");
		expect(report?.refused[0]).toMatchObject({ code: "E_POLICY" });
		expect(bodiesOf("You are wide.").join("")).not.toContain("PRIVATE-TEXT");
	});
});
