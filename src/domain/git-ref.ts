/** A longer name is refused by every file system that could hold the ref. */
const LONGEST_REF = 1024;
const LONGEST_COMPONENT = 255;

// Control characters, space and the characters git keeps for its own revision syntax.
// biome-ignore lint/suspicious/noControlCharactersInRegex: git forbids exactly these bytes in ref names.
const FORBIDDEN = /[\u0000-\u0020\u007f~^:?*[\\]/;

/**
 * True for a branch, tag or full ref name that git itself would accept, and that cannot be taken for an option.
 *
 * Shell characters are fine: names only ever travel in argument arrays, so refusing more than git refuses
 * would turn away valid pull requests (BR-49, A38, A39). `HEAD` and hexadecimal object ids pass too.
 */
export function isAcceptableRef(name: string): boolean {
	if (name === "" || name === "@" || name.length > LONGEST_REF) return false;
	if (name.startsWith("-") || name.startsWith("/") || name.endsWith("/") || name.endsWith(".")) return false;
	if (name.includes("..") || name.includes("@{") || FORBIDDEN.test(name) || !name.isWellFormed()) return false;
	return name.split("/").every(isAcceptableComponent);
}

/** `isAcceptableRef` for what a person types on the command line: `~2` and `^` may stand behind the name. */
export function isAcceptableRevision(text: string): boolean {
	return isAcceptableRef(splitRevision(text).name);
}

/** Splits `main~2^` into the ref name and the steps back that follow it. */
export function splitRevision(text: string): { readonly name: string; readonly steps: string } {
	const steps = /(?:~\d{0,5}|\^\d?)*$/.exec(text)?.[0] ?? "";
	return { name: text.slice(0, text.length - steps.length), steps };
}

function isAcceptableComponent(component: string): boolean {
	if (component === "" || component.startsWith(".") || component.endsWith(".lock")) return false;
	return Buffer.byteLength(component) <= LONGEST_COMPONENT;
}
