import { type CommandDefinition, refused } from "./command.ts";

export const FIX: CommandDefinition = {
	name: "fix",
	usage: "[ID… | all | INSTRUCTION]",
	summary: "fixes findings as commits whose tests were run before and after (not available yet)",
	role: "write",
	on: "pull-request",
	spends: true,
	async run() {
		return refused("Fixes are not available yet in this version. The suggestions of a review can be taken over from their comments.");
	},
};
