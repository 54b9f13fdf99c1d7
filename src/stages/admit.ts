import type { ReasonCode } from "../domain/errors.ts";
import { hasRole, toRole } from "../domain/role.ts";
import type { TrustTier } from "../domain/run-context.ts";
import type { Settings } from "../domain/settings.ts";
import type { CommandTrigger, PullRequestFacts, PullRequestTrigger } from "../domain/trigger.ts";
import { authorize } from "../intake/authorize.ts";
import { checkPullRequest } from "../intake/check-pull-request.ts";
import { foldReviewState, readReplies } from "../publish/read-replies.ts";
import type { GitHostReader } from "../seams.ts";
import { findLimit } from "./find-limit.ts";

/** May it run, on which state of the pull request, and with how much trust. */
export type Admission =
	| {
			readonly kind: "admitted";
			readonly pullRequest: PullRequestFacts;
			readonly tier: TrustTier;
			readonly tierReason: string;
			/** Why the tier is not higher, where there is a code for it. */
			readonly code?: ReasonCode;
			readonly notes: readonly string[];
	  }
	| { readonly kind: "skipped"; readonly reason: string; readonly code?: ReasonCode };

export interface AdmitInput {
	readonly trigger: PullRequestTrigger | CommandTrigger;
	/** The pull request as the API shows it now. */
	readonly pullRequest: PullRequestFacts;
	readonly reader: GitHostReader;
	readonly settings: Settings;
	readonly allowedBots: readonly string[];
	readonly defaultBranch: string;
	/** True when tools can be run in a sandbox. */
	readonly sandbox: boolean;
	/** It asks no model that costs anything. */
	readonly free?: boolean;
}

/** In the title of somebody with write access: no automatic review. A stranger cannot switch the reviewer off. */
const SKIP_MARK = /\[(?:skip rookery|rookery skip)\]/i;

/** Decides from the permission API, the pull request as it is now and the settings; never from the payload's word for it. */
export async function admit(input: AdmitInput): Promise<Admission> {
	const { trigger, pullRequest, reader } = input;
	const asked = trigger.kind === "command" || trigger.action === "requested" || trigger.action === "labeled";
	const notes: string[] = [];
	if (trigger.kind === "pull-request") {
		const check = checkPullRequest(trigger, pullRequest, { ...input.settings.review, asked });
		if (!check.review) return { kind: "skipped", reason: check.reason };
		notes.push(...check.notes);
		const paused = asked ? undefined : await readPause(reader, pullRequest.number);
		if (paused !== undefined) return { kind: "skipped", reason: paused };
	}
	const author = trigger.kind === "command" ? trigger.comment.author : pullRequest.author;
	const [actorRole, authorRole, self] = await Promise.all([
		reader.permission(trigger.actor.login),
		reader.permission(author.login),
		reader.viewer(),
	]);
	const decision = authorize({
		trigger,
		pullRequest,
		actorRole: toRole(actorRole) ?? "none",
		authorRole: toRole(authorRole) ?? "none",
		allowedBots: input.allowedBots,
		self,
		defaultBranch: input.defaultBranch,
		// The offline analyst needs no key, so somebody can always review.
		modelReady: true,
		sandbox: input.sandbox,
	});
	if (decision.kind === "refused") return { kind: "skipped", reason: decision.reason, code: decision.code };
	if (!asked && SKIP_MARK.test(pullRequest.title) && hasRole(toRole(authorRole) ?? "none", "write")) {
		return { kind: "skipped", reason: `the title of #${pullRequest.number} says so; the comment /review starts one all the same` };
	}
	const { settings } = input;
	const { number } = pullRequest;
	const limit = await findLimit({ settings, reader, number, automatic: !asked, free: input.free === true, now: Date.now() });
	if (limit !== undefined) return { kind: "skipped", reason: limit, code: "E_LIMIT" };
	const { tier, reason, code } = decision;
	return { kind: "admitted", pullRequest, tier, tierReason: reason, notes, ...(code === undefined ? {} : { code }) };
}

/** Why automatic reviews are off for this pull request; what cannot be read pauses nothing. */
async function readPause(reader: GitHostReader, number: number): Promise<string | undefined> {
	try {
		const [comments, identity] = await Promise.all([reader.issueComments(number), reader.viewer()]);
		const { paused } = foldReviewState(readReplies(comments, identity));
		return paused === undefined
			? undefined
			: `${paused.by} paused the reviews of #${number} on ${paused.at}; the comment /resume turns them on again`;
	} catch {
		return undefined;
	}
}
