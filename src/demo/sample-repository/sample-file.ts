/** One file of the sample repository on both sides of its pull request; undefined where it does not exist. */
export interface SampleFile {
	readonly path: string;
	readonly base: string | Buffer | undefined;
	readonly head: string | Buffer | undefined;
}

/** A defect that the pull request brings in, named by a piece of its line in the head file. */
export interface PlantedDefect {
	readonly path: string;
	/** Occurs on exactly one line of the head file. */
	readonly on: string;
	/** A fact kind of `diagnose` for what needs no model; otherwise the category a reviewer would choose. */
	readonly kind: string;
	/** The rule by which it is found, or `model`. */
	readonly rule: string;
	/** True when the checks find it without a model. */
	readonly offline: boolean;
	/** What is wrong, in one sentence. */
	readonly why: string;
}

export interface SamplePart {
	readonly files: readonly SampleFile[];
	readonly defects: readonly PlantedDefect[];
}

/** Changes a text at places that occur exactly once; throws otherwise, so that a sample cannot rot quietly. */
export function edit(text: string, ...changes: readonly (readonly [from: string, to: string])[]): string {
	return changes.reduce((current, [from, to]) => {
		const parts = current.split(from);
		if (parts.length !== 2) throw new Error(`the sample edit ${JSON.stringify(from)} fits ${parts.length - 1} places`);
		return parts.join(to);
	}, text);
}
