import type { CheckOutcome } from "../domain/checks.ts";
import type { CommandRun } from "../seams.ts";
import type { ReadTests } from "./read-tests.ts";

/** What tools say when they, or what they need, are not on the machine. Group 1 names it where they do. */
const MISSING: readonly RegExp[] = [
	/(?:^|: )([\w./+-]+): (?:command )?not found$/m,
	/No module named '?(pytest|tox|nox|unittest2|django|mypy|ruff|pyflakes)\b/,
	/npx canceled due to missing packages|npm (?:error|ERR!) could not determine executable to run/,
	/This is not the tsc command you are looking for/,
	/error: no such command: `(\w+)`/,
	/error: '?(cargo-\w+|rustfmt|clippy)'? is not installed for the toolchain/,
	/rustup could not choose a version of (\w+)/,
	/The JAVA_HOME environment variable is not defined correctly/,
	/pyenv: ([\w.-]+): command not found/,
	/\b(dotnet) SDKs? (?:was|were) not found|No \.NET SDKs were found/,
];

/** The same for dependencies that would have to be downloaded. */
const UNRESOLVED: readonly RegExp[] = [
	/failed to (?:download|get) [`']?([\w@. -]+?)[`']?(?: as a dependency|$)/m,
	/(?:dial tcp: lookup|Could not resolve host:?) ([\w.-]+)/,
	/Could not (?:transfer artifact|find artifact|resolve dependencies for project) ([\w.:-]+)/,
	/Could not (?:resolve all|GET|HEAD) ([^\n]{1,80})/,
	/Non-resolvable (?:parent POM|import POM)/,
	/Plugin ([\w.:-]+) or one of its dependencies could not be resolved/,
	/The following gems are missing|Could not find gem '?([\w-]+)/,
	/Failed to (?:fetch|download) (?:maven|gradle)?([^\n]{0,80})/i,
	/error: (?:Failed to|Could not) (?:fetch|download|resolve)[^\n]*?`?([\w.:/-]*)`?/i,
	/getaddrinfo (?:ENOTFOUND|EAI_AGAIN) ([\w.-]+)/,
	/Cannot find (?:module|package) '([^'.][^']*)' (?:imported from|Require stack)/,
	/java\.net\.UnknownHostException: ([\w.-]+)/,
];

/** There is a command, and nothing for it to run. */
const NOTHING_TO_RUN: readonly (readonly [RegExp, string])[] = [
	[
		/npm (?:error|ERR!) Missing script: "?test"?|ERR_PNPM_NO_SCRIPT|Couldn't find a script named "test"|Command "test" not found/,
		"package.json has no script named test",
	],
	[/Error: no test specified/, "package.json has npm's placeholder instead of tests"],
	[/go: no modules were specified|directory prefix .* does not contain/, "there is no Go module in this folder"],
];

/**
 * What the end of a command says about the code. Programs and dependencies that are missing are told apart from red
 * tests (D-07), but only while no test has run: a test may print anything.
 */
export function classifyRun(
	run: CommandRun,
	command: string,
	tests: ReadTests | undefined,
): { readonly outcome: CheckOutcome; readonly reason: string } {
	if (run.startError !== undefined) return { outcome: "not run", reason: run.startError };
	if (run.stopped === "timed out") return { outcome: "timed out", reason: run.note };
	if (run.stopped === "cancelled") return { outcome: "not run", reason: "cancelled" };
	if (run.stopped !== undefined) return { outcome: "failed", reason: run.note };
	if (run.exitCode === 0) return { outcome: "passed", reason: run.note };
	if (run.exitCode === 125 && run.output.includes("cd:")) return { outcome: "not run", reason: "its folder is not there" };
	if (tests !== undefined && tests.counts.passed + tests.counts.failed > 0) return { outcome: "failed", reason: run.note };
	const program = nameProgram(command);
	// pytest's own code for an empty collection.
	if (run.exitCode === 5 && /(^|\s)pytest/.test(command)) return { outcome: "not run", reason: "there are no tests to run" };
	for (const [pattern, reason] of NOTHING_TO_RUN) if (pattern.test(run.output)) return { outcome: "not run", reason };
	if (run.exitCode === 126) return { outcome: "not installed", reason: `${program} cannot be executed here` };
	const missing = MISSING.map((pattern) => pattern.exec(run.output)).find((found) => found !== null);
	if (run.exitCode === 127 || missing !== undefined) {
		return { outcome: "not installed", reason: `${missing?.[1]?.trim() || program} is not installed here` };
	}
	const unresolved = UNRESOLVED.map((pattern) => pattern.exec(run.output)).find((found) => found !== null);
	if (unresolved !== undefined) {
		const what = unresolved[1]?.trim() ? ` (${unresolved[1].trim()})` : "";
		return { outcome: "not installed", reason: `dependencies are not installed${what}, and there is no network here` };
	}
	return { outcome: "failed", reason: run.note };
}

/** The program of a command line, without what runs it. */
function nameProgram(command: string): string {
	const words = command
		.trim()
		.split(/\s+/)
		.filter((word) => !/^\w+=/.test(word));
	return words[0] ?? command;
}
