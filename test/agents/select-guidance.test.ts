import { describe, expect, it } from "vitest";
import { LANGUAGES } from "../../src/agents/experts/table.ts";
import { GUIDANCE_CHARS, selectGuidance } from "../../src/agents/select-guidance.ts";

describe("selectGuidance", () => {
	const go = LANGUAGES.find((language) => language.id === "go")?.guidance ?? "";

	it("keeps the lines that bear on the change and the lines that are no bullet", () => {
		const database = selectGuidance(go, "+\trows, err := tx.Query(fmt.Sprintf(query, id))\n+\tdefer tx.Rollback()\n");
		expect(database).toContain("database/sql");
		expect(database).toContain("How to confirm");
		expect(database).not.toContain("encoding/json");
		const concurrent = selectGuidance(go, "+\tvar mu sync.Mutex\n+\tgo func() { channel <- item; wg.Add(1) }()\n");
		expect(concurrent).toContain("sync.Mutex");
		expect(concurrent).not.toContain("database/sql");
	});

	it("stays within the limit for every language, with any change, and gives the same text twice", () => {
		for (const language of LANGUAGES) {
			for (const change of ["", "async await Promise unwrap lambda Optional errors.Is", language.guidance]) {
				const selected = selectGuidance(language.guidance, change);
				const kept = language.guidance
					.split("\n")
					.filter((line) => !line.startsWith("- "))
					.join("\n").length;
				expect(selected.length).toBeLessThanOrEqual(Math.max(GUIDANCE_CHARS, kept + 1));
				expect(selectGuidance(language.guidance, change)).toBe(selected);
			}
		}
	});

	it("leaves short guidance whole", () => {
		expect(selectGuidance("- one\n- two", "")).toBe("- one\n- two");
	});
});
