import fc from "fast-check";
import { expect, it } from "vitest";
import { cutText } from "../../src/domain/cut-text.ts";

it("BR-75 a cut never leaves half an emoji and never removes more than it has to", () => {
	expect(cutText("ok \u{1F525} diff", 4)).toBe("ok ");
	expect(cutText("ok \u{1F525} diff", 5)).toBe("ok \u{1F525}");
	expect(cutText("\u{1F525}", 1)).toBe("");
	expect(cutText("short", 5)).toBe("short");
	expect(cutText("short", 0)).toBe("");
	fc.assert(
		fc.property(fc.string({ unit: "binary" }), fc.nat(40), (text, limit) => {
			const cut = cutText(text, limit);
			expect(cut.isWellFormed()).toBe(text.slice(0, cut.length).isWellFormed());
			expect(text.startsWith(cut)).toBe(true);
			expect(cut.length).toBeLessThanOrEqual(limit);
			expect(cut.length).toBeGreaterThanOrEqual(Math.min(text.length, limit) - 1);
			if (text.isWellFormed()) expect(cut.isWellFormed()).toBe(true);
		}),
	);
});
