/** A full 40-hex git object id. Never an abbreviation, never a ref name (BR-32, SECURITY A10). */
export type Sha = string;

const FULL_SHA = /^[0-9a-f]{40}$/;

/** True for a full lower-case 40-hex object id; anything else (abbreviations, ref names, undefined) is false. */
export function isSha(value: unknown): value is Sha {
	return typeof value === "string" && FULL_SHA.test(value);
}

/** `owner/name` split in two, as GitHub's API wants it. */
export interface RepositoryRef {
	readonly owner: string;
	readonly name: string;
}

/** Somebody on GitHub. Deleted accounts arrive as `null` in payloads and become `GHOST` (BR-30). */
export interface Actor {
	readonly login: string;
	readonly id: number;
	readonly type: "User" | "Bot" | "Organization" | "Mannequin" | "Unknown";
}

export const GHOST: Actor = { login: "ghost", id: 0, type: "Unknown" };
