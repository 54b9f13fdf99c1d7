import { readFile } from "node:fs/promises";
import { fetchRunFiles } from "../adapters/earlier-run/fetch-run-files.ts";
import { hashFile } from "../adapters/journal-file/list-published-agents.ts";
import { listCommittedAgentFiles } from "../agents/agent-folders.ts";
import { EXPLORE_AGENT, PLAN_AGENT } from "../agents/built-in.ts";
import { buildCatalogue, type Catalogue } from "../agents/catalogue.ts";
import { BUILT_IN_LANGUAGES, extendTable, findLanguage, FURTHER_LANGUAGES } from "../agents/experts/table.ts";
import type { AgentRow, AuditView, EarlierRun, OtherReaderRow, SpecialistRow, TrustProposal } from "../commands/command.ts";
import { describeGrants } from "../domain/describe-grants.ts";
import { errorText } from "../domain/errors.ts";
import type { RunContext } from "../domain/run-context.ts";
import { describeAuditEntry } from "../guard/describe-audit-entry.ts";
import { verifyAudit } from "../guard/verify-audit.ts";
import type { GitHostActivity, RepositoryReader } from "../seams.ts";
import type { Change } from "../stages/load-change.ts";
import type { Trusted } from "../stages/load-trusted.ts";
import type { PipelineSeams } from "../stages/pipeline-seams.ts";
import { planRun } from "../stages/plan-run.ts";
import { computeClosures } from "../trust/closure-hash.ts";
import { decideConsent } from "../trust/consent.ts";
import { addPin, loadTrustLock, TRUST_LOCK_PATH } from "../trust/trust-lock.ts";
import type { PublishedRun } from "./earlier-runs.ts";
import { nameRun } from "./name-run.ts";
import { readSessionTree, renderSessionTree } from "./session-command.ts";

/** What the commands that only tell something read. */
export interface FactParts {
	readonly context: RunContext;
	readonly trusted: Trusted;
	readonly change: Change;
	readonly reader: RepositoryReader;
	readonly temp: string;
	readonly activity: GitHostActivity;
	readonly published: readonly PublishedRun[];
}

const SUBMODULE_MODE = "160000";

/** S-199: every specialist with its files at the head, and what it would read of this pull request. */
export async function listSpecialists(
	parts: FactParts,
): Promise<{ readonly specialists: readonly SpecialistRow[]; readonly others: readonly OtherReaderRow[] }> {
	const { settings } = parts.trusted;
	const profiles = extendTable(BUILT_IN_LANGUAGES, settings.moe.experts, settings.checks);
	const files = (await parts.reader.listFiles(parts.context.head)).filter((file) => file.mode !== SUBMODULE_MODE).map((file) => file.path);
	const counts = new Map<string, number>();
	for (const file of files) {
		const id = findLanguage(file, profiles)?.profile.id;
		if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
	}
	const there = new Set(files);
	const plan =
		parts.context.pullRequest === undefined
			? undefined
			: await planRun(parts.context, parts.trusted, parts.change, { reader: parts.reader } as PipelineSeams);
	const assignments = plan?.assignments ?? [];
	const quiet = new Set(FURTHER_LANGUAGES.filter((profile) => settings.moe.experts[profile.id] === undefined).map(({ id }) => id));
	// The further built-in languages only where they have files; they would be most of the table.
	const shown = profiles.filter(({ id }) => !quiet.has(id) || counts.has(id) || assignments.some((each) => each.agent.language === id));
	const specialists = shown.map((profile): SpecialistRow => {
		const own = assignments.filter((each) => each.agent.language === profile.id);
		return {
			id: profile.id,
			displayName: profile.displayName,
			testCommand: profile.testCommand(there),
			extensions: profile.extensions,
			files: counts.get(profile.id) ?? 0,
			changed: plan === undefined ? undefined : own.reduce((sum, each) => sum + each.files.length, 0),
			reasons: own.map((each) => each.reason),
		};
	});
	const others = assignments.filter((each) => each.agent.language === undefined);
	return {
		specialists,
		others: others.map((each) => ({ name: each.agent.displayName ?? each.agent.name, files: each.files.length, reason: each.reason })),
	};
}

async function readCatalogue(parts: FactParts): Promise<Catalogue> {
	const repository = await listCommittedAgentFiles(parts.reader, parts.context.trusted);
	return buildCatalogue({ builtIn: [EXPLORE_AGENT, PLAN_AGENT], repository });
}

/** S-200: a row an agent, those that do not run with the reason, and those that only the head has. */
export async function listAgents(parts: FactParts): Promise<readonly AgentRow[]> {
	const { reader, context, trusted } = parts;
	const catalogue = await readCatalogue(parts);
	const custom = catalogue.agents.filter((agent) => agent.tier !== "built-in");
	const [closures, lock] = await Promise.all([computeClosures(reader, context.trusted, custom), loadTrustLock(reader, context.trusted)]);
	const mode = trusted.settings.agents.trust;
	const off = trusted.settings.subagents.enabled ? undefined : "custom agents are off (subagents.enabled)";
	const rows = custom.map((agent): AgentRow => {
		const consent = decideConsent({ mode, agent, closure: closures.get(agent.source?.path ?? ""), lock });
		const trust = consent.ok ? (consent.why === "tier" ? agent.tier : consent.why) : consent.reason;
		return {
			name: agent.name,
			source: agent.source?.path ?? agent.tier,
			tools: describeGrants(agent),
			model: agent.model ?? "inherited",
			trust: off ?? trust,
			runs: consent.ok && off === undefined,
		};
	});
	const refusedRows = catalogue.problems.map((problem) => row(problem.name ?? "–", problem.path, problem.reason));
	const heads = parts.change.trustDiff.filter((each) => each.kind === "agent" && each.change === "added");
	const headRows = heads.map((each) =>
		row(each.agent?.name ?? "–", each.path, "only in the head of this pull request; it can run after the merge"),
	);
	return [...rows, ...refusedRows, ...headRows];
}

function row(name: string, source: string, trust: string): AgentRow {
	return { name, source, tools: [], model: "–", trust, runs: false };
}

/** X-07: a pull request that adds the pin, or the text for it where the token may not. */
export async function proposeTrust(
	name: string,
	parts: FactParts,
	target: { readonly branch: string; readonly by: string; readonly dryRun: boolean },
): Promise<TrustProposal> {
	const { reader, context } = parts;
	const catalogue = await readCatalogue(parts);
	const agent = catalogue.agents.find((each) => each.name === name && each.tier === "repository");
	const path = agent?.source?.path;
	if (agent === undefined || path === undefined) {
		const known = catalogue.agents.filter((each) => each.tier === "repository").map((each) => each.name);
		return {
			kind: "unknown",
			reason: `there is no agent ${JSON.stringify(name.slice(0, 80))} on the base branch; there are: ${known.join(", ") || "none"}`,
		};
	}
	const closure = (await computeClosures(reader, context.trusted, [agent])).get(path)?.hash ?? "";
	const lock = await loadTrustLock(reader, context.trusted);
	if (Object.hasOwn(lock.agents, path) && lock.agents[path]?.closure === closure) return { kind: "pinned", path };
	const content = addPin(lock, { path, name, closure, by: target.by });
	if (target.dryRun) return { kind: "by-hand", why: "dry-run is set", file: TRUST_LOCK_PATH, content };
	const slug = name
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, "-")
		.slice(0, 40);
	const made = await parts.activity.proposeFile({
		branch: `rookery/trust-${slug}-${closure.slice(0, 8)}`,
		base: target.branch,
		from: context.trusted,
		path: TRUST_LOCK_PATH,
		content,
		message: `Trust the agent ${name}\n\nPins ${path} and what it relies on at ${closure}.`,
		title: `Trust the agent ${name}`,
		body: `Adds a pin of \`${path}\` and of everything it relies on to \`${TRUST_LOCK_PATH}\`.\n\nClosure: \`${closure}\`, computed at \`${context.trusted}\`. Tools: ${
			describeGrants(agent)
				.map((tool) => `\`${tool}\``)
				.join(" ") || "none"
		}.\n\nAsked for in #${context.pullRequest?.number ?? "an issue"}. Read the files before merging: from then on the agent may run.`,
	});
	if (!made.ok) return { kind: "by-hand", why: made.message, file: TRUST_LOCK_PATH, content };
	return { kind: "proposed", ...made.value, path, closure };
}

/** S-201: the newest run we told of. */
export async function readEarlierRun(parts: FactParts): Promise<EarlierRun | undefined> {
	const [run] = parts.published;
	if (run === undefined) return undefined;
	const runName = nameRun(run.run, run.attempt);
	const fetched = await fetchRunFiles({ temp: parts.temp, runName, runId: run.run, activity: parts.activity });
	return {
		run: run.run,
		attempt: run.attempt,
		agents: run.agents,
		url: await findArtifactUrl(run, runName, parts),
		tree: fetched.ok ? await readTree(fetched.files.runJournal) : fetched,
	};
}

async function readTree(runJournal: string): Promise<EarlierRun["tree"]> {
	try {
		const { run: _path, ...tree } = await readSessionTree(runJournal);
		// The path of a file on the runner is of no use in a comment.
		return { ok: true, text: renderSessionTree({ ...tree, run: "" }).replace(/\njournal: $/, "") };
	} catch (error) {
		return { ok: false, reason: errorText(error) };
	}
}

async function findArtifactUrl(run: PublishedRun, runName: string, parts: FactParts): Promise<string | undefined> {
	const page = parts.context.links === undefined ? undefined : `${parts.context.links.repository}/actions/runs/${run.run}`;
	if (page === undefined) return undefined;
	try {
		const artifact = (await parts.activity.artifacts(Number(run.run))).findLast((each) => each.name === `rookery-${runName}`);
		return artifact === undefined ? `${page}#artifacts` : `${page}/artifacts/${artifact.id}`;
	} catch {
		return `${page}#artifacts`;
	}
}

/** S-123: the policy in force at the trusted ref, and the decisions of the newest run that kept an audit. */
export async function readAudit(parts: FactParts): Promise<AuditView> {
	const policies = (
		await Promise.all(
			[...new Set(parts.trusted.policy.sources)].map(async (path) => {
				const bytes = await parts.reader.readFile(parts.context.trusted, path);
				return bytes === undefined ? [] : [{ path, sha256: hashFile(bytes) }];
			}),
		)
	).flat();
	const [run] = parts.published;
	if (run === undefined) {
		const reason = "there was no run here yet whose agents we told of";
		return { policies, audit: { ok: false, reason }, verified: { ok: false, text: `There is nothing to verify: ${reason}.` } };
	}
	const fetched = await fetchRunFiles({
		temp: parts.temp,
		runName: nameRun(run.run, run.attempt),
		runId: run.run,
		activity: parts.activity,
	});
	const text = fetched.ok ? await readFile(fetched.files.audit, "utf8").catch(() => undefined) : undefined;
	if (text === undefined) {
		const reason = fetched.ok ? `run ${run.run} left no audit` : fetched.reason;
		return {
			policies,
			audit: { ok: false, reason },
			verified: { ok: false, text: `The audit of run ${run.run} cannot be verified: ${reason}.` },
		};
	}
	const checked = verifyAudit(text);
	return {
		policies,
		audit: { ok: true, run: run.run, total: checked.entries.length, events: [...checked.entries].reverse().map(describeAuditEntry) },
		verified: describeCheck(checked, run),
	};
}

function describeCheck(checked: ReturnType<typeof verifyAudit>, run: PublishedRun): AuditView["verified"] {
	if (!checked.ok) return { ok: false, text: `The audit of run ${run.run} was changed: line ${checked.line}: ${checked.reason}.` };
	const sound = `The audit of run ${run.run} holds: ${checked.entries.length} entries, each behind the one before it, ending in ${checked.head.slice(0, 12)}`;
	const { audit } = run;
	if (audit === undefined) return { ok: true, text: `${sound}. No head was published to compare its end with.` };
	const at = checked.entries.findIndex((entry) => entry.hash === audit.head);
	if (at + 1 !== audit.entries)
		return {
			ok: false,
			text: `The audit of run ${run.run} does not hold the head that was published (${audit.head.slice(0, 12)}): lines are missing.`,
		};
	// What a run still writes once its comment is out is its own end, and nothing else.
	const later = checked.entries.slice(at + 1).find((entry) => entry.type !== "closed");
	if (later !== undefined)
		return { ok: false, text: `The audit of run ${run.run}: line ${later.seq} was added after its head was published.` };
	return { ok: true, text: `${sound}, as it was published.` };
}
