import type { CheckResult, LanguageChecks } from "../domain/checks.ts";

/** What a change did to a folder's checks. */
export interface ChecksComparison {
	/**
	 * `unknown` when neither run says anything about the code. `broken`: something fails that did not fail before.
	 * `still failing`: nothing new fails, and not all is green.
	 */
	readonly verdict: "passing" | "fixed" | "broken" | "still failing" | "unknown";
	/** Commands or tests that fail now and did not before. */
	readonly broken: readonly string[];
	/** Commands or tests that failed before and do not now. */
	readonly fixed: readonly string[];
}

/**
 * Compares two runs of the same checks, command by command, and test by test where both runs name theirs. A check that
 * cannot be run any more where it ran before counts as broken: no proof is no success.
 */
export function compareChecks(before: LanguageChecks, after: LanguageChecks): ChecksComparison {
	const broken: string[] = [];
	const fixed: string[] = [];
	for (const now of after.results) {
		const then = before.results.find((result) => result.kind === now.kind && result.command === now.command);
		const change = compareOne(then, now);
		broken.push(...change.broken);
		fixed.push(...change.fixed);
	}
	for (const then of before.results) {
		const gone = !after.results.some((result) => result.kind === then.kind && result.command === then.command);
		if (gone && saysSomething(then)) broken.push(then.command);
	}
	if (broken.length > 0) return { verdict: "broken", broken, fixed };
	if (after.results.some(isRed)) return { verdict: "still failing", broken, fixed };
	if (!after.results.some((result) => result.outcome === "passed")) return { verdict: "unknown", broken, fixed };
	return { verdict: fixed.length > 0 ? "fixed" : "passing", broken, fixed };
}

function compareOne(
	then: CheckResult | undefined,
	now: CheckResult,
): { readonly broken: readonly string[]; readonly fixed: readonly string[] } {
	const none = { broken: [], fixed: [] };
	if (then === undefined || !saysSomething(then)) return isRed(now) ? { broken: [now.command], fixed: [] } : none;
	if (!saysSomething(now)) return { broken: [now.command], fixed: [] };
	if (!isRed(then)) return isRed(now) ? { broken: namesOf(now), fixed: [] } : none;
	if (!isRed(now)) return { broken: [], fixed: namesOf(then) };
	const wasRed = new Set(then.failures.map((failure) => failure.name));
	const isNowRed = new Set(now.failures.map((failure) => failure.name));
	if (wasRed.size === 0 || isNowRed.size === 0)
		return isNowRed.size > 0 || (now.outcome === "timed out" && then.outcome === "failed") ? { broken: [now.command], fixed: [] } : none;
	return {
		broken: [...isNowRed].filter((name) => !wasRed.has(name)),
		fixed: [...wasRed].filter((name) => !isNowRed.has(name)),
	};
}

function isRed(result: CheckResult): boolean {
	return result.outcome === "failed" || result.outcome === "timed out";
}

function saysSomething(result: CheckResult): boolean {
	return isRed(result) || result.outcome === "passed";
}

function namesOf(result: CheckResult): readonly string[] {
	return result.failures.length === 0 ? [result.command] : result.failures.map((failure) => failure.name);
}
