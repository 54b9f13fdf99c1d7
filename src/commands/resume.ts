import { type CommandDefinition, done } from "./command.ts";
import { nameCommand } from "./name-command.ts";

export const RESUME: CommandDefinition = {
	name: "resume",
	usage: "",
	summary: "turns automatic reviews of this pull request on again",
	role: "write",
	on: "pull-request",
	spends: false,
	async run(_text, world) {
		if (world.state.paused === undefined) return done("Automatic reviews of this pull request are not paused.");
		return done(`Automatic reviews of this pull request are on again; the next push starts one, or ${nameCommand("review")} now.`, {
			changes: [{ kind: "resume" }],
		});
	},
};
