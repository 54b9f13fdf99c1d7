import type { SubagentReport } from "../domain/child-run.ts";
import { totalTokens } from "../domain/usage.ts";
import type { ToolOutput } from "../seams.ts";
import type { ChildIdentity } from "./child-environment.ts";
import type { ChildRequest } from "./scheduler-options.ts";
import { describeRequest } from "./scheduler-options.ts";

/** What a result says of an agent beside its report. */
interface ResultAgent {
	readonly agentId: string;
	/** Cannot be continued: no id line, and no id in error texts (S-165). */
	readonly oneShot: boolean;
}

/** The result of a foreground call: text or error, id line, usage, worktree (S-138, S-166, S-173). */
export function renderAgentResult(report: SubagentReport, agent: ResultAgent): ToolOutput {
	const failed = report.status === "failed" || report.status === "cancelled" || report.status === "refused" || report.status === "skipped";
	const who = agent.oneShot ? report.agent : `${report.agent} (${agent.agentId})`;
	const parts = failed ? [`${who} ${report.status}: ${report.error ?? report.text}`] : [report.text];
	if (!failed && !agent.oneShot) parts.push(`agent: ${agent.agentId} (continue it with send_message)`);
	parts.push(renderUsage(report));
	parts.push(...renderWorktree(report));
	return { content: parts.join("\n\n"), ...(failed ? { isError: true } : {}) };
}

/** S-105: the last call's context and the running total have different names; the order is fixed. */
function renderUsage(report: SubagentReport): string {
	return [
		"<usage>",
		`subagent_tokens: ${report.contextTokens}`,
		`tool_uses: ${report.toolUses}`,
		`duration_ms: ${report.durationMs}`,
		`total_tokens: ${totalTokens(report.usage)}`,
		"</usage>",
	].join("\n");
}

function renderWorktree(report: SubagentReport): readonly string[] {
	if (report.worktree?.kept !== true) return [];
	const branch = report.worktree.branch === undefined ? "" : `\nbranch: ${report.worktree.branch}`;
	return [`worktree: ${report.worktree.path}${branch}`];
}

/** The answer to a background call (S-140). */
export function renderLaunch(request: ChildRequest, agentId: string): string {
	const more = request.assignment.agent.oneShot ? "" : " Send it messages with send_message.";
	return `${describeRequest(request)} runs in the background. agent: ${agentId}.${more} You will be notified when it has ended; do not do its work meanwhile.`;
}

/** News of a background child for the one who started it (S-141). */
export function renderNotification(report: SubagentReport, request: ChildRequest, identity: Pick<ChildIdentity, "agentId">): string {
	const word = notificationWord(report);
	const result = renderAgentResult(report, { agentId: identity.agentId, oneShot: request.assignment.agent.oneShot });
	return `Agent "${describeRequest(request)}" ${word}.\n\n${result.content}`;
}

function notificationWord(report: SubagentReport): "completed" | "failed" | "killed" {
	if (report.status === "cancelled" || report.status === "skipped") return "killed";
	return report.status === "failed" || report.status === "refused" ? "failed" : "completed";
}
