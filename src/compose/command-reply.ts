import { appendStepSummary, setOutputs } from "../adapters/actions-runner/write-step-files.ts";
import type { GitHubHost } from "../adapters/github/create-github-host.ts";
import { createSystemClock } from "../adapters/system-clock.ts";
import type { AskedCommand } from "../commands/check-loops.ts";
import { findCommand } from "../commands/command-table.ts";
import { nameCommand } from "../commands/name-command.ts";
import type { CommandsOutcome } from "../commands/run-commands.ts";
import type { ReasonCode } from "../domain/errors.ts";
import type { Actor } from "../domain/ids.ts";
import { hasRole, type Role, ROLES } from "../domain/role.ts";
import type { CommandTrigger } from "../domain/trigger.ts";
import type { Inputs } from "../intake/inputs.ts";
import { type ApplyContext, applyPublications } from "../publish/apply-publications.ts";
import { addReaction } from "../publish/apply-reaction.ts";
import { type CommandRecord, printMarker, type StickyMarker } from "../publish/marker.ts";
import type { CommandReply } from "../publish/read-replies.ts";
import type { HostComment } from "../seams.ts";
import type { RunFacts } from "../stages/pipeline-seams.ts";
import type { JobTools } from "./action-parts.ts";
import type { RunnerEnvironment } from "./runner-environment.ts";
import { hideCredentials } from "../stages/hide-credentials.ts";

/** Milliseconds that all waits for GitHub's limits may take together for one reply. */
const WAIT_BUDGET_MS = 120_000;

/** What every step of a comment's job needs. */
export interface CommandJob {
	readonly inputs: Inputs;
	readonly runner: RunnerEnvironment;
	readonly tools: JobTools;
	readonly facts: RunFacts;
	readonly host: GitHubHost;
	/** Who our token is; null when it cannot be told, and then nothing is believed to be ours. */
	readonly identity: Actor | null;
}

/** What stands on the issue or pull request already. */
export interface Conversation {
	readonly comments: readonly HostComment[];
	readonly replies: readonly CommandReply[];
	readonly sticky: StickyMarker | undefined;
}

/** Each command has its own least role; a comment with several needs the highest of them. */
export function neededRole(trigger: CommandTrigger): Role {
	return trigger.commands
		.map((command) => findCommand(command.name)?.role ?? "write")
		.reduce<Role>((a, b) => (hasRole(a, b) ? a : b), ROLES[1]);
}

/** Said once to each person, in one line; after that the reaction has to do. Bots hear nothing. */
export async function refuseCommands(
	trigger: CommandTrigger,
	job: CommandJob,
	conversation: Conversation,
	refusal: { readonly asked: readonly AskedCommand[]; readonly head: string; readonly code: ReasonCode; readonly reason: string },
): Promise<number> {
	const { tools, host } = job;
	tools.log.notice(`Nothing to do: ${refusal.reason} (${refusal.code})`);
	if (trigger.actor.type === "Bot" || job.inputs.dryRun) return 0;
	const told = conversation.replies.some((each) => each.command.by === trigger.actor.login && each.command.code === refusal.code);
	if (!told) {
		const names = trigger.commands.map((command) => nameCommand(command.name)).join(", ");
		const body = `Not done: ${names} needs the role ${neededRole(trigger)} in this repository.`;
		await writeReply(
			trigger,
			job,
			{ outcome: "refused", body, code: refusal.code, changes: [], costUsd: 0 },
			{ asked: refusal.asked, head: refusal.head, agents: [] },
		);
	}
	await addReaction(trigger.comment, "refused", host.writer, tools.log);
	return 0;
}

/** What the one writer needs of a comment's job; it writes no files. */
export function openApplyContext({ host, tools, facts, identity, runner }: CommandJob, head: string): ApplyContext {
	return {
		...{ reader: host.reader, writer: host.writer, log: tools.log, identity },
		clock: createSystemClock(),
		budget: { left: WAIT_BUDGET_MS },
		signal: tools.signal,
		...{ instance: facts.instance, run: facts.runId, attempt: facts.attempt, head },
		redact: (text) => tools.secrets.redact(text),
		sinks: {
			stepSummary: (markdown) => appendStepSummary(runner.stepSummary, markdown),
			outputs: setOutputs,
			artifacts: { folder: "", write: () => Promise.reject(new Error("a reply has no files")) },
		},
	};
}

/** What the reply's marker tells later runs. */
export type PublishedWork = Pick<CommandRecord, "head" | "agents" | "audit"> & { readonly asked: readonly AskedCommand[] };

/** Writes the one reply, or edits it when this run is a new attempt. */
export async function writeReply(
	to: Pick<CommandTrigger, "number" | "actor"> & { readonly comment: Pick<CommandTrigger["comment"], "id" | "kind"> },
	job: CommandJob,
	outcome: CommandsOutcome,
	published: PublishedWork,
): Promise<void> {
	const { facts, tools, inputs } = job;
	await hideCredentials([outcome.body], { hideSecret: (value) => tools.secrets.add(value), log: tools.log });
	const record: CommandRecord = {
		on: to.comment.kind,
		attempt: facts.attempt,
		by: to.actor.login.slice(0, 100),
		asked: published.asked.slice(0, 20).map(({ name, digest }) => ({ name, digest })),
		outcome: outcome.outcome,
		...(outcome.code === undefined ? {} : { code: outcome.code }),
		head: published.head,
		usd: outcome.costUsd,
		changes: outcome.changes
			.slice(0, 20)
			.map((change) => (change.kind === "settle" ? { ...change, findings: [...change.findings] } : change)),
		agents: published.agents.slice(0, 40),
		...(published.audit === undefined ? {} : { audit: published.audit }),
	};
	const marker = printMarker("reply", { instance: facts.instance, run: facts.runId, to: to.comment.id, command: record });
	if (inputs.dryRun) {
		tools.log.group("Reply (dry-run)", outcome.body.split("\n"));
		return;
	}
	const reply = { kind: "reply", number: to.number, marker, body: `${marker}\n${outcome.body}` } as const;
	const [result] = await applyPublications([reply], openApplyContext(job, published.head));
	if (result?.state === "failed") {
		tools.log.warning(result.detail);
		await appendStepSummary(job.runner.stepSummary, `${tools.secrets.redact(outcome.body)}\n`);
	}
}
