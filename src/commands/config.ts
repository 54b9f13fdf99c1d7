import { code, fence } from "../publish/render/markdown.ts";
import { type CommandDefinition, done } from "./command.ts";

export const CONFIG: CommandDefinition = {
	name: "config",
	usage: "",
	summary: "shows the settings in force and the files they come from",
	role: "triage",
	on: "anything",
	spends: false,
	async run(_text, world) {
		const { sources, json } = await world.readConfig();
		const from =
			sources.length === 0
				? "No settings file on the base branch: these are the defaults."
				: `From ${sources.map(code).join(", ")}, with defaults for the rest.`;
		return done(`${from}\n\n${fence(json, "json")}`);
	},
};
