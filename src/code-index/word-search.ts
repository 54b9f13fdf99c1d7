const WORD = /[\p{L}\p{N}_$]/u;

/** Whether the text has the word with no letter, digit, `_` or `$` right before or behind it. */
export function hasWord(text: string, word: string): boolean {
	if (word === "") return false;
	for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
		if (!isPart(text, at - 1) && !isPart(text, at + word.length)) return true;
	}
	return false;
}

function isPart(text: string, index: number): boolean {
	if (index < 0 || index >= text.length) return false;
	const code = text.charCodeAt(index);
	if (code < 128)
		return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95 || code === 36;
	return WORD.test(text[index] ?? "");
}
