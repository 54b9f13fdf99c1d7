/*
 * Characters that a person does not see and a model reads (GlassWorm, CVE-2021-42574, tag characters).
 * What real text needs stays: joiners between letters of joining scripts and between emoji, the presentation
 * selector after an emoji, the three flags that are spelt with tag characters.
 */

/** Bidirectional controls: they change the order in which text is shown. */
const BIDI = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;
/** Format characters, fillers and blanks without width. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/u;
/** C0 and C1 controls without tab and line feed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const CONTROL = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/u;
/** ANSI escape sequences: CSI, OSC and the two-byte ones. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character starts what this looks for
const ANSI = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\-_])/gu;

const JOINING_LETTER =
	/[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const PICTURE = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/u;
const KEYCAP_BASE = /[0-9#*]/;
const IDEOGRAPH = /\p{Script=Han}/u;
/** England, Scotland, Wales: the flags that are spelt as a black flag and tag characters. */
const TAG_FLAGS = ["gbeng", "gbsct", "gbwls"].map(
	(name) => [...name].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("") + String.fromCodePoint(0xe007f),
);
const BLACK_FLAG = "\u{1F3F4}";

export type HiddenKind = "bidi" | "invisible" | "control" | "ansi";

export interface HiddenCharacter {
	readonly kind: HiddenKind;
	/** For example `U+202E`. */
	readonly codePoint: string;
}

function isNeeded(character: string, before: string | undefined, after: string | undefined): boolean {
	if (before === undefined) return false;
	switch (character) {
		case "\u200D":
			return (
				after !== undefined &&
				((PICTURE.test(after) && (PICTURE.test(before) || before === "\uFE0F")) ||
					(JOINING_LETTER.test(before) && JOINING_LETTER.test(after)))
			);
		case "\u200C":
			return after !== undefined && JOINING_LETTER.test(before) && JOINING_LETTER.test(after);
		case "\uFE0E":
		case "\uFE0F":
			return PICTURE.test(before) || KEYCAP_BASE.test(before);
		default:
			return /[\u{E0100}-\u{E01EF}]/u.test(character) && IDEOGRAPH.test(before);
	}
}

function classify(text: string): HiddenKind | undefined {
	return classifyMark(text) ?? (CONTROL.test(text) ? "control" : undefined);
}

function classifyMark(text: string): HiddenKind | undefined {
	if (BIDI.test(text)) return "bidi";
	return INVISIBLE.test(text) ? "invisible" : undefined;
}

/**
 * Replaces each hidden character by what `replace` gives for it; needed ones stay. Tab and line feed are
 * never touched. Runs in one pass over the code points.
 */
export function replaceHidden(text: string, replace: (hidden: HiddenCharacter) => string): string {
	const flattened = text.replace(ANSI, (sequence) => replace({ kind: "ansi", codePoint: `ESC${sequence.slice(1, 2)}` }));
	return replaceCharacters(flattened, classify, replace);
}

function replaceCharacters(text: string, classifyCharacter: typeof classify, replace: (hidden: HiddenCharacter) => string): string {
	// Most text holds none of them: one test instead of a walk.
	if (classifyCharacter(text) === undefined) return text;
	const characters = [...text];
	const parts: string[] = [];
	for (let index = 0; index < characters.length; index++) {
		const character = characters[index] as string;
		if (character === BLACK_FLAG) {
			const rest = characters.slice(index + 1, index + 7).join("");
			const flag = TAG_FLAGS.find((tags) => rest === tags);
			if (flag !== undefined) {
				parts.push(character, flag);
				index += 6;
				continue;
			}
		}
		const kind = classifyCharacter(character);
		if (kind === undefined || isNeeded(character, characters[index - 1], characters[index + 1])) parts.push(character);
		else parts.push(replace({ kind, codePoint: `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}` }));
	}
	return parts.join("");
}

/** Source text for a reader's eyes: each hidden character becomes a visible escape such as `<U+202E>` (A17). */
export function revealHidden(text: string): string {
	return replaceHidden(text, ({ codePoint }) => `<${codePoint}>`);
}

/** The same for code that a model reads: only what hides text or turns it; a lone carriage return is content (BR-13). */
export function revealMarks(code: string): string {
	return replaceCharacters(code, classifyMark, ({ codePoint }) => `<${codePoint}>`);
}
