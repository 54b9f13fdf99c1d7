import { describe, expect, it } from "vitest";
import { loadInstructions } from "../../src/trust/instructions.ts";
import { createTestRepository } from "../agents/git-repository.ts";

describe("loadInstructions", () => {
	it("S-061 reads the trusted ref, organisation first, and nothing of the head", async () => {
		await using repository = await createTestRepository();
		const trusted = await repository.commit({ "CLAUDE.md": "Project rule.\n", "AGENTS.md": "Agents rule.\n" });
		await repository.commit({ "CLAUDE.md": "HEAD RULE\n" });
		const instructions = await loadInstructions({
			reader: repository.reader,
			trusted,
			organisation: [{ source: "acme/agents", text: "Organisation rule.\n" }],
		});
		expect(instructions.text).toBe(
			"# Instructions from acme/agents\n\nOrganisation rule.\n\n# Instructions from CLAUDE.md\n\nProject rule.\n\n# Instructions from AGENTS.md\n\nAgents rule.",
		);
		expect(instructions.notes).toEqual([]);
	});

	it("S-061 keeps the project's part when the budget is short, and says visibly what was cut", async () => {
		await using repository = await createTestRepository();
		const trusted = await repository.commit({ "CLAUDE.md": "p\n".repeat(100) });
		const instructions = await loadInstructions({
			reader: repository.reader,
			trusted,
			organisation: [{ source: "acme", text: "o\n".repeat(100) }],
			tokenBudget: 60,
		});
		expect(instructions.parts).toEqual([
			{ source: "acme", characters: 199, shown: 39 },
			{ source: "CLAUDE.md", characters: 199, shown: 199 },
		]);
		expect(instructions.text).toContain("[cut: 39 of 199 characters of acme are shown]");
		expect(instructions.notes).toEqual(["instructions: acme is cut to 39 of 199 characters by the token budget"]);
		const tiny = await loadInstructions({ reader: repository.reader, trusted, tokenBudget: 10 });
		expect(tiny.text).toContain("[cut: 39 of 199 characters of CLAUDE.md are shown]");
	});

	it("A31 gives the base text when the head replaces instruction files", async () => {
		await using repository = await createTestRepository();
		const trusted = await repository.commit({ "CLAUDE.md": "Base.\n", "GEMINI.md": "Other reader.\n" });
		const head = await repository.commit({
			"CLAUDE.md": "Evil.\n",
			"AGENTS.md": "Evil.\n",
			"GEMINI.md": "Evil.\n",
			".github/copilot-instructions.md": "Evil.\n",
		});
		expect((await loadInstructions({ reader: repository.reader, trusted })).text).toBe("# Instructions from CLAUDE.md\n\nBase.");
		expect(head).not.toBe(trusted);
	});

	it("A31 follows a link from AGENTS.md to CLAUDE.md once and sends the text once", async () => {
		await using repository = await createTestRepository();
		const trusted = await repository.commit({ "CLAUDE.md": "Rule.\n", "AGENTS.md": { link: "CLAUDE.md" } });
		expect(await loadInstructions({ reader: repository.reader, trusted })).toEqual({
			text: "# Instructions from CLAUDE.md\n\nRule.",
			parts: [{ source: "CLAUDE.md", characters: 5, shown: 5 }],
			notes: [],
		});
		const linked = await repository.commit({
			"CLAUDE.md": { link: "docs/rules.md" },
			"docs/rules.md": "Rules in docs.\n",
			"AGENTS.md": null,
		});
		expect((await loadInstructions({ reader: repository.reader, trusted: linked })).text).toContain("Rules in docs.");
	});

	it.each(["/etc/passwd", "../outside.md", "secrets.txt", "missing.md", "loop.md"])(
		"A31 takes nothing through a link to %s",
		async (target) => {
			await using repository = await createTestRepository();
			const trusted = await repository.commit({
				"CLAUDE.md": { link: target },
				"secrets.txt": "secret\n",
				"loop.md": { link: "CLAUDE.md" },
			});
			const instructions = await loadInstructions({ reader: repository.reader, trusted });
			expect(instructions.text).toBe("");
			expect(instructions.notes).toEqual([expect.stringContaining("CLAUDE.md is not used")]);
		},
	);

	it("S-061 is empty without instruction files", async () => {
		await using repository = await createTestRepository();
		const trusted = await repository.commit({ "README.md": "x" });
		expect(await loadInstructions({ reader: repository.reader, trusted })).toEqual({ text: "", parts: [], notes: [] });
	});
});
