import type { Assignment } from "../../domain/child-run.ts";
import type { Shard } from "../../domain/outbox.ts";
import type { ChildIdentity } from "../../engine/child-environment.ts";
import { createRegistry, type Registry } from "../../engine/registry.ts";

/** Ids of one job's agents start here, times its number less one: no two jobs of a run give the same. */
const IDS_PER_JOB = 100;
/** The same for verifiers' sessions. */
const VERIFIERS_PER_JOB = 50;

/** The children of a whole plan with the names they have when one job runs them all, in the order of the plan. */
export function nameChildren(assignments: readonly Assignment[]): readonly ChildIdentity[] {
	const registry = createRegistry();
	return assignments.map((assignment) => registry.identify(assignment.agent, { parent: null, parentCall: null, depth: 1 }));
}

/** A registry that gives a shard's children the sessions they have in the whole plan, and ids that no other shard gives. */
export function createShardRegistry(assignments: readonly Assignment[], shard: Pick<Shard, "number" | "assignments">): Registry {
	const own = new Set(shard.assignments);
	const others = nameChildren(assignments).filter((_, index) => !own.has(index));
	const before = shard.number - 1;
	const registry = createRegistry();
	registry.skip({
		agentIds: [`agent_${before * IDS_PER_JOB}`],
		sessions: [
			...others.map((identity) => identity.session),
			...Array.from({ length: before * VERIFIERS_PER_JOB }, (_, index) => `verifier-${index + 1}`),
		],
	});
	return registry;
}
