import { describe, expect, it } from "vitest";
import { classifyModel, isModelAllowed, resolveModel } from "../../src/agents/resolve-model.ts";

const ALIASES = { sonnet: "claude-sonnet-5-5", opus: "claude-opus-5-5", haiku: "claude-haiku-5-5", local: "gpt-5" };
const INHERITED = "claude-sonnet-5-5";
const base = { inherited: INHERITED, aliases: ALIASES };

describe("resolveModel", () => {
	it("S-152 lets the call beat the file, and the file the caller", () => {
		expect(resolveModel({ ...base, call: "haiku", agent: "opus" })).toMatchObject({ ok: true, model: "claude-haiku-5-5", source: "call" });
		expect(resolveModel({ ...base, agent: "opus" })).toMatchObject({ ok: true, model: "claude-opus-5-5", source: "agent" });
		expect(resolveModel(base)).toMatchObject({ ok: true, model: INHERITED, source: "inherited", warning: false });
		expect(resolveModel({ ...base, call: "inherit", agent: "opus" })).toMatchObject({ source: "agent" });
		expect(resolveModel({ ...base, agent: "local" })).toMatchObject({ model: "gpt-5" });
	});

	it("S-152 inherits for an unknown alias and records the reason", () => {
		expect(resolveModel({ ...base, agent: "fable" })).toEqual({
			ok: true,
			model: INHERITED,
			source: "inherited",
			reason: `the agent file's model "fable" is unknown; ${INHERITED} is inherited`,
			warning: true,
		});
		expect(resolveModel({ ...base, call: "nope", agent: "opus" })).toMatchObject({
			source: "inherited",
			reason: expect.stringContaining('call\'s model "nope"'),
		});
	});

	it("S-119 refuses a forbidden model by name alone, before anything could be built from it", () => {
		const allowed = ["claude-sonnet-*"];
		expect(resolveModel({ ...base, call: "opus", allowed })).toMatchObject({
			ok: false,
			code: "E_POLICY",
			reason: expect.stringContaining("claude-opus-5-5"),
		});
		expect(resolveModel({ ...base, inherited: "claude-opus-5-5", allowed })).toMatchObject({ ok: false, code: "E_POLICY" });
		expect(resolveModel({ ...base, allowed: [] })).toMatchObject({ ok: false, reason: expect.stringContaining("allowed: none") });
	});

	it("S-119 does not meet a file's wish for a forbidden model, and says so", () => {
		expect(resolveModel({ ...base, agent: "opus", allowed: ["claude-sonnet-*"] })).toMatchObject({
			ok: true,
			model: INHERITED,
			source: "inherited",
			warning: true,
		});
		expect(isModelAllowed("claude-sonnet-5-5", undefined)).toBe(true);
		expect(isModelAllowed("claude-sonnet-5-5", ["claude-sonnet-5"])).toBe(false);
	});

	it("BR-64 reads models as people write them", () => {
		const written = ["inherit", "Sonnet", "claude-sonnet-4-20250514", "Claude Sonnet 4.5 (copilot)", "gpt-5", "", "opus "];
		expect(written.map((agent) => resolveModel({ ...base, agent }))).toMatchObject([
			{ model: INHERITED, source: "inherited", warning: false },
			{ model: "claude-sonnet-5-5", source: "agent" },
			{ model: "claude-sonnet-4-20250514", source: "agent" },
			{ model: INHERITED, source: "inherited", warning: true },
			{ model: INHERITED, source: "inherited", warning: true },
			{ model: INHERITED, source: "inherited", warning: false },
			{ model: "claude-opus-5-5", source: "agent" },
		]);
		expect(resolveModel({ ...base, agent: "gpt-5", allowed: ["gpt-5", INHERITED] })).toMatchObject({ model: "gpt-5", source: "agent" });
		for (const id of ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5@20250929"])
			expect(classifyModel(id)).toBe("full-id");
		for (const bad of ["http://192.0.2.1", "a\u0000b", "--model"]) expect(classifyModel(bad)).toBe("forbidden");
	});
});
