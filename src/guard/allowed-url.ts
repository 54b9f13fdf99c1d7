/**
 * True when an address leads to one of the allowed ones: same origin, path below the allowed path. Addresses with
 * user info, with another port, or with characters that mean something in Markdown are not.
 */
export function isAllowedUrl(address: string, allowed: readonly string[]): boolean {
	if (!/^https?:\/\/[\w.:/#?=&%+~,@-]+$/.test(address)) return false;
	const url = parseUrl(address);
	if (url === undefined || url.username !== "" || url.password !== "") return false;
	return allowed.some((each) => {
		const prefix = parseUrl(each);
		if (prefix === undefined || prefix.origin !== url.origin) return false;
		const path = prefix.pathname.replace(/\/+$/, "");
		return url.pathname === path || url.pathname.startsWith(`${path}/`);
	});
}

function parseUrl(text: string): URL | undefined {
	return URL.canParse(text) ? new URL(text) : undefined;
}
