import { type CommandDefinition, done } from "./command.ts";
import { nameCommand } from "./name-command.ts";

export const STOP: CommandDefinition = {
	name: "stop",
	usage: "",
	summary: "reviews of this pull request that are under way publish nothing",
	role: "write",
	on: "pull-request",
	spends: false,
	async run() {
		return done(
			`Reviews that were started before this publish nothing. To end their spending as well, cancel the run on the Actions page; ${nameCommand("pause")} keeps new ones from starting.`,
			{ changes: [{ kind: "stop" }] },
		);
	},
};
