/** One result of a bench: our side against the other side, both measured in the same run on the same machine. */
export interface Ratio {
	/** Goal the number belongs to, for example `D1`. */
	readonly name: string;
	readonly value: number;
	/** Largest value that meets the goal; the bench only reports it. */
	readonly target?: number;
	/** What was divided by what, with the absolute figures. */
	readonly detail: string;
}
