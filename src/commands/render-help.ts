import { table } from "../publish/render/markdown.ts";
import type { CommandDefinition } from "./command.ts";
import { nameCommand } from "./name-command.ts";

/** The table of commands, for a reply and for the documentation; nothing in it parses as a command. */
export function renderHelp(commands: readonly CommandDefinition[], handle: string): string {
	return `${renderCommandTable(commands)}\n\nA command stands at the start of a line. \`@${handle} …\` with free text asks a question.`;
}

export function renderCommandTable(commands: readonly CommandDefinition[]): string {
	const rows = commands.map((command) => [
		nameCommand(command.name, command.usage),
		command.summary,
		command.role,
		command.on === "pull-request" ? "pull requests" : "pull requests, issues",
	]);
	return table(["Command", "What it does", "Needs", "On"], rows);
}

/** The one line for a word that is no command of ours (BR-25). */
export function renderUnknown(hint: { readonly word: string; readonly nearest?: string; readonly quoted?: true }): string {
	const word = hint.word.replace(/[^A-Za-z0-9-]/g, "").slice(0, 40);
	if (hint.quoted === true) return `${nameCommand(word)} is in code marks, so it was not run; write it without them.`;
	const near = hint.nearest === undefined ? "" : ` Did you mean ${nameCommand(hint.nearest)}?`;
	return `There is no command ${nameCommand(word)}.${near} See ${nameCommand("help")}.`;
}
