import { describe, expect, it } from "vitest";
import { narrowPlan } from "../../src/commands/narrow-plan.ts";
import { parseOptions } from "../../src/commands/parse-options.ts";
import type { Assignment } from "../../src/domain/child-run.ts";
import type { ReviewPlan } from "../../src/domain/review-plan.ts";
import { buildGeneralist } from "../../src/agents/generalist.ts";
import { buildSpecialist } from "../../src/agents/specialist-prompt.ts";
import { GO } from "../../src/agents/experts/go.ts";

const SPECS = { agents: { type: "string" }, plan: { type: "boolean" } } as const;

describe("parseOptions", () => {
	it("takes words, flags and quoted values from the first line only", () => {
		expect(parseOptions("full --plan --agents 'go,rust' x\nmore --plan", SPECS)).toMatchObject({
			ok: true,
			words: ["full", "x"],
			values: { agents: "go,rust" },
		});
		expect(parseOptions("--agents=go", SPECS)).toMatchObject({ ok: true, values: { agents: "go" } });
		expect(parseOptions("", SPECS)).toMatchObject({ ok: true, words: [] });
	});

	it("names an unknown option and those there are; a value that is missing is an error", () => {
		expect(parseOptions("--speed 3", SPECS)).toEqual({ ok: false, reason: "found the option `--speed`; wanted one of --agents, --plan" });
		expect(parseOptions("--agents", SPECS)).toMatchObject({ ok: false });
		expect(parseOptions("--settings.model=opus", SPECS)).toMatchObject({ ok: false });
	});
});

describe("narrowPlan", () => {
	const limits = { maxSteps: 20, tokenBudget: 1_000, timeoutMs: 1_000, answerChars: 1_000 };
	const assignment = (agent: Assignment["agent"], paths: readonly string[]): Assignment => ({
		...{ agent, limits, task: "Review.", reason: "by extension", access: "read" as const },
		files: paths.map((path) => ({ path, additions: 1, deletions: 0 })),
	});
	const plan: ReviewPlan = {
		assignments: [assignment(buildSpecialist(GO), ["a.go", "in/b.go"]), assignment(buildGeneralist(), ["x.md", "a.go"])],
		skippedFiles: [{ path: "lock", reason: "lock file" }],
		languages: {},
		skippedAgents: [],
		notes: [],
	};

	it("keeps what was asked for and names all that falls out, so that the coverage stays true", () => {
		const narrowed = narrowPlan(plan, { agents: ["GO", "nobody"], only: ["*.go"] });
		expect(narrowed.assignments.map((each) => each.files.map((file) => file.path))).toEqual([["a.go"]]);
		expect(narrowed.assignments[0]?.task).toContain('"a.go"');
		expect(narrowed.skippedFiles.map((file) => file.path)).toEqual(["lock", "in/b.go", "x.md"]);
		expect(narrowed.skippedAgents).toMatchObject([{ name: "nobody" }]);
		expect(narrowPlan(plan, { agents: [], only: [] })).toBe(plan);
	});
});
