import type { SubagentReport } from "../domain/child-run.ts";
import { UserError } from "../domain/errors.ts";
import type { JournalEntry } from "../domain/journal-entry.ts";
import { replayHistory } from "../engine/replay-history.ts";
import { restoreChild } from "../engine/restore-child.ts";
import type { ChildRequest } from "../engine/scheduler-options.ts";
import type { PipelineSeams } from "./pipeline-seams.ts";
import { type QuestionInput, type QuestionOutcome, type QuestionRun, runQuestion } from "./run-orchestrator.ts";

/*
 * Children that a person asks for by name in a comment: no primary and no model call before them (S-012).
 */

/** `/expert LANGUAGE|auto TASK`: one child a language. Throws a UserError for a language nobody knows. */
export function runExpertTask(input: QuestionInput, seams: PipelineSeams, language: string): Promise<QuestionOutcome> {
	return runQuestion(input, seams, async (run) => {
		const resolved = run.resolver.experts({ language, task: input.question });
		if (!resolved.ok) throw new UserError(`${resolved.reason}; there are: auto, ${run.languages.join(", ")}`);
		return runAll(
			run,
			resolved.experts.map((expert) => expert.request),
		);
	});
}

/** `/agent NAME TASK`. Throws a UserError with the first reason against it (S-137). */
export function runAgentTask(input: QuestionInput, seams: PipelineSeams, agent: string): Promise<QuestionOutcome> {
	return runQuestion(input, seams, async (run) => {
		const resolved = await run.resolver.agent({ agent, description: "a comment", prompt: input.question });
		if (!resolved.ok) throw new UserError(resolved.reason);
		return runAll(run, [resolved.request]);
	});
}

/**
 * `/continue agent_N MESSAGE`: an agent of an earlier run goes on with its whole history (S-163). The caller has checked
 * the journal's lines and hash, and has put it at the session's place in this run's folder, so that it is gone on with.
 * Throws a UserError with the reason when it cannot be continued (S-164).
 */
export function runContinuation(input: QuestionInput, seams: PipelineSeams, entries: readonly JournalEntry[]): Promise<QuestionOutcome> {
	return runQuestion(input, seams, async (run) => {
		const request = await rebuildRequest(run, entries);
		const restored = restoreChild(entries, () => request?.assignment);
		if (!restored.ok) throw new UserError(restored.reason);
		const { entry } = restored;
		run.options.registry.skip({ agentIds: [entry.agentId], sessions: [entry.session] });
		run.options.registry.add(entry);
		const started = run.scheduler.continueChild(
			entry,
			{
				request: { assignment: entry.assignment, description: entry.description },
				resumed: { messages: replayHistory(entries), message: input.question, run: entry.runs + 1 },
			},
			run.scheduler.main,
		);
		if (!started.ok) throw new UserError(started.refusal);
		return started.report;
	});
}

/** The assignment by today's definition; undefined when nobody of that name is there any more. */
async function rebuildRequest(run: QuestionRun, entries: readonly JournalEntry[]): Promise<ChildRequest | undefined> {
	const started = entries.find((entry) => entry.type === "session.started");
	const first = entries.find((entry) => entry.type === "run.started");
	if (started === undefined || first === undefined) return undefined;
	if (run.languages.includes(started.agent)) {
		const resolved = run.resolver.experts({ language: started.agent, task: first.task, files: first.files });
		return resolved.ok ? resolved.experts[0]?.request : undefined;
	}
	if (started.agent === "generalist") {
		const resolved = run.resolver.experts({ language: "auto", task: "", files: [] });
		return resolved.ok ? resolved.experts[0]?.request : undefined;
	}
	const resolved = await run.resolver.agent({
		agent: started.agent,
		description: "continued",
		prompt: first.task,
		files: [...first.files],
	});
	return resolved.ok ? resolved.request : undefined;
}

/** Several answers are one text, each under its own session. */
async function runAll(run: QuestionRun, requests: readonly ChildRequest[]): Promise<SubagentReport> {
	const reports = await run.scheduler.runPlanned(requests);
	const [first, ...others] = reports;
	if (first === undefined) throw new Error("a planned child gave no report");
	if (others.length === 0) return first;
	return { ...first, text: reports.map((report) => `**${report.session}**\n\n${report.text}`).join("\n\n") };
}
