import { describe, expect, it } from "vitest";
import type { Assignment, SubagentReport } from "../../src/domain/child-run.ts";
import { type Rungs, stepDown } from "../../src/stages/step-down.ts";
import { decideVerdict } from "../../src/synthesis/verdict.ts";
import { childReport, planFor } from "../synthesis/build-fixtures.ts";

const SONNET = "claude-sonnet-5-5";
const plan = planFor({ go: ["a.go"], rust: ["b.rs"], docs: ["c.md"] });
const assignments: readonly Assignment[] = plan.assignments.map((each) =>
	each.agent.name === "docs" ? { ...each, agent: { ...each.agent, kind: "reviewer" } } : each,
);

const away = (name: string): SubagentReport =>
	childReport(name, [`${name}.x`], { status: "failed", stopReason: "error", error: "overloaded: busy", outage: true, filesRead: [] });
const done = (name: string, model = SONNET): SubagentReport => childReport(name, [`${name}.x`], { model });

/** Rungs that answer by rule, and what they were asked for. */
function rungs(answer: (assignment: Assignment, how: "model" | "checks") => SubagentReport, more: Partial<Rungs> = {}) {
	const asked: string[] = [];
	const given: Rungs = {
		checks: true,
		mayGoOn: () => true,
		modelOf: (assignment) => assignment.agent.model ?? SONNET,
		run: async (wanted, how) =>
			wanted.map((assignment) => {
				asked.push(`${how} ${assignment.agent.name} ${assignment.agent.model ?? ""}`.trim());
				return answer(assignment, how);
			}),
		...more,
	};
	return { asked, given };
}

describe("stepDown", () => {
	it("X-22 tries nothing again when the provider was there, or when a child failed for another reason", async () => {
		const { asked, given } = rungs(() => done("go"));
		const first = [done("go"), childReport("rust", ["b.rs"], { status: "failed", error: "invalid-request: no" }), done("docs")];
		expect(await stepDown(assignments, first, given)).toEqual({ reports: first, replaced: [] });
		expect(asked).toEqual([]);
	});

	it("X-22 only those that failed for the provider's sake meet the cheaper model; one of them tries it first", async () => {
		const { asked, given } = rungs((assignment) => done(assignment.agent.name, assignment.agent.model));
		const result = await stepDown(assignments, [done("go"), away("rust"), away("docs")], given);
		expect(asked).toEqual(["model rust claude-haiku-5-5", "model docs claude-haiku-5-5"]);
		expect(result.reports.map((report) => report.status)).toEqual(["completed", "completed", "completed"]);
		expect(result.replaced).toHaveLength(2);
		expect(result.degradation).toEqual({
			cause: "busy",
			reviewers: 3,
			away: 2,
			weaker: 2,
			models: ["claude-haiku-5-5"],
			checks: 0,
			lost: 0,
		});
	});

	it("X-22 when the provider is away for every model one child finds out, and fixed checks run for those that have any", async () => {
		const { asked, given } = rungs((assignment, how) => (how === "checks" ? done(assignment.agent.name) : away(assignment.agent.name)));
		const result = await stepDown(assignments, [away("go"), away("rust"), away("docs")], given);
		expect(asked).toEqual(["model go claude-haiku-5-5", "checks go", "checks rust"]);
		expect(result.reports.map((report) => report.status)).toEqual(["partial", "partial", "failed"]);
		expect(result.degradation).toMatchObject({ away: 3, weaker: 0, checks: 2, lost: 1 });
	});

	it("X-22 without fixed checks, and with a model that policy does not allow, nothing is left but a notice", async () => {
		const { asked, given } = rungs(() => done("go"), { checks: false, modelOf: () => SONNET });
		const first = [away("go"), away("rust"), away("docs")];
		const { reports, degradation } = await stepDown(assignments, first, given);
		expect(asked).toEqual([]);
		expect(degradation).toMatchObject({ away: 3, weaker: 0, checks: 0, lost: 3 });
		const coverage = [
			{ path: "a.go", status: "modified" as const, additions: 1, deletions: 0, binary: false, assigned: "go", state: "skipped" as const },
		];
		expect(decideVerdict({ findings: [], coverage, plan, reports, degradation })).toEqual({
			state: "partial",
			sentence: "Not reviewed: the model provider was not available (busy). Comment /review to try again.",
		});
		expect(decideVerdict({ findings: [], coverage, plan, reports }).state).toBe("failed");
	});

	it("X-22 a run that is being stopped tries nothing again", async () => {
		const { asked, given } = rungs(() => done("go"), { mayGoOn: () => false });
		await stepDown(assignments, [away("go"), away("rust"), away("docs")], given);
		expect(asked).toEqual([]);
	});
});
