import type { Fact } from "../../domain/diagnosis.ts";
import { isTooRegular, lintCredentials, LOOSE_CREDENTIAL_RULES } from "../../guard/credential-linter.ts";
import type { ChangedText } from "./changed-text.ts";
import { isFixture, isTestOrExample } from "./path-kinds.ts";

const PLACEHOLDER =
	/example|sample|dummy|fake|placeholder|change.?me|your|personal|token|secret|password|passwd|access|oauth|abc123|xxxx|redacted|\*{3}|0123456|1234567|abcdef|<|\$\{|%s|localhost|127\.0\.0\.1/i;

/**
 * Credentials that the change adds, found by secretlint's recommended rules. Nothing of the value is repeated, not
 * even in the quote. A value that already stood in the file is not the change's doing.
 */
export async function findSecrets(text: ChangedText): Promise<readonly Fact[]> {
	if (text.added.size === 0) return [];
	const hits = await lintCredentials(text.head, text.path);
	const facts = new Map<string, Fact>();
	const careful = isFixture(text.path) || isTestOrExample(text.path);
	for (const { rule, range } of hits) {
		const value = text.head.slice(range[0], range[1]);
		const line = lineOf(text.head, range[0]);
		const endLine = lineOf(text.head, Math.max(range[0], range[1] - 1));
		if (!text.added.has(line) && !text.added.has(endLine)) continue;
		if (text.base?.includes(value) === true || PLACEHOLDER.test(value) || isTooRegular(value)) continue;
		if (careful && LOOSE_CREDENTIAL_RULES.has(rule)) continue;
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

function lineOf(text: string, index: number): number {
	let line = 1;
	for (let at = text.indexOf("\n"); at !== -1 && at < index; at = text.indexOf("\n", at + 1)) line++;
	return line;
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
