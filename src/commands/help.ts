import { type CommandDefinition, done } from "./command.ts";
import { renderHelp } from "./render-help.ts";

export const HELP: CommandDefinition = {
	name: "help",
	usage: "",
	summary: "shows this list",
	role: "triage",
	on: "anything",
	spends: false,
	async run(_text, world) {
		return done(renderHelp(world.commands, world.handle));
	},
};
