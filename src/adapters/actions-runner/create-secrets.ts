import type { Secrets } from "../../seams.ts";
import { escapeCommandData } from "./escape-workflow-commands.ts";

/** Shorter values would take half of every text with them. */
const SHORTEST_SECRET = 6;

/**
 * Knows the values that must not appear anywhere. `mask` hands each to the runner (`::add-mask::`);
 * on the command line it does nothing.
 */
export function createSecrets(mask: (line: string) => void): Secrets {
	const values = new Set<string>();
	return {
		add(value) {
			const trimmed = value.trim();
			if (trimmed.length < SHORTEST_SECRET || values.has(trimmed)) return;
			values.add(trimmed);
			mask(`::add-mask::${escapeCommandData(trimmed)}`);
		},
		redact(text) {
			let result = text;
			for (const value of values) {
				result = result.replaceAll(value, "[REDACTED]");
				const encoded = Buffer.from(value, "utf8").toString("base64").replace(/=+$/, "");
				result = result.replaceAll(encoded, "[REDACTED]");
			}
			return result;
		},
	};
}
