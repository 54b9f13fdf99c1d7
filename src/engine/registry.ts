import type { AgentDefinition, AgentKind } from "../domain/agent.ts";
import type { Assignment, ChildStatus, SubagentReport } from "../domain/child-run.ts";
import type { ChildIdentity } from "./child-environment.ts";
import type { InboxControl } from "./inbox.ts";

/** What is known of a child, while it runs and after it (S-158). */
export interface RegistryEntry extends ChildIdentity {
	readonly assignment: Assignment;
	readonly description: string;
	/** Agent id of the caller; null for the pipeline or the primary. The resumer becomes the caller (S-161). */
	readonly caller: string | null;
	readonly background: boolean;
	readonly status: "queued" | "running" | ChildStatus;
	/** Of the last run; the usage and the worktree stand in it. */
	readonly report?: SubagentReport;
	/** Runs so far: 2 after one continuation. */
	readonly runs: number;
	/** Where messages go while it runs. */
	readonly inbox: InboxControl;
	/** A history that must not be sent again: the model refused it (R12). */
	readonly closed?: string;
}

/** All children of a run. Ids are given once and never name two agents (S-157). */
export interface Registry {
	/** Ids and a session name for a child that is going to start. */
	identify(
		agent: AgentDefinition,
		from: { readonly name?: string; readonly parent: string | null; readonly parentCall: string | null; readonly depth: number },
	): ChildIdentity;
	add(entry: RegistryEntry): void;
	update(agentId: string, change: Partial<Omit<RegistryEntry, "agentId" | "session">>): RegistryEntry;
	/** By agent id, or the newest with that spawn name. */
	find(idOrName: string): RegistryEntry | undefined;
	list(): readonly RegistryEntry[];
	/** Ids and session names of an earlier run of the same pull request are taken. */
	skip(earlier: { readonly agentIds: readonly string[]; readonly sessions: readonly string[] }): void;
}

export function createRegistry(): Registry {
	const entries = new Map<string, RegistryEntry>();
	const sessions = new Set<string>();
	let last = 0;

	function nextSession(prefix: string): string {
		for (let number = 1; ; number += 1) {
			const session = `${prefix}-${number}`;
			if (sessions.has(session)) continue;
			sessions.add(session);
			return session;
		}
	}

	return {
		identify(agent, from) {
			last += 1;
			const session = nextSession(sessionPrefix(agent));
			return {
				session,
				agentId: `agent_${last}`,
				name: from.name ?? null,
				parent: from.parent,
				parentCall: from.parentCall,
				depth: from.depth,
			};
		},
		add(entry) {
			if (entries.has(entry.agentId)) throw new Error(`${entry.agentId} is registered already`);
			entries.set(entry.agentId, entry);
		},
		update(agentId, change) {
			const entry = entries.get(agentId);
			if (entry === undefined) throw new Error(`${agentId} is not registered`);
			const changed = { ...entry, ...change };
			entries.set(agentId, changed);
			return changed;
		},
		find: (idOrName) => entries.get(idOrName) ?? [...entries.values()].reverse().find((entry) => entry.name === idOrName),
		list: () => [...entries.values()],
		skip(earlier) {
			for (const id of earlier.agentIds) last = Math.max(last, Number(/^agent_(\d+)$/.exec(id)?.[1] ?? 0));
			for (const session of earlier.sessions) sessions.add(session);
		},
	};
}

const KIND_PREFIX: Readonly<Record<AgentKind, string>> = {
	specialist: "moe",
	generalist: "moe",
	reviewer: "agent",
	explore: "explore",
	plan: "plan",
	verifier: "verifier",
	orchestrator: "main",
};

/** `moe-go`, `agent-api-reviewer`, `explore`: kind first, then what tells it from others of its kind (S-075). */
function sessionPrefix(agent: Pick<AgentDefinition, "kind" | "language" | "name">): string {
	const prefix = KIND_PREFIX[agent.kind];
	if (agent.kind === "specialist" || agent.kind === "generalist") return `${prefix}-${toSlug(agent.language ?? "general")}`;
	return agent.kind === "reviewer" ? `${prefix}-${toSlug(agent.name)}` : prefix;
}

function toSlug(text: string): string {
	const slug = text
		.toLowerCase()
		.replace(/\+/g, "p")
		.replace(/#/g, "sharp")
		.replace(/[^a-z0-9]+/g, "-")
		.replace(/^-+|-+$/g, "")
		.slice(0, 40);
	return slug === "" ? "other" : slug;
}
