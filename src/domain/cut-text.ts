/**
 * Cuts to at most `limit` UTF-16 units without splitting a surrogate pair (BR-75): half an emoji makes a request body
 * that the provider and GitHub refuse. Nothing is appended.
 */
export function cutText(text: string, limit: number): string {
	if (text.length <= limit) return text;
	const end = isHighSurrogate(text.charCodeAt(limit - 1)) ? limit - 1 : limit;
	return text.slice(0, Math.max(0, end));
}

function isHighSurrogate(unit: number): boolean {
	return unit >= 0xd800 && unit <= 0xdbff;
}
