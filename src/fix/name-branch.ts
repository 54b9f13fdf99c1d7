import { isAcceptableRef } from "../domain/git-ref.ts";

/** All branches that this program makes start with this. */
const BRANCH_PREFIX = "rookery/";

const SLUG_CHARS = 60;

/** A branch of ours from words that may come from anywhere (BR-49): `rookery/fix-12-r7k2`. */
export function nameBranch(words: readonly (string | number)[]): string {
	const slug = words
		.join("-")
		.toLowerCase()
		.normalize("NFKD")
		.replace(/[^a-z0-9]+/g, "-")
		.slice(0, SLUG_CHARS)
		.replace(/^-+|-+$/g, "");
	return `${BRANCH_PREFIX}${slug || "fix"}`;
}

/** How many names are tried for one branch. */
export const BRANCH_NAMES = 5;

/**
 * The next name for a branch whose name is in use: `rookery/fix-12-r7k2-2`. The last one has no folder, for a repository
 * in which a branch is called like ours (BR-49).
 */
export function nameNext(branch: string, attempt: number): string {
	if (attempt <= 1) return branch;
	return attempt < BRANCH_NAMES ? `${branch}-${attempt}` : branch.replaceAll("/", "-");
}

/**
 * Whether a push may go to a branch at all, and why not (A40): a plain branch name that git takes, and never the default
 * branch under any spelling. Protected branches are the server's to refuse; it does (BR-51).
 */
export function refuseBranch(branch: string, defaultBranch: string): string | undefined {
	const name = branch.replace(/^(?:\+|refs\/heads\/|heads\/)+/i, "");
	if (name === "" || name.toUpperCase() === "HEAD" || name !== branch) return `${JSON.stringify(branch)} is no plain name of a branch`;
	if (branch.startsWith("-") || branch.includes(":") || !isAcceptableRef(`refs/heads/${branch}`))
		return `${JSON.stringify(branch)} is no branch name that git takes`;
	if (branch.startsWith("refs/")) return `${JSON.stringify(branch)} is no plain name of a branch`;
	if (name.normalize("NFKC").toLowerCase() === defaultBranch.normalize("NFKC").toLowerCase()) return `${branch} is the default branch`;
	return undefined;
}
