import { type CommandDefinition, done } from "./command.ts";
import { nameCommand } from "./name-command.ts";

export const PAUSE: CommandDefinition = {
	name: "pause",
	usage: "",
	summary: "no more automatic reviews of this pull request until they are resumed",
	role: "write",
	on: "pull-request",
	spends: false,
	async run(_text, world) {
		if (world.state.paused !== undefined)
			return done(`Automatic reviews have been paused since ${world.state.paused.at} (${world.cleanLine(world.state.paused.by)}).`);
		return done(
			`Automatic reviews of this pull request are paused. ${nameCommand("review")} still works; ${nameCommand("resume")} turns them on again.`,
			{
				changes: [{ kind: "pause" }],
			},
		);
	},
};
