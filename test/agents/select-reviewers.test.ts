import { describe, expect, it } from "vitest";
import { readCodeOwners } from "../../src/agents/code-owners.ts";
import { EXPLORE_AGENT } from "../../src/agents/built-in.ts";
import { MAX_CUSTOM_REVIEWERS, type ReviewerSubject, selectReviewers } from "../../src/agents/select-reviewers.ts";
import type { AgentDefinition, ToolName } from "../../src/domain/agent.ts";
import type { ReviewerRuleSettings } from "../../src/domain/settings.ts";

function reviewer(name: string, tools: readonly ToolName[] = ["read_file", "grep"]): AgentDefinition {
	return { ...EXPLORE_AGENT, name, kind: "reviewer", tier: "repository", tools };
}

/** Rules as the settings give them, with `when` filled in. */
function rules(list: readonly (Partial<ReviewerRuleSettings> & { readonly agent: string })[]): readonly ReviewerRuleSettings[] {
	return list.map((rule) => ({ when: "matched", ...rule }));
}

const SUBJECT: ReviewerSubject = {
	files: [{ path: "api/server.go" }, { path: "web/new.ts", previousPath: "web/old.ts" }, { path: "docs/guide.md" }],
	languages: { "api/server.go": "go", "web/new.ts": "typescript" },
	labels: ["Security"],
};

describe("selectReviewers", () => {
	it("takes every read-only agent when no rule speaks of it, and no writer", () => {
		const { selected, skipped } = selectReviewers([EXPLORE_AGENT, reviewer("a"), reviewer("w", ["read_file", "bash"])], [], SUBJECT);
		expect(selected.map((one) => [one.agent.name, one.files.length])).toEqual([["a", 3]]);
		expect(skipped).toEqual([{ name: "w", reason: expect.stringContaining("no rule in review.reviewers selects it") }]);
	});

	it("selects by paths, old names, languages and labels, and gives only the matching files", () => {
		const own = rules([
			{ agent: "paths", paths: ["web/old.*"] },
			{ agent: "languages", languages: ["go"] },
			{ agent: "labels", labels: ["security"] },
			{ agent: "ignored", paths: ["**"], pathsIgnore: ["**"] },
			{ agent: "always", when: "always" },
		]);
		const agents = ["paths", "languages", "labels", "ignored", "always"].map((name) => reviewer(name));
		const { selected, skipped } = selectReviewers(agents, own, SUBJECT);
		expect(selected.map((one) => [one.agent.name, one.files, one.reason])).toEqual([
			["paths", ["web/new.ts"], "review.reviewers[0]: matches paths web/old.*"],
			["languages", ["api/server.go"], "review.reviewers[1]: matches languages go"],
			["labels", ["api/server.go", "web/new.ts", "docs/guide.md"], "review.reviewers[2]: matches label Security"],
			["always", ["api/server.go", "web/new.ts", "docs/guide.md"], "review.reviewers[4]: always"],
		]);
		expect(skipped).toEqual([{ name: "ignored", reason: "no rule of it matches (review.reviewers[3])" }]);
	});

	it("X-21 a path rule and an owner of CODEOWNERS select a reviewer, for their files alone", () => {
		const ownersOf = readCodeOwners("/api/ @octo/Payments\n/web/old.* @octo/front\n");
		const own = rules([
			{ agent: "pay", owners: ["@octo/payments"] },
			{ agent: "front", owners: ["@octo/front"] },
			{ agent: "docs", paths: ["docs/**"] },
			{ agent: "nobody", owners: ["@octo/else"] },
		]);
		const agents = ["pay", "front", "docs", "nobody"].map((name) => reviewer(name));
		const { selected, skipped } = selectReviewers(agents, own, { ...SUBJECT, ownersOf });
		expect(selected.map((one) => [one.agent.name, one.files, one.reason])).toEqual([
			["pay", ["api/server.go"], "review.reviewers[0]: matches owners @octo/payments"],
			["front", ["web/new.ts"], "review.reviewers[1]: matches owners @octo/front"],
			["docs", ["docs/guide.md"], "review.reviewers[2]: matches paths docs/**"],
		]);
		expect(skipped.map((one) => one.name)).toEqual(["nobody"]);
		expect(selectReviewers(agents, own, SUBJECT).selected.map((one) => one.agent.name)).toEqual(["docs"]);
	});

	it("wants all conditions of a rule, and any rule of an agent", () => {
		const own = rules([
			{ agent: "a", paths: ["docs/**"], languages: ["go"] },
			{ agent: "b", labels: ["nope"] },
			{ agent: "b", paths: ["docs/**"] },
			{ agent: "c", when: "never" },
			{ agent: "ghost" },
		]);
		const { selected, skipped } = selectReviewers([reviewer("a"), reviewer("b"), reviewer("c")], own, SUBJECT);
		expect(selected.map((one) => [one.agent.name, one.files])).toEqual([["b", ["docs/guide.md"]]]);
		expect(skipped.map((one) => one.name)).toEqual(["a", "c", "ghost"]);
	});

	it("takes at most four, those of rules first, and lists the rest with the reason", () => {
		const agents = ["a", "b", "c", "d", "e"].map((name) => reviewer(name));
		const { selected, skipped } = selectReviewers(agents, rules([{ agent: "e", paths: ["**"] }]), SUBJECT);
		expect(MAX_CUSTOM_REVIEWERS).toBe(4);
		expect(selected.map((one) => one.agent.name)).toEqual(["e", "a", "b", "c"]);
		expect(skipped).toEqual([{ name: "d", reason: expect.stringContaining("4 custom reviewers take part already (e, a, b, c)") }]);
	});

	it("BR-55 gives a reviewer at most the read-only set whatever its file says", () => {
		const own = rules([{ agent: "w" }, { agent: "only-bash" }]);
		const { selected, skipped } = selectReviewers(
			[reviewer("w", ["read_file", "bash", "web_fetch", "edit_file"]), reviewer("only-bash", ["bash"])],
			own,
			SUBJECT,
		);
		expect(selected).toMatchObject([{ agent: { name: "w", tools: ["read_file"] }, withheld: ["bash", "web_fetch", "edit_file"] }]);
		expect(skipped).toEqual([{ name: "only-bash", reason: expect.stringContaining("none of its tools is read-only") }]);
	});
});
