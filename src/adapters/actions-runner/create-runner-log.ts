import type { Log } from "../../seams.ts";
import { escapeCommandData, escapeWorkflowCommands } from "./escape-workflow-commands.ts";

/** The runner keeps ten of a kind a step; the last place says how many more there were. */
const MAX_OF_A_KIND = 10;

/**
 * Log of a job. `write` takes whole lines; `redact` runs on everything first.
 * The toolkit's `info` prints line feeds raw, so that text could forge commands; this writes them itself.
 */
export function createRunnerLog(write: (line: string) => void, redact: (text: string) => string): Log {
	const counts = { notice: 0, warning: 0, error: 0 };
	const print = (text: string) => write(escapeWorkflowCommands(redact(text)));
	const command = (kind: keyof typeof counts, text: string) => {
		counts[kind]++;
		if (counts[kind] > MAX_OF_A_KIND) print(`${kind}: ${text}`);
		else write(`::${kind}::${escapeCommandData(redact(text))}`);
	};
	return {
		info: print,
		notice: (text) => command("notice", text),
		warning: (text) => command("warning", text),
		error: (text) => command("error", text),
		group(title, lines) {
			write(`::group::${escapeCommandData(redact(title))}`);
			for (const line of lines) print(line);
			write("::endgroup::");
		},
	};
}
