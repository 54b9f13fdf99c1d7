import { BUILT_IN_LANGUAGES, extendTable } from "../agents/experts/table.ts";
import { EXPLORE_AGENT, PLAN_AGENT } from "../agents/built-in.ts";
import { describeAgents } from "../agents/invoke-agent.ts";
import type { Assignment, SubagentReport } from "../domain/child-run.ts";
import { costOf } from "../domain/cost.ts";
import { UserError } from "../domain/errors.ts";
import type { ModelFailure } from "../domain/model-message.ts";
import { createDelegateRunner, createDelegationTools, type DelegationSwitches } from "../engine/create-delegation-tools.ts";
import { createAgentTools } from "../engine/create-agent-tools.ts";
import { createLedger, type Ledger, type LedgerTotals } from "../engine/ledger.ts";
import { createRegistry } from "../engine/registry.ts";
import { createRunBudget, type RunBudget } from "../engine/run-budget.ts";
import { runChild } from "../engine/run-child.ts";
import { createScheduler, type Scheduler } from "../engine/scheduler.ts";
import type { Caller, SchedulerOptions } from "../engine/scheduler-options.ts";
import { createPathRules } from "../guard/path-rules.ts";
import { childLimits } from "../plan/child-limits.ts";
import type { Journal, Tool, WorkspaceProvider } from "../seams.ts";
import { parseReportText } from "../synthesis/parse-report.ts";
import { hideDenied } from "./hide-denied.ts";
import { createOrchestratorDeck, type DeckInput, type OrchestratorDeck } from "./orchestrator-deck.ts";
import { buildOrchestrator, ORCHESTRATOR_SYSTEM } from "./orchestrator-agent.ts";
import type { PipelineSeams } from "./pipeline-seams.ts";
import { createDelegationResolver, type DelegationResolver } from "./resolve-delegation.ts";
import { settleSandbox } from "./settle-sandbox.ts";
import { type Citation, verifyCitations } from "./verify-citations.ts";

export interface QuestionInput extends DeckInput {
	/** What was asked, by somebody who may ask. */
	readonly question: string;
	/** Turned off by settings or policy of the trusted ref; all are on unless said otherwise (S-010). */
	readonly switches?: Partial<DelegationSwitches>;
	/** The journal entries of a session of this run, for continuations and call lists. */
	readonly readEntries?: SchedulerOptions["readEntries"];
	/** An agent of an earlier run of the same pull request (S-163). */
	readonly restore?: Parameters<typeof createAgentTools>[0]["restore"];
}

export type QuestionOutcome =
	| {
			readonly kind: "answered";
			/** Markdown with checked places; also says when the answer is only a part of one. Not cleaned for publishing yet. */
			readonly answer: string;
			readonly citations: readonly Citation[];
			/** Who answered: the primary, or the explore child. */
			readonly report: SubagentReport;
			/** Everybody who was started for it. */
			readonly children: readonly SubagentReport[];
			readonly totals: LedgerTotals;
			readonly fatal: ModelFailure | undefined;
	  }
	/** Nothing ran: there is no model that could answer (S-050). */
	| { readonly kind: "unavailable"; readonly reason: string };

/** Kept from the children, so that the primary can always answer (S-088). */
const FLOOR_SHARE = 0.2;
const MAIN_SESSION = "main-1";
/** Longer than any child, which ends by its own limit first. */
const TOOL_TIME_FACTOR = 2;

/** A question to a primary at depth 0, which reads, searches and delegates by itself (S-012). */
export function runOrchestrator(input: QuestionInput, seams: PipelineSeams): Promise<QuestionOutcome> {
	return runQuestion(input, seams, askPrimary);
}

/** A question straight to one explore child: no model call before it (S-012, S-028). */
export function runExplore(input: QuestionInput, seams: PipelineSeams): Promise<QuestionOutcome> {
	return runQuestion(input, seams, askExploreChild);
}

export interface QuestionRun {
	readonly input: QuestionInput;
	readonly seams: PipelineSeams;
	readonly deck: OrchestratorDeck;
	readonly resolver: DelegationResolver;
	readonly scheduler: Scheduler;
	readonly options: SchedulerOptions;
	readonly budget: RunBudget;
	readonly ledger: Ledger;
	readonly journal: Journal;
	readonly agents: DeckInput["trusted"]["agents"];
	readonly languages: readonly string[];
	readonly workspaces: WorkspaceProvider;
}

/** What every kind of question has around it; `ask` carries it out and names the report that is the answer. */
export async function runQuestion(
	asked: QuestionInput,
	given: PipelineSeams,
	ask: (run: QuestionRun) => Promise<SubagentReport>,
): Promise<QuestionOutcome> {
	if (given.model.provider === "offline") {
		return { kind: "unavailable", reason: "there is no model in this run: set anthropic-api-key (forks get no secrets)" };
	}
	const seams = await settleSandbox(asked, given);
	const input = { ...asked, change: hideDenied(asked.change, createPathRules(asked.trusted.policy)) };
	await using workspaces = seams.openWorkspaces(input.context.head);
	const journal = seams.journals.openRun();
	try {
		const run = await openQuestionRun(input, seams, { journal, workspaces });
		const report = await ask(run);
		await run.scheduler.settle();
		const verified = await verifyCitations(report.text, {
			readHead: input.change.readHead,
			paths: new Set((await seams.reader.listFiles(input.context.head)).map((file) => file.path)),
			context: input.context,
		});
		return {
			kind: "answered",
			answer: verified.markdown,
			citations: verified.citations,
			report,
			children: run.options.registry.list().flatMap((entry) => entry.report ?? []),
			totals: run.ledger.totals(),
			fatal: run.scheduler.fatal(),
		};
	} finally {
		await journal.close();
	}
}

async function openQuestionRun(
	input: QuestionInput,
	seams: PipelineSeams,
	opened: { readonly journal: Journal; readonly workspaces: WorkspaceProvider },
): Promise<QuestionRun> {
	const { settings, policy } = input.trusted;
	const ledger = createLedger(opened.journal);
	const budget = createRunBudget({
		tokens: settings.budget.runTokens,
		usd: settings.budget.runUsd,
		floorTokens: Math.floor(settings.budget.runTokens * FLOOR_SHARE),
		floorUsd: settings.budget.runUsd * FLOOR_SHARE,
	});
	const deck = createOrchestratorDeck(input, seams, opened.workspaces);
	const profiles = extendTable(BUILT_IN_LANGUAGES, settings.moe.experts, settings.checks);
	const agents = [EXPLORE_AGENT, PLAN_AGENT, ...input.trusted.agents];
	const resolver = createDelegationResolver({
		agents,
		profiles,
		settings,
		limits: policy.limits,
		trustDiff: input.change.trustDiff,
		reader: seams.reader,
		trusted: input.context.trusted,
		...(input.trusted.organisation === undefined ? {} : { organisation: input.trusted.organisation }),
		headFiles: new Set((await seams.reader.listFiles(input.context.head)).map((file) => file.path)),
		changed: new Map(input.change.changeSet.files.map((file) => [file.path, file])),
		modelFor: deck.modelFor,
	});
	const options: SchedulerOptions = {
		base: input.context.base,
		head: input.context.head,
		journal: opened.journal,
		journals: seams.journals,
		clock: seams.clock,
		budget,
		ledger,
		registry: createRegistry(),
		maxConcurrent: settings.subagents.maxConcurrent,
		signal: seams.signal,
		price: costOf,
		redact: seams.redact,
		...(seams.progress === undefined ? {} : { events: seams.progress }),
		...(input.readEntries === undefined ? {} : { readEntries: input.readEntries }),
		parseReportText: (text) => parseReportText(text)?.report,
		open: async (request, identity, self) => deck.open(request, identity, nestedTools(run, request.assignment, self)),
	};
	const run: QuestionRun = {
		...{ input, seams, deck, resolver, options, budget, ledger, agents },
		...opened,
		scheduler: createScheduler(options),
		languages: profiles.map((profile) => profile.id),
	};
	return run;
}

/** A child may delegate itself only where the settings allow more than one level and its file grants the tool (S-148). */
function nestedTools(run: QuestionRun, assignment: Assignment, self: Caller): readonly Tool[] {
	if (!assignment.agent.tools.includes("agent") || assignment.agent.disallowedTools.includes("agent")) return [];
	return createAgentTools(agentToolOptions(run, self));
}

function agentToolOptions(run: QuestionRun, self: Caller): Parameters<typeof createAgentTools>[0] {
	const { subagents } = run.input.trusted.settings;
	return {
		scheduler: run.scheduler,
		options: run.options,
		self,
		maxDepth: subagents.maxDepth,
		catalogue: describeAgents(run.agents),
		timeoutMs: subagents.timeoutSeconds * 1_000 * TOOL_TIME_FACTOR,
		resolve: (call) => run.resolver.agent(call),
		...(run.input.restore === undefined ? {} : { restore: run.input.restore }),
	};
}

/** S-010, S-022: what the settings of the trusted ref turn off is not there. */
function readSwitches(input: QuestionInput): DelegationSwitches {
	const { moe, subagents } = input.trusted.settings;
	const wanted = { explore: true, experts: true, agents: true, task: true, ...input.switches };
	return { ...wanted, experts: wanted.experts && moe.enabled, agents: wanted.agents && subagents.enabled };
}

/** All ways of delegating that are on, and the runner that carries `task` out (D-41, S-050). */
function openDelegating(run: QuestionRun, self: Caller, switches: DelegationSwitches): Promise<readonly Tool[]> {
	const { enabled } = run.input.trusted.settings.subagents;
	const runner = createDelegateRunner({
		scheduler: run.scheduler,
		self,
		agents: run.agents.map((agent) => agent.name),
		resolve: (request) => run.resolver.task(request),
	});
	return createDelegationTools({
		...agentToolOptions(run, self),
		switches,
		languages: run.languages,
		resolveExplore: (call) => run.resolver.explore(call),
		resolveExperts: (call) => run.resolver.experts(call),
		...(enabled ? { runner } : { noRunner: "subagents.enabled is false in the settings" }),
	});
}

/** The primary with its question; its Delegates section names the tool that is there to reach them. */
function assignQuestion(run: QuestionRun, switches: DelegationSwitches): Assignment {
	const { settings, policy } = run.input.trusted;
	const tool = switches.agents ? "agent" : switches.task && settings.subagents.enabled ? "task" : undefined;
	const agent = buildOrchestrator(run.agents, tool);
	return {
		agent,
		files: [],
		task: run.input.question,
		limits: childLimits(agent, settings, policy.limits),
		reason: "a question was asked",
		access: "read",
	};
}

async function askPrimary(run: QuestionRun): Promise<SubagentReport> {
	const { input, seams, deck } = run;
	const self: Caller = { ...run.scheduler.main, agentId: "main", session: MAIN_SESSION };
	const switches = readSwitches(input);
	const assignment = assignQuestion(run, switches);
	const model = deck.modelFor(assignment.agent);
	if (!model.ok) throw new UserError(model.reason, { code: model.code });
	const delegating = await openDelegating(run, self, switches);
	await using workspace = await run.workspaces.open({ kind: "shared", session: MAIN_SESSION });
	const guarded = await deck.guardTools({ assignment, session: MAIN_SESSION, workspace, delegating });
	await using tools = guarded.tools;
	void tools;
	const report = await runChild(assignment, {
		session: MAIN_SESSION,
		...{ agentId: "main", name: null, parent: null, parentCall: null, depth: 0 },
		model: seams.model,
		modelId: model.model,
		effort: deck.effortFor(assignment.agent),
		...guarded,
		journal: seams.journals.open(MAIN_SESSION),
		clock: seams.clock,
		budget: run.budget,
		budgetUse: "final",
		ledger: run.ledger,
		brief: { system: [{ type: "text", text: ORCHESTRATOR_SYSTEM }], pack: input.pack?.blocks ?? [] },
		signal: seams.signal,
		base: input.context.base,
		head: input.context.head,
		price: costOf,
		redact: seams.redact,
		inbox: self.inbox,
		...(seams.progress === undefined ? {} : { events: seams.progress }),
	});
	run.ledger.settle(report);
	await run.journal.append({ type: "run.data", name: "primary", data: report });
	return report;
}

async function askExploreChild(run: QuestionRun): Promise<SubagentReport> {
	const request = run.resolver.explore({ question: run.input.question });
	const [report] = await run.scheduler.runPlanned([request]);
	if (report === undefined) throw new Error("a planned child gave no report");
	return report;
}
