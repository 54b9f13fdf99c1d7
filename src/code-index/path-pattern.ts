import picomatch from "picomatch";

export type PatternMatcher =
	| { readonly ok: true; readonly matches: (path: string) => boolean }
	| { readonly ok: false; readonly reason: string };

/** Reads a glob as people mean it: without a slash it names files in any folder, with a slash at its end a whole folder. */
export function compilePattern(pattern: string): PatternMatcher {
	if (pattern.length > 500) return { ok: false, reason: "the pattern is longer than 500 characters" };
	if (/(^|[/{,(|])\.\.($|[/},)|])/.test(pattern)) return { ok: false, reason: "the pattern leaves the repository" };
	if (/^[/~\\]|^[a-z]:[/\\]|\0/i.test(pattern)) return { ok: false, reason: "patterns are relative to the repository's root" };
	const trimmed = pattern.replace(/^(\.\/)+/, "");
	const whole = trimmed === "" || trimmed === "." ? "**" : trimmed.endsWith("/") ? `${trimmed}**` : trimmed;
	try {
		const matcher = picomatch(whole, { dot: true, basename: !whole.includes("/"), maxLength: 600 });
		// Wrapped: its second parameter makes it return an object, and `filter` would fill that with the index.
		return { ok: true, matches: (path) => matcher(path) };
	} catch {
		return { ok: false, reason: "the pattern cannot be read" };
	}
}
