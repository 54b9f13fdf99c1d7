import picomatch from "picomatch";

/** Where GitHub looks for the file; the first one that exists counts. */
export const CODE_OWNERS_PATHS: readonly string[] = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"];

/** Owners of a path as written, such as `@octo/payments`; none when the last rule that matches names none. */
export type OwnersOf = (path: string) => readonly string[];

const OPTIONS = { dot: true, nobrace: true, noextglob: true, nobracket: true, nonegate: true };

/**
 * Reads a CODEOWNERS file by GitHub's rules: the last pattern that matches counts, patterns are those of `.gitignore`
 * without `!` and `[ ]`, and a line that is not understood is passed over. The text must come from the trusted ref: a
 * pull request would choose its own reviewers otherwise (X-21).
 */
export function readCodeOwners(text: string): OwnersOf {
	const rules = text.split(/\r?\n/).flatMap((line) => {
		const [pattern, ...owners] = line
			.replace(/(?:^|\s)#.*$/, "")
			.trim()
			.split(/(?<!\\)\s+/);
		if (pattern === undefined || pattern === "" || /^!|[[\]]/.test(pattern)) return [];
		return [{ matches: compilePattern(pattern.replaceAll("\\ ", " ")), owners }];
	});
	return (path) => rules.findLast((rule) => rule.matches(path))?.owners ?? [];
}

/** A slash at the beginning or inside ties a pattern to the root; a folder's name stands for all below it, `docs/*` for one level. */
function compilePattern(pattern: string): (path: string) => boolean {
	const bare = pattern.replace(/^\//, "").replace(/\/$/, "");
	const anchored = pattern.startsWith("/") || bare.includes("/");
	const from = anchored || bare.startsWith("**/") ? bare : `**/${bare}`;
	const isFile = picomatch(from === "" ? "**" : from, OPTIONS);
	const isBelow = picomatch(`${from}/**`, OPTIONS);
	if (pattern.endsWith("/")) return isBelow;
	const lastPart = bare.slice(bare.lastIndexOf("/") + 1);
	return /[*?]/.test(lastPart) ? isFile : (path) => isFile(path) || isBelow(path);
}
