/** Lines of the head tree that help to read a change and are not part of it. */
export interface Excerpt {
	readonly path: string;
	/** 1-based lines of the head file, inclusive. */
	readonly startLine: number;
	readonly endLine: number;
	readonly text: string;
	/** For example "defines `parseRange`, which the change uses". */
	readonly reason: string;
}

/** What the tree says about a change beyond its diff. Made from the commit alone: the same for every run on it. */
export interface Surroundings {
	/** Enclosing symbol of each hunk of a file, outermost first and joined with dots; "" where there is none. */
	readonly enclosing: ReadonlyMap<string, readonly string[]>;
	/** Most helpful first. */
	readonly excerpts: readonly Excerpt[];
	/** Why there are no or fewer excerpts, in words that do not differ between runs on one machine. */
	readonly note?: string;
}
