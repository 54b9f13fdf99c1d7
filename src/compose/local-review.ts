import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { resolveRunContext } from "../context/resolve-run-context.ts";
import { UserError } from "../domain/errors.ts";
import type { Severity } from "../domain/finding.ts";
import { GHOST } from "../domain/ids.ts";
import type { RunContext } from "../domain/run-context.ts";
import type { Provider } from "../intake/inputs.ts";
import { type PipelineOutcome, runPipeline } from "../pipeline.ts";
import type { Log, Secrets } from "../seams.ts";
import { loadTrusted } from "../stages/load-trusted.ts";
import type { PipelineSeams } from "../stages/pipeline-seams.ts";
import { followRun, type FollowOptions } from "./follow-run.ts";
import { openModel } from "./open-model.ts";
import { openRun } from "./open-run.ts";
import { VERSION } from "./version.ts";
import type { ReportFiles } from "./write-report-files.ts";

export interface LocalReviewOptions {
	readonly repo: string;
	readonly base: string;
	readonly head?: string;
	readonly provider: Provider;
	readonly apiKey?: string;
	readonly baseUrl?: string;
	readonly model?: string;
	readonly failOn?: Severity | "never";
	readonly settings?: string;
	readonly log: Log;
	readonly secrets: Secrets;
	readonly signal: AbortSignal;
	readonly bundleFolder: string;
	/** True when report files are wanted besides the JSON one. */
	readonly files?: boolean;
	/** A terminal to draw the agents on while they work. */
	readonly terminal?: FollowOptions["terminal"];
}

export interface LocalReview {
	readonly outcome: PipelineOutcome;
	readonly failOn: Severity | "never";
	readonly reportPath: string;
	readonly journals: string;
	readonly files?: ReportFiles;
}

/**
 * Reviews a local clone: the same pipeline without GitHub. Settings, policy and instructions are those of the base,
 * as in a pull request. Throws a UserError for a folder that is no repository and for revisions that name no commit.
 */
export async function reviewLocally(options: LocalReviewOptions): Promise<LocalReview> {
	const startedAt = Date.now();
	const temp = await mkdtemp(path.join(os.tmpdir(), "rookery-"));
	const runName = `local-${startedAt}`;
	await using run = await openRun({
		folder: options.repo,
		temp,
		runName,
		log: options.log,
		secrets: options.secrets,
		bundleFolder: options.bundleFolder,
		signal: options.signal,
	});
	const comparison = await resolveRunContext(run.seams.history, {
		kind: "local",
		base: options.base,
		...(options.head === undefined ? {} : { head: options.head }),
	});
	if (!comparison.ok)
		throw new UserError(`${comparison.reason}; ${comparison.advice}`, comparison.code === undefined ? {} : { code: comparison.code });
	const trusted = await loadTrusted({
		reader: run.seams.reader,
		trusted: comparison.base,
		...(options.settings === undefined ? {} : { settingsPath: options.settings }),
		overrides: {
			...(options.model === undefined ? {} : { model: options.model }),
			...(options.failOn === undefined ? {} : { failOn: options.failOn }),
		},
	});
	const model = await openModel({
		provider: options.provider,
		clock: run.clock,
		...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
		...(options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl }),
	});
	const followed = await followRun({
		journals: run.seams.journals,
		clock: run.clock,
		log: options.log,
		...(options.terminal === undefined ? {} : { terminal: options.terminal }),
	});
	const nothing = async () => undefined;
	const seams: PipelineSeams = { ...run.seams, ...model, sinks: { stepSummary: nothing, outputs: nothing }, ...followed.seams };
	const context: RunContext = {
		base: comparison.base,
		head: comparison.head,
		mergeBase: comparison.mergeBase,
		notes: comparison.notes,
		runId: runName,
		attempt: 1,
		event: "local",
		repository: { owner: "local", name: path.basename(path.resolve(options.repo)) },
		actor: GHOST,
		tier: "T0",
		tierReason: "a local review only reads",
		trusted: comparison.base,
	};
	const facts = { runId: runName, attempt: 1, startedAt, version: VERSION, instance: "local" };
	const outcome = await runPipeline({ context, trusted, wanted: new Set(["file"] as const) }, seams, facts);
	await followed.close();
	const failOn = trusted.settings.review.failOn;
	const files = options.files === true ? await renderFiles(outcome, failOn, seams) : undefined;
	return {
		...(files === undefined ? {} : { files }),
		outcome,
		failOn,
		reportPath: path.join(run.seams.artifacts.folder, "report.json"),
		journals: run.seams.journals.folder,
	};
}

async function renderFiles(outcome: PipelineOutcome, failOn: Severity | "never", seams: PipelineSeams): Promise<ReportFiles> {
	const { renderReportFiles } = await import("./write-report-files.ts");
	return renderReportFiles({ report: outcome.report, failOn, seams });
}
