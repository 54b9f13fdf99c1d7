import { describe, expect, it } from "vitest";
import { LANGUAGES } from "../../src/agents/experts/table.ts";
import { GUIDANCE_CHARS } from "../../src/agents/select-guidance.ts";
import { buildSpecialist } from "../../src/agents/specialist-prompt.ts";
import { parsePatchText } from "../../src/context/parse-diff.ts";
import type { ReviewPlan } from "../../src/domain/review-plan.ts";
import { focusRoles } from "../../src/plan/focus-roles.ts";

const limits = { maxSteps: 20, tokenBudget: 1_000, timeoutMs: 1_000, answerChars: 1_000 };

function planFor(id: string): ReviewPlan {
	const profile = LANGUAGES.find((language) => language.id === id);
	if (profile === undefined) throw new Error(`no language ${id}`);
	const assignment = {
		agent: buildSpecialist(profile),
		files: [{ path: "a.go", additions: 1, deletions: 0 }],
		task: "",
		limits,
		reason: "",
		access: "read" as const,
	};
	return { assignments: [assignment], skippedFiles: [], languages: {}, skippedAgents: [], notes: [] };
}

describe("focusRoles", () => {
	it("S-015 keeps the key terms and the lines that bear on the change, within the limit", () => {
		const patch = parsePatchText("@@ -1 +1,2 @@\n a\n+\tdefer rows.Close() // database/sql\n", { path: "a.go" });
		const [assignment] = focusRoles(planFor("go"), [patch]).assignments;
		const prompt = assignment?.agent.prompt ?? "";
		for (const term of ["errors.Is", "errors.As", "nterface", "oroutine", "table tests", "database/sql"]) expect(prompt).toContain(term);
		expect(prompt).not.toContain("encoding/json");
		const full = planFor("go").assignments[0]?.agent.prompt ?? "";
		expect(full.length - prompt.length).toBeGreaterThanOrEqual(
			(buildSpecialist(LANGUAGES[0] as never).guidance?.length ?? 0) - GUIDANCE_CHARS,
		);
	});
});
