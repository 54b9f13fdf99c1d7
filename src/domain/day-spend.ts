/** What was done and spent for one pull request on one day. */
export interface DaySpend {
	/** UTC, `2026-12-07`. */
	readonly date: string;
	/** Automatic reviews and jobs that were published. */
	readonly runs: number;
	/** US dollars; null once a model had no known price. */
	readonly usd: number | null;
}

/** The UTC day of a time in milliseconds since the epoch. */
export function dayOf(time: number): string {
	return new Date(time).toISOString().slice(0, 10);
}

/** One more run. Another day begins at zero. */
export function addToDay(before: DaySpend | undefined, time: number, usd: number | null): DaySpend {
	const date = dayOf(time);
	const start = before?.date === date ? before : { date, runs: 0, usd: 0 };
	return { date, runs: start.runs + 1, usd: start.usd === null || usd === null ? null : start.usd + usd };
}
