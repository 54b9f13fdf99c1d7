import type { RawFact } from "./fact-tools.ts";

/** `file:line[:column]: message` lines of one tool. */
function parseLines(
	text: string,
	pattern: RegExp,
	read: (groups: Readonly<Record<string, string | undefined>>) => Omit<RawFact, "path" | "line">,
): readonly RawFact[] {
	return [...text.matchAll(pattern)].flatMap((match) => {
		const { path, line } = match.groups ?? {};
		return path === undefined || line === undefined ? [] : [{ path, line: Number(line), ...read(match.groups ?? {}) }];
	});
}

/** `go vet`: findings of its analysers have no mark of their own; what does not type-check begins with `vet: `. */
export function parseGoVet(text: string): readonly RawFact[] {
	return parseLines(
		text,
		/^(?<vet>vet: )?(?<path>[^\s:][^:\n]*\.go):(?<line>\d+):(?:\d+:)? (?<message>.+)$/gm,
		({ vet, message = "" }) => ({
			rule: vet === undefined ? "" : "compile",
			message,
			level: vet === undefined ? "warning" : "error",
		}),
	);
}

/** `path:line:column: message`, and syntax errors in the same form. */
export function parsePyflakes(text: string): readonly RawFact[] {
	return parseLines(text, /^(?<path>[^\s:][^:\n]*\.pyw?i?):(?<line>\d+):(?:\d+:?)? (?<message>.+)$/gm, ({ message = "" }) => ({
		rule: "",
		message,
		level: /^(?:undefined name|invalid syntax|.*(?:SyntaxError|unindent|never closed|unterminated))/.test(message) ? "error" : "warning",
	}));
}

/** `path(line,column): error TS2322: message`. */
export function parseTsc(text: string): readonly RawFact[] {
	return parseLines(
		text,
		/^(?<path>[^\s(][^(\n]*)\((?<line>\d+),\d+\): (?<level>error|warning) (?<rule>TS\d+): (?<message>.+)$/gm,
		(groups) => ({
			rule: groups["rule"] ?? "",
			message: groups["message"] ?? "",
			level: groups["level"] === "warning" ? "warning" : "error",
		}),
	);
}

/** `path:line: error: message`, `path:line: warning: [rule] message`. */
export function parseJavac(text: string): readonly RawFact[] {
	return parseLines(
		text,
		/^(?<path>[^\s:][^:\n]*\.java):(?<line>\d+): (?<level>error|warning): (?:\[(?<rule>[\w-]+)\] )?(?<message>.+)$/gm,
		(groups) => ({
			rule: groups["rule"] ?? "",
			message: groups["message"] ?? "",
			level: groups["level"] === "warning" ? "warning" : "error",
		}),
	);
}
