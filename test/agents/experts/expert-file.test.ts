import { describe, expect, it } from "vitest";
import { loadExperts, parseExpertFile } from "../../../src/agents/experts/expert-file.ts";
import { extendTable, findLanguage, LANGUAGES } from "../../../src/agents/experts/table.ts";
import { buildSpecialist } from "../../../src/agents/specialist-prompt.ts";
import { createTestRepository } from "../git-repository.ts";

const KOTLIN =
	"---\ndisplayName: Kotlin\nextensions: .kt, .kts\nmanifests: [detekt.yml]\ntest: ./gradlew test\n---\nLook for platform types.\n";

function parse(text: string, path = ".rookery/experts/kotlin.md") {
	return parseExpertFile(Buffer.from(text), path);
}

describe("parseExpertFile", () => {
	it("reads header and body; the file's name is the id", () => {
		expect(parse(KOTLIN)).toEqual({
			state: "loaded",
			id: "kotlin",
			expert: {
				displayName: "Kotlin",
				extensions: [".kt", ".kts"],
				manifests: ["detekt.yml"],
				test: "./gradlew test",
				guidance: "Look for platform types.",
			},
		});
		expect(parse("No header, only guidance.", "x/go.md")).toEqual({
			state: "loaded",
			id: "go",
			expert: { guidance: "No header, only guidance." },
		});
	});

	it.each([
		["---\nextension: .kt\n---\nx", "unknown key extension"],
		["---\nextensions: kt\n---\nx", "wanted an extension with its dot"],
		["---\nid: Not An Id\n---\nx", 'found "Not An Id"'],
		["---\ntest: [a]\n---\nx", "test: found"],
		[`---\nid: a\n---\n${"x".repeat(20_001)}`, "at most 20000"],
	])("refuses %j with what to change", (text, reason) => {
		expect(parse(text)).toMatchObject({ state: "refused", reason: expect.stringContaining(reason) });
	});

	it("a header in another language runs nothing", () => {
		expect(parse("---js\n{ id: globalThis.touched = 1 }\n---\nx")).toMatchObject({ state: "refused", code: "E_FRONTMATTER" });
		expect(globalThis).not.toHaveProperty("touched");
	});
});

describe("loadExperts", () => {
	it("S-013 S-015 adds languages and guidance from the trusted ref; one bad file does not stop the others", async () => {
		await using repository = await createTestRepository();
		const trusted = await repository.commit({
			".rookery/experts/kotlin.md": KOTLIN,
			".rookery/experts/go.md": "HOUSE: contexts come first.",
			".rookery/experts/bad.md": "---\nid: 3\n---\n",
			".rookery/experts/link.md": { link: "/etc/passwd" },
			".rookery/experts/notes.txt": "no expert",
		});
		await repository.commit({ ".rookery/experts/kotlin.md": "---\nextensions: .evil\n---\nx" });
		const { experts, problems } = await loadExperts(repository.reader, trusted, { go: { guidance: "FROM SETTINGS" } });
		expect(problems.map((problem) => `${problem.path} ${problem.code}`)).toEqual([
			".rookery/experts/bad.md E_FRONTMATTER",
			".rookery/experts/link.md E_LINK",
		]);
		const table = extendTable(LANGUAGES, experts);
		expect(findLanguage("a/B.kt", table)?.profile.id).toBe("kotlin");
		const go = table.find((profile) => profile.id === "go");
		if (go === undefined) throw new Error("go is missing");
		const { prompt } = buildSpecialist(go);
		expect(prompt).toMatch(/errors\.Is[\s\S]*HOUSE: contexts[\s\S]*FROM SETTINGS/);
	});
});
