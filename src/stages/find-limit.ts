import { dayOf } from "../domain/day-spend.ts";
import { errorText } from "../domain/errors.ts";
import type { Settings } from "../domain/settings.ts";
import { isOurs, parseMarker } from "../publish/marker.ts";
import { readDaySpend } from "../publish/read-day-spend.ts";
import { readReplies } from "../publish/read-replies.ts";
import type { GitHostReader } from "../seams.ts";

export interface LimitInput {
	readonly settings: Pick<Settings, "budget" | "review">;
	readonly reader: Pick<GitHostReader, "issueComments" | "viewer" | "commentsSince" | "pullRequestsSince">;
	/** Of the pull request; absent for a job. */
	readonly number?: number;
	/** Nobody asked for it: such runs have a bound a day. */
	readonly automatic: boolean;
	/** It asks no model that costs anything. */
	readonly free: boolean;
	readonly now: number;
}

/**
 * The bound that one more run would be beyond, as a reason; undefined when there is none. Bounds of money that somebody
 * has set hold also when what was spent cannot be read. What runs left behind is read from our own texts alone.
 */
export async function findLimit(input: LimitInput): Promise<string | undefined> {
	return (await findPullRequestLimit(input)) ?? (input.free ? undefined : await findDayLimit(input));
}

async function findPullRequestLimit({ settings, reader, number, automatic, free, now }: LimitInput): Promise<string | undefined> {
	const { pullRequestUsd } = settings.budget;
	const bound = free ? undefined : pullRequestUsd;
	if (number === undefined || (!automatic && bound === undefined)) return undefined;
	try {
		const [comments, identity] = await Promise.all([reader.issueComments(number), reader.viewer()]);
		const own = comments.filter((comment) => isOurs(comment, identity)).flatMap(({ body }) => parseMarker("sticky", body) ?? []);
		const runs = own.reduce((sum, { day }) => sum + (day?.date === dayOf(now) ? day.runs : 0), 0);
		const { maxRunsPerDay } = settings.review;
		if (automatic && runs >= maxRunsPerDay) {
			return `#${number} was reviewed ${runs} times today, and review.maxRunsPerDay is ${maxRunsPerDay}; the comment /review starts one more`;
		}
		const replies = readReplies(comments, identity);
		const usd = [...own.map((marker) => marker.usd), ...replies.map((reply) => reply.command.usd)].reduce<number>(
			(sum, cost) => sum + (cost ?? 0),
			0,
		);
		if (bound === undefined || usd < bound) return undefined;
		return `$${usd.toFixed(2)} of $${bound.toFixed(2)} are spent on #${number} (budget.pullRequestUsd)`;
	} catch (error) {
		return bound === undefined ? undefined : unreadable("budget.pullRequestUsd", error);
	}
}

async function findDayLimit({ settings, reader, now }: LimitInput): Promise<string | undefined> {
	const bound = settings.budget.repositoryDayUsd;
	if (bound === undefined) return undefined;
	try {
		const { usd, unpriced } = await readDaySpend(reader, await reader.viewer(), now);
		if (usd < bound) return undefined;
		const more = unpriced === 0 ? "" : `, and ${unpriced} runs without a known price`;
		return `$${usd.toFixed(2)} of $${bound.toFixed(2)} are spent in this repository today${more} (budget.repositoryDayUsd)`;
	} catch (error) {
		return unreadable("budget.repositoryDayUsd", error);
	}
}

function unreadable(key: string, error: unknown): string {
	return `${key} is set, and what was spent cannot be read (${errorText(error).split("\n", 1)[0]})`;
}
