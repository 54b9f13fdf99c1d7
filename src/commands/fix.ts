import type { FixWish } from "../domain/fix.ts";
import { isSha } from "../domain/ids.ts";
import type { PreviousFinding } from "../domain/synthesis.ts";
import { renderFix } from "../publish/render/fix.ts";
import { type CommandDefinition, type CommandResult, type CommandWorld, refused } from "./command.ts";
import { nameCommand } from "./name-command.ts";
import { findOpen } from "./settle-findings.ts";

const USAGE = "[SHA] [--pr] ID… | all | INSTRUCTION";
/** As our reviews write them. */
const FINDING_ID = /^(?=.*\d)[A-Z0-9]{2,12}$/;
const MOST_FINDINGS = 20;

export const FIX: CommandDefinition = {
	name: "fix",
	usage: USAGE,
	summary:
		"settles findings, or does what is asked, as one commit whose tests were run before and after; `--pr` puts it on a branch of its own",
	role: "write",
	on: "pull-request",
	spends: true,
	async run(text, world) {
		const wish = readWish(await withThread(text, world), world);
		if ("outcome" in wish) return wish;
		const report = await world.fix(wish);
		const done = report.state === "pushed" || report.state === "proposed";
		return {
			// What is held for a person was tried and is there to be taken.
			outcome: done ? "done" : "failed",
			body: renderFix(report, (line) => world.cleanLine(line)),
			...(report.code === undefined ? {} : { code: report.code }),
			costUsd: report.costUsd,
		};
	},
};

/** Below a finding, the bare command means that finding. */
async function withThread(text: string, world: CommandWorld): Promise<string> {
	const bare = text.split(/\s+/).every((word) => word === "" || word === "--pr" || isSha(word.toLowerCase()));
	return bare ? `${text} ${(await world.threadFinding()) ?? ""}` : text;
}

/** The words of the command as a wish, or the refusal that says what is wanted. */
function readWish(text: string, world: CommandWorld): FixWish | CommandResult {
	const words = text.split(/\s+/).filter((word) => word !== "");
	if (words[0] !== undefined && isSha(words[0].toLowerCase())) words.shift();
	const ownBranch = words.includes("--pr");
	const rest = words.filter((word) => word !== "--pr");
	const odd = rest.find((word) => word.startsWith("--"));
	if (rest.length === 0 || (odd !== undefined && rest[0] === odd)) return refused(explain(world, odd));
	if (rest.length === 1 && rest[0]?.toLowerCase() === "all") return wishFor(world.open, ownBranch, world);
	if (rest.every((word) => FINDING_ID.test(word.toUpperCase().replace(/,$/, "")))) {
		const found = findOpen(
			rest.map((word) => word.replace(/,$/, "")),
			world,
		);
		return found.ok ? wishFor(found.findings, ownBranch, world) : found.result;
	}
	const instruction = text
		.trim()
		.replace(/^[0-9a-f]{40}(?=\s)/i, "")
		.replace(/(^|\s)--pr(?=\s|$)/, "$1")
		.trim();
	return { findings: [], instruction, ownBranch };
}

function wishFor(findings: readonly PreviousFinding[], ownBranch: boolean, world: CommandWorld): FixWish | CommandResult {
	if (findings.length === 0) return refused("Nothing to fix: the last review left no finding open.");
	if (findings.length > MOST_FINDINGS) {
		return refused(`${findings.length} findings are too many for one commit; name at most ${MOST_FINDINGS} of them: ${listIds(world)}.`);
	}
	return { findings: [...new Map(findings.map((each) => [each.fingerprint, each])).values()], instruction: "", ownBranch };
}

function explain(world: CommandWorld, odd: string | undefined): string {
	const found = odd === undefined ? "Nothing was named" : `Found the option \`${odd.replace(/`/g, "'").slice(0, 40)}\``;
	return `${found}; wanted ${nameCommand("fix", USAGE)}. Open findings: ${listIds(world)}.`;
}

function listIds(world: CommandWorld): string {
	const ids = world.open.map((finding) => finding.id);
	return ids.length === 0 ? "none" : `${ids.slice(0, 30).join(", ")}${ids.length > 30 ? ", …" : ""}`;
}
