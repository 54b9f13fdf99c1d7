/**
 * Takes the power from text that goes to a job's log. The runner reads commands from both streams: `::name::`
 * at the start of a line (leading blanks ignored) and `##[name]` anywhere; text of a model or of a pull
 * request must never form one (BR-38, A83).
 */
export function escapeWorkflowCommands(text: string): string {
	return text
		.replace(/\r\n?/g, "\n")
		.replace(/^(\s*):(?=:)/gm, "$1: ")
		.replace(/##(?=\[)/g, "## ");
}

/** Escapes the data of a command that we do write (percent, carriage return, line feed). */
export function escapeCommandData(text: string): string {
	return text.replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A");
}
