import { errorText, UserError } from "../domain/errors.ts";
import type { StateChange } from "../domain/review-state.ts";
import type { ParsedCommand } from "../domain/trigger.ts";
import { findCommand } from "./command-table.ts";
import { type CommandResult, type CommandWorld, failed, refused } from "./command.ts";
import { addUp } from "./cost.ts";
import { nameCommand } from "./name-command.ts";

/** More in one comment would be a script. */
const MAX_COMMANDS = 5;

/** All commands of a comment, carried out: one reply's worth. */
export interface CommandsOutcome {
	readonly outcome: CommandResult["outcome"];
	readonly body: string;
	readonly code?: CommandResult["code"];
	readonly changes: readonly StateChange[];
	readonly costUsd: number | null;
}

/**
 * Runs the commands one after the other, in the order in which they stand; one that fails does not stop the others.
 * Never rejects: whatever goes wrong is a result with its reason.
 * @param onProblem hears of what is our own mistake and not the user's
 */
export async function runCommands(
	commands: readonly ParsedCommand[],
	world: CommandWorld,
	onProblem: (error: unknown) => void,
): Promise<CommandsOutcome> {
	const results: { readonly name: string; readonly result: CommandResult }[] = [];
	for (const command of commands.slice(0, MAX_COMMANDS))
		results.push({ name: command.name, result: await runOne(command, world, onProblem) });
	const left = commands.slice(MAX_COMMANDS).map((command) => nameCommand(command.name));
	const note = left.length === 0 ? [] : [`Only the first ${MAX_COMMANDS} commands of a comment are run; left out: ${left.join(", ")}.`];
	const sections = results.map(({ name, result }) => (commands.length === 1 ? result.body : `**${nameCommand(name)}**\n\n${result.body}`));
	const code = results.find(({ result }) => result.code !== undefined)?.result.code;
	return {
		outcome: worst(results.map(({ result }) => result.outcome)),
		body: [...sections, ...note].join("\n\n---\n\n"),
		...(code === undefined ? {} : { code }),
		changes: results.flatMap(({ result }) => result.changes ?? []),
		costUsd: addUp(results.map(({ result }) => (result.costUsd === undefined ? 0 : result.costUsd))),
	};
}

async function runOne({ name, text }: ParsedCommand, world: CommandWorld, onProblem: (error: unknown) => void): Promise<CommandResult> {
	const command = findCommand(name);
	if (command === undefined) return refused(`There is no command ${nameCommand(name)}.`);
	if (command.on === "pull-request" && !world.isPullRequest) {
		return refused(
			`${nameCommand(name)} works only on pull requests; this is an issue, where questions about the default branch are answered (${nameCommand("explore", "QUESTION")}).`,
		);
	}
	try {
		const result = await command.run(text, world);
		// What was written is heard or said not to be (BR-24).
		const unused = command.usage === "" && text !== "" ? `\n\n_The text behind ${nameCommand(name)} was not used: it takes none._` : "";
		return { ...result, body: `${result.body}${unused}` };
	} catch (error) {
		if (error instanceof UserError)
			return failed(`${nameCommand(name)}: ${world.cleanLine(error.message)}`, error.code === undefined ? {} : { code: error.code });
		onProblem(error);
		return failed(`${nameCommand(name)} failed: ${world.cleanLine(errorText(error).split("\n", 1)[0] ?? "")}`);
	}
}

function worst(outcomes: readonly CommandResult["outcome"][]): CommandResult["outcome"] {
	if (outcomes.includes("failed")) return "failed";
	return outcomes.includes("refused") ? "refused" : "done";
}
