import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	closeOpen,
	cutBalanced,
	MAX_BODY_CHARS,
	MAX_STEP_SUMMARY_BYTES,
	packSections,
	type Section,
} from "../../src/publish/size-packing.ts";

const elsewhere = "in the job summary";

describe("size packing", () => {
	it("BR-43 a blind body is cut to the limit with its marker kept, fences and details balanced and no half character", () => {
		const body = `<!-- our-marker:v1 -->\n${"x".repeat(65_490)}${"\u{1F525}".repeat(20)}\n\`\`\`js\n${"y\n".repeat(50)}\`\`\`\n</details>`;
		const cut = cutBalanced(body, { limit: MAX_BODY_CHARS, elsewhere });
		expect(cut.length).toBeLessThanOrEqual(MAX_BODY_CHARS);
		expect(cut.startsWith("<!-- our-marker:v1 -->\n")).toBe(true);
		expect(cut.isWellFormed()).toBe(true);
		expect(cut).toContain("Cut for length; the rest is in the job summary");
		expect(cut.match(/```/g)?.length ?? 0).toBe(0);
		expect(cut).not.toContain("</details>");
	});

	it("R24 cuts at a finding's border, counts the rest, and sheds the least important first", () => {
		const finding = (index: number): string => `**Finding ${index}**\n\n\`\`\`\n${"code\n".repeat(30)}\`\`\``;
		const sections: readonly Section[] = [
			{ name: "marker", priority: 0, head: "<!-- rookery:sticky v1 {} -->" },
			{ name: "verdict", priority: 0, head: "500 findings" },
			{
				name: "findings",
				priority: 2,
				head: "### Findings\n",
				items: Array.from({ length: 500 }, (_, index) => finding(index)),
				itemSeparator: "\n\n",
			},
			{ name: "files", priority: 6, head: "<details>\n<summary>Files</summary>\n", items: ["a", "b"], foot: "\n</details>" },
			{ name: "foot", priority: 0, head: "Run 42" },
		];
		const text = packSections(sections, { limit: MAX_BODY_CHARS, elsewhere });
		expect(text.length).toBeLessThanOrEqual(MAX_BODY_CHARS);
		expect(text.startsWith("<!-- rookery:sticky v1 {} -->\n\n500 findings")).toBe(true);
		const shown = text.match(/\*\*Finding \d+\*\*/g)?.length ?? 0;
		expect(shown).toBeGreaterThan(100);
		expect(text).toContain(`_${500 - shown} more findings in the job summary._`);
		expect(text).toContain("_Left out for length: files; in the job summary._");
		expect(text).toContain("Run 42");
		expect(closeOpen(text)).toBe(text);
	});

	it("R25 a step summary is measured in bytes", () => {
		const section: Section = { name: "findings", priority: 1, head: "x", items: Array.from({ length: 4_000 }, () => "🔥".repeat(100)) };
		const text = packSections([section], { limit: MAX_STEP_SUMMARY_BYTES, unit: "bytes", elsewhere });
		expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_STEP_SUMMARY_BYTES);
		expect(Buffer.byteLength(text)).toBeGreaterThan(MAX_STEP_SUMMARY_BYTES - 2_000);
		expect(
			Buffer.byteLength(cutBalanced("é".repeat(900_000), { limit: MAX_STEP_SUMMARY_BYTES, unit: "bytes", elsewhere })),
		).toBeLessThanOrEqual(MAX_STEP_SUMMARY_BYTES);
	});

	it("a 60,000-character body passes as it is", () => {
		const body = `marker\n${"word ".repeat(12_000)}`;
		expect(cutBalanced(body, { limit: MAX_BODY_CHARS, elsewhere })).toBe(body);
	});

	it("keeps the limit and the balance for any text", () => {
		const piece = fc.constantFrom(
			"```\n",
			"````js\n",
			"~~~\n",
			"<details>\n",
			"</details>\n",
			"\n",
			"text ",
			"🔥",
			"\uD83D",
			"a".repeat(40),
		);
		fc.assert(
			fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 150, max: 400 }), (pieces, limit) => {
				const cut = cutBalanced(pieces.join(""), { limit, elsewhere });
				expect(cut.length).toBeLessThanOrEqual(
					Math.max(limit, closeOpen(pieces.join("")).length <= pieces.join("").length ? limit : limit + 400),
				);
				expect(closeOpen(cut)).toBe(cut);
			}),
		);
	});
});
