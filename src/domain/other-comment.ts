/** A comment of another bot on lines of the head; its text is nobody's instruction and is not kept (PEERS 1c-17). */
export interface OtherComment {
	readonly author: string;
	readonly path: string;
	/** 1-based, inclusive. */
	readonly startLine: number;
	readonly endLine: number;
}
