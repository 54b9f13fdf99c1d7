import { isSha } from "../domain/ids.ts";
import { code } from "../publish/render/markdown.ts";
import { formatCost, shortSha } from "../publish/render/format.ts";
import { type CommandDefinition, type CommandResult, type CommandWorld, done, failed, refused, type ReviewWishes } from "./command.ts";
import { parseOptions } from "./parse-options.ts";
import { renderPlan } from "./render-plan.ts";

const OPTIONS = { agents: { type: "string" }, only: { type: "string" }, plan: { type: "boolean" } } as const;

export const REVIEW: CommandDefinition = {
	name: "review",
	usage: "[full] [SHA] [--agents A,B] [--only GLOB] [--plan]",
	summary: "reviews the pull request; `--plan` shows who would read what and what it may cost, without asking a model",
	role: "write",
	on: "pull-request",
	spends: true,
	async run(text, world) {
		const options = parseOptions(text, OPTIONS);
		if (!options.ok) return refused(`Nothing was reviewed: ${options.reason}.`);
		const stale = checkNamedHead(options.words, world);
		if (stale !== undefined) return stale;
		const odd = options.words.filter((word) => word !== "full" && !isSha(word.toLowerCase()));
		if (odd.length > 0)
			return refused(
				`Nothing was reviewed: found ${world.cleanLine(odd.join(" ").slice(0, 80))} behind the command; wanted \`full\` or options.`,
			);
		const wishes: ReviewWishes = {
			full: options.words.includes("full"),
			agents: splitList(options.values["agents"]),
			only: splitList(options.values["only"]),
		};
		return options.flags.has("plan") ? done(renderPlan(await world.plan(wishes), world)) : review(wishes, world);
	},
};

/** A commit that is named has to be the head, in full: anybody can make another that fits an abbreviation (A10). */
function checkNamedHead(words: readonly string[], world: CommandWorld): CommandResult | undefined {
	for (const word of words.map((each) => each.toLowerCase())) {
		if (isSha(word) && word !== world.head)
			return refused(`Nothing was reviewed: the command names ${code(word)}, but the head is now ${code(world.head)}.`, "E_STALE");
		if (/^[0-9a-f]{7,39}$/.test(word) && /\d/.test(word))
			return refused(`Nothing was reviewed: ${code(word)} is an abbreviation; name the commit with all 40 hex digits.`, "E_REF");
	}
	return undefined;
}

function splitList(value: string | undefined): readonly string[] {
	return (value ?? "").split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));
}

async function review(wishes: ReviewWishes, world: CommandWorld): Promise<CommandResult> {
	const answer = await world.review(wishes);
	const link = answer.summaryUrl === "" ? "" : ` [Summary](${answer.summaryUrl}).`;
	const problems = answer.problems.map((line) => `- ${world.cleanLine(line)}`);
	const body = [
		`Reviewed \`${shortSha(answer.head)}\`: ${world.cleanLine(answer.sentence)}${link} ${formatCost(answer.costUsd)}.`,
		...problems,
	].join("\n");
	// What it cost stands in the summary's own marker, so it is not counted twice here.
	return answer.state === "failed" ? failed(body) : done(body);
}
