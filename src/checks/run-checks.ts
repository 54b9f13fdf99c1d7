import { randomUUID } from "node:crypto";
import { checkCommandsFor, type LanguageProfile } from "../agents/experts/language-profile.ts";
import type { CheckOutcome, CheckResult, LanguageChecks } from "../domain/checks.ts";
import type { CommandRunner } from "../seams.ts";
import { classifyRun } from "./classify-run.ts";
import type { CheckFolder } from "./find-check-folders.ts";
import { prepareCommand, splitReports } from "./prepare-command.ts";
import { renderGoEvents } from "./read-go-events.ts";
import { readTests } from "./read-tests.ts";

export interface RunChecksOptions {
	/** Limit of each command. */
	readonly timeoutSeconds?: number;
	/** `tests` leaves the other checks out. */
	readonly only?: "tests" | "checks";
	readonly signal?: AbortSignal;
}

const DEFAULT_TIMEOUT_SECONDS = 300;
const MAX_FAILURES = 50;
const MAX_OUTPUT = 20_000;

/**
 * Runs what shows whether a language's code in a folder is sound: its compiler and linter commands, then its tests, each
 * exactly once and none in the place of another (S-014, D-07). Never rejects; what could not be run is a result that says
 * why. Where it may run at all (tier, sandbox) is the caller's question: the runner is the answer.
 */
export async function runChecks(
	language: LanguageProfile,
	folder: CheckFolder,
	runner: CommandRunner,
	options: RunChecksOptions = {},
): Promise<LanguageChecks> {
	const { only, signal } = options;
	const test = only === "checks" ? undefined : language.testCommand(folder.files);
	const commands = [
		...(only === "tests" ? [] : checkCommandsFor(language, folder.files)).map((command) => ({ kind: "check" as const, command })),
		...(test === undefined ? [] : [{ kind: "tests" as const, command: test }]),
	];
	const results: CheckResult[] = [];
	for (const { kind, command } of commands) {
		if (signal?.aborted === true) results.push(notRun(kind, command, "cancelled"));
		else results.push(await runCheck(kind, command, folder, runner, options));
	}
	return { language: language.id, folder: folder.path, outcome: judge(results), results };
}

/** Runs one command, exactly once, and reads what it says. Never rejects. */
export async function runCheck(
	kind: CheckResult["kind"],
	command: string,
	folder: CheckFolder,
	runner: CommandRunner,
	{ timeoutSeconds = DEFAULT_TIMEOUT_SECONDS, signal }: RunChecksOptions,
): Promise<CheckResult> {
	const prepared = kind === "tests" ? prepareCommand(command, `rookery-${randomUUID()}`) : { line: command, form: "text" as const };
	const run = await runner.run(prepared.line, { timeoutMs: timeoutSeconds * 1000, folder: folder.path, signal });
	const mark = "mark" in prepared ? prepared.mark : undefined;
	const { own, reports } = splitReports(run.stdout, mark);
	// Some tools count on their error stream; both are in the output, whose middle may be missing.
	const tests = kind === "tests" ? (readTests(own, reports) ?? readTests(run.output)) : undefined;
	const shown = prepared.form === "go events" ? renderGoEvents(run.output) : (splitReports(run.output, mark).own ?? run.output);
	return {
		kind,
		command,
		...classifyRun(run, command, tests),
		...(tests === undefined ? {} : { counts: tests.counts }),
		failures: (tests?.failures ?? []).slice(0, MAX_FAILURES),
		output: shown.length > MAX_OUTPUT ? `${shown.slice(0, MAX_OUTPUT / 2)}\n[…]\n${shown.slice(-MAX_OUTPUT / 2)}`.toWellFormed() : shown,
		durationMs: run.durationMs,
	};
}

function notRun(kind: CheckResult["kind"], command: string, reason: string): CheckResult {
	return { kind, command, outcome: "not run", reason, failures: [], output: "", durationMs: 0 };
}

function judge(results: readonly CheckResult[]): CheckOutcome {
	const has = (outcome: CheckOutcome): boolean => results.some((result) => result.outcome === outcome);
	if (has("failed")) return "failed";
	if (has("timed out")) return "timed out";
	const tests = results.find((result) => result.kind === "tests" && result.outcome !== "not run");
	if (tests !== undefined) return tests.outcome;
	if (has("passed")) return "passed";
	return has("not installed") ? "not installed" : "not run";
}
