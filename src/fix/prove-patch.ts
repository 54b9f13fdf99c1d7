import { compareChecks } from "../checks/compare-checks.ts";
import type { CheckResult, LanguageChecks } from "../domain/checks.ts";
import type { Proof } from "../domain/patch.ts";

/** Runs the checks that fit, in a tree of its own; empty when nothing says what to run. */
export type RunChecks = () => Promise<readonly LanguageChecks[]>;

export const NO_PROOF: Proof = { verdict: "unproved", sentence: "No check is known for the changed files.", before: [], after: [] };

/**
 * Runs the same checks before and after a patch (X-12). What would be pushed must be green: tests that fail with the patch
 * are red whatever they did before. A linter that complained before may go on complaining of the same.
 */
export async function provePatch(checks: { readonly before: RunChecks; readonly after: RunChecks }): Promise<Proof> {
	const after = await checks.after();
	if (after.every((each) => each.results.length === 0)) return NO_PROOF;
	const before = await checks.before();
	return { ...judge(before, after), before, after };
}

function judge(before: readonly LanguageChecks[], after: readonly LanguageChecks[]): Pick<Proof, "verdict" | "sentence"> {
	const compared = after.map((now) => compareChecks(findSame(before, now) ?? { ...now, results: [] }, now));
	const results = after.flatMap((each) => each.results);
	const broken = compared.flatMap((each) => each.broken);
	if (broken.length > 0) return { verdict: "red", sentence: `With the patch, this fails and did not before: ${list(broken)}.` };
	const redTests = results.filter((result) => result.kind === "tests" && isRed(result));
	if (redTests.length > 0)
		return { verdict: "red", sentence: `The tests fail with the patch as they did before: ${list(redTests.map(commandOf))}.` };
	const passed = results.filter((result) => result.outcome === "passed");
	const red = results.filter(isRed);
	const complaint = red.length === 0 ? "" : ` ${list(red.map(commandOf))} complained before and still ${red.length === 1 ? "does" : "do"}.`;
	if (passed.length === 0) {
		const reasons = results.map((result) => `${commandOf(result)} (${result.reason})`);
		return { verdict: "unproved", sentence: `No check could show anything: ${list(reasons)}.` };
	}
	const fixed = compared.flatMap((each) => each.fixed);
	const repair = fixed.length === 0 ? "" : ` Before it, this failed: ${list(fixed)}.`;
	return {
		verdict: "proved",
		sentence: `With the patch, ${list(passed.map(describePass))} ${passed.length === 1 ? "passes" : "pass"}.${repair}${complaint}`,
	};
}

function findSame(all: readonly LanguageChecks[], wanted: LanguageChecks): LanguageChecks | undefined {
	return all.find((each) => each.language === wanted.language && each.folder === wanted.folder);
}

function isRed(result: CheckResult): boolean {
	return result.outcome === "failed" || result.outcome === "timed out";
}

function commandOf(result: CheckResult): string {
	return result.command;
}

function describePass({ command, counts }: CheckResult): string {
	return counts === undefined ? command : `${command} (${counts.passed} tests)`;
}

const MOST_NAMED = 5;

/** Names come from the repository's own tests: as code, so that nothing in them acts. */
function list(names: readonly string[]): string {
	const shown = [...new Set(names)].slice(0, MOST_NAMED).map(
		(name) =>
			`\`${name
				.replace(/[`\s]+/g, " ")
				.trim()
				.slice(0, 120)}\``,
	);
	const left = new Set(names).size - shown.length;
	return left > 0 ? `${shown.join(", ")} and ${left} more` : shown.join(", ");
}
