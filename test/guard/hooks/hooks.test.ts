import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readFileSync } from "node:fs";
import path from "node:path";
import { callTool } from "../../../src/demo/loopback-model/scripted-reply.ts";
import { type LoopbackModel, startLoopbackModel } from "../../../src/demo/loopback-model/start-loopback-model.ts";
import type { ReviewPlan } from "../../../src/domain/review-plan.ts";
import { parseHooks } from "../../../src/guard/hooks/hook-settings.ts";
import { readHookExit } from "../../../src/guard/hooks/hook-answer.ts";
import { makeFolder } from "../../adapters/git/git-fixture.ts";
import { agentFile, openReview, type ReviewRig, type ReviewRigOptions, runForReal } from "../../agents/review-rig.ts";

let server: LoopbackModel;
beforeEach(async () => {
	server = await startLoopbackModel();
});
afterEach(() => server.close());

const DONE = callTool("submit_report", { summary: "All sound.", findings: [], open: [] });
const READ = callTool("read_file", { path: "src/a.ts" });
const onlyReviewers = (plan: ReviewPlan): ReviewPlan => ({
	...plan,
	assignments: plan.assignments.filter((assignment) => assignment.agent.kind === "reviewer"),
});

/** One reviewer `sec` with its report; hooks as given, run for real; `$LOG` in a command is a file outside of every tree. */
async function openHooked(hooks: object, options: Partial<ReviewRigOptions> & { readonly log?: string } = {}): Promise<ReviewRig> {
	const text = JSON.stringify({ hooks }).replaceAll("$LOG", options.log ?? "/dev/null");
	return openReview(server, {
		base: {
			"src/a.ts": "export const a = 1;\n",
			".claude/agents/sec.md": agentFile("sec", { tools: "Read, Glob" }),
			".claude/settings.json": text,
			...options.base,
		},
		plan: onlyReviewers,
		seams: { hookRunner: runForReal, ...options.seams },
	});
}
const hook = (command: string, matcher = "", timeout?: number) => [
	{ matcher, hooks: [{ type: "command", command, ...(timeout === undefined ? {} : { timeout }) }] },
];
const print = (value: unknown) => `printf %s '${JSON.stringify(value)}'`;
const requests = () => server.requests.map((request) => request.rawBody).filter((body) => body.includes("You are sec."));
const notesOf = async (rig: ReviewRig, session: string) =>
	(await rig.entries(session)).flatMap((entry) => (entry.type === "note" && entry.text.startsWith("hook") ? [entry.text] : []));
/** A log file outside of every tree: hooks of one test write into it. */
const logIn = (name: string) => path.join(makeFolder(), `${name}.log`);
const readLog = (file: string) => {
	try {
		return readFileSync(file, "utf8");
	} catch {
		return "";
	}
};

describe("hooks around a child", () => {
	it("S-174 S-177 S-180 SubagentStart fires for the agent its matcher names, with its facts on standard input and the tree as cwd", async () => {
		server.setScript([{ marker: "You are ", replies: [DONE] }]);
		const log = logIn("start");
		const command = `{ pwd; cat; echo; env; } >>$LOG`;
		await using rig = await openHooked(
			{ SubagentStart: hook(command, "sec|other") },
			{ log, base: { ".claude/agents/api.md": agentFile("api") } },
		);
		const { reports } = await rig.run();
		expect(reports.map((report) => report.status)).toEqual(["completed", "completed"]);
		const [cwd, input = "", ...environment] = readLog(log).trim().split("\n");
		const facts = JSON.parse(input) as Record<string, unknown>;
		expect(facts).toMatchObject({ hook_event_name: "SubagentStart", agent_id: "agent-sec-1", agent_type: "sec", permission_mode: "plan" });
		expect(facts["cwd"]).toBe(cwd);
		expect(cwd).toContain("rookery-worktrees-");
		expect(String(facts["transcript_path"])).toMatch(/agent-sec-1\.jsonl$/);
		expect(environment.join("\n")).not.toMatch(/TOKEN|KEY|ANTHROPIC/i);
		expect(readLog(log).match(/hook_event_name/g)).toHaveLength(1);
		// S-177: a report of start stands with the caller.
		expect(await notesOf(rig, "run")).toEqual(["hook SubagentStart (sec|other) for agent-sec-1: passes"]);
		expect(await notesOf(rig, "agent-sec-1")).toEqual([]);
	});

	it("S-175 its context stands first, then skills, then the prompt", async () => {
		server.setScript([{ marker: "You are sec.", replies: [DONE] }]);
		const answer = { hookSpecificOutput: { hookEventName: "SubagentStart", additionalContext: "HOOK-CONTEXT" } };
		await using rig = await openHooked(
			{ SubagentStart: hook(print(answer)) },
			{ base: { ".claude/skills/s/SKILL.md": "SKILL-TEXT\n", ".claude/agents/sec.md": agentFile("sec", { skills: "s" }) } },
		);
		await rig.run();
		const own = requests()[0] ?? "";
		const places = ["HOOK-CONTEXT", "SKILL-TEXT", "Review the change from"].map((text) => own.indexOf(text));
		expect(places[0]).toBeGreaterThan(0);
		expect(places).toEqual([...places].sort((a, b) => a - b));
	});

	it("S-175 continue: false makes no request and a failed result; so do a crash and a time-out", async () => {
		for (const [command, text] of [
			[print({ continue: false, stopReason: "freeze today" }), "freeze today"],
			["exit 3", "exit code 3"],
			["sleep 5", "took longer"],
		] as const) {
			await using rig = await openHooked({ SubagentStart: hook(command, "", 0.5) });
			const [report] = (await rig.run()).reports;
			expect(report).toMatchObject({ status: "failed", steps: 0 });
			expect(report?.error).toContain(text);
		}
		expect(server.requests).toEqual([]);
	});

	it("S-176 an answer that is blocked twice makes two further requests; stop_hook_active is told", async () => {
		server.setScript([{ marker: "You are sec.", replies: [DONE] }]);
		const log = logIn("stop");
		const command = `cat >>$LOG; echo >>$LOG; [ $(grep -c agent_type $LOG) -lt 3 ] && { echo "cite a line" >&2; exit 2; }; exit 0`;
		await using rig = await openHooked({ SubagentStop: hook(command) }, { log });
		const [report] = (await rig.run()).reports;
		expect(report).toMatchObject({ status: "completed", steps: 3 });
		expect(requests()).toHaveLength(3);
		expect(requests()[1]).toContain("cite a line");
		const active = readLog(log)
			.trim()
			.split("\n")
			.map((line) => (JSON.parse(line) as { stop_hook_active: boolean }).stop_hook_active);
		expect(active).toEqual([false, true, true]);
	});

	it("S-176 at the limit the answer counts, with a note to the caller; a crashing check is no block", async () => {
		const report_ = (summary: string) => callTool("submit_report", { summary, findings: [], open: [] });
		server.setScript([{ marker: "You are sec.", replies: ["First.", "Second.", "Third.", "Fourth."].map(report_) }]);
		await using rig = await openHooked({ SubagentStop: hook('echo "never good enough" >&2; exit 2') });
		const [report] = (await rig.run()).reports;
		expect(report).toMatchObject({ status: "completed", steps: 4, report: { summary: "Fourth." } });
		expect((await rig.entries("run")).flatMap((entry) => (entry.type === "note" ? [entry.text] : [])).join("\n")).toContain(
			"which is the limit",
		);
		await using crashing = await openHooked({ SubagentStop: hook("exit 1") });
		expect((await crashing.run()).reports[0]).toMatchObject({ status: "completed", steps: 1 });
	});

	it("S-176 a report that was sent back counts when the steps end before a better one", async () => {
		server.setScript([{ marker: "You are sec.", replies: [DONE, READ] }]);
		await using rig = await openHooked(
			{ SubagentStop: hook("echo more >&2; exit 2") },
			{ base: { ".claude/agents/sec.md": agentFile("sec", { tools: "Read", maxTurns: "2" }) } },
		);
		const [report] = (await rig.run()).reports;
		expect(report).toMatchObject({ status: "completed", report: { summary: "All sound." } });
	});

	it("S-177 S-178 a pre-hook that blocks gives an error result with its reason; matchers speak Claude Code's names", async () => {
		server.setScript([{ marker: "You are sec.", replies: [READ, callTool("glob", { pattern: "**" }), DONE] }]);
		const log = logIn("pre");
		const hooks = {
			PreToolUse: hook('cat >>$LOG; echo "not this file" >&2; exit 2', "Read|Edit"),
			PostToolUse: hook("cat >>$LOG", "Read"),
		};
		await using rig = await openHooked(hooks, { log });
		const [report] = (await rig.run()).reports;
		expect(report?.status).toBe("completed");
		expect(report?.refused).toEqual([{ code: "E_POLICY", text: "read_file: Blocked by a hook: not this file" }]);
		const facts = JSON.parse(readLog(log)) as Record<string, unknown>;
		expect(facts).toMatchObject({ tool_name: "Read", agent_type: "sec", agent_id: "agent-sec-1", permission_mode: "plan" });
		expect(facts["tool_input"]).toMatchObject({ path: "src/a.ts", file_path: `${String(facts["cwd"])}/src/a.ts` });
		expect(report?.filesRead).not.toContain("README.md");
		// S-177: reports of tool hooks stand in the child's journal.
		expect(await notesOf(rig, "agent-sec-1")).toEqual(["hook PreToolUse (Read|Edit) for agent-sec-1: blocks: not this file"]);
		expect((await notesOf(rig, "run")).join()).not.toContain("PreToolUse");
	});

	it("S-178 a pre-hook that crashes, hangs or says half a JSON blocks; one that approves approves nothing", async () => {
		for (const [command, reason] of [
			["exit 7", "exit code 7"],
			["sleep 5", "took longer"],
			["printf '{\"decision\"'", "begins like JSON"],
			["no-such-program-here", "exit code 127"],
		] as const) {
			server.setScript([{ marker: "You are sec.", replies: [READ, DONE] }]);
			await using rig = await openHooked({ PreToolUse: hook(command, "", 0.5) });
			const refused = (await rig.run()).reports[0]?.refused ?? [];
			expect(refused[0]?.text, command).toContain(reason);
		}
		server.setScript([{ marker: "You are sec.", replies: [callTool("grep", { pattern: "x" }), DONE] }]);
		const approve = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } };
		await using rig = await openHooked({ PreToolUse: hook(print(approve)) });
		expect((await rig.run()).reports[0]?.refused).toEqual([{ code: "E_POLICY", text: expect.stringContaining("grep") }]);
	});

	it("S-178 continue: false of a tool hook ends that child and no other", async () => {
		server.setScript([
			{ marker: "You are sec.", replies: [READ, DONE] },
			{ marker: "You are api.", replies: [callTool("glob", { pattern: "**" }), DONE] },
		]);
		await using rig = await openHooked(
			{ PreToolUse: hook(print({ continue: false, stopReason: "enough" }), "Read") },
			{ base: { ".claude/agents/api.md": agentFile("api", { tools: "Glob" }) } },
		);
		const { reports, fatal } = await rig.run();
		expect(fatal).toBeUndefined();
		expect(reports.find((report) => report.agent === "sec")).toMatchObject({
			status: "cancelled",
			error: expect.stringContaining("enough"),
		});
		expect(reports.find((report) => report.agent === "api")).toMatchObject({ status: "completed" });
	});

	it("PostToolUse adds its word behind the result; its crash does not undo the call", async () => {
		server.setScript([{ marker: "You are sec.", replies: [READ, DONE] }]);
		const context = { hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "generated file" } };
		await using rig = await openHooked({ PostToolUse: [...hook(print(context), "Read"), ...hook("exit 9", "Read")] });
		expect((await rig.run()).reports[0]?.filesRead).toContain("src/a.ts");
		await using plain = await openHooked({ PostToolUse: hook(print(context), "Read") });
		await plain.run();
		expect(requests().some((body) => body.includes("A check of this repository says: generated file"))).toBe(true);
	});

	it("A29 hooks of the head are not run", async () => {
		server.setScript([{ marker: "You are sec.", replies: [DONE] }]);
		const log = logIn("head");
		await using rig = await openReview(server, {
			base: { "src/a.ts": "1\n", ".claude/agents/sec.md": agentFile("sec") },
			head: { "src/a.ts": "2\n", ".claude/settings.json": JSON.stringify({ hooks: { SubagentStart: hook(`touch ${log}`) } }) },
			plan: onlyReviewers,
			seams: { hookRunner: runForReal },
		});
		await rig.run();
		expect(rig.trusted.hooks).toEqual([]);
		expect(readLog(log)).toBe("");
	});

	it("E_SANDBOX without a sandbox a child with hooks does not run and its files are named; others do", async () => {
		server.setScript([{ marker: "You are ", replies: [DONE] }]);
		await using rig = await openReview(server, {
			base: {
				"src/a.ts": "1\n",
				".claude/agents/sec.md": agentFile("sec", { tools: "Read" }),
				".claude/agents/api.md": agentFile("api", { tools: "Glob" }),
				".claude/settings.json": JSON.stringify({ hooks: { PreToolUse: hook("exit 0", "Read"), Stop: hook("exit 0") } }),
			},
			seams: { noSandbox: "bubblewrap is not installed" },
		});
		expect(rig.plan.assignments.map(({ agent }) => agent.name)).toEqual(["api"]);
		const skipped = rig.plan.skippedAgents.find((agent) => agent.name === "sec");
		expect(skipped?.reason).toMatch(/^E_SANDBOX: .*bubblewrap is not installed/);
		expect(rig.plan.skippedAgents.map((agent) => agent.name)).toContain("typescript");
	});
});

describe("parseHooks", () => {
	const one = (value: unknown) => parseHooks({ PreToolUse: value }, "f.json");
	it("reads matchers as whole names and expressions", () => {
		const [bash, all, star] = one([...hook("x", "Bash|Edit.*"), ...hook("y"), ...hook("z", "*")]);
		expect(["Bash", "EditFile", "MyBash", "bash"].map((name) => bash?.matches(name))).toEqual([true, true, false, false]);
		expect([all?.matches("anything"), star?.matches("x")]).toEqual([true, true]);
	});

	it("is strict about what it would have to guess, and leaves foreign events alone", () => {
		for (const [value, text] of [
			["x", "hooks.PreToolUse: found"],
			[[{ matcher: "(", hooks: [] }], "matcher"],
			[[{ matcher: 1, hooks: [] }], "matcher"],
			[[{ hooks: [{ type: "command" }] }], "command: found nothing"],
			[[{ hooks: [{ command: "x" }] }], "type: found nothing"],
			[[{ hooks: [{ type: "command", command: "x", timeout: -1 }] }], "timeout"],
			[[{ hooks: "x" }], "hooks.PreToolUse[0].hooks"],
		] as const)
			expect(() => one(value), JSON.stringify(value)).toThrow(text);
		expect(parseHooks({ Stop: "whatever", SessionStart: 3 }, "f.json")).toEqual([]);
		expect(parseHooks(undefined, "f.json")).toEqual([]);
	});

	it("a hook of a kind that cannot be run is kept as one that fails", () => {
		expect(one([{ hooks: [{ type: "prompt", prompt: "is it ok?" }] }])).toMatchObject([{ command: undefined }]);
	});
});

describe("readHookExit", () => {
	const exited = (code: number, stdout = "", stderr = "") => readHookExit({ kind: "exited", code, stdout, stderr });
	it("reads codes and JSON, and never approves", () => {
		expect(exited(0, "hello")).toEqual({});
		expect(exited(2, "", "no")).toEqual({ block: "no" });
		expect(exited(1, "", "boom")).toEqual({ failure: "exit code 1: boom" });
		expect(exited(0, '{"decision":"block","reason":"r"}')).toEqual({ block: "r" });
		expect(exited(0, '{"hookSpecificOutput":{"permissionDecision":"ask"}}').block).toContain("unattended");
		expect(exited(0, '{"decision":"approve"}')).toEqual({});
		expect(exited(0, '{"continue":false}')).toEqual({ stop: "no reason given" });
		expect(exited(0, "{")).toEqual({ failure: "its output begins like JSON and is none" });
	});
});
