import { type ReasonCode, UserError } from "../../domain/errors.ts";
import { isAcceptableRef } from "../../domain/git-ref.ts";
import { isSha } from "../../domain/ids.ts";
import type { Actor } from "../../domain/ids.ts";
import { OWN_BRANCH_PREFIX } from "../../domain/maintenance.ts";
import type { MaintainTrigger } from "../../domain/trigger.ts";
import type { EventFacts, ParsedEvent } from "../event-facts.ts";
import { dispatchSchema, pushSchema, readPayload, scheduleSchema, senderOf, toActor, workflowRunSchema } from "../event-payload.ts";

const JOB_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const PULL_NUMBER = /^[1-9]\d{0,8}$/;
/** Conclusions of a workflow run that leave something to mend. */
const FAILED: readonly string[] = ["failure", "timed_out", "startup_failure"];

/** `workflow_dispatch` with `inputs`, `repository_dispatch` with `client_payload`: a `job`, or a `pr` to review. */
export function readDispatchEvent(event: string, payload: unknown, facts: EventFacts): ParsedEvent {
	const { inputs, client_payload: client, sender } = readPayload(event, dispatchSchema, payload);
	const source = event === "repository_dispatch" ? "client_payload" : "inputs";
	const values = (event === "repository_dispatch" ? client : inputs) ?? {};
	const text = (key: string): string => readText(values[key], `event ${event}: ${source}.${key}`);
	const number = text("pr");
	const job = facts.job ?? text("job");
	checkRef(text("ref"), `event ${event}: ${source}.ref`);
	if (number !== "" && job !== "") {
		throw new UserError(`event ${event}: found both a pull request (${source}.pr) and a job (${job}), wanted one of them`);
	}
	const actor = senderOf(sender, facts);
	if (number !== "") {
		if (!PULL_NUMBER.test(number)) {
			throw new UserError(`event ${event}: ${source}.pr: found ${JSON.stringify(number.slice(0, 60))}, wanted a pull request's number`);
		}
		return { kind: "review-by-number", event, repository: facts.repository, actor, number: Number(number), attempt: facts.attempt };
	}
	if (job === "") return { kind: "skip", event, reason: `nothing is asked for: give a pull request in ${source}.pr, or a job` };
	return maintain(event, { job }, actor, facts);
}

/** BR-39: the payload holds the cron line and nothing else, and there is no person to check. */
export function readScheduleEvent(event: string, payload: unknown, facts: EventFacts): ParsedEvent {
	const { schedule } = readPayload(event, scheduleSchema, payload);
	const actor = senderOf(undefined, facts);
	if (facts.job !== undefined) return maintain(event, { job: facts.job }, actor, facts);
	if (schedule === undefined || schedule === null) {
		return { kind: "skip", event, reason: "a scheduled run needs the input job, or a cron line that jobs of the settings name" };
	}
	return maintain(event, { schedule }, actor, facts);
}

/** The work of somebody else's run has ended; the actor is who started that one (A06). */
export function readWorkflowRunEvent(event: string, payload: unknown, facts: EventFacts): ParsedEvent {
	const { action, workflow_run: run } = readPayload(event, workflowRunSchema, payload);
	const skip = (reason: string, code?: ReasonCode): ParsedEvent => ({
		kind: "skip",
		event,
		reason,
		...(code === undefined ? {} : { code }),
	});
	const name = run.name ?? "before";
	if (facts.job === undefined) return skip("after another workflow, the input job is needed");
	if (action !== "completed") return skip(`the other workflow is ${action}; a job waits for completed`);
	if (!FAILED.includes(run.conclusion ?? "")) {
		return skip(`the workflow ${name} ended with ${run.conclusion ?? "no conclusion"}: nothing to mend`);
	}
	const branch = run.head_branch ?? "";
	if (branch.startsWith(OWN_BRANCH_PREFIX)) return skip(`the workflow ${name} failed on ${branch}, a branch of ours`, "E_LOOP");
	const failure = {
		...{ id: run.id, name, branch, head: run.head_sha, conclusion: run.conclusion ?? "" },
		headRepository: run.head_repository?.full_name ?? null,
		startedBy: toActor(run.actor),
	};
	return maintain(event, { job: facts.job, failure }, toActor(run.triggering_actor ?? run.actor), facts);
}

export function readPushEvent(event: string, payload: unknown, facts: EventFacts): ParsedEvent {
	const { deleted, sender } = readPayload(event, pushSchema, payload);
	if (facts.job === undefined) return { kind: "skip", event, reason: "a push is not reviewed; with the input job, it starts that job" };
	if (deleted === true) return { kind: "skip", event, reason: "the push deleted a ref" };
	if (facts.ref.startsWith(`refs/heads/${OWN_BRANCH_PREFIX}`)) {
		return { kind: "skip", event, reason: `the push is to ${facts.ref}, a branch of ours`, code: "E_LOOP" };
	}
	return maintain(event, { job: facts.job }, senderOf(sender, facts), facts);
}

function maintain(
	event: string,
	what: Pick<MaintainTrigger, "job" | "schedule" | "failure">,
	actor: Actor,
	facts: EventFacts,
): ParsedEvent {
	if (what.job !== undefined && !JOB_NAME.test(what.job)) {
		throw new UserError(
			`event ${event}: job: found ${JSON.stringify(what.job.slice(0, 60))}, wanted a name of letters, digits, dots and dashes`,
		);
	}
	const { sha }: { readonly sha: unknown } = facts;
	if (!isSha(sha)) {
		throw new UserError(`GITHUB_SHA: found ${JSON.stringify(facts.sha).slice(0, 60)}, wanted a full commit SHA of 40 hex digits`, {
			code: "E_REF",
		});
	}
	checkRef(facts.ref, "GITHUB_REF");
	return { kind: "maintain", event, repository: facts.repository, actor, ...what, ref: facts.ref, sha };
}

/** Inputs of a dispatch are texts; a repository dispatch may carry numbers (BR-42). */
function readText(value: unknown, where: string): string {
	if (value === undefined || value === null) return "";
	if (typeof value === "string") return value.trim();
	if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
	throw new UserError(`${where}: found ${JSON.stringify(value).slice(0, 60)}, wanted a text`);
}

/** A ref from outside may hold anything, also line ends with workflow commands behind them (A12). */
function checkRef(ref: string, where: string): void {
	if (ref === "" || isAcceptableRef(ref)) return;
	throw new UserError(`${where}: found ${JSON.stringify(ref.slice(0, 60))}, wanted the name of a branch or tag`, { code: "E_REF" });
}
