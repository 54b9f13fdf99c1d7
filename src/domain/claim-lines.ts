import { CATEGORIES, SEVERITIES } from "./finding.ts";
import { revealMarks } from "./hidden-text.ts";
import type { Claim } from "./verification.ts";

const MAX_BODY = 1_500;
const MAX_QUOTE = 1_000;

/** A claim as it stands in a verifier's brief. */
export type ClaimLine = Pick<Claim, "id" | "path" | "startLine" | "endLine" | "severity" | "category" | "title" | "quote">;

/** One JSON object a claim, hidden marks as escapes (A17); printing and reading stand in one file because they are one format. */
export function printClaims(claims: readonly Claim[]): string {
	return claims
		.map(({ id, path, startLine, endLine, severity, category, title, body, quote, earlier }) =>
			JSON.stringify({
				claim: id,
				path,
				startLine,
				endLine,
				severity,
				category,
				title,
				body: revealMarks(body.slice(0, MAX_BODY).toWellFormed()),
				quote: revealMarks(quote.slice(0, MAX_QUOTE).toWellFormed()),
				...(earlier ? { earlier } : {}),
			}),
		)
		.join("\n");
}

/** The claims in a brief; lines that are something else are passed over. */
export function parseClaims(text: string): readonly ClaimLine[] {
	return text.split("\n").flatMap((line): ClaimLine[] => {
		if (!line.startsWith('{"claim":')) return [];
		try {
			const row = JSON.parse(line) as Record<string, unknown>;
			const severity = SEVERITIES.find((each) => each === row["severity"]);
			const category = CATEGORIES.find((each) => each === row["category"]);
			if (severity === undefined || category === undefined) return [];
			return [
				{
					id: String(row["claim"]),
					path: String(row["path"]),
					startLine: Number(row["startLine"]),
					endLine: Number(row["endLine"]),
					severity,
					category,
					title: String(row["title"]),
					quote: String(row["quote"]),
				},
			];
		} catch {
			return [];
		}
	});
}
