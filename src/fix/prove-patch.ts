import type { CheckRun, Proof } from "../domain/patch.ts";

/** Runs the checks that fit, in a tree of its own; empty when nothing says what to run. */
export type RunChecks = () => Promise<readonly CheckRun[]>;

/**
 * Runs the same checks before and after a patch (X-12). What counts is the state that would be pushed: it must be green.
 * The run before tells whether the patch broke it or it was broken already, and is left out when nothing fits.
 */
export async function provePatch(checks: { readonly before: RunChecks; readonly after: RunChecks }): Promise<Proof> {
	const after = await checks.after();
	if (after.length === 0) return { verdict: "unproved", sentence: "No check is known for the changed files.", before: [], after: [] };
	const before = await checks.before();
	return { ...judge(before, after), before, after };
}

function judge(before: readonly CheckRun[], after: readonly CheckRun[]): Pick<Proof, "verdict" | "sentence"> {
	const red = after.find((run) => run.outcome === "failed" || run.outcome === "timed-out");
	if (red !== undefined) {
		const earlier = before.find((run) => run.command === red.command)?.outcome;
		const how = red.outcome === "failed" ? "fails" : "does not end in time";
		const was = earlier === "passed" ? "it passed before" : earlier === undefined ? "it did not run before" : "it did so before, too";
		return { verdict: "red", sentence: `\`${red.command}\` ${how} with the patch (${was}).` };
	}
	const green = after.filter((run) => run.outcome === "passed").map((run) => run.command);
	if (green.length === 0) {
		return { verdict: "unproved", sentence: `No check could run: ${after.map((run) => `\`${run.command}\` ${run.output}`).join("; ")}.` };
	}
	const repaired = green.filter((command) => before.some((run) => run.command === command && run.outcome !== "passed"));
	const names = green.map((command) => `\`${command}\``).join(", ");
	const word = green.length === 1 ? "passes" : "pass";
	if (repaired.length > 0)
		return { verdict: "proved", sentence: `${names} ${word} with the patch; before it, ${repaired.length} of them did not.` };
	return { verdict: "proved", sentence: `${names} ${word} before and with the patch.` };
}
