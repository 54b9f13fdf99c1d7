import { describe, expect, it } from "vitest";
import { buildGeneralist } from "../../src/agents/generalist.ts";
import type { Assignment } from "../../src/domain/child-run.ts";
import { createShardRegistry, nameChildren } from "../../src/stages/outbox/name-children.ts";
import { splitShards } from "../../src/plan/split-shards.ts";

const agent = buildGeneralist({ testCommand: undefined });
const assignments: readonly Assignment[] = Array.from({ length: 7 }, (_, index) => ({
	agent: index % 2 === 0 ? agent : { ...agent, kind: "reviewer", name: "sec" },
	files: [],
	task: "",
	limits: { maxSteps: 20, tokenBudget: 10_000 + index, timeoutMs: 1_000, answerChars: 1_000 },
	reason: "",
	access: "read",
}));

describe("names of children over several jobs", () => {
	it("X-05 S-075 S-157 are those of one job, and none is given twice, neither to verifiers nor to children that take another's place", () => {
		const names = nameChildren(assignments).map((identity) => identity.session);
		expect(new Set(names).size).toBe(7);
		const from = { parent: null, parentCall: null, depth: 1 };
		const sessions: string[] = [];
		const ids: string[] = [];
		for (const shard of splitShards(assignments, 3, { runTokens: 1, runUsd: 1 })) {
			const registry = createShardRegistry(assignments, shard);
			const own = shard.assignments.map((index) => registry.identify(assignments[index]?.agent ?? agent, from));
			expect(own.map((identity) => identity.session)).toEqual(shard.assignments.map((index) => names[index]));
			const spare = registry.identify(agent, from);
			const verifiers = [1, 2].map(() => registry.identify({ ...agent, kind: "verifier", name: "verifier" }, from));
			for (const identity of [...own, spare, ...verifiers]) {
				sessions.push(identity.session);
				ids.push(identity.agentId);
			}
		}
		expect(new Set(sessions).size).toBe(sessions.length);
		expect(new Set(ids).size).toBe(ids.length);
	});
});
