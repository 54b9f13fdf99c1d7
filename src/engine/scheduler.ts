import pLimit from "p-limit";
import type { SubagentReport } from "../domain/child-run.ts";
import { errorText } from "../domain/errors.ts";
import type { ModelFailure } from "../domain/model-message.ts";
import type { ChildIdentity, ResumedHistory } from "./child-environment.ts";
import { createInbox } from "./inbox.ts";
import { notStartedReport } from "./not-started-report.ts";
import type { RegistryEntry } from "./registry.ts";
import { renderNotification } from "./render-agent-result.ts";
import type { ScheduledChild } from "./run-scheduled-child.ts";
import { runScheduledChild } from "./run-scheduled-child.ts";
import type { Caller, ChildRequest, SchedulerOptions } from "./scheduler-options.ts";
import { describeRequest } from "./scheduler-options.ts";
import { createTreeLock } from "./tree-lock.ts";

/** A child that was started for a tool call, or the reason why none was. */
export type Started =
	| { readonly ok: true; readonly identity: ChildIdentity; readonly report: Promise<SubagentReport> }
	| { readonly ok: false; readonly refusal: string };

/** Runs all children of a run: those of the plan and those a model asks for, through one limit and one engine (S-012). */
export interface Scheduler {
	/** The caller that stands for the pipeline itself. */
	readonly main: Caller;
	/**
	 * Runs planned children, as many at a time as the limit allows; the others wait, none is refused (D-16). Resolves
	 * when all of them have ended, in the order of the requests (S-104).
	 */
	runPlanned(requests: readonly ChildRequest[], caller?: Caller): Promise<readonly SubagentReport[]>;
	/**
	 * Starts a child for a tool call, or refuses (S-137, S-147). A foreground child is cancelled with `signal`; a
	 * background one only with its caller, which gets a notification at its end (S-140, S-141).
	 */
	spawn(request: ChildRequest, caller: Caller, how: { readonly background: boolean; readonly signal: AbortSignal }): Started;
	/** Continues a finished child in the background with a message (S-161). */
	continueChild(
		entry: RegistryEntry,
		continuation: { readonly request: ChildRequest; readonly resumed: ResumedHistory },
		caller: Caller,
	): Started;
	/** The failure that stopped the whole run, when there was one (BR-76). */
	fatal(): ModelFailure | undefined;
	/** Cancels everything that runs or waits. Only sets flags, so a signal handler may call it. */
	cancel(reason: string): void;
	/** Resolves when nothing runs any more (S-104, S-131). */
	settle(): Promise<void>;
}

interface Launch extends Omit<ScheduledChild, "onFatal"> {
	readonly background: boolean;
	/** Ends only this child. */
	readonly controller: AbortController;
}

function linkSignals(from: readonly AbortSignal[]): Pick<Launch, "controller" | "signal"> {
	const controller = new AbortController();
	return { controller, signal: AbortSignal.any([...from, controller.signal]) };
}

/** Gives a child its ids and its place in the registry. Nothing has started yet. */
function prepareLaunch(
	options: SchedulerOptions,
	stop: AbortSignal,
	request: ChildRequest,
	caller: Caller,
	how?: { readonly background: boolean; readonly signal: AbortSignal },
): Launch {
	const background = how?.background === true;
	const identity = options.registry.identify(request.assignment.agent, {
		...(request.name === undefined ? {} : { name: request.name }),
		parent: caller.session,
		parentCall: request.callId ?? null,
		depth: caller.depth + 1,
	});
	const inbox = createInbox();
	const { assignment } = request;
	const description = describeRequest(request);
	options.registry.add({ ...identity, assignment, description, caller: caller.agentId, background, status: "queued", runs: 0, inbox });
	// A background child outlives the call that started it; only its caller's end reaches it (S-169).
	const callSignal = how === undefined || background ? [] : [how.signal];
	return { request, caller, identity, background, inbox, ...linkSignals([options.signal, stop, ...callSignal]) };
}

/** A continued child keeps its ids; who continues it becomes its caller (S-161). */
function prepareContinuation(
	options: SchedulerOptions,
	stop: AbortSignal,
	entry: RegistryEntry,
	continuation: { readonly request: ChildRequest; readonly resumed: ResumedHistory },
	caller: Caller,
): Launch {
	const inbox = createInbox();
	options.registry.update(entry.agentId, { status: "queued", caller: caller.agentId, background: true, inbox });
	return { ...continuation, caller, identity: entry, background: true, inbox, ...linkSignals([options.signal, stop]) };
}

function skipChild(options: SchedulerOptions, child: Launch): SubagentReport {
	const report = notStartedReport(child.request, child.identity, errorText(child.signal.reason));
	options.registry.update(child.identity.agentId, { status: report.status, report });
	return report;
}

/** S-147: every child counts, whatever its depth and however it was started; the number told is of those that run. */
function refuseWhenFull(started: number, most: number): string | undefined {
	if (started < most) return undefined;
	return `${most} agents are running, which is the limit. Wait until one of them has ended; calling again before that is refused as well.`;
}

/** Makes the scheduler of one run. */
export function createScheduler(options: SchedulerOptions): Scheduler {
	const limit = pLimit(options.maxConcurrent);
	const stop = new AbortController();
	const running = new Set<Promise<unknown>>();
	const main: Caller = { agentId: null, session: null, depth: 0, budget: options.budget, inbox: createInbox(), lock: createTreeLock() };
	let fatal: ModelFailure | undefined;

	function onFatal(failure: ModelFailure): void {
		fatal ??= failure;
		stop.abort(new Error(`${failure.kind}: ${failure.message}`));
	}

	function launch(child: Launch): Promise<SubagentReport> {
		const report = child.caller.lock.run(child.request.alone === true ? "alone" : "shared", () => limit(() => runOne(child)));
		running.add(report);
		const forget = () => running.delete(report);
		report.then(forget, forget);
		child.caller.inbox.adopt({ ended: report, stop: (reason) => child.controller.abort(new Error(reason)) });
		return report;
	}

	async function runOne(child: Launch): Promise<SubagentReport> {
		const report = await (child.signal.aborted ? skipChild(options, child) : runScheduledChild(options, { ...child, onFatal }));
		// The news is there before the child counts as ended, so that no caller ends in between (S-144).
		if (child.background) child.caller.inbox.push({ text: renderNotification(report, child.request, child.identity), notification: true });
		return report;
	}

	function refuse(request: ChildRequest): string | undefined {
		return options.refuse?.(request) ?? refuseWhenFull(running.size, options.maxConcurrent);
	}

	return {
		main,
		runPlanned(requests, caller = main) {
			const children = requests.map((request) => prepareLaunch(options, stop.signal, request, caller));
			return Promise.all(children.map(launch));
		},
		spawn(request, caller, how) {
			const refusal = refuse(request);
			if (refusal !== undefined) return { ok: false, refusal };
			const child = prepareLaunch(options, stop.signal, request, caller, how);
			return { ok: true, identity: child.identity, report: launch(child) };
		},
		continueChild(entry, continuation, caller) {
			const refusal = refuse(continuation.request);
			if (refusal !== undefined) return { ok: false, refusal };
			return { ok: true, identity: entry, report: launch(prepareContinuation(options, stop.signal, entry, continuation, caller)) };
		},
		fatal: () => fatal,
		cancel: (reason) => stop.abort(new Error(reason)),
		async settle() {
			while (running.size > 0) await Promise.allSettled([...running]);
		},
	};
}
