import * as z from "zod";
import type { RawFact } from "./fact-tools.ts";

const ruffSchema = z.array(
	z.object({ code: z.string().nullable(), message: z.string(), filename: z.string(), location: z.object({ row: z.int() }) }),
);

/** `ruff check --output-format json`. Syntax errors have no code, in newer versions `invalid-syntax`. */
export function parseRuff(stdout: string): readonly RawFact[] {
	return readJson(stdout, ruffSchema).map(({ code, message, filename, location }) => ({
		...{ path: filename, line: location.row, rule: code ?? "syntax", message: message.split("\n")[0] ?? "" },
		level: code === null || /^(?:F821|E9|invalid-syntax)/.test(code) ? ("error" as const) : ("warning" as const),
	}));
}

const eslintSchema = z.array(
	z.object({
		filePath: z.string(),
		messages: z.array(z.object({ ruleId: z.string().nullable(), severity: z.int(), message: z.string(), line: z.int().optional() })),
	}),
);

/** `eslint -f json`. A message without a rule is a parse error or a remark about the file itself. */
export function parseEslint(stdout: string): readonly RawFact[] {
	return readJson(stdout, eslintSchema).flatMap(({ filePath, messages }) =>
		messages.flatMap(({ ruleId, severity, message, line }): RawFact[] =>
			line === undefined
				? []
				: [{ path: filePath, line, rule: ruleId ?? "", message: message.split("\n")[0] ?? "", level: severity >= 2 ? "error" : "warning" }],
		),
	);
}

/** The list in a tool's output; empty when there is none of that form. */
function readJson<Item>(text: string, schema: z.ZodType<readonly Item[]>): readonly Item[] {
	const start = text.indexOf("[");
	if (start < 0) return [];
	try {
		return schema.parse(JSON.parse(text.slice(start)));
	} catch {
		return [];
	}
}
