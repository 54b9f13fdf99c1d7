import path from "node:path";
import type { Fact } from "../../domain/diagnosis.ts";
import type { ChangedText } from "./changed-text.ts";
import { isFixture, isTestOrExample } from "./path-kinds.ts";

/** Rules whose hits have a provider's own form. The others (keys in a file, passwords in an address) are often examples. */
const LOOSE_RULES = new Set(["basicauth", "privatekey", "database-connection-string", "filter-comments"]);
const PLACEHOLDER =
	/example|sample|dummy|fake|placeholder|change.?me|your|personal|token|secret|password|passwd|access|oauth|abc123|xxxx|redacted|\*{3}|0123456|1234567|abcdef|<|\$\{|%s|localhost|127\.0\.0\.1/i;
/** Bits a character; random base-36 text has about 5, words and runs of one letter below 3. */
const MIN_ENTROPY = 3;

/**
 * Credentials that the change adds, found by secretlint's recommended rules. Nothing of the value is repeated, not
 * even in the quote. A value that already stood in the file is not the change's doing.
 */
export async function findSecrets(text: ChangedText): Promise<readonly Fact[]> {
	if (text.added.size === 0) return [];
	const lint = await loadLinter();
	const messages = await lint(text.head, text.path);
	const facts = new Map<string, Fact>();
	const careful = isFixture(text.path) || isTestOrExample(text.path);
	for (const message of messages) {
		const value = text.head.slice(message.range[0], message.range[1]);
		const line = lineOf(text.head, message.range[0]);
		const endLine = lineOf(text.head, Math.max(message.range[0], message.range[1] - 1));
		if (!text.added.has(line) && !text.added.has(endLine)) continue;
		const rule = message.ruleId.replace(/^.*secretlint-rule-/, "");
		if (text.base?.includes(value) === true || PLACEHOLDER.test(value) || entropy(value) < MIN_ENTROPY) continue;
		if (careful && LOOSE_RULES.has(rule)) continue;
		facts.set(`${line} ${rule}`, {
			kind: "secret",
			rule: `secret/${rule}`,
			path: text.path,
			line,
			endLine,
			quote: "",
			message: `The change adds what looks like a live credential (${nameOf(rule)}). Its value is not repeated here.`,
			severity: "critical",
		});
	}
	return [...facts.values()];
}

type Lint = (content: string, file: string) => Promise<readonly { readonly ruleId: string; readonly range: readonly [number, number] }[]>;

/** Loaded at the first use: 40 ms that a run without changed text need not pay. */
async function loadLinter(): Promise<Lint> {
	const [{ lintSource }, { creator }] = await Promise.all([
		import("@secretlint/core"),
		import("@secretlint/secretlint-rule-preset-recommend"),
	]);
	return async (content, file) => {
		const result = await lintSource({
			source: { filePath: plainName(file), content, contentType: "text", ext: path.posix.extname(plainName(file)) },
			options: {
				config: { rules: [{ id: "@secretlint/secretlint-rule-preset-recommend", rule: creator, rules: [] }] },
				noPhysicFilePath: true,
				maskSecrets: true,
			},
		});
		return result.messages.map((message) => ({ ruleId: message.ruleId, range: [message.range[0], message.range[1]] as const }));
	};
}

/** secretlint's time keeping stops the whole process at a name with a line end or `::end` in it: an untrusted name (A21). */
function plainName(file: string): string {
	return path.posix.basename(file).replace(/[^\w.-]/g, "_");
}

function lineOf(text: string, index: number): number {
	let line = 1;
	for (let at = text.indexOf("\n"); at !== -1 && at < index; at = text.indexOf("\n", at + 1)) line++;
	return line;
}

function entropy(value: string): number {
	const counts = new Map<string, number>();
	for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
	let bits = 0;
	for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
	return bits;
}

function nameOf(rule: string): string {
	const names: Readonly<Record<string, string>> = {
		aws: "AWS key",
		github: "GitHub token",
		gcp: "Google Cloud key",
		slack: "Slack token",
		npm: "npm token",
		privatekey: "private key",
		basicauth: "password in an address",
		"database-connection-string": "password in a database address",
	};
	return names[rule] ?? `${rule} credential`;
}
