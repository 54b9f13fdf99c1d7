import { formatCost, formatTokens, plural } from "../publish/render/format.ts";
import { type CommandResult, type CommandWorld, done, failed, type Question, refused } from "./command.ts";
import { nameCommand } from "./name-command.ts";

/** Asks, and renders the answer with who gave it and what it cost. */
export async function answerQuestion(question: Question, world: CommandWorld): Promise<CommandResult> {
	const answer = await world.ask(question);
	if (answer.kind === "unavailable") return refused(`This needs a model: ${answer.reason}.`);
	const who = answer.who.map((each) => `\`${each.session}\` (${each.agentId}, ${each.status}, ${plural(each.steps, "step")})`);
	const last = answer.who.find((each) => each.continuable);
	const goOn = last === undefined ? "" : ` To go on with it, use ${nameCommand("continue", `${last.agentId} MESSAGE`)}.`;
	const foot = `<sub>${who.join(", ")}; ${formatTokens(answer.tokens)} tokens, ${formatCost(answer.costUsd)}.${goOn}</sub>`;
	const text = answer.markdown.trim();
	if (text === "") return failed(`There is no answer: ${who.join(", ")} ended without one.`, { costUsd: answer.costUsd });
	return done(`${world.clean(text)}\n\n${foot}`, { costUsd: answer.costUsd });
}

/** The refusal of a command that was sent without what it needs. */
export function askForText(name: string, usage: string, what: string): CommandResult {
	return refused(`${what} is missing; wanted ${nameCommand(name, usage)}.`);
}
