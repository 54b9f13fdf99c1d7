import type { Secrets } from "../../seams.ts";
import { escapeCommandData } from "./escape-workflow-commands.ts";
import { createSecretFinder } from "./secret-forms.ts";

/** Shorter values would take half of every text with them. */
const SHORTEST_SECRET = 6;
/** A shorter line of a secret of several lines is a mark such as `-----`. */
const SHORTEST_LINE = 16;
const REDACTED = "[REDACTED]";

/**
 * Knows the values that must not appear anywhere. `mask` hands each to the runner (`::add-mask::`);
 * on the command line it does nothing. A value is taken out as it is and in every form of `secret-forms.ts` (A87).
 */
export function createSecrets(mask: (line: string) => void): Secrets {
	const values = new Set<string>();
	const finder = createSecretFinder();
	const addOne = (value: string): void => {
		if (value.length < SHORTEST_SECRET || values.has(value)) return;
		values.add(value);
		finder.add(value);
		mask(`::add-mask::${escapeCommandData(value)}`);
	};
	return {
		add(value) {
			const trimmed = value.trim();
			addOne(trimmed);
			const lines = trimmed.split(/\r?\n/);
			// A key in a file leaves line by line as well.
			if (lines.length > 1)
				for (const line of lines) if (line.trim().length >= SHORTEST_LINE && !line.startsWith("-----")) addOne(line.trim());
		},
		redact(text) {
			let result = text;
			for (const value of values) result = result.replaceAll(value, REDACTED);
			const ranges = values.size === 0 ? [] : finder.find(result);
			return ranges.length === 0 ? result : replaceRanges(result, ranges);
		},
	};
}

function replaceRanges(text: string, ranges: readonly (readonly [number, number])[]): string {
	let result = "";
	let last = 0;
	for (const [start, end] of ranges) {
		result += text.slice(last, start) + REDACTED;
		last = end;
	}
	return result + text.slice(last);
}

/** Names of variables that hold something to keep: `DEPLOY_KEY`, `NPM_TOKEN`, `ACTIONS_RUNTIME_TOKEN`. */
const SECRET_NAME = /(?:^|_)(?:TOKEN|KEY|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PAT|APIKEY|AUTH|DSN)(?:_|$)/i;
const SHORTEST_VALUE = 12;

/** Values of the step's environment that must not leave, by the names of their variables; paths and words are none. */
export function secretsOfEnvironment(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
	return Object.entries(environment).flatMap(([name, value]) => {
		if (value === undefined || value.trim().length < SHORTEST_VALUE || !SECRET_NAME.test(name)) return [];
		return /^(?:\/|[A-Za-z]:\\|https?:\/\/[^@]*$|[a-z][a-z -]*$)/.test(value) ? [] : [value];
	});
}
