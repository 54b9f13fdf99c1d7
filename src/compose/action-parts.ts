import { readFile } from "node:fs/promises";
import path from "node:path";
import { createGitHubHost, type GitHubHost } from "../adapters/github/create-github-host.ts";
import { cleanLine, cleanText } from "../context/clean-text.ts";
import { errorText, UserError } from "../domain/errors.ts";
import type { Publication } from "../domain/publication.ts";
import type { PullRequestFacts } from "../domain/trigger.ts";
import type { Inputs, PublishTarget } from "../intake/inputs.ts";
import type { Log, Secrets } from "../seams.ts";
import type { RunFacts } from "../stages/pipeline-seams.ts";
import type { SettingsOverrides } from "../trust/settings.ts";
import type { OpenRunOptions } from "./open-run.ts";
import type { RunnerEnvironment } from "./runner-environment.ts";
import { VERSION } from "./version.ts";

/*
 * What every kind of job of the action makes from its inputs and the runner's environment.
 */

export interface ActionOptions {
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** Writes one line to standard output. */
	readonly write: (line: string) => void;
	/** Aborted by SIGINT and SIGTERM. */
	readonly signal: AbortSignal;
	readonly bundleFolder: string;
}

export interface JobTools extends ActionOptions {
	readonly log: Log;
	readonly secrets: Secrets;
}

export async function readEventFile(file: string): Promise<string> {
	try {
		return await readFile(file, "utf8");
	} catch (error) {
		throw new UserError(`GITHUB_EVENT_PATH: ${file} cannot be read (${errorText(error)}); wanted the runner's event file`, {
			cause: error,
		});
	}
}

export function keyIsMissing(inputs: Inputs): boolean {
	return inputs.providerGiven && inputs.provider === "anthropic" && inputs.anthropicApiKey === undefined;
}

export function settled<T>(result: PromiseSettledResult<T>): T {
	if (result.status === "rejected") throw result.reason;
	return result.value;
}

export function openHost(inputs: Inputs, runner: RunnerEnvironment, log: Log): Promise<GitHubHost> {
	if (inputs.githubToken === undefined) {
		throw new UserError("input github-token: empty; wanted a token that may read pull requests, for example $" + "{{ github.token }}");
	}
	// The spacing of writes is for GitHub's limits; a GitHub on this machine (tests, the demo) has none.
	const throttle = !["127.0.0.1", "[::1]", "localhost"].includes(new URL(runner.apiUrl).hostname);
	return createGitHubHost({
		throttle,
		token: inputs.githubToken,
		baseUrl: runner.apiUrl,
		repository: runner.repository,
		proxy: runner.proxy,
		log,
	});
}

/** Where git fetches from and pushes to. */
export function addressOf(runner: Pick<RunnerEnvironment, "serverUrl" | "repository">): string {
	return `${runner.serverUrl}/${runner.repository.owner}/${runner.repository.name}.git`;
}

export function runOptions(inputs: Inputs, runner: RunnerEnvironment, tools: JobTools, runName: string): OpenRunOptions {
	const remoteUrl = addressOf(runner);
	const basic = Buffer.from(`x-access-token:${inputs.githubToken ?? ""}`).toString("base64");
	tools.secrets.add(basic);
	return {
		folder: path.join(runner.workspace, inputs.workingDirectory),
		temp: runner.temp,
		runName,
		log: tools.log,
		secrets: tools.secrets,
		bundleFolder: tools.bundleFolder,
		authorization: { url: remoteUrl, header: `AUTHORIZATION: basic ${basic}` },
		network: runner.network,
		remoteUrl,
		// A job that only publishes runs nothing.
		probeSandbox: inputs.mode === "publish" ? "when asked" : "now",
		setUpSandbox: inputs.setupSandbox,
		searchPath: runner.searchPath,
		signal: tools.signal,
	};
}

export function settingsOverrides(inputs: Inputs): SettingsOverrides {
	return {
		...(inputs.model === undefined ? {} : { model: inputs.model }),
		...(inputs.failOn === undefined ? {} : { failOn: inputs.failOn }),
		...(inputs.trust === undefined ? {} : { trust: inputs.trust }),
		...(inputs.maxCostUsd === undefined ? {} : { limits: { runUsd: inputs.maxCostUsd } }),
	};
}

export function readFacts(runner: RunnerEnvironment, startedAt: number): RunFacts {
	const repository = `${runner.serverUrl}/${runner.repository.owner}/${runner.repository.name}`;
	return {
		runId: runner.runId,
		attempt: runner.attempt,
		startedAt,
		version: VERSION,
		instance: runner.workflow,
		links: { repository, run: `${repository}/actions/runs/${runner.runId}` },
	};
}

/** Title and description as a model may read them, with a remark for each hidden part that was taken out (A15). */
export function cleanPullRequest(pullRequest: PullRequestFacts): {
	readonly pullRequest: PullRequestFacts;
	readonly notes: readonly string[];
} {
	const title = cleanLine(pullRequest.title);
	const body = cleanText(pullRequest.body);
	const removed = [...title.removed, ...body.removed];
	const count = removed.reduce((sum, [, number]) => sum + number, 0);
	const notes =
		count === 0
			? []
			: [
					`${count} hidden part${count === 1 ? " was" : "s were"} removed from title and description (${removed.map(([kind, number]) => `${kind} ${number}`).join(", ")}).`,
				];
	return { pullRequest: { ...pullRequest, title: title.text, body: body.text }, notes };
}

const PUBLICATION_KINDS: Readonly<Record<PublishTarget, Publication["kind"]>> = {
	review: "review",
	sticky: "sticky",
	check: "check",
	summary: "step-summary",
};

/** Outputs and the report are always written: they leave the machine only when the workflow sends them somewhere. */
export function wantedKinds(inputs: Inputs): ReadonlySet<Publication["kind"]> {
	const chosen = inputs.dryRun ? [] : [...inputs.publish].map((target) => PUBLICATION_KINDS[target]);
	const summary: Publication["kind"][] = inputs.publish.has("summary") ? ["step-summary"] : [];
	const conversations: Publication["kind"][] = chosen.includes("review") ? ["resolve"] : [];
	return new Set([...chosen, ...conversations, ...summary, "outputs", "file"]);
}
