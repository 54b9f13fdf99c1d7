import type { SettleWord } from "../domain/review-state.ts";
import type { PreviousFinding } from "../domain/synthesis.ts";
import { type CommandResult, type CommandWorld, done, refused } from "./command.ts";

/** Lines of a marker are bounded, and so is what one command closes. */
const MAX_FINDINGS = 60;

/** Closes open findings for good; the next review reads it from the reply's marker. */
export function settleFindings(findings: readonly PreviousFinding[], how: SettleWord, reason: string, world: CommandWorld): CommandResult {
	const chosen = findings.slice(0, MAX_FINDINGS);
	const lines = chosen.map((finding) => `- ${finding.id}: ${world.cleanLine(finding.title)} (\`${finding.path.replace(/`/g, "'")}\`)`);
	const because = reason === "" ? "" : ` Reason: ${world.cleanLine(reason)}`;
	const left = findings.length > chosen.length ? [`_${findings.length - chosen.length} more are still open; send the command again._`] : [];
	const body = [
		`${how === "dismissed" ? "Dismissed" : "Resolved"}; later reviews of this pull request leave ${chosen.length === 1 ? "it" : "them"} out.${because}`,
		lines.join("\n"),
		...left,
		...(how === "dismissed" ? [renderEntries(chosen, reason, world)] : []),
	].join("\n\n");
	return done(body, {
		changes: [
			{
				kind: "settle",
				how,
				reason: reason.slice(0, 300).toWellFormed(),
				findings: chosen.map(({ fingerprint, id }) => ({ fingerprint, id })),
			},
		],
	});
}

/** What closes them on every pull request: for a person to put there, since it is the team's file and not ours. */
function renderEntries(findings: readonly PreviousFinding[], reason: string, world: CommandWorld): string {
	const why = world.cleanLine(reason).replaceAll("`", "'") || "not a fault";
	const entries = findings.map(({ fingerprint }) =>
		[`  - fingerprint: "${fingerprint}"`, `    who: ${JSON.stringify(world.actor.login)}`, `    why: ${JSON.stringify(why)}`].join("\n"),
	);
	const file = ["```yaml", "suppressions:", ...entries, "```"].join("\n");
	return `<details>\n<summary>For every pull request</summary>\n\nPut this into \`.rookery/suppressions.yml\` on the base branch:\n\n${file}\n\n</details>`;
}

/** Open findings by their ids; the first unknown one is named with those there are. */
export function findOpen(
	ids: readonly string[],
	world: CommandWorld,
): { readonly ok: true; readonly findings: readonly PreviousFinding[] } | { readonly ok: false; readonly result: CommandResult } {
	const findings: PreviousFinding[] = [];
	for (const id of ids) {
		const found = world.open.find((finding) => finding.id === id.toUpperCase());
		if (found === undefined) {
			const known = world.open.map((finding) => finding.id).slice(0, 20);
			const there = known.length === 0 ? "the last review left none open" : `open are ${known.join(", ")}`;
			return { ok: false, result: refused(`There is no open finding \`${id.replace(/`/g, "'").slice(0, 20)}\`; ${there}.`) };
		}
		findings.push(found);
	}
	return { ok: true, findings };
}
