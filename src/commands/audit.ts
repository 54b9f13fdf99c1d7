import { formatDuration, plural } from "../publish/render/format.ts";
import { code, table } from "../publish/render/markdown.ts";
import { type CommandDefinition, done, failed, refused } from "./command.ts";

const MAX_EVENTS = 20;

export const AUDIT: CommandDefinition = {
	name: "audit",
	usage: "[verify]",
	summary: "shows the policy files in force and the last decisions; `verify` checks the chain of hashes",
	role: "triage",
	on: "anything",
	spends: false,
	async run(text, world) {
		const word = text.trim();
		if (word !== "" && word !== "verify") return refused("Found something else behind the command; wanted `verify` or nothing.");
		const view = await world.readAudit();
		if (word === "verify")
			return view.verified.ok
				? done(world.cleanLine(view.verified.text))
				: failed(world.cleanLine(view.verified.text), { code: "E_AUDIT" });
		const policies = view.policies.map((policy) => [code(policy.path), code(policy.sha256)]);
		const inForce = policies.length === 0 ? "No policy file is in force." : `Policy in force:\n\n${table(["File", "SHA-256"], policies)}`;
		if (!view.audit.ok) return done(`${inForce}\n\nNo events: ${world.cleanLine(view.audit.reason)}.`);
		const { events, run, total } = view.audit;
		const rows = events
			.slice(0, MAX_EVENTS)
			.map((event) => [
				event.at,
				world.cleanLine(event.what),
				event.risk,
				event.durationMs === undefined ? "–" : formatDuration(event.durationMs),
			]);
		return done(
			`${inForce}\n\nThe last of ${plural(total, "event")} of run ${code(run)}, newest first:\n\n${table(["When", "What", "Risk", "Took"], rows)}`,
		);
	},
};
