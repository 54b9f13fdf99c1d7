import { buildFixer, FIX_SYSTEM } from "../agents/fixer.ts";
import { extendTable, findLanguage, LANGUAGES } from "../agents/experts/table.ts";
import type { LanguageProfile } from "../agents/experts/language-profile.ts";
import type { Assignment, SubagentReport } from "../domain/child-run.ts";
import type { ModelFailure } from "../domain/model-message.ts";
import type { PreviousFinding } from "../domain/synthesis.ts";
import type { LedgerTotals } from "../engine/ledger.ts";
import { childLimits } from "../plan/child-limits.ts";
import type { OpenChildInput } from "./open-child.ts";
import type { PipelineSeams } from "./pipeline-seams.ts";
import { runWriters } from "./run-writers.ts";

/** A finding as a child is told of it. */
export interface FixTask extends PreviousFinding {
	/** What the review said about it; may be empty. */
	readonly text: string;
}

export interface FixersInput extends OpenChildInput {
	readonly tasks: readonly FixTask[];
	/** Words of a person with write access; empty for none. */
	readonly instruction: string;
	readonly headFiles: ReadonlySet<string>;
}

/** What one child did: its report, which findings it had, and the patch of its tree. */
export interface FixerWork {
	readonly report: SubagentReport;
	readonly tasks: readonly FixTask[];
	/** In its own bytes; empty when it changed nothing. */
	readonly patch: Buffer;
}

export interface FixersOutcome {
	readonly works: readonly FixerWork[];
	readonly totals: LedgerTotals;
	readonly fatal: ModelFailure | undefined;
}

/**
 * One writing child a language, each in a tree of its own at the pinned head (S-181). One that fails takes no other down;
 * what it had changed by then is in its work all the same, and the caller decides what that is worth. Rejects only when the run's
 * journal cannot be written.
 */
export async function runFixers(input: FixersInput, seams: PipelineSeams): Promise<FixersOutcome> {
	const jobs = planJobs(input);
	const { works, ...outcome } = await runWriters(
		jobs.map(({ assignment }) => assignment),
		{ ...input, system: FIX_SYSTEM },
		seams,
	);
	return {
		...outcome,
		works: works.map(({ report, changes }, index) => ({
			report,
			tasks: jobs[index]?.tasks ?? [],
			patch: changes?.patch ?? Buffer.alloc(0),
		})),
	};
}

interface FixJob {
	readonly assignment: Assignment;
	readonly tasks: readonly FixTask[];
}

/** Findings go to the child of their language; an instruction alone goes to one child without a language. */
function planJobs(input: FixersInput): readonly FixJob[] {
	const { settings } = input.trusted;
	const profiles = extendTable(LANGUAGES, settings.moe.experts, settings.checks);
	if (input.tasks.length === 0) return [planJob(undefined, [], input)];
	const groups = new Map<LanguageProfile | undefined, FixTask[]>();
	for (const task of input.tasks) {
		const profile = findLanguage(task.path, profiles)?.profile;
		groups.set(profile, [...(groups.get(profile) ?? []), task]);
	}
	return [...groups].map(([profile, tasks]) => planJob(profile, tasks, input));
}

function planJob(profile: LanguageProfile | undefined, tasks: readonly FixTask[], input: FixersInput): FixJob {
	const { settings, policy } = input.trusted;
	const testCommand = profile?.testCommand(input.headFiles);
	const agent = buildFixer(profile, testCommand);
	const paths = [...new Set(tasks.map((task) => task.path))];
	return {
		tasks,
		assignment: {
			agent,
			files: paths.map((path) => ({ path, additions: 0, deletions: 0 })),
			task: writeTask(tasks, input.instruction),
			limits: childLimits(agent, settings, policy.limits),
			reason: tasks.length === 0 ? "somebody asked for a change" : `${tasks.length} findings to settle`,
			access: "write",
			...(testCommand === undefined ? {} : { testCommand }),
		},
	};
}

/** JSON keeps what a review once said inside string literals: it was written by a model that had read the pull request. */
function writeTask(tasks: readonly FixTask[], instruction: string): string {
	const asked = instruction === "" ? [] : ["Carry this out:", instruction];
	const findings = tasks.map(({ id, path, line, end, severity, title, text }) =>
		JSON.stringify({ id, path, lines: end === undefined ? line : `${line}-${end}`, severity, title, ...(text === "" ? {} : { text }) }),
	);
	return [...asked, ...(findings.length === 0 ? [] : ["Settle these findings of a review, one a line:", ...findings])].join("\n\n");
}
