import type { Category } from "./finding.ts";

/** One "no" of the team, as it stands in `.rookery/suppressions.yml` of the trusted ref (X-19). */
export interface Suppression {
	/** What it covers: one finding wherever it turns up again, or a class of findings below a directory. */
	readonly covers: { readonly fingerprint: string } | { readonly rule: Category; readonly directory: string };
	readonly who: string;
	readonly why: string;
	/** Last day on which it counts, `2027-01-31` in UTC; absent: until somebody takes it out. */
	readonly until?: string;
}

const DAY_MS = 86_400_000;

/** True while the entry's last day is not over. `at` is milliseconds since the epoch. */
export function isInForce({ until }: Pick<Suppression, "until">, at: number): boolean {
	return until === undefined || at < Date.parse(`${until}T00:00:00Z`) + DAY_MS;
}

/** Who said no, why and until when, as one line for the report. */
export function describeSuppression({ who, why, until }: Suppression): string {
	return `suppressed by ${who}${until === undefined ? "" : ` until ${until}`}: ${why}`;
}
