import type { ReasonCode } from "../domain/errors.ts";
import type { Actor } from "../domain/ids.ts";
import { hasRole, type Role } from "../domain/role.ts";
import type { TrustTier } from "../domain/run-context.ts";
import type { CommandTrigger, MaintainTrigger, PullRequestFacts, PullRequestTrigger } from "../domain/trigger.ts";
import { isAllowedBot, isSameLogin } from "./same-login.ts";

/** What the decision is made from. Roles come from the collaborator-permission endpoint and from nothing else (BR-31). */
export interface AuthorizationInput {
	readonly trigger: PullRequestTrigger | CommandTrigger | MaintainTrigger;
	/** The pull request as the API shows it now; for a command on a plain issue, none. */
	readonly pullRequest?: PullRequestFacts;
	/** Role of the trigger's actor; `none` on 404 and on every error (A13). */
	readonly actorRole: Role;
	/** Role of the author: the pull request's, or the comment's where there is none. */
	readonly authorRole: Role;
	/** Role of who started the failed workflow of a maintenance trigger at first. */
	readonly starterRole?: Role;
	readonly allowedBots: readonly string[];
	/** Who our token is, when known. */
	readonly self: Actor | null;
	/** Least role for the commands of a comment. */
	readonly minimumRole?: Role;
	readonly defaultBranch: string;
	/** True when there is somebody to answer model calls: a key, or the offline analyst. */
	readonly modelReady: boolean;
	/** True when tools can be run in a sandbox. */
	readonly sandbox: boolean;
}

/** `refused` ends the run neutrally, with exit code 0 and the reason as a notice. */
export type Authorization =
	| { readonly kind: "allowed"; readonly tier: TrustTier; readonly reason: string; readonly code?: ReasonCode }
	| { readonly kind: "refused"; readonly code: ReasonCode; readonly reason: string };

/** How a maintainer gets a review that the event alone does not give. */
const HOW_TO_START = "somebody with write access can start one with the comment /review";

/** Events that run on the default branch for nobody in particular. */
const UNATTENDED: readonly string[] = ["schedule"];

/** May this run at all, and with how much trust (SECURITY.md 3.6)? Pure; the same facts give the same answer. */
export function authorize(input: AuthorizationInput): Authorization {
	const { trigger } = input;
	const botRefusal = refuseBot(trigger.actor, input);
	if (botRefusal !== undefined && !(trigger.kind === "maintain" && UNATTENDED.includes(trigger.event))) return botRefusal;
	switch (trigger.kind) {
		case "maintain":
			return lowerWithoutSandbox(authorizeMaintain(trigger, input), input);
		case "command":
			return lowerWithoutSandbox(authorizeCommand(trigger, input), input);
		case "pull-request":
			return lowerWithoutSandbox(authorizePullRequest(trigger, input), input);
	}
}

function refuse(code: ReasonCode, reason: string): Authorization {
	return { kind: "refused", code, reason };
}

function allow(tier: TrustTier, reason: string, code?: ReasonCode): Authorization {
	return { kind: "allowed", tier, reason, ...(code === undefined ? {} : { code }) };
}

/** A04, BR-26, BR-29: we never follow ourselves, and a bot only when the workflow names it. */
function refuseBot(actor: Actor, input: AuthorizationInput): Authorization | undefined {
	if (actor.type !== "Bot") return undefined;
	if (input.self !== null && isSameLogin(actor.login, input.self.login)) return refuse("E_ACTOR", `${actor.login} is who we are`);
	if (isAllowedBot(actor.login, input.allowedBots)) return undefined;
	return refuse("E_ACTOR", `the bot ${actor.login} starts nothing here; the input allowed-bots can name it`);
}

function authorizeMaintain(trigger: MaintainTrigger, input: AuthorizationInput): Authorization {
	const onDefault = trigger.ref === `refs/heads/${input.defaultBranch}`;
	const where = onDefault ? "on the default branch" : `on ${trigger.ref}`;
	if (UNATTENDED.includes(trigger.event)) {
		// There is no person: the runner names who edited the schedule last, and that one may have left (BR-39).
		return onDefault ? allow("T2", `${trigger.event} ${where}`) : allow("T1", `${trigger.event} ${where}, not the default branch`);
	}
	if (!hasRole(input.actorRole, "write")) return refuse("E_ACTOR", describeRole(trigger.actor, input.actorRole, "write", `start a job`));
	const { failure } = trigger;
	if (failure !== undefined) {
		const fork = `${trigger.repository.owner}/${trigger.repository.name}`.toLowerCase() !== failure.headRepository?.toLowerCase();
		if (fork) return refuse("E_FORK", `the workflow ${failure.name} failed on a commit of ${failure.headRepository ?? "a deleted fork"}`);
		if (!isSameLogin(failure.startedBy.login, trigger.actor.login)) {
			// Whoever starts a run again lends it nothing: both have to be allowed (A06).
			const starter = refuseBot(failure.startedBy, input);
			if (starter !== undefined) return starter;
			const role = input.starterRole ?? "none";
			if (!hasRole(role, "write")) return refuse("E_ACTOR", describeRole(failure.startedBy, role, "write", "have its failures mended"));
		}
	}
	const isDispatch = trigger.event === "workflow_dispatch" || trigger.event === "repository_dispatch";
	if (isDispatch && onDefault) return allow("T2", `${trigger.event} ${where} by ${trigger.actor.login} (${input.actorRole})`);
	return allow("T1", `${trigger.event} ${where} by ${trigger.actor.login} (${input.actorRole})`);
}

function authorizeCommand(trigger: CommandTrigger, input: AuthorizationInput): Authorization {
	const minimum = input.minimumRole ?? "write";
	if (!hasRole(input.actorRole, minimum)) {
		return refuse("E_ACTOR", describeRole(trigger.actor, input.actorRole, minimum, `use /${trigger.commands[0]?.name ?? "command"}`));
	}
	const { pullRequest } = input;
	if (pullRequest === undefined) {
		if (hasRole(input.actorRole, "write")) return allow("T1", `comment by ${trigger.actor.login} (${input.actorRole}) on an issue`);
		return allow("T0", `${trigger.actor.login} has the role ${input.actorRole}, not write`);
	}
	return judgeHead(pullRequest, trigger.actor, input);
}

function authorizePullRequest(trigger: PullRequestTrigger, input: AuthorizationInput): Authorization {
	const pullRequest = input.pullRequest ?? trigger.pullRequest;
	const { actor } = trigger;
	const isAuthor = isSamePerson(actor, pullRequest.author);
	if (actor.type === "Bot" && !isAuthor && !(hasRole(input.authorRole, "write") && !pullRequest.fork)) {
		// An allow-listed bot can be made to touch a stranger's pull request: its name says nothing of the code (A05).
		return refuse(
			"E_ACTOR",
			`${actor.login} acted on a pull request of ${pullRequest.author.login} (${input.authorRole}); author and owner of the head decide`,
		);
	}
	if (pullRequest.fork && !input.modelReady) {
		return refuse("E_FORK", `a pull request from a fork gets no secrets, so there is no model to review it; ${HOW_TO_START}`);
	}
	if (trigger.action === "requested" && !hasRole(input.actorRole, "write")) {
		return refuse("E_ACTOR", describeRole(actor, input.actorRole, "write", "ask for a review"));
	}
	return judgeHead(pullRequest, actor, input);
}

/** By number, since a person can take a bot's name without its `[bot]`; by name only where the runner gives no number. */
function isSamePerson(a: Actor, b: Actor): boolean {
	if (a.id !== 0 && b.id !== 0) return a.id === b.id;
	return a.type === b.type && isSameLogin(a.login, b.login);
}

/** T1 needs all three: head in this repository, author with write, actor with write. */
function judgeHead(pullRequest: PullRequestFacts, actor: Actor, input: AuthorizationInput): Authorization {
	if (pullRequest.head.repository === null) return allow("T0", "the fork of the head was deleted", "E_FORK");
	if (pullRequest.fork) return allow("T0", `the head lies in the fork ${pullRequest.head.repository}`, "E_FORK");
	if (!hasRole(input.authorRole, "write")) {
		return allow("T0", `the author ${pullRequest.author.login} has the role ${input.authorRole}, not write`, "E_ACTOR");
	}
	if (!hasRole(input.actorRole, "write")) return allow("T0", `${actor.login} has the role ${input.actorRole}, not write`, "E_ACTOR");
	return allow("T1", `author (${input.authorRole}) and actor (${input.actorRole}) can write, and the head is in this repository`);
}

/** Without a sandbox nothing is run and nothing written, whoever asks (SECURITY.md 3.6). */
function lowerWithoutSandbox(result: Authorization, input: AuthorizationInput): Authorization {
	if (result.kind === "refused" || result.tier === "T0" || input.sandbox) return result;
	return allow("T0", `no sandbox can be had here, so nothing is run or written (${result.reason})`, "E_SANDBOX");
}

function describeRole(actor: Actor, role: Role, minimum: Role, what: string): string {
	return `${actor.login} has the role ${role}; to ${what}, at least ${minimum} is needed`;
}
