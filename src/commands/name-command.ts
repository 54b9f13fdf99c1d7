/**
 * A command as our own texts write it: in a code span, and never at the start of a line. So no text of ours can start
 * anything, wherever it is quoted (BR-26, A90).
 */
export function nameCommand(name: string, usage = ""): string {
	return `\`/${name}${usage === "" ? "" : ` ${usage}`}\``;
}
