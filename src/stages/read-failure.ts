import { cleanText } from "../context/clean-text.ts";
import { errorText } from "../domain/errors.ts";
import type { FailedWorkflow } from "../domain/trigger.ts";
import type { GitHostActivity } from "../seams.ts";

const MOST_JOBS = 5;
/** Characters of all logs together: the end of a log says why it ended. */
const LOG_CHARS = 12_000;
/** Times and colours say nothing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours start with one
const NOISE = /^\d{4}-\d\d-\d\dT[\d:.]+Z ?|\u001b\[[0-9;]*m/gm;

/**
 * What GitHub knows of a failed workflow: jobs, steps and the end of their logs. All of it is text of whoever wrote the
 * workflow or its tests. Never rejects: what cannot be read is said.
 */
export async function readFailure(failure: FailedWorkflow, activity: Pick<GitHostActivity, "jobsOf" | "jobLog">): Promise<string> {
	try {
		const jobs = (await activity.jobsOf(failure.id)).filter((job) => job.conclusion === "failure" || job.conclusion === "timed_out");
		const shown = jobs.slice(0, MOST_JOBS);
		const share = Math.floor(LOG_CHARS / Math.max(1, shown.length));
		const parts = await Promise.all(
			shown.map(async (job) => {
				const log = await activity.jobLog(job.id).catch((error: unknown) => `(the log cannot be read: ${firstLine(errorText(error))})`);
				const steps =
					job.failedSteps.length === 0 ? "" : `, failed steps: ${job.failedSteps.map((step) => JSON.stringify(step)).join(", ")}`;
				return `Job ${JSON.stringify(job.name)}: ${job.conclusion}${steps}\n${endOf(log, share)}`;
			}),
		);
		if (jobs.length > shown.length) parts.push(`${jobs.length - shown.length} more jobs failed.`);
		return parts.length === 0 ? "GitHub lists no failed job of it." : parts.join("\n\n");
	} catch (error) {
		return `Its jobs cannot be read (${firstLine(errorText(error))}); the token needs actions: read.`;
	}
}

function endOf(log: string, characters: number): string {
	const text = cleanText(log.replace(NOISE, "")).text.trim();
	return text.length <= characters ? text : `[…]\n${text.slice(-characters).toWellFormed()}`;
}

function firstLine(text: string): string {
	return text.split("\n", 1)[0] ?? "";
}
