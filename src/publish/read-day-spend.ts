import { dayOf } from "../domain/day-spend.ts";
import type { Actor } from "../domain/ids.ts";
import type { GitHostReader } from "../seams.ts";
import { isOurs, parseMarker } from "./marker.ts";

/** US dollars of a day; `unpriced` runs had no known price and are not in the sum. */
export interface DaySum {
	readonly usd: number;
	readonly unpriced: number;
}

/**
 * What all runs in the repository have spent since midnight UTC, by what our own comments and pull requests say: nothing
 * else outlives a run. A run that posted nothing is not in it. Rejects when they cannot be read.
 */
export async function readDaySpend(
	reader: Pick<GitHostReader, "commentsSince" | "pullRequestsSince">,
	identity: Actor | null,
	now: number,
): Promise<DaySum> {
	const date = dayOf(now);
	const since = `${date}T00:00:00Z`;
	const [comments, pulls] = await Promise.all([reader.commentsSince(since), reader.pullRequestsSince(since)]);
	const costs = [
		...comments.filter((comment) => isOurs(comment, identity)).map(({ body, createdAt }) => costOfComment(body, createdAt, date)),
		...pulls.filter((pull) => isOurs(pull, identity)).map(({ body }) => costOfDay(parseMarker("job", body)?.day, date)),
	];
	return {
		usd: costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
		unpriced: costs.filter((cost) => cost === null).length,
	};
}

function costOfComment(body: string, createdAt: string, date: string): number | null {
	const reply = parseMarker("reply", body)?.command;
	if (reply !== undefined) return createdAt.startsWith(date) ? reply.usd : 0;
	return costOfDay(parseMarker("sticky", body)?.day, date);
}

function costOfDay(day: { readonly date: string; readonly usd: number | null } | undefined, date: string): number | null {
	return day?.date === date ? day.usd : 0;
}
