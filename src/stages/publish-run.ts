import { createOutgoingCleaner } from "../guard/clean-outgoing.ts";
import type { ChangeSet, FilePatch } from "../domain/change-set.ts";
import type { PublicationResult } from "../domain/publication.ts";
import type { ReviewPlan } from "../domain/review-plan.ts";
import type { RunContext } from "../domain/run-context.ts";
import type { RunReport } from "../domain/run-report.ts";
import { MANIFEST_FILE, type ManifestPart } from "../domain/run-manifest.ts";
import type { Synthesis } from "../domain/synthesis.ts";
import type { Publication } from "../domain/publication.ts";
import type { GitHostReader, GitHostWriter } from "../seams.ts";
import { applyPublications } from "../publish/apply-publications.ts";
import { cleanSynthesis } from "../publish/clean-synthesis.ts";
import { buildReport } from "../publish/build-report.ts";
import { planCancelled } from "../publish/plan-cancelled.ts";
import { planPublications } from "../publish/plan-publications.ts";
import type { ExistingState } from "../publish/read-existing-state.ts";
import type { BannerRow } from "../publish/render/step-summary.ts";
import { hideCredentials, listTexts } from "./hide-credentials.ts";
import { buildManifest, hashText, printManifest } from "./build-manifest.ts";
import type { Trusted } from "./load-trusted.ts";
import type { PipelineSeams, RunFacts } from "./pipeline-seams.ts";
import { sealAudit } from "./seal-audit.ts";

/** Milliseconds that all waits for GitHub's limits may take together in one run. */
const WAIT_BUDGET_MS = 300_000;
/** The report's name in the run's folder of files. */
export const REPORT_FILE = "report.json";

/** Stands in where there is no GitHub. Nothing is planned for it then, so a call is a mistake of ours and rejects. */
function createAbsentHost<T extends object>(): T {
	return new Proxy({} as T, { get: () => () => Promise.reject(new Error("this run has no GitHub")) });
}

export interface PublishInput {
	readonly synthesis: Synthesis;
	readonly changeSet: ChangeSet;
	readonly context: RunContext;
	readonly plan: ReviewPlan;
	/** The very patches that were read. */
	readonly patches: readonly FilePatch[];
	/** Digest of the reviewers. */
	readonly reviewers: string;
	/** Some of the reviewers or files only. */
	readonly part: boolean;
	/** What steered the run. */
	readonly trusted: Pick<Trusted, "settings" | "policy" | "instructions">;
	/** What other jobs have left. */
	readonly parts?: readonly ManifestPart[];
	readonly existing: ExistingState;
	readonly banner: readonly BannerRow[];
	/** Kinds of publications the workflow wants. */
	readonly wanted: ReadonlySet<Publication["kind"]>;
}

export interface Published {
	readonly report: RunReport;
	readonly results: readonly PublicationResult[];
	readonly publications: readonly Publication[];
}

/** Plans what is written and writes it; the last stage of a run, and the only one that speaks. Never rejects for GitHub's sake. */
export async function publishRun(input: PublishInput, seams: PipelineSeams, facts: RunFacts): Promise<Published> {
	const { context } = input;
	await hideCredentials(listTexts(input.synthesis), seams);
	const cleaner = createOutgoingCleaner({ redact: seams.redact, allowedUrls: facts.links === undefined ? [] : [facts.links.repository] });
	const synthesis = cleanSynthesis(input.synthesis, cleaner);
	const report = buildReport({
		synthesis: { ...input.synthesis, refused: [...input.synthesis.refused, ...synthesis.filtered] },
		context,
		provider: seams.model.provider,
		startedAt: facts.startedAt,
		endedAt: seams.clock.now(),
		audit: await sealAudit(seams.audit),
		redact: seams.redact,
	});
	const agents = await seams.listPublishedAgents?.().catch(() => []);
	const manifest = printManifest(
		buildManifest({
			...{ context, trusted: input.trusted, plan: input.plan, report, redact: seams.redact, version: facts.version },
			...{ agents: agents ?? [], parts: input.parts ?? [] },
		}),
	);
	const planned = {
		manifest: { sha256: hashText(manifest), content: manifest, path: `${seams.artifacts.folder}/${MANIFEST_FILE}` },
		...(agents === undefined ? {} : { agents }),
		synthesis,
		changeSet: input.changeSet,
		context,
		plan: input.plan,
		patches: input.patches,
		reviewers: input.reviewers,
		part: input.part,
		failOn: input.trusted.settings.review.failOn,
		report,
		provider: seams.model.provider,
		existing: input.existing,
		instance: facts.instance,
		banner: input.banner,
		reportPath: `${seams.artifacts.folder}/${REPORT_FILE}`,
	};
	const publications = seams.signal.aborted ? planCancelled(planned, seams.clock.now()) : planPublications(planned);
	const wanted = publications.filter((publication) => input.wanted.has(publication.kind));
	const results = await applyPublications(wanted, {
		reader: seams.host?.reader ?? createAbsentHost<GitHostReader>(),
		writer: seams.host?.writer ?? createAbsentHost<GitHostWriter>(),
		clock: seams.clock,
		log: seams.log,
		budget: { left: WAIT_BUDGET_MS },
		signal: seams.signal,
		identity: input.existing.identity,
		instance: facts.instance,
		run: facts.runId,
		attempt: facts.attempt,
		startedAt: facts.startedAt,
		head: context.head,
		redact: seams.redact,
		sinks: { stepSummary: seams.sinks.stepSummary, outputs: seams.sinks.outputs, artifacts: seams.artifacts },
	});
	return { report, results, publications };
}
