import type { ToolOutput } from "../seams.ts";
import { replayHistory } from "./replay-history.ts";
import type { RegistryEntry } from "./registry.ts";
import type { Restored } from "./restore-child.ts";
import type { Scheduler } from "./scheduler.ts";
import type { Caller, SchedulerOptions } from "./scheduler-options.ts";

/**
 * A message to an agent by id or name: one that runs gets it before its next request, one that has ended goes on in
 * the background with it (S-159 to S-162, S-165). Errors are texts for the model.
 */
export async function sendMessage(
	to: string,
	text: string,
	caller: Caller,
	parts: {
		readonly scheduler: Scheduler;
		readonly options: Pick<SchedulerOptions, "registry" | "readEntries">;
		/** True for the id of a background shell, which is read with another tool (S-073). */
		readonly isShell?: (id: string) => boolean;
		/** Looks an id or name up among the sessions of earlier runs (S-163); undefined when it is in none. */
		readonly restore?: (idOrName: string) => Promise<Restored | undefined>;
	},
): Promise<ToolOutput> {
	const { registry } = parts.options;
	let entry = registry.find(to);
	if (entry === undefined) {
		if (parts.isShell?.(to) === true) return failure(`${to} is a background shell, not an agent: read it with bash_output.`);
		const restored = await parts.restore?.(to);
		const known = registry.list().map((each) => each.agentId);
		if (restored === undefined) return failure(`There is no agent ${to}. Known: ${known.join(", ") || "none"}.`);
		if (!restored.ok) return failure(`${to} cannot be continued: ${restored.reason}.`);
		entry = restored.entry;
		registry.skip({ agentIds: [entry.agentId], sessions: [entry.session] });
		registry.add(entry);
	}
	if (entry.status === "queued" || entry.status === "running") {
		entry.inbox.push({ text, notification: false });
		return { content: `Queued: ${entry.agentId} gets the message before its next step.` };
	}
	return continueWith(entry, text, caller, parts);
}

async function continueWith(
	entry: RegistryEntry,
	text: string,
	caller: Caller,
	parts: Parameters<typeof sendMessage>[3],
): Promise<ToolOutput> {
	if (entry.assignment.agent.oneShot) return failure(`The agent ${entry.assignment.agent.name} answers once and cannot be continued.`);
	if (entry.closed !== undefined) return failure(`${entry.agentId} cannot be continued: ${entry.closed}.`);
	const entries = await parts.options.readEntries?.(entry.session);
	if (entries === undefined) return failure(`${entry.agentId} cannot be continued: its journal is not at hand.`);
	const started = parts.scheduler.continueChild(
		entry,
		{
			request: { assignment: entry.assignment, description: entry.description },
			resumed: { messages: replayHistory(entries), message: text, run: entry.runs + 1 },
		},
		caller,
	);
	if (!started.ok) return failure(started.refusal);
	return {
		content: `Resuming ${entry.agentId} in the background with the message. You will be notified when it has ended.`,
	};
}

function failure(content: string): ToolOutput {
	return { content, isError: true };
}
