import type { Assignment } from "../domain/child-run.ts";
import type { JournalEntry } from "../domain/journal-entry.ts";
import { createInbox } from "./inbox.ts";
import type { RegistryEntry } from "./registry.ts";

/** An agent of an earlier run of the same pull request, ready to be continued, or why not (S-163, S-164). */
export type Restored = { readonly ok: true; readonly entry: RegistryEntry } | { readonly ok: false; readonly reason: string };

/**
 * Rebuilds the registry entry of an earlier session from its journal, whose lines and hashes the caller has checked.
 * @param build the assignment by today's definition; undefined when the agent is not defined any more
 */
export function restoreChild(entries: readonly JournalEntry[], build: (agent: string, task: string) => Assignment | undefined): Restored {
	const started = entries.find((entry) => entry.type === "session.started");
	const runs = entries.filter((entry) => entry.type === "run.started");
	const first = runs[0];
	if (started === undefined || first === undefined) return { ok: false, reason: "its session holds no run" };
	const assignment = build(started.agent, first.task);
	if (assignment === undefined) return { ok: false, reason: `the agent ${started.agent} is not defined any more` };
	if (assignment.agent.oneShot) return { ok: false, reason: `the agent ${started.agent} answers once and cannot be continued` };
	if ((assignment.agent.source?.sha256 ?? null) !== started.definitionHash) {
		return { ok: false, reason: `the definition of ${started.agent} has changed since` };
	}
	const end = entries.findLast((entry) => entry.type === "end");
	const { session, agentId, name, parent, parentCall, depth } = started;
	return {
		ok: true,
		entry: {
			...{ session, agentId, name, parent, parentCall, depth },
			assignment,
			description: started.agent,
			caller: null,
			background: false,
			// No end record: the process was killed, so the work is partial and can be gone on with (S-065).
			status: end?.status ?? "partial",
			runs: runs.length,
			inbox: createInbox(),
		},
	};
}
