import type { CommandWorld } from "../commands/command.ts";
import { COMMANDS } from "../commands/command-table.ts";
import { BUILT_IN_LANGUAGES, findLanguage } from "../agents/experts/table.ts";
import { UserError } from "../domain/errors.ts";
import type { FixReview } from "../domain/fix.ts";
import type { Sha } from "../domain/ids.ts";
import type { RunContext } from "../domain/run-context.ts";
import type { ReviewState } from "../domain/review-state.ts";
import type { CommandTrigger } from "../domain/trigger.ts";
import { createOutgoingCleaner } from "../guard/clean-outgoing.ts";
import type { Publication } from "../domain/publication.ts";
import { isOurs, parseMarker, type StickyMarker } from "../publish/marker.ts";
import type { CommandReply } from "../publish/read-replies.ts";
import type { GitHostActivity } from "../seams.ts";
import { findLimit } from "../stages/find-limit.ts";
import { loadChange, type Change } from "../stages/load-change.ts";
import type { Trusted } from "../stages/load-trusted.ts";
import type { PipelineSeams, RunFacts } from "../stages/pipeline-seams.ts";
import { askQuestion } from "./ask-question.ts";
import { listAgents, listSpecialists, proposeTrust, readAudit, readEarlierRun, type FactParts } from "./command-facts.ts";
import { COMMAND_NAMES } from "./command-names.ts";
import { previewPlan, reviewOnDemand } from "./command-review.ts";
import { type FixParts, fixOnDemand } from "./fix-on-demand.ts";
import { listPublishedRuns } from "./earlier-runs.ts";
import type { OpenedModel } from "./open-model.ts";

export interface WorldParts {
	readonly trigger: CommandTrigger;
	readonly context: RunContext;
	readonly trusted: Trusted;
	readonly state: ReviewState;
	readonly sticky: StickyMarker | undefined;
	readonly replies: readonly CommandReply[];
	readonly activity: GitHostActivity;
	/** Everything but the model, which is opened when a command wants one. */
	readonly seams: Omit<PipelineSeams, "model" | "modelId"> & Required<Pick<PipelineSeams, "host">>;
	readonly provider: string;
	/** Gives the reason instead of a model where a key is missing. */
	readonly openModel: () => Promise<OpenedModel | { readonly unavailable: string }>;
	readonly facts: RunFacts;
	readonly temp: string;
	readonly wanted: ReadonlySet<Publication["kind"]>;
	readonly dryRun: boolean;
	/** Branch that a proposal goes to. */
	readonly baseBranch: string;
	/** What a fix needs beyond the rest. */
	readonly fixing: Pick<FixParts, "identity" | "openPusher" | "propose"> & {
		/** Reviews the pull request at its new head, in a run of its own. */
		readonly reviewHead: (head: Sha, openModel: WorldParts["openModel"]) => Promise<FixReview>;
	};
	/** Settings and policy files that are there at the trusted ref. */
	readonly configSources: readonly string[];
}

const OFFLINE_MODEL = "offline-analyst";

/** What a command may use, over the parts of this run. Nothing is read before a command asks for it. */
export function createCommandWorld(parts: WorldParts): CommandWorld {
	const { trigger, context, trusted, seams, facts } = parts;
	const cleaner = createOutgoingCleaner({ redact: seams.redact, allowedUrls: facts.links === undefined ? [] : [facts.links.repository] });
	const published = listPublishedRuns(parts.sticky, parts.replies);
	let change: Promise<Change> | undefined;
	const readChange = (): Promise<Change> => {
		change ??= loadChange(context, seams as PipelineSeams);
		return change;
	};
	const readParts = async (): Promise<FactParts> => ({
		...{ context, trusted, published },
		change: await readChange(),
		reader: seams.reader,
		temp: parts.temp,
		activity: parts.activity,
	});
	const claim = createClaim(() => checkBudgets(parts));
	return {
		handle: COMMAND_NAMES.handle,
		number: trigger.number,
		isPullRequest: context.pullRequest !== undefined,
		actor: trigger.actor,
		head: context.head,
		settings: trusted.settings,
		state: parts.state,
		open:
			parts.sticky?.open.filter(
				(finding) => finding.silent !== true && !parts.state.settled.some((each) => each.fingerprint === finding.fingerprint),
			) ?? [],
		replies: parts.replies,
		reviewUsd: parts.sticky?.usd,
		...{ commands: COMMANDS, provider: parts.provider, runUrl: facts.links?.run },
		clean: (text) => cleaner.clean(text),
		cleanLine: (text) => cleaner.cleanLine(text),
		async ask(question) {
			const model = await parts.openModel();
			if ("unavailable" in model) return { kind: "unavailable", reason: model.unavailable };
			await claim();
			return askQuestion(question, { ...(await readParts()), seams: { ...seams, ...model } });
		},
		async review(wishes) {
			const model = await parts.openModel();
			if ("unavailable" in model) throw new UserError(model.unavailable);
			await claim();
			return reviewOnDemand(wishes, { context, trusted, wanted: parts.wanted }, { ...seams, ...model }, facts);
		},
		plan: async (wishes) => {
			const offlineModel = parts.provider === "offline" ? OFFLINE_MODEL : undefined;
			return previewPlan(wishes, { context, trusted, change: await readChange(), offlineModel }, seams);
		},
		threadFinding: () => findThreadFinding(parts),
		fix: (wish) => fixOnDemand(wish, describeFixing(parts, { readChange, claim, cleanLine: (text) => cleaner.cleanLine(text) })),
		async describeChange() {
			const { changeSet, trustDiff } = await readChange();
			return {
				files: changeSet.files.map(({ path, status, additions, deletions }) => ({
					...{ path, status, additions, deletions },
					language: findLanguage(path, BUILT_IN_LANGUAGES)?.profile.displayName ?? "–",
				})),
				trustDiff,
			};
		},
		listSpecialists: async () => listSpecialists(await readParts()),
		listAgents: async () => listAgents(await readParts()),
		earlierRun: async () => readEarlierRun(await readParts()),
		readAudit: async () => readAudit(await readParts()),
		readConfig: async () => ({ sources: parts.configSources, json: seams.redact(JSON.stringify(trusted.settings, undefined, 2)) }),
		trustAgent: async (name) =>
			proposeTrust(name, await readParts(), { branch: parts.baseBranch, by: trigger.actor.login, dryRun: parts.dryRun }),
	};
}

/** A reply below a comment of ours on a line or a file is about that comment's finding. */
async function findThreadFinding({ trigger, seams, fixing }: WorldParts): Promise<string | undefined> {
	if (trigger.comment.kind !== "review") return undefined;
	const comments = await seams.host.reader.reviewComments(trigger.number);
	const root = comments.find((each) => each.id === trigger.comment.id)?.inReplyTo;
	const first = comments.find((each) => each.id === root);
	return first === undefined || !isOurs(first, fixing.identity) ? undefined : parseMarker("finding", first.body)?.id;
}

function describeFixing(parts: WorldParts, more: Pick<FixParts, "readChange" | "claim" | "cleanLine">): FixParts {
	const { context, trusted, seams, facts, provider, openModel, dryRun, trigger, fixing } = parts;
	return {
		...{ context, trusted, seams, facts, provider, openModel, dryRun, reader: seams.host.reader, requestedBy: trigger.actor.login },
		...more,
		...fixing,
		reviewHead: (head) => fixing.reviewHead(head, openModel),
	};
}

/** A run has one set of journals, so one command of a comment may start agents; and only while there is money for it. */
function createClaim(check: () => Promise<void>): () => Promise<void> {
	let taken = false;
	return async () => {
		if (taken) throw new UserError("another command of this comment has started agents already; send this one in a comment of its own");
		taken = true;
		await check();
	};
}

/** Bounds of the pull request and of the repository's day; unknown prices bound nothing. */
async function checkBudgets({ trusted, trigger, context, seams, provider }: WorldParts): Promise<void> {
	const limit = await findLimit({
		...{ settings: trusted.settings, reader: seams.host.reader, automatic: false, free: provider === "offline", now: seams.clock.now() },
		...(context.pullRequest === undefined ? {} : { number: trigger.number }),
	});
	if (limit !== undefined) throw new UserError(limit, { code: "E_LIMIT" });
}
