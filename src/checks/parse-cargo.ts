import * as z from "zod";
import type { RawFact } from "./fact-tools.ts";

/** What is used of a line of `--message-format=json` (the Cargo book, "External tools"). */
const lineSchema = z.object({
	reason: z.literal("compiler-message"),
	message: z.object({
		message: z.string(),
		level: z.string(),
		code: z.object({ code: z.string() }).nullable(),
		spans: z.array(z.object({ file_name: z.string(), line_start: z.int(), is_primary: z.boolean() })),
	}),
});

/** Errors and warnings at their primary place; several targets compile the same file, so the same is taken once. */
export function parseCargo(stdout: string): readonly RawFact[] {
	const facts = new Map<string, RawFact>();
	for (const line of stdout.split("\n")) {
		const parsed = lineSchema.safeParse(parseJson(line));
		if (!parsed.success) continue;
		const { message, level, code, spans } = parsed.data.message;
		const place = spans.find((span) => span.is_primary);
		if (place === undefined || !/^(?:error|warning)/.test(level)) continue;
		const fact: RawFact = {
			...{ path: place.file_name, line: place.line_start, rule: code?.code ?? "", message: message.split("\n")[0] ?? "" },
			level: level.startsWith("error") ? "error" : "warning",
		};
		facts.set(JSON.stringify(fact), fact);
	}
	return [...facts.values()];
}

function parseJson(line: string): unknown {
	if (!line.startsWith("{")) return undefined;
	try {
		return JSON.parse(line);
	} catch {
		return undefined;
	}
}
