import path from "node:path";

/** One hit of secretlint's recommended rules; `range` is `[start, end)` in UTF-16 units of the text. */
export interface CredentialHit {
	/** The rule's short name: `aws`, `github`, `privatekey`. */
	readonly rule: string;
	readonly range: readonly [number, number];
}

/** Bits a character; random base-36 text has about 5, words and runs of one letter below 3. */
const MIN_ENTROPY = 3;

/**
 * Rules whose hits do not have a provider's own form: keys in a file, passwords in an address. They are often examples.
 */
export const LOOSE_CREDENTIAL_RULES: ReadonlySet<string> = new Set([
	"basicauth",
	"privatekey",
	"database-connection-string",
	"filter-comments",
]);

/** Finds credentials in one text by secretlint's recommended rules. Loaded at the first use: 40 ms that a run without text need not pay. */
export async function lintCredentials(content: string, file: string): Promise<readonly CredentialHit[]> {
	const [{ lintSource }, { creator }] = await Promise.all([
		import("@secretlint/core"),
		import("@secretlint/secretlint-rule-preset-recommend"),
	]);
	const result = await lintSource({
		source: { filePath: plainName(file), content, contentType: "text", ext: path.posix.extname(plainName(file)) },
		options: {
			config: { rules: [{ id: "@secretlint/secretlint-rule-preset-recommend", rule: creator, rules: [] }] },
			noPhysicFilePath: true,
			maskSecrets: true,
		},
	});
	return result.messages.map((message) => ({
		rule: message.ruleId.replace(/^.*secretlint-rule-/, ""),
		range: [message.range[0], message.range[1]] as const,
	}));
}

/** True for values that no random generator made: words, runs of one letter. */
export function isTooRegular(value: string): boolean {
	const counts = new Map<string, number>();
	for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
	let bits = 0;
	for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
	return bits < MIN_ENTROPY;
}

/** secretlint's time keeping stops the whole process at a name with a line end or `::end` in it: an untrusted name (A21). */
function plainName(file: string): string {
	return path.posix.basename(file).replace(/[^\w.-]/g, "_");
}
