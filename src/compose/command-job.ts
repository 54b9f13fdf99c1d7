import { createHash } from "node:crypto";
import { saveStepState, setOutputs } from "../adapters/actions-runner/write-step-files.ts";
import { WORKFLOW_BOT } from "../adapters/github/create-github-reader.ts";
import { type AskedCommand, checkLoops } from "../commands/check-loops.ts";
import { findCommand } from "../commands/command-table.ts";
import { renderUnknown } from "../commands/render-help.ts";
import { type CommandsOutcome, runCommands } from "../commands/run-commands.ts";
import { errorText, type ReasonCode, UserError } from "../domain/errors.ts";
import type { Actor } from "../domain/ids.ts";
import { hasRole, toRole } from "../domain/role.ts";
import type { CommandHint, CommandTrigger, PullRequestFacts } from "../domain/trigger.ts";
import { type Authorization, authorize } from "../intake/authorize.ts";
import type { Inputs } from "../intake/inputs.ts";
import { parseEvent, parseEventText } from "../intake/parse-event.ts";
import { pinHead } from "../intake/pin-head.ts";
import { isAllowedBot } from "../intake/same-login.ts";
import { startReaction } from "../publish/apply-reaction.ts";
import { type CommandRecord, parseMarker, type StickyMarker } from "../publish/marker.ts";
import { findStickies } from "../publish/read-existing-state.ts";
import { readReplies } from "../publish/read-replies.ts";
import type { HostComment } from "../seams.ts";
import { type JobTools, openHost, readEventFile, readFacts, runOptions } from "./action-parts.ts";
import { COMMAND_NAMES } from "./command-names.ts";
import { type CommandJob, type Conversation, neededRole, refuseCommands, writeReply } from "./command-reply.ts";
import { nameRun } from "./name-run.ts";
import { type CommandSetting, openCommandWorld } from "./open-command-world.ts";
import { openRun } from "./open-run.ts";
import { createProgressLog } from "./report-progress.ts";
import type { RunnerEnvironment } from "./runner-environment.ts";

/**
 * The job of a comment event: one 👀 at once, one reply at the end, both told apart by the comment's id, so that an event
 * that is delivered twice is answered once (BR-28). The exit code: 1 only when something broke on our side.
 */
export async function runCommandJob(inputs: Inputs, runner: RunnerEnvironment, tools: JobTools, startedAt: number): Promise<number> {
	const skip = (reason: string, code?: ReasonCode): number => {
		tools.log.notice(`Nothing to do: ${reason}${code === undefined ? "" : ` (${code})`}`);
		return 0;
	};
	if (inputs.mode !== "run") return skip(`mode ${inputs.mode} has no part in comments; wanted run`);
	const parsed = parseEvent(
		{ name: runner.eventName, payload: parseEventText(await readEventFile(runner.eventPath), runner.eventPath) },
		{
			...{ repository: runner.repository, sha: runner.sha, ref: runner.ref, actor: runner.actor, attempt: runner.attempt },
			names: COMMAND_NAMES,
			allowedBots: inputs.allowedBots,
			// The workflow's own account is us unless the workflow says otherwise (A90).
			...(isAllowedBot(WORKFLOW_BOT.login, inputs.allowedBots) ? {} : { self: WORKFLOW_BOT }),
		},
	);
	if (parsed.kind === "skip" && parsed.hint === undefined) return skip(parsed.reason, parsed.code);
	if (parsed.kind !== "skip" && parsed.kind !== "command") return skip("the event holds no comment");
	const host = await openHost(inputs, runner, tools.log);
	const identity = await host.reader.viewer();
	const job: CommandJob = { inputs, runner, tools, host, identity, facts: readFacts(runner, startedAt) };
	const comment = parsed.kind === "command" ? parsed.comment : parsed.hint?.comment;
	if (comment?.author.type === "Bot" && identity !== null && comment.author.id === identity.id)
		return skip("the comment is our own", "E_LOOP");
	if (parsed.kind === "skip") return parsed.hint === undefined ? 0 : answerHint(parsed.hint, job, skip);
	return answerCommands(parsed, job, skip);
}

type Skip = (reason: string, code?: ReasonCode) => number;

async function readConversation(number: number, { host, identity, facts }: CommandJob): Promise<Conversation> {
	const comments = await host.reader.issueComments(number);
	const stickies = findStickies(comments, identity, facts.instance);
	return { comments, replies: readReplies(comments, identity), sticky: stickies[0]?.marker ?? anySticky(comments, identity) };
}

/** Another workflow of ours may have written the summary: its state is the pull request's all the same. */
function anySticky(comments: readonly HostComment[], identity: Actor | null): StickyMarker | undefined {
	const instances = comments.flatMap((comment) => parseMarker("sticky", comment.body)?.instance ?? []);
	return instances.flatMap((instance) => findStickies(comments, identity, instance)).sort((a, b) => b.id - a.id)[0]?.marker;
}

/** A word that is no command gets one short line, and only from somebody who could have started one. */
async function answerHint(hint: CommandHint, job: CommandJob, skip: Skip): Promise<number> {
	if (!hasRole(toRole(await job.host.reader.permission(hint.actor.login)) ?? "none", "triage")) return skip(`${hint.word} is no command`);
	const conversation = await readConversation(hint.number, job);
	if (conversation.replies.some((reply) => reply.to === hint.comment.id)) return skip("the comment has been answered", "E_LOOP");
	await writeReply(
		hint,
		job,
		{ outcome: "refused", body: renderUnknown(hint), changes: [], costUsd: 0 },
		{ asked: [], head: ZERO_HEAD, agents: [] },
	);
	return 0;
}

/** Stands where no commit is spoken of. */
const ZERO_HEAD = "0".repeat(40);

async function answerCommands(trigger: CommandTrigger, job: CommandJob, skip: Skip): Promise<number> {
	const { host, tools, runner } = job;
	const [conversation, pullRequest, defaultBranch] = await Promise.all([
		readConversation(trigger.number, job),
		trigger.isPullRequest ? host.reader.pullRequest(trigger.number) : undefined,
		host.reader.defaultBranch(),
	]);
	const head = pullRequest?.head.sha ?? defaultBranch.sha;
	const handled = await findEarlierAnswer(trigger, conversation, job);
	if (handled !== undefined) return skip(handled);
	const permission = await decidePermission(trigger, pullRequest, defaultBranch.name, job);
	const asked = trigger.commands.map(toAsked);
	if (permission.kind === "refused")
		return refuseCommands(trigger, job, conversation, { asked, head, code: permission.code, reason: permission.reason });
	const stop = checkLoops({
		...{ asked, head, replies: conversation.replies },
		author: trigger.comment.author,
		commentedAt: trigger.comment.createdAt,
		commentTimes: new Map(conversation.comments.map((comment) => [comment.id, comment.createdAt])),
		now: Date.now(),
		isSpending: (name) => findCommand(name)?.spends === true,
	});
	if (stop.stop) {
		if (stop.told) return skip(stop.reason, stop.code);
		await writeReply(
			trigger,
			job,
			{ outcome: "refused", body: `Not done: ${stop.reason}.`, code: stop.code, changes: [], costUsd: 0 },
			{ asked, head, agents: [] },
		);
		return skip(stop.reason, stop.code);
	}
	const reaction = job.inputs.dryRun ? undefined : await startReaction(trigger.comment, host.writer, tools.log);
	// Two deliveries at the same time: the one whose reaction was first goes on.
	if (reaction?.first === false && runner.attempt === 1) return skip("another run is at this comment");
	const { outcome, agents, audit } = await carryOut(trigger, job, { conversation, pullRequest, defaultBranch, permission });
	await writeReply(trigger, job, outcome, { asked, head, agents, ...(audit === undefined ? {} : { audit }) });
	await reaction?.end(outcome.outcome);
	await saveStepState({ session: nameRun(runner.runId, runner.attempt) });
	return outcome.outcome === "failed" ? 1 : 0;
}

function toAsked(command: { readonly name: string; readonly text: string }): AskedCommand {
	const digest = createHash("sha256").update(command.text.replace(/\s+/g, " ").trim()).digest("hex").slice(0, 16);
	return { name: command.name, digest, spends: findCommand(command.name)?.spends === true };
}

/** Why this comment is not answered again: our reply or our reaction stands there already, and this is no new attempt (BR-28). */
async function findEarlierAnswer(trigger: CommandTrigger, { replies }: Conversation, job: CommandJob): Promise<string | undefined> {
	const { runner, identity, host } = job;
	const standing = replies.find((each) => each.to === trigger.comment.id && each.command.on === trigger.comment.kind);
	if (standing !== undefined) {
		const isRerun = standing.run === runner.runId && runner.attempt > standing.command.attempt;
		return isRerun ? undefined : `the comment was answered by run ${standing.run}`;
	}
	if (runner.attempt > 1 || identity === null) return undefined;
	try {
		const reactions = await host.activity.reactions(trigger.comment);
		return reactions.some((each) => each.author.id === identity.id) ? "another run has taken this comment" : undefined;
	} catch {
		return undefined;
	}
}

async function decidePermission(
	trigger: CommandTrigger,
	pullRequest: PullRequestFacts | undefined,
	defaultBranch: string,
	job: CommandJob,
): Promise<Authorization> {
	const { reader, activity } = job.host;
	const author = pullRequest?.author ?? trigger.comment.author;
	const [actorRole, authorRole] = await Promise.all([reader.permission(trigger.actor.login), reader.permission(author.login)]);
	const decision = authorize({
		trigger,
		...(pullRequest === undefined ? {} : { pullRequest }),
		actorRole: toRole(actorRole) ?? "none",
		authorRole: toRole(authorRole) ?? "none",
		allowedBots: job.inputs.allowedBots,
		self: job.identity,
		minimumRole: neededRole(trigger),
		defaultBranch,
		modelReady: true,
		// Whether there really is one is found out when the run is open; until then nothing depends on it.
		sandbox: true,
	});
	if (decision.kind === "refused" || decision.tier === "T0" || pullRequest === undefined) return decision;
	// Code of the head only runs when the head was there before somebody looked at it and asked (BR-32).
	const headSeenAt = await activity.commitSeenAt(pullRequest.head.sha).catch(() => null);
	const pinned = pinHead({
		text: trigger.commands[0]?.text ?? "",
		head: pullRequest.head.sha,
		commentedAt: trigger.comment.createdAt,
		...(headSeenAt === null ? {} : { headSeenAt }),
	});
	return pinned.kind === "pinned" ? decision : { kind: "allowed", tier: "T0", reason: pinned.reason, code: pinned.code };
}

interface CarriedOut {
	readonly outcome: CommandsOutcome;
	readonly agents: CommandRecord["agents"];
	readonly audit?: CommandRecord["audit"];
}

/** Opens the run and lets the commands work. What stops all of them is an outcome, too: somebody waits for a reply. */
async function carryOut(trigger: CommandTrigger, job: CommandJob, setting: CommandSetting): Promise<CarriedOut> {
	const { inputs, runner, tools } = job;
	try {
		await using run = await openRun(runOptions(inputs, runner, tools, nameRun(runner.runId, runner.attempt)));
		const progress = createProgressLog();
		const { world, audit } = await openCommandWorld(trigger, job, setting, run, progress.onProgress);
		const outcome = await runCommands(trigger.commands, world, (error) => {
			tools.log.error(`Rookery failed: ${errorText(error)}`);
			if (error instanceof Error) tools.log.info(error.stack ?? "");
		});
		progress.flush(tools.log);
		await setOutputs({ journals: run.seams.journals.folder });
		const agents = [...((await run.seams.listPublishedAgents?.()) ?? [])];
		const end = audit();
		return { outcome, agents, ...(end === undefined || end.entries === 0 ? {} : { audit: end }) };
	} catch (error) {
		tools.log.error(errorText(error));
		if (!(error instanceof UserError) && error instanceof Error) tools.log.info(error.stack ?? "");
		const reason = tools.secrets.redact(errorText(error).split("\n", 1)[0] ?? "").replace(/[`<>@]/g, "'");
		const body = `It could not be done: \`${reason}\``;
		return { outcome: { outcome: "failed", body, changes: [], costUsd: 0 }, agents: [] };
	}
}
