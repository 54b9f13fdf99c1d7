import { askForText } from "./answer-question.ts";
import type { CommandDefinition } from "./command.ts";
import { findOpen, settleFindings } from "./settle-findings.ts";
import { splitFirst } from "./split-first.ts";

const USAGE = "ID [REASON]";

export const DISMISS: CommandDefinition = {
	name: "dismiss",
	usage: USAGE,
	summary: "says that a finding is none: it is not reported again on this pull request",
	role: "write",
	on: "pull-request",
	spends: false,
	async run(text, world) {
		const [id, reason] = splitFirst(text);
		if (id === "") return askForText("dismiss", USAGE, "The finding's id");
		const found = findOpen([id], world);
		return found.ok ? settleFindings(found.findings, "dismissed", reason.split("\n", 1)[0] ?? "", world) : found.result;
	},
};
