import { fence } from "../publish/render/markdown.ts";
import { askForText } from "./answer-question.ts";
import { type CommandDefinition, done, refused } from "./command.ts";

export const TRUST: CommandDefinition = {
	name: "trust",
	usage: "NAME",
	summary: "proposes a pin of an agent's files, in a pull request for `.rookery/trust.json`",
	role: "maintain",
	on: "anything",
	spends: false,
	async run(text, world) {
		const name = text.trim();
		if (name === "") return askForText("trust", "NAME", "The agent's name");
		const proposal = await world.trustAgent(name);
		switch (proposal.kind) {
			case "unknown":
				return refused(`${world.cleanLine(proposal.reason)}.`, "E_CONSENT");
			case "pinned":
				return done(`\`${proposal.path}\` is pinned already, in its present form.`);
			case "proposed":
				return done(
					`${proposal.existed ? "Already proposed" : "Proposed"} in [#${proposal.number}](${proposal.url}): \`${proposal.path}\` with the hash \`${proposal.closure.slice(0, 12)}\`. It counts once that is merged.`,
				);
			case "by-hand":
				return done(
					`The pull request could not be opened (${world.cleanLine(proposal.why)}). Put this into \`${proposal.file}\` on the base branch:\n\n${fence(proposal.content.trim(), "json")}`,
				);
		}
	},
};
