import type { Assignment } from "../../domain/child-run.ts";
import type { Shard } from "../../domain/outbox.ts";
import type { ChildIdentity } from "../../engine/child-environment.ts";
import { createRegistry, type Registry } from "../../engine/registry.ts";

/** Ids of one job's agents start here, times its number less one: no two jobs of a run give the same. */
const IDS_PER_JOB = 100;
/** The same for verifiers' sessions. */
const VERIFIERS_PER_JOB = 50;

/** And for children that take another one's place when the provider was away. */
const SPARES_PER_JOB = 20;

/** The children of a whole plan with the names they have when one job runs them all, in the order of the plan. */
export function nameChildren(assignments: readonly Assignment[]): readonly ChildIdentity[] {
	const registry = createRegistry();
	return assignments.map((assignment) => registry.identify(assignment.agent, { parent: null, parentCall: null, depth: 1 }));
}

/** A registry that gives a shard's children the sessions they have in the whole plan, and ids that no other shard gives. */
export function createShardRegistry(assignments: readonly Assignment[], shard: Pick<Shard, "number" | "assignments">): Registry {
	const own = new Set(shard.assignments);
	const all = nameChildren(assignments);
	const others = all.filter((_, index) => !own.has(index));
	const before = shard.number - 1;
	const registry = createRegistry();
	registry.skip({
		agentIds: [`agent_${before * IDS_PER_JOB}`],
		sessions: [
			...others.map((identity) => identity.session),
			...numbered("verifier", 0, before * VERIFIERS_PER_JOB),
			...[...lastNumbers(all)].flatMap(([prefix, last]) => numbered(prefix, last, before * SPARES_PER_JOB)),
		],
	});
	return registry;
}

/** The highest number of each kind of session: 2 for `moe-go` when there are `moe-go-1` and `moe-go-2`. */
function lastNumbers(identities: readonly ChildIdentity[]): ReadonlyMap<string, number> {
	const last = new Map<string, number>();
	for (const { session } of identities) {
		const [, prefix = "", number = "0"] = /^(.*)-(\d+)$/.exec(session) ?? [];
		last.set(prefix, Math.max(last.get(prefix) ?? 0, Number(number)));
	}
	return last;
}

function numbered(prefix: string, after: number, count: number): readonly string[] {
	return Array.from({ length: count }, (_, index) => `${prefix}-${after + index + 1}`);
}
