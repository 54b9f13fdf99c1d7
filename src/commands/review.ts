import { formatCost, shortSha } from "../publish/render/format.ts";
import { type CommandDefinition, type CommandResult, type CommandWorld, done, failed, refused, type ReviewWishes } from "./command.ts";
import { parseOptions } from "./parse-options.ts";
import { renderPlan } from "./render-plan.ts";

const OPTIONS = { agents: { type: "string" }, only: { type: "string" }, plan: { type: "boolean" } } as const;

export const REVIEW: CommandDefinition = {
	name: "review",
	usage: "[full] [--agents A,B] [--only GLOB] [--plan]",
	summary: "reviews the pull request; `--plan` shows who would read what and what it may cost, without asking a model",
	role: "write",
	on: "pull-request",
	spends: true,
	async run(text, world) {
		const options = parseOptions(text, OPTIONS);
		if (!options.ok) return refused(`Nothing was reviewed: ${options.reason}.`);
		const odd = options.words.filter((word) => word !== "full");
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
