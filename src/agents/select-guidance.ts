/**
 * Characters of guidance that one child pays for, at every step of its run. The whole text of a language is some
 * 900 tokens; measured, a role is best kept below 400 (COST.md G1), and most lines never bear on a given change.
 */
export const GUIDANCE_CHARS = 1_100;

/** Words that say nothing about what a line is about. */
const EVERYDAY = new Set(
	"about after again all also and any are asked back because been before being both but came can code could does done each else even every first for from gone has have here how into its just kept last left less line lines like made make makes many more most much must name names need needs never new next not now off one only other over own part path read same see set should side some such take than that the their them then there these they this those through too under until use used uses value values was were what when where which while who whole why will with without would you your".split(
		" ",
	),
);

/** Names, also with the mark that makes another one of them: `try!`, `save!`, `nil?`. */
const WORD = /[A-Za-z_][A-Za-z0-9_]*(?:(?:\.|::)[A-Za-z_][A-Za-z0-9_]*)*(?:[!?](?![=?.]))?/g;

function wordsOf(text: string): Set<string> {
	const words = new Set<string>();
	for (const [word] of text.matchAll(WORD)) {
		words.add(word);
		for (const part of word.split(/\.|::|[!?]$/)) if (part !== "") words.add(part);
	}
	return words;
}

/** Looks like a name in code: has a dot, an underscore, a capital inside, or is all capitals. */
function isCodeLike(word: string): boolean {
	return /[._:!?]/.test(word) || /[a-z][A-Z]/.test(word) || /^[A-Z]{2,}/.test(word);
}

/** What a line has in common with the change; a word that stands in many lines tells them apart less. */
function score(
	words: ReadonlySet<string>,
	change: ReadonlySet<string>,
	lowered: ReadonlySet<string>,
	lines: ReadonlyMap<string, number>,
): number {
	let points = 0;
	for (const word of words) {
		if (word.length < 3 || EVERYDAY.has(word.toLowerCase())) continue;
		const share = 1 / (lines.get(word) ?? 1);
		if (change.has(word)) points += (isCodeLike(word) ? 3 : 2) * share;
		else if (lowered.has(word.toLowerCase())) points += share;
	}
	return points;
}

/** In how many lines each word stands. */
function countLinesOf(lines: readonly ReadonlySet<string>[]): ReadonlyMap<string, number> {
	const counts = new Map<string, number>();
	for (const words of lines) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
	return counts;
}

/**
 * The lines of a language's guidance that bear on a change: those that share most words with it, in their own order,
 * within the limit. Lines that are no bullet (headings, how to confirm, what not to report) always stay. Pure and
 * deterministic; guidance that fits whole comes back as it is.
 * @param change text of the patches that the child is to read
 */
export function selectGuidance(guidance: string, change: string, limit: number = GUIDANCE_CHARS): string {
	if (guidance.length <= limit) return guidance;
	const lines = guidance.split("\n");
	const words = wordsOf(change);
	const lowered = new Set([...words].map((word) => word.toLowerCase()));
	const own = lines.map((line, index) => ({ line, index, words: wordsOf(line) })).filter(({ line }) => line.startsWith("- "));
	const shared = countLinesOf(own.map((bullet) => bullet.words));
	const bullets = own
		.map((bullet) => ({ ...bullet, points: score(bullet.words, words, lowered, shared) }))
		.sort((a, b) => b.points - a.points || a.index - b.index);
	let left = limit - lines.filter((line) => !line.startsWith("- ")).reduce((sum, line) => sum + line.length + 1, 0);
	const chosen = new Set<number>();
	for (const bullet of bullets) {
		if (bullet.line.length + 1 > left) continue;
		chosen.add(bullet.index);
		left -= bullet.line.length + 1;
	}
	return lines.filter((line, index) => !line.startsWith("- ") || chosen.has(index)).join("\n");
}
