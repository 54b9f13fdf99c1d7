import type { SubagentReport } from "../domain/child-run.ts";
import { NO_USAGE } from "../domain/usage.ts";
import type { ChildIdentity } from "./child-environment.ts";
import type { ChildRequest } from "./scheduler-options.ts";

/** A planned child whose turn never came: nothing was asked and nothing was spent, and the report says so. */
export function notStartedReport(request: ChildRequest, identity: ChildIdentity, why: string): SubagentReport {
	const error = `${identity.agentId} (${identity.session}) was not started: ${why}`;
	return { ...emptyReport(request, identity, error), status: "skipped", stopReason: "cancelled" };
}

/** A child whose worktree, tools or model could not be opened. */
export function failedToOpenReport(request: ChildRequest, identity: ChildIdentity, why: string, journal: string): SubagentReport {
	const error = `${identity.agentId} (${identity.session}) could not start: ${why}`;
	return { ...emptyReport(request, identity, error), status: "failed", stopReason: "error", journal };
}

function emptyReport(request: ChildRequest, identity: ChildIdentity, error: string): Omit<SubagentReport, "status" | "stopReason"> {
	const { assignment } = request;
	const files = assignment.files.map((file) => file.path);
	return {
		agent: assignment.agent.name,
		...(assignment.agent.displayName === undefined ? {} : { displayName: assignment.agent.displayName }),
		kind: assignment.agent.kind,
		session: identity.session,
		model: assignment.agent.model ?? "none",
		report: { summary: error, findings: [], open: files.length === 0 ? [] : [`Not reviewed: ${files.join(", ")}`] },
		text: error,
		steps: 0,
		toolUses: 0,
		usage: NO_USAGE,
		contextTokens: 0,
		costUsd: 0,
		durationMs: 0,
		files,
		filesRead: [],
		reason: assignment.reason,
		error,
		refused: [],
	};
}
