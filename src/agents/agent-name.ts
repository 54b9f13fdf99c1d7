const MAX_NAME_CHARACTERS = 100;

/**
 * Why a text cannot be an agent's name; undefined when it can. Names need not be kebab-case (225 real ones are
 * not), but they end up in logs, file names and comments, so nothing path-like or invisible gets in (BR-63, A35).
 */
export function findNameFault(name: string): string | undefined {
	if (name.length > MAX_NAME_CHARACTERS) return `it is longer than ${MAX_NAME_CHARACTERS} characters`;
	if (/\p{C}/u.test(name)) return "it holds control or invisible characters";
	if (name.includes(":")) return "the colon is kept for names of plugins";
	if (name.startsWith("-")) return "it starts with a dash";
	if (name.startsWith(".") || name.includes("..") || /[/\\]/.test(name)) return "it looks like a path";
	if (/[<>|`"$;&*?]/.test(name)) return "only letters, digits, blanks and plain punctuation can be in a name";
	if (!/[\p{L}\p{N}]/u.test(name)) return "it has no letter and no digit";
	return undefined;
}

/** Letters of other scripts that look like Latin ones in common fonts, by what they look like. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
	а: "a",
	ɑ: "a",
	α: "a",
	в: "b",
	ϲ: "c",
	с: "c",
	ԁ: "d",
	е: "e",
	ε: "e",
	һ: "h",
	н: "h",
	і: "i",
	ι: "i",
	ı: "i",
	ј: "j",
	к: "k",
	κ: "k",
	ӏ: "l",
	м: "m",
	п: "n",
	η: "n",
	о: "o",
	ο: "o",
	σ: "o",
	р: "p",
	ρ: "p",
	ԛ: "q",
	г: "r",
	ѕ: "s",
	т: "t",
	τ: "t",
	υ: "u",
	ν: "v",
	ѵ: "v",
	ԝ: "w",
	ω: "w",
	х: "x",
	χ: "x",
	у: "y",
	γ: "y",
	"0": "o",
	"1": "l",
	"|": "l",
};

/** Equal for names that differ only in case or in compatible forms of the same letters. */
export function foldNameCase(name: string): string {
	return name.normalize("NFKC").toLowerCase();
}

/** Equal for names a reader takes for each other: other scripts' letters, digits for letters, marks, kinds of blanks (A103). */
export function foldNameLooks(name: string): string {
	// A capital I looks like a small l; after lower-casing that could not be seen any more.
	const lowered = name.normalize("NFKD").replace(/\p{M}/gu, "").replaceAll("I", "l").toLowerCase();
	return [...lowered].map((sign) => (/[\s_\p{Pd}]/u.test(sign) ? "-" : (LOOK_ALIKES[sign] ?? sign))).join("");
}
