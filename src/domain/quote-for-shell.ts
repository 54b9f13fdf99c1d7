/** One word for a POSIX shell, whatever is in it. */
export function quoteForShell(text: string): string {
	return `'${text.replaceAll("'", `'\\''`)}'`;
}
