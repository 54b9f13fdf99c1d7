import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fetchRunFiles } from "../adapters/earlier-run/fetch-run-files.ts";
import { hashFile, listPublishedAgents } from "../adapters/journal-file/list-published-agents.ts";
import { readJournal } from "../adapters/journal-file/read-journal.ts";
import type { Answer, Question } from "../commands/command.ts";
import { cleanText } from "../context/clean-text.ts";
import type { SubagentReport } from "../domain/child-run.ts";
import { UserError } from "../domain/errors.ts";
import type { JournalEntry } from "../domain/journal-entry.ts";
import type { RunContext } from "../domain/run-context.ts";
import { totalTokens } from "../domain/usage.ts";
import { buildPack } from "../plan/build-pack.ts";
import type { GitHostActivity } from "../seams.ts";
import type { Change } from "../stages/load-change.ts";
import type { Trusted } from "../stages/load-trusted.ts";
import type { PipelineSeams } from "../stages/pipeline-seams.ts";
import { planRun } from "../stages/plan-run.ts";
import { runAgentTask, runContinuation, runExpertTask } from "../stages/run-direct-task.ts";
import { type QuestionInput, type QuestionOutcome, runExplore, runOrchestrator } from "../stages/run-orchestrator.ts";
import type { PublishedRun } from "./earlier-runs.ts";
import { nameRun } from "./name-run.ts";

export interface QuestionParts {
	readonly context: RunContext;
	readonly trusted: Trusted;
	readonly change: Change;
	readonly seams: PipelineSeams;
	readonly temp: string;
	readonly activity: GitHostActivity;
	/** Newest first. */
	readonly published: readonly PublishedRun[];
}

/** Asks a model, in the way the command names. Throws a UserError with the reason for what cannot be carried out. */
export async function askQuestion(question: Question, parts: QuestionParts): Promise<Answer> {
	const { seams } = parts;
	const input = await readInput(question, parts);
	const outcome = await carryOut(question, input, parts);
	if (outcome.kind === "unavailable") return outcome;
	const agents = new Map((await listPublishedAgents(seams.journals.folder)).map((agent) => [agent.session, agent]));
	const reports = [...outcome.children, ...(outcome.children.includes(outcome.report) ? [] : [outcome.report])];
	return {
		kind: "answered",
		markdown: outcome.answer,
		who: uniqueBySession(reports).map((report) => ({
			session: report.session,
			agentId: agents.get(report.session)?.id ?? "unknown",
			status: report.status,
			steps: report.steps,
			continuable: !["explore", "plan", "orchestrator"].includes(report.kind),
		})),
		costUsd: outcome.totals.costUsd,
		tokens: totalTokens(outcome.totals.usage),
	};
}

function uniqueBySession(reports: readonly SubagentReport[]): readonly SubagentReport[] {
	return [...new Map(reports.map((report) => [report.session, report])).values()];
}

/** The question without hidden text (BR-36), and the change under review where there is one. */
async function readInput(question: Question, parts: QuestionParts): Promise<QuestionInput> {
	const { context, trusted, change, seams } = parts;
	const base = {
		context,
		trusted,
		change,
		question: cleanText(question.text).text,
		readEntries: (session: string) => readEntries(path.join(seams.journals.folder, `${session}.jsonl`)),
	};
	if (context.pullRequest === undefined) return base;
	const plan = await planRun(context, trusted, change, seams);
	const patches = await change.readPatches(plan.assignments.flatMap((assignment) => assignment.files.map((file) => file.path)));
	return { ...base, pack: buildPack({ context, changeSet: change.changeSet, plan, patches, instructions: trusted.instructions }) };
}

async function readEntries(file: string): Promise<readonly JournalEntry[]> {
	const read = await readJournal(file);
	return read.state === "read" ? read.entries : [];
}

async function carryOut(question: Question, input: QuestionInput, parts: QuestionParts): Promise<QuestionOutcome> {
	const { seams } = parts;
	switch (question.kind) {
		case "ask":
			return runOrchestrator(input, seams);
		case "explore":
			return runExplore(input, seams);
		case "expert":
			return runExpertTask(input, seams, question.language);
		case "agent":
			return runAgentTask(input, seams, question.agent);
		case "continue":
			// Without a model the answer is the same for every kind: it is not worth looking for a journal.
			if (seams.model.provider === "offline") return runExplore(input, seams);
			return runContinuation(input, seams, await bringBack(question.agentId, parts));
	}
}

/**
 * The journal of an agent of an earlier run, checked against the hash that we published and put at its place in this run,
 * where it is gone on with (S-163). Throws a UserError for every reason against it (S-164).
 */
async function bringBack(agentId: string, parts: QuestionParts): Promise<readonly JournalEntry[]> {
	const run = parts.published.find((each) => each.agents.some((agent) => agent.id === agentId));
	const agent = run?.agents.find((each) => each.id === agentId);
	if (run === undefined || agent === undefined) {
		const known = [...new Set(parts.published.flatMap((each) => each.agents.map((one) => one.id)))];
		throw new UserError(`there is no agent ${agentId} in the runs here; known: ${known.join(", ") || "none"}`);
	}
	const runName = nameRun(run.run, run.attempt);
	const fetched = await fetchRunFiles({ temp: parts.temp, runName, runId: run.run, activity: parts.activity });
	if (!fetched.ok) throw new UserError(`${agentId} of run ${run.run} cannot be continued: ${fetched.reason}`);
	const bytes = await readFile(path.join(fetched.files.sessions, `${agent.session}.jsonl`)).catch(() => undefined);
	if (bytes === undefined) throw new UserError(`${agentId} cannot be continued: run ${run.run} has no journal ${agent.session}.jsonl`);
	const found = hashFile(bytes);
	if (found !== agent.sha256) {
		throw new UserError(
			`${agentId} cannot be continued: its journal has the SHA-256 ${found.slice(0, 12)}, but ${agent.sha256.slice(0, 12)} was published; it was changed since`,
			{ code: "E_AUDIT" },
		);
	}
	const place = path.join(parts.seams.journals.folder, `${agent.session}.jsonl`);
	await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
	await writeFile(place, bytes, { mode: 0o600 });
	const read = await readJournal(place);
	if (read.state === "read") return read.entries;
	const reason = read.state === "broken" ? `line ${read.line}: ${read.reason}` : "it is not there";
	throw new UserError(`${agentId} cannot be continued: its journal is no sound one (${reason})`, { code: "E_AUDIT" });
}
