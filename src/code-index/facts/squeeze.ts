const MAX_CHARS = 200;

/** White space made single, cut at 200 characters. */
export function squeeze(text: string): string {
	// A long text is cut first: a signature may be followed by a body of any size.
	const short = text.length > MAX_CHARS * 8 ? text.slice(0, MAX_CHARS * 8) : text;
	const single = short.replace(/\s+/g, " ").trim();
	return single.length > MAX_CHARS ? `${single.slice(0, MAX_CHARS - 1).toWellFormed()}…` : single;
}
