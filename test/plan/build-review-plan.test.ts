import { describe, expect, it } from "vitest";
import { extendTable, LANGUAGES } from "../../src/agents/experts/table.ts";
import { selectReviewers } from "../../src/agents/select-reviewers.ts";
import type { AgentDefinition } from "../../src/domain/agent.ts";
import type { ChangedFile } from "../../src/domain/change-set.ts";
import type { ReviewPlan } from "../../src/domain/review-plan.ts";
import { buildReviewPlan, MAX_SHARDS, type ReviewPlanInput } from "../../src/plan/build-review-plan.ts";
import { childLimits } from "../../src/plan/child-limits.ts";
import { MAX_FILES_PER_CHILD, MAX_LINES_PER_CHILD, shardFiles } from "../../src/plan/shard.ts";
import { DEFAULT_SETTINGS, mergeSettings } from "../../src/trust/settings.ts";
import { changed, changeSetOf } from "./changed-files.ts";

function plan(files: readonly ChangedFile[], more: Partial<ReviewPlanInput> = {}): ReviewPlan {
	return buildReviewPlan({
		changeSet: changeSetOf(files),
		settings: DEFAULT_SETTINGS,
		profiles: LANGUAGES,
		gitAttributes: "",
		files: new Set(["go.mod", "package.json", "pnpm-lock.yaml"]),
		...more,
	});
}

const names = (made: ReviewPlan): readonly string[] => made.assignments.map((assignment) => assignment.agent.name);

const reviewer: AgentDefinition = {
	name: "house-rules",
	description: "House rules.",
	kind: "reviewer",
	tier: "repository",
	prompt: "Check house rules.",
	tools: ["read_file", "grep"],
	disallowedTools: [],
	memory: true,
	skills: [],
	background: false,
	oneShot: false,
	maxTurns: 50,
};

describe("buildReviewPlan", () => {
	it("S-006 three Go and two Rust files give two assignments with their own paths", () => {
		const made = plan(["a.go", "b.go", "c.go", "x.rs", "y.rs"].map((path) => changed(path, 20)));
		expect(names(made)).toEqual(["go", "rust"]);
		expect(made.assignments.map((assignment) => assignment.files.map((file) => file.path))).toEqual([
			["a.go", "b.go", "c.go"],
			["x.rs", "y.rs"],
		]);
		expect(made.languages).toEqual({ "a.go": "go", "b.go": "go", "c.go": "go", "x.rs": "rust", "y.rs": "rust" });
	});

	it("S-002 a change of two lines gives one child", () => {
		expect(names(plan([changed("a.go", 1), changed("b.ts", 1)]))).toEqual(["generalist"]);
	});

	it("S-022 Go is dispatched by default; with moe.enabled false there is no specialist", () => {
		const files = [changed("a.go", 200)];
		expect(names(plan(files))).toEqual(["go"]);
		const { settings } = mergeSettings({ rookery: { moe: { enabled: false } } });
		expect(names(plan(files, { settings }))).toEqual(["generalist"]);
	});

	it("S-014 the resolved test command is in the assignment, its task and the role (D-08)", () => {
		const [go] = plan([changed("a.go", 200)]).assignments;
		expect(go?.testCommand).toBe("go test ./...");
		expect(go?.task).toContain("`go test ./...`");
		expect(go?.agent.prompt).toContain("`go test ./...`");
		const profiles = extendTable(LANGUAGES, {}, { go: "make test" });
		expect(plan([changed("a.go", 200)], { profiles }).assignments[0]?.testCommand).toBe("make test");
	});

	it("X-21 a package of a monorepo has its own tests, by its settings or its nearest manifest, and its own guidance", () => {
		const files = new Set([
			"pnpm-lock.yaml",
			"package.json",
			"apps/web/package.json",
			"apps/web/a.ts",
			"services/pay/go.mod",
			"services/pay/b.go",
		]);
		const { settings } = mergeSettings({
			rookery: {
				packages: { "services/pay": { checks: { go: "make check" }, guidance: "Amounts are in cents." }, services: { guidance: "no" } },
			},
		});
		const made = plan([changed("apps/web/a.ts", 200), changed("services/pay/b.go", 200)], { files, settings });
		const by = new Map(made.assignments.map((assignment) => [assignment.agent.name, assignment]));
		expect(by.get("typescript")?.testCommand).toBe("cd apps/web && pnpm test");
		expect(by.get("go")?.testCommand).toBe("cd services/pay && make check");
		expect(by.get("go")?.agent.prompt).toMatch(/In services\/pay, too:\nAmounts are in cents\.$/);
		expect(by.get("typescript")?.agent.prompt).not.toContain("cents");
		const both = plan([changed("apps/web/a.ts", 200), changed("b.ts", 200)], { files, settings });
		expect(both.assignments[0]?.testCommand).toBe("pnpm test");
	});

	it("S-058 the task stands alone: both commits, its files with sizes, where the diff is, and the question", () => {
		const made = plan([changed("a.go", 200, { deletions: 7 }), changed('odd "name\n.go', 60)]);
		const { task = "" } = made.assignments[0] ?? {};
		for (const part of [
			"1".repeat(40),
			"2".repeat(40),
			"- a.go modified +200 -7",
			'- "odd \\"name\\n.go"',
			"pull-request above",
			"Question:",
			"submit_report",
		]) {
			expect(task).toContain(part);
		}
		expect(made.assignments.every((assignment) => assignment.access === "read" && assignment.reason !== "")).toBe(true);
	});

	it("names what nobody reads and why; a change of nothing else has no assignment", () => {
		const made = plan([changed("go.sum", 50), changed("a.png", 0, { binary: true })]);
		expect(made.assignments).toEqual([]);
		expect(made.skippedFiles).toEqual([
			{ path: "go.sum", reason: "lock file" },
			{ path: "a.png", reason: "binary" },
		]);
	});

	it("S-045 limits of a custom reviewer are the least of file, settings and policy", () => {
		const select = (agents: readonly AgentDefinition[]) => (subject: Parameters<NonNullable<ReviewPlanInput["selectReviewers"]>>[0]) =>
			selectReviewers(agents, [], { ...subject, labels: [] });
		const files = [changed("a.go", 200)];
		const limitsOf = (made: ReviewPlan) => made.assignments.find((assignment) => assignment.agent.kind === "reviewer")?.limits.maxSteps;
		expect(limitsOf(plan(files, { selectReviewers: select([reviewer]) }))).toBe(20);
		expect(limitsOf(plan(files, { selectReviewers: select([{ ...reviewer, maxTurns: 4 }]) }))).toBe(4);
		expect(limitsOf(plan(files, { selectReviewers: select([reviewer]), policy: { maxSteps: 3 } }))).toBe(3);
	});

	it("custom reviewers follow the specialists, end with a report, and are off with subagents.enabled", () => {
		const selectReviewers = () => ({
			selected: [{ agent: reviewer, files: ["a.go"], reason: "a rule" }],
			skipped: [{ name: "other", reason: "no rule" }],
		});
		const files = [changed("a.go", 200)];
		const made = plan(files, { selectReviewers });
		expect(names(made)).toEqual(["go", "house-rules"]);
		expect(made.assignments[1]).toMatchObject({
			reason: "a rule",
			files: [{ path: "a.go" }],
			agent: { tools: ["read_file", "grep", "submit_report"] },
		});
		expect(made.skippedAgents).toEqual([{ name: "other", reason: "no rule" }]);
		const { settings } = mergeSettings({ rookery: { subagents: { enabled: false } } });
		expect(names(plan(files, { selectReviewers, settings }))).toEqual(["go"]);
	});

	it("S-090 a policy of three steps holds for specialists, custom agents and explore alike", () => {
		for (const kind of ["specialist", "generalist", "reviewer", "explore"] as const) {
			expect(childLimits({ kind }, DEFAULT_SETTINGS, { maxSteps: 3, tokenBudget: 9_000, timeoutSeconds: 30 })).toMatchObject({
				maxSteps: 3,
				tokenBudget: 9_000,
				timeoutMs: 30_000,
			});
		}
		expect(childLimits({ kind: "explore" }, DEFAULT_SETTINGS)).toEqual({
			maxSteps: 20,
			tokenBudget: 50_000,
			timeoutMs: 300_000,
			answerChars: 10_000,
		});
		expect(childLimits({ kind: "specialist" }, DEFAULT_SETTINGS)).toEqual({
			maxSteps: 20,
			tokenBudget: 150_000,
			timeoutMs: 300_000,
			answerChars: 20_000,
		});
	});

	it("X-08 grants stay within the run's budget less its floor; who cannot be paid is named with the files", () => {
		const files = [changed("a.go", 900), changed("b.rs", 400), changed("c.py", 100)];
		const settings = { ...DEFAULT_SETTINGS, budget: { ...DEFAULT_SETTINGS.budget, runTokens: 40_000 } };
		const made = plan(files, { settings });
		expect(names(made)).toEqual(["go", "rust"]);
		const sum = made.assignments.reduce((total, assignment) => total + assignment.limits.tokenBudget, 0);
		expect(sum).toBeLessThanOrEqual(38_000);
		expect(made.skippedAgents).toEqual([{ name: "python", reason: expect.stringContaining("budget") }]);
		expect(made.skippedFiles).toEqual([{ path: "c.py", reason: expect.stringContaining("budget") }]);
	});

	it("R27 10,000 files: the plan is capped, and every file is assigned or named with a reason", () => {
		const files = Array.from({ length: 10_000 }, (_, index) => changed(`src/dir${index % 97}/file${index}.ts`, (index % 50) + 1));
		files.push(changed("server/main.go", 500));
		const started = performance.now();
		const made = plan(files);
		expect(performance.now() - started).toBeLessThan(5_000);
		expect(made.assignments).toHaveLength(MAX_SHARDS);
		expect(names(made)).toContain("go");
		const read = new Set(made.assignments.flatMap((assignment) => assignment.files.map((file) => file.path)));
		const skipped = new Map(made.skippedFiles.map((file) => [file.path, file.reason]));
		expect(read.size + skipped.size).toBe(10_001);
		for (const file of files) expect(read.has(file.path) !== skipped.has(file.path)).toBe(true);
		expect(made.notes.join(" ")).toContain(`${read.size} of 10001 changed files`);
	});

	it("the same input gives the same plan", () => {
		const files = ["a.go", "b.rs", "c.py", "README.md"].map((path, index) => changed(path, 40 + index));
		expect(JSON.stringify(plan(files))).toBe(JSON.stringify(plan(files)));
	});
});

describe("shardFiles", () => {
	it("keeps every file once, in order, within both limits", () => {
		const files = Array.from({ length: 130 }, (_, index) => changed(`f${String(index).padStart(3, "0")}.go`, 40));
		const shards = shardFiles(files);
		expect(shards.flat().map((file) => file.path)).toEqual(files.map((file) => file.path));
		for (const shard of shards) {
			expect(shard.length).toBeLessThanOrEqual(MAX_FILES_PER_CHILD);
			expect(shard.reduce((sum, file) => sum + file.additions, 0)).toBeLessThanOrEqual(MAX_LINES_PER_CHILD);
		}
		expect(shards.length).toBeLessThanOrEqual(5);
		expect(shardFiles([changed("huge.go", 9_000), changed("small.go", 1)]).map((shard) => shard.length)).toEqual([1, 1]);
		expect(shardFiles([changed("a.go", 800), changed("b.go", 800)])).toHaveLength(2);
	});
});
