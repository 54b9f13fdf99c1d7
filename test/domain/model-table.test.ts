import { describe, expect, it } from "vitest";
import { costOf, costOfReply } from "../../src/domain/cost.ts";
import { MODEL_TABLE, MODEL_TABLE_DATE, findModel, resolveModelAlias } from "../../src/domain/model-table.ts";
import { NO_USAGE } from "../../src/domain/usage.ts";

/** Published list prices in US dollars per million tokens: input, output, cache read, write for 5 minutes, for 1 hour; least prefix; default effort. */
const PUBLISHED = [
	["claude-fable-5-2", 8, 40, 0.2, 10, 16, 512, "high"],
	["claude-mythos-5-2", 8, 40, 0.2, 10, 16, 512, "high"],
	["claude-fable-5-1", 10, 50, 0.25, 12.5, 20, 512, "high"],
	["claude-fable-5", 10, 50, 1, 12.5, 20, 512, "high"],
	["claude-opus-5-5", 4, 20, 0.2, 5, 8, 512, "medium"],
	["claude-opus-5", 5, 25, 0.5, 6.25, 10, 512, "high"],
	["claude-opus-4-8", 5, 25, 0.5, 6.25, 10, 1024, "high"],
	["claude-opus-4-7", 5, 25, 0.5, 6.25, 10, 2048, "high"],
	["claude-opus-4-6", 5, 25, 0.5, 6.25, 10, 4096, "high"],
	["claude-opus-4-5", 5, 25, 0.5, 6.25, 10, 4096, "high"],
	["claude-sonnet-5-5", 2, 10, 0.1, 2.5, 4, 512, "high"],
	["claude-sonnet-5", 2, 10, 0.2, 2.5, 4, 1024, "high"],
	["claude-sonnet-4-6", 3, 15, 0.3, 3.75, 6, 1024, "high"],
	["claude-sonnet-4-5", 3, 15, 0.3, 3.75, 6, 1024, "high"],
	["claude-haiku-5-5", 0.1, 0.5, 0.01, 0.125, 0.2, 512, "medium"],
	["claude-haiku-4-5", 1, 5, 0.1, 1.25, 2, 4096, null],
] as const;

/** Prices agree to far less than a billionth of a dollar. */
function expectUsd(actual: number | null, wanted: number): void {
	expect(actual).not.toBeNull();
	expect(Math.abs((actual ?? Number.NaN) - wanted)).toBeLessThan(1e-12);
}

describe("price table", () => {
	it.each(PUBLISHED)(
		"G15 10,000 tokens of each kind of %s cost what is published",
		(id, input, output, read, write5m, write1h, prefix, effort) => {
			const probe = (usage: Partial<typeof NO_USAGE>, lifetime: "5m" | "1h" = "5m") =>
				costOf(id, { ...NO_USAGE, ...usage }, { cacheLifetime: lifetime });
			expectUsd(probe({ input: 10_000 }), input / 100);
			expectUsd(probe({ output: 10_000 }), output / 100);
			expectUsd(probe({ cacheRead: 10_000 }), read / 100);
			expectUsd(probe({ cacheWrite: 10_000 }), write5m / 100);
			expectUsd(probe({ cacheWrite: 10_000 }, "1h"), write1h / 100);
			expect(findModel(id)).toMatchObject({ minCacheablePrefix: prefix, defaultEffort: effort });
		},
	);

	it("G15 the table holds the published models and no other", () => {
		expect(MODEL_TABLE.map((model) => model.id).sort()).toEqual(PUBLISHED.map(([id]) => id).sort());
		expect(MODEL_TABLE_DATE).toMatch(/^\d{4}-\d\d-\d\d$/);
	});

	it("G15 the step of the small model is exact and counts cache reads", () => {
		expectUsd(costOf("claude-haiku-5-5", { ...NO_USAGE, input: 100_000 }), 0.01);
		expectUsd(costOf("claude-haiku-5-5", { ...NO_USAGE, input: 100_001 }), 0.0500005);
		expectUsd(costOf("claude-haiku-5-5", { ...NO_USAGE, cacheRead: 95_000, input: 10_000 }), 0.00975);
		expectUsd(costOf("claude-haiku-5-5", { ...NO_USAGE, cacheWrite: 100_001 }), 0.062500625);
		expectUsd(costOf("claude-haiku-5-5", { ...NO_USAGE, input: 100_000, output: 10_000 }), 0.015);
		expectUsd(costOf("claude-haiku-5-5", { ...NO_USAGE, input: 100_001, output: 10_000 }), 0.0750005);
	});

	it("G15 the other models have no long-prompt price", () => {
		for (const [id, input] of PUBLISHED.filter(([id]) => id !== "claude-haiku-5-5")) {
			expectUsd(costOf(id, { ...NO_USAGE, input: 210_000 }), (input * 210_000) / 1_000_000);
		}
	});

	it("S-106 a batch response costs half, cache included", () => {
		const usage = { input: 1000, cacheWrite: 2000, cacheRead: 3000, output: 4000 };
		for (const [id] of PUBLISHED) expectUsd(costOf(id, usage, { batch: true }), (costOf(id, usage) ?? Number.NaN) / 2);
	});

	it("S-106 an unknown model has tokens but no invented price", () => {
		expect(costOf("claude-unheard-of-9", { ...NO_USAGE, input: 1_000_000 })).toBeNull();
		expect(costOfReply({ model: "claude-unheard-of-9", usage: NO_USAGE })).toBeNull();
	});

	it("S-106 each request of a reply is priced on its own, so two short ones do not make a long one", () => {
		const short = { ...NO_USAGE, input: 60_000 };
		const reply = { model: "claude-haiku-5-5", usage: { ...NO_USAGE, input: 120_000 }, billed: [short, short] };
		expectUsd(costOfReply(reply), 0.012);
		expectUsd(costOfReply({ model: reply.model, usage: reply.usage }), 0.06);
	});
});

describe("aliases", () => {
	it("stand for the newest model of their line", () => {
		expect(["fable", "opus", "sonnet", "haiku"].map((alias) => resolveModelAlias(alias))).toEqual([
			"claude-fable-5-2",
			"claude-opus-5-5",
			"claude-sonnet-5-5",
			"claude-haiku-5-5",
		]);
	});

	it("of the settings come first and may name a built-in one; full ids stay as they are", () => {
		expect(resolveModelAlias("sonnet", { sonnet: "claude-sonnet-5" })).toBe("claude-sonnet-5");
		expect(resolveModelAlias("fast", { fast: "haiku" })).toBe("claude-haiku-5-5");
		expect(resolveModelAlias("claude-haiku-4-5-20251001")).toBe("claude-haiku-4-5-20251001");
		expect(resolveModelAlias("my-gateway/model")).toBe("my-gateway/model");
		expect(resolveModelAlias("constructor", {})).toBe("constructor");
	});

	it("a dated id has the entry of its model", () => {
		expect(findModel("claude-haiku-4-5-20251001")?.id).toBe("claude-haiku-4-5");
		expect(findModel("claude-haiku-4-5-2025")).toBeUndefined();
	});
});
