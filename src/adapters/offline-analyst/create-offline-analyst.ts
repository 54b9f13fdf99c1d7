import type { ContentBlock, ModelReply, ModelRequest, ReplyStop } from "../../domain/model-message.ts";
import { NO_USAGE } from "../../domain/usage.ts";
import { parseDiagnosis } from "../../domain/diagnosis.ts";
import type { ModelClient } from "../../seams.ts";
import { buildReport, buildReportWithoutChecks } from "./build-report.ts";
import { judgeClaims, readClaims } from "./verify-by-rule.ts";
import { readConversation } from "./read-conversation.ts";

export const OFFLINE_MODEL = "offline-analyst";

const NO_LANGUAGE_MODEL =
	"No language model is configured for this run. The built-in offline analyst only runs fixed checks on changed files; it cannot answer questions or carry out tasks.";

/**
 * Plays the model's part by rule (DESIGN.md 8): asks for `diagnose`, then hands in what it showed. It looks at nothing
 * but the conversation, so the same conversation always gets the same reply, and it says no more than its tools did.
 * Never rejects; uses no network, no clock and no tokens.
 */
export function createOfflineAnalyst(): ModelClient {
	return {
		provider: "offline",
		async complete(request, signal) {
			if (signal.aborted) {
				return {
					...reply("aborted", []),
					failure: { kind: "deadline", message: "The run was cancelled before the offline analyst began.", fatal: false },
				};
			}
			// A warm-up only fills a cache, and here is none.
			if (request.maxTokens === 0) return reply("end-turn", []);
			return decide(request);
		},
	};
}

function decide(request: ModelRequest): ModelReply {
	const offered = new Set(request.tools.map((tool) => tool.name));
	const conversation = readConversation(request.messages);
	const call = (name: string, input: unknown): ModelReply =>
		reply("tool-use", [{ type: "tool-use", id: `offline_${request.messages.length}`, name, input }]);
	const say = (text: string): ModelReply => reply("end-turn", [{ type: "text", text }]);

	if (conversation.question) return say(`${NO_LANGUAGE_MODEL} Its report, given earlier, stands.`);
	if (conversation.submitted !== undefined) {
		return say(conversation.submitted.isError ? `The report was not taken: ${conversation.submitted.content}` : "The report is handed in.");
	}
	const claims = readClaims(request.messages);
	if (conversation.diagnosed === undefined && offered.has("diagnose")) {
		return call("diagnose", claims.length === 0 ? {} : { paths: [...new Set(claims.map((claim) => claim.path))] });
	}
	if (conversation.diagnosed === undefined && !offered.has("submit_report")) return say(NO_LANGUAGE_MODEL);
	if (claims.length > 0 && offered.has("submit_report")) {
		const shown = conversation.diagnosed;
		return call("submit_report", judgeClaims(claims, shown === undefined || shown.isError ? undefined : parseDiagnosis(shown.content)));
	}
	const report =
		conversation.diagnosed === undefined || conversation.diagnosed.isError
			? buildReportWithoutChecks(conversation.diagnosed?.content)
			: buildReport(parseDiagnosis(conversation.diagnosed.content));
	if (offered.has("submit_report")) return call("submit_report", report);
	const lines = report.findings.map((finding) => `- ${finding.path}:${finding.startLine ?? 0}: ${finding.title}`);
	return say([report.summary, ...lines, ...report.open.map((text) => `- open: ${text}`)].join("\n"));
}

function reply(stop: ReplyStop, content: readonly ContentBlock[]): ModelReply {
	return { stop, content, usage: NO_USAGE, model: OFFLINE_MODEL, attempts: 0, durationMs: 0 };
}
