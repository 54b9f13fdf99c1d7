import picomatch from "picomatch";

export interface LinguistAttributes {
	/** True or false when the file says so, undefined when it says nothing. */
	generated(path: string): boolean | undefined;
	vendored(path: string): boolean | undefined;
}

interface Rule {
	readonly matches: (path: string) => boolean;
	readonly attribute: "generated" | "vendored";
	readonly value: boolean;
}

const ATTRIBUTE = /^(-?)linguist-(generated|vendored)(?:=(true|false))?$/;

/**
 * `linguist-generated` and `linguist-vendored` of a root `.gitattributes`; the last rule that matches counts. The
 * text must come from the trusted ref: a pull request could take its own files out of the review otherwise.
 */
export function readGitAttributes(text: string): LinguistAttributes {
	const rules = text.split(/\r?\n/).flatMap(readLine);
	const find = (path: string, attribute: Rule["attribute"]): boolean | undefined =>
		rules.findLast((rule) => rule.attribute === attribute && rule.matches(path))?.value;
	return { generated: (path) => find(path, "generated"), vendored: (path) => find(path, "vendored") };
}

function readLine(line: string): Rule[] {
	const match = /^\s*(?:"((?:[^"\\]|\\.)*)"|([^\s"#]\S*))\s+(.*)$/.exec(line);
	const pattern = match?.[1]?.replace(/\\(.)/g, "$1") ?? match?.[2];
	// `[attr]` defines macros; a pattern that starts with ! is not allowed here.
	if (pattern === undefined || pattern.startsWith("[attr]") || pattern.startsWith("!") || pattern.endsWith("/")) return [];
	const matches = compilePattern(pattern);
	return (match?.[3] ?? "").split(/\s+/).flatMap((word): Rule[] => {
		const [, minus, attribute, value] = ATTRIBUTE.exec(word) ?? [];
		if (attribute !== "generated" && attribute !== "vendored") return [];
		return [{ matches, attribute, value: minus !== "-" && value !== "false" }];
	});
}

/** A pattern without a slash fits the name in any folder; one with a slash starts at the root. */
function compilePattern(pattern: string): (path: string) => boolean {
	const options = { dot: true, nobrace: true, noextglob: true };
	if (!pattern.includes("/")) {
		const matchesName = picomatch(pattern, options);
		return (path) => matchesName(path.slice(path.lastIndexOf("/") + 1));
	}
	return picomatch(pattern.replace(/^\//, ""), options);
}
