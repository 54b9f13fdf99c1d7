/** File names are data: odd ones are shown as JSON strings so that they cannot look like text of ours (A21). */
export function quotePath(path: string): string {
	return /^[\w./@+~#,=-]+$/.test(path) ? path : JSON.stringify(path);
}
