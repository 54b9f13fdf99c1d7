import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { listCommittedAgentFiles } from "../agents/agent-folders.ts";
import { EXPLORE_AGENT, PLAN_AGENT } from "../agents/built-in.ts";
import { buildCatalogue } from "../agents/catalogue.ts";
import { resolveRunContext } from "../context/resolve-run-context.ts";
import type { AgentDefinition } from "../domain/agent.ts";
import { describeGrants } from "../domain/describe-grants.ts";
import { UserError } from "../domain/errors.ts";
import type { Finding } from "../domain/finding.ts";
import { GHOST, type Sha } from "../domain/ids.ts";
import type { ReviewPlan } from "../domain/review-plan.ts";
import type { RunContext } from "../domain/run-context.ts";
import { totalTokens } from "../domain/usage.ts";
import type { Provider } from "../intake/inputs.ts";
import { buildPack } from "../plan/build-pack.ts";
import type { Log, RepositoryReader, Secrets } from "../seams.ts";
import { loadChange } from "../stages/load-change.ts";
import { loadTrusted, type Trusted } from "../stages/load-trusted.ts";
import type { PipelineSeams } from "../stages/pipeline-seams.ts";
import { planRun } from "../stages/plan-run.ts";
import { readEarlier } from "../stages/read-earlier.ts";
import { runChildren } from "../stages/run-children.ts";
import { settleSandbox } from "../stages/settle-sandbox.ts";
import { synthesizeRun } from "../stages/synthesize-run.ts";
import { diffAgents } from "../trust/diff-agents.ts";
import { openModel } from "./open-model.ts";
import { openRun } from "./open-run.ts";
import { VERSION } from "./version.ts";

export interface AgentsTestOptions {
	readonly repo: string;
	/** Name of the reviewer in both versions. */
	readonly name: string;
	/** What is reviewed: the change from here … */
	readonly base: string;
	/** … to here; HEAD unless given. */
	readonly head?: string;
	/** Where the reviewer's old and new version stand; base and head of the change unless given. */
	readonly baseVersion?: string;
	readonly headVersion?: string;
	readonly provider: Provider;
	readonly apiKey?: string;
	readonly baseUrl?: string;
	readonly model?: string;
	readonly log: Log;
	readonly secrets: Secrets;
	readonly signal: AbortSignal;
	readonly bundleFolder: string;
}

/** One version of the reviewer and what it found. */
export interface TestedVersion {
	readonly label: "base" | "head";
	readonly ref: string;
	readonly commit: Sha;
	readonly path?: string;
	readonly sha256?: string;
	readonly tools: readonly string[];
	/** refused: the file would not run, and `reason` says why. */
	readonly status: "refused" | "completed" | "partial" | "failed" | "cancelled" | "skipped";
	readonly reason?: string;
	readonly findings: readonly Finding[];
	readonly steps: number;
	readonly tokens: number;
	readonly costUsd: number | null;
	/** Journal of the child. */
	readonly journal?: string;
}

export interface AgentsTestResult {
	readonly name: string;
	readonly comparison: { readonly base: Sha; readonly head: Sha };
	readonly versions: readonly [TestedVersion, TestedVersion];
	/** What the file grants and says, before and after (S-040). */
	readonly changes: ReturnType<typeof diffAgents>;
	/** By fingerprint: what only one version finds, and what both find. */
	readonly onlyBase: readonly Finding[];
	readonly onlyHead: readonly Finding[];
	readonly both: readonly Finding[];
}

/**
 * `rookery agents test NAME`: a dry run of a changed reviewer. Both versions review the same local comparison, alone and
 * one after the other, with the settings and policy of the comparison's base; nothing is published. Throws a UserError
 * when revisions name no commit or neither version has the agent.
 */
export async function testAgentVersions(options: AgentsTestOptions): Promise<AgentsTestResult> {
	const temp = await mkdtemp(path.join(os.tmpdir(), "rookery-"));
	const openVersion = (label: string) => openRun({ ...options, folder: options.repo, temp, runName: `agents-test-${label}` });
	await using first = await openVersion("base");
	await using second = await openVersion("head");
	const comparison = await resolveRunContext(first.seams.history, {
		kind: "local",
		base: options.base,
		...(options.head === undefined ? {} : { head: options.head }),
	});
	if (!comparison.ok) throw new UserError(`${comparison.reason}; ${comparison.advice}`);
	const trusted = await loadTrusted({
		reader: first.seams.reader,
		trusted: comparison.base,
		...(options.model === undefined ? {} : { overrides: { model: options.model } }),
	});
	const refs = { base: options.baseVersion ?? options.base, head: options.headVersion ?? options.head ?? "HEAD" };
	const commits = { base: await resolveVersion(first, refs.base), head: await resolveVersion(first, refs.head) };
	const found = {
		base: await findVersion(first.seams.reader, commits.base, options.name),
		head: await findVersion(first.seams.reader, commits.head, options.name),
	};
	if (found.base.agent === undefined && found.head.agent === undefined) {
		const reasons = [found.base.reason, found.head.reason].join("; ");
		throw new UserError(
			`agents test: found ${JSON.stringify(options.name.slice(0, 80))}, wanted an agent of ${refs.base} or ${refs.head} (${reasons})`,
		);
	}
	const model = await openModel({ ...options, clock: first.clock });
	const versions = [];
	for (const [label, run] of [
		["base", first],
		["head", second],
	] as const) {
		const nothing = async () => undefined;
		const context = makeContext(options, comparison, commits[label]);
		const opened: PipelineSeams = { ...run.seams, ...model, sinks: { stepSummary: nothing, outputs: nothing } };
		const seams = await settleSandbox({ context, trusted }, opened);
		const version = { label, ref: refs[label], commit: commits[label] };
		const { agent, reason } = found[label];
		versions.push(agent === undefined ? refuse(version, reason) : await reviewWith(agent, version, { context, trusted, seams }));
	}
	const [base, head] = versions as [TestedVersion, TestedVersion];
	return {
		name: options.name,
		comparison: { base: comparison.base, head: comparison.head },
		versions: [base, head],
		changes: diffAgents(asFile(found.base.agent), asFile(found.head.agent)),
		...compareFindings(base.findings, head.findings),
	};
}

async function resolveVersion(run: Awaited<ReturnType<typeof openRun>>, ref: string): Promise<Sha> {
	const commit = await run.seams.history.resolve(ref);
	if (commit === undefined)
		throw new UserError(`agents test: found the version ${JSON.stringify(ref)}, wanted a commit of this repository`, { code: "E_REF" });
	return commit;
}

async function findVersion(
	reader: RepositoryReader,
	commit: Sha,
	name: string,
): Promise<{ readonly agent?: AgentDefinition; readonly reason: string }> {
	const repository = await listCommittedAgentFiles(reader, commit);
	const catalogue = await buildCatalogue({ builtIn: [EXPLORE_AGENT, PLAN_AGENT], repository });
	const agent = catalogue.agents.find((candidate) => candidate.name === name && candidate.tier === "repository");
	if (agent !== undefined) return { agent, reason: "" };
	const problem = catalogue.problems.find((candidate) => candidate.name === name);
	return { reason: problem === undefined ? `there is no agent ${name}` : `${problem.code}: ${problem.path}: ${problem.reason}` };
}

type Version = Pick<TestedVersion, "label" | "ref" | "commit">;

function refuse(version: Version, reason: string): TestedVersion {
	return { ...version, tools: [], status: "refused", reason, findings: [], steps: 0, tokens: 0, costUsd: 0 };
}

/** The stages of a review with this one reviewer, whatever the settings select; specialists stay out. */
async function reviewWith(
	agent: AgentDefinition,
	version: Version,
	run: { readonly context: RunContext; readonly trusted: Trusted; readonly seams: PipelineSeams },
): Promise<TestedVersion> {
	const { context, seams } = run;
	const { settings } = run.trusted;
	const review = { ...settings.review, reviewers: [{ agent: agent.name, when: "always" as const }] };
	const trusted: Trusted = { ...run.trusted, agents: [agent], refusedAgents: [], settings: { ...settings, review } };
	const described = {
		...version,
		...(agent.source === undefined ? {} : { path: agent.source.path, sha256: agent.source.sha256 }),
		tools: describeGrants(agent),
	};
	const change = await loadChange(context, seams);
	const whole = await planRun(context, trusted, change, seams);
	const plan: ReviewPlan = { ...whole, assignments: whole.assignments.filter((assignment) => assignment.agent.kind === "reviewer") };
	const skipped = plan.skippedAgents.find((one) => one.name === agent.name);
	if (plan.assignments.length === 0) return { ...refuse(version, skipped?.reason ?? "the change has no file for it"), ...described };
	const patches = await change.readPatches(plan.assignments.flatMap((assignment) => assignment.files.map((file) => file.path)));
	const pack = buildPack({ context, changeSet: change.changeSet, plan, patches, instructions: trusted.instructions });
	const children = await runChildren({ plan, context, trusted, change, pack }, seams);
	const facts = { runId: context.runId, attempt: 1, startedAt: seams.clock.now(), version: VERSION, instance: "local" };
	const earlier = await readEarlier(context, seams, facts);
	const synthesis = await synthesizeRun({ context, trusted, change, plan, children, earlier, patches, startedAt: facts.startedAt });
	const report = children.reports[0];
	return {
		...described,
		status: report?.status ?? "failed",
		...(report?.error === undefined ? {} : { reason: report.error }),
		findings: synthesis.findings,
		steps: report?.steps ?? 0,
		tokens: totalTokens(children.totals.usage),
		costUsd: children.totals.costUsd,
		...(report?.journal === undefined ? {} : { journal: report.journal }),
	};
}

/** Skills are read where the reviewer's file stands, so that a version is tested with all that belongs to it. */
function makeContext(
	options: AgentsTestOptions,
	comparison: { readonly base: Sha; readonly head: Sha; readonly mergeBase: Sha },
	trusted: Sha,
): RunContext {
	return {
		base: comparison.base,
		head: comparison.head,
		mergeBase: comparison.mergeBase,
		notes: [],
		runId: "agents-test",
		attempt: 1,
		event: "local",
		repository: { owner: "local", name: path.basename(path.resolve(options.repo)) },
		actor: GHOST,
		tier: "T0",
		tierReason: "a local review only reads",
		trusted,
	};
}

function asFile(agent: AgentDefinition | undefined): Parameters<typeof diffAgents>[0] {
	return agent === undefined ? undefined : { state: "loaded", agent, readOnlyByDefault: false, repairs: [], warnings: [] };
}

function compareFindings(base: readonly Finding[], head: readonly Finding[]): Pick<AgentsTestResult, "onlyBase" | "onlyHead" | "both"> {
	const inBase = new Set(base.map((finding) => finding.fingerprint));
	const inHead = new Set(head.map((finding) => finding.fingerprint));
	return {
		onlyBase: base.filter((finding) => !inHead.has(finding.fingerprint)),
		onlyHead: head.filter((finding) => !inBase.has(finding.fingerprint)),
		both: head.filter((finding) => inBase.has(finding.fingerprint)),
	};
}

/** Both versions side by side, for the terminal. */
export function renderAgentsTest(result: AgentsTestResult): string {
	const { changes } = result;
	const rows = result.versions.map((version) => {
		const cost = version.costUsd === null ? "cost unknown" : `${version.costUsd.toFixed(4)} USD`;
		const end = version.reason === undefined ? version.status : `${version.status}: ${version.reason}`;
		const tools = version.tools.join(", ") || "no tools";
		return `${version.label}  ${version.ref} (${version.commit.slice(0, 12)}): ${end}; ${version.findings.length} findings, ${version.steps} steps, ${version.tokens} tokens, ${cost}; ${tools}`;
	});
	const list = (title: string, sign: string, findings: readonly Finding[]): readonly string[] =>
		findings.length === 0
			? [`${title}: none`]
			: [`${title}:`, ...findings.map((finding) => `  ${sign} ${finding.severity} ${finding.path}:${finding.startLine} ${finding.title}`)];
	return [
		`Reviewer ${result.name} on ${result.comparison.base.slice(0, 12)}..${result.comparison.head.slice(0, 12)}`,
		...rows,
		...(changes === undefined ? [] : [describeChanges(changes)]),
		...list("Only the new version finds", "+", result.onlyHead),
		...list("Only the old version finds", "-", result.onlyBase),
		...list("Both find", " ", result.both),
	].join("\n");
}

function describeChanges(changes: NonNullable<AgentsTestResult["changes"]>): string {
	const parts = [
		...(changes.toolsAdded.length === 0 ? [] : [`tools added: ${changes.toolsAdded.join(", ")}`]),
		...(changes.toolsRemoved.length === 0 ? [] : [`tools removed: ${changes.toolsRemoved.join(", ")}`]),
		...(changes.gains.length === 0 ? [] : [`GAINS ${changes.gains.join(" and ")} ability`]),
		...changes.fields.map(({ field, from, to }) => `${field}: ${from ?? "unset"} → ${to ?? "unset"}`),
		...(changes.promptChanged ? ["instructions changed"] : []),
	];
	return `Changes: ${parts.join("; ") || "none"}`;
}
