/** A login for comparing: lower case, without the `[bot]` that the API adds and people leave out (BR-29). */
export function foldLogin(login: string): string {
	return login
		.trim()
		.toLowerCase()
		.replace(/^@/, "")
		.replace(/\[bot\]$/, "");
}

export function isSameLogin(a: string, b: string): boolean {
	const folded = foldLogin(a);
	return folded !== "" && folded === foldLogin(b);
}

/** True when a bot's login is on the list, as written by people. */
export function isAllowedBot(login: string, allowed: readonly string[]): boolean {
	return allowed.some((one) => isSameLogin(one, login));
}
