import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { parse } from "yaml";
import { parseFileCommand, parseStandardOutput, type RunnerCommand } from "./parse-runner-commands.ts";

/** What a step of a workflow would give the action. */
export interface ActionRun {
	/** Folder that holds `action.yml` and `dist`. */
	readonly actionFolder: string;
	/** `GITHUB_WORKSPACE`: the checkout, which is also the working directory. */
	readonly workspace: string;
	/** `RUNNER_TEMP`; must exist. */
	readonly temp: string;
	readonly event: { readonly name: string; readonly payload: unknown };
	/** Inputs of the step; absent ones get the default of `action.yml`. */
	readonly inputs: Readonly<Record<string, string>>;
	readonly repository: string;
	readonly sha: string;
	readonly ref: string;
	readonly actor: string;
	readonly apiUrl: string;
	readonly serverUrl: string;
	readonly graphqlUrl?: string;
	readonly runId?: string;
	readonly runAttempt?: string;
	/** `GITHUB_WORKFLOW`; `rookery` unless given. */
	readonly workflow?: string;
	/** Environment of the step, for example what an earlier step left behind. */
	readonly env?: Readonly<Record<string, string>>;
	/** `PATH` of the runner. */
	readonly path: string;
	/** The node binary; the caller's own by default. */
	readonly node?: string;
	/** Milliseconds until the step is cancelled as the runner does it. */
	readonly timeoutMs?: number;
	/** Called with the running process, for tests that cancel it. */
	readonly onStart?: (step: RunningStep) => void;
}

export interface RunningStep {
	readonly process: ChildProcess;
	/** SIGINT, 7,500 ms, SIGTERM, 2,500 ms, SIGKILL: the runner's own sequence. Resolves with the milliseconds it took. */
	cancel(): Promise<number>;
}

export interface ActionResult {
	readonly exitCode: number | null;
	readonly signal: string | null;
	readonly stdout: string;
	readonly stderr: string;
	readonly outputs: Readonly<Record<string, string>>;
	readonly state: Readonly<Record<string, string>>;
	readonly exportedEnv: Readonly<Record<string, string>>;
	readonly addedPath: string;
	readonly summary: string;
	/** `::name key=value::data` commands of both streams, in order. */
	readonly commands: readonly RunnerCommand[];
	readonly durationMs: number;
}

interface ActionManifest {
	readonly inputs?: Readonly<Record<string, { readonly default?: unknown }>>;
	readonly runs: { readonly main: string; readonly post?: string };
}

/** Defaults of `action.yml` with the one expression we use, `${{ github.token }}`, left to the caller. */
function resolveInputs(manifest: ActionManifest, given: Readonly<Record<string, string>>): Record<string, string> {
	const environment: Record<string, string> = {};
	const names = new Set([...Object.keys(manifest.inputs ?? {}), ...Object.keys(given)]);
	for (const name of names) {
		const fallback = String(manifest.inputs?.[name]?.default ?? "");
		environment[`INPUT_${name.replace(/ /g, "_").toUpperCase()}`] = given[name] ?? (fallback.includes("${{") ? "" : fallback);
	}
	return environment;
}

function githubEnvironment(run: ActionRun): Record<string, string> {
	const [owner] = run.repository.split("/");
	return {
		CI: "true",
		GITHUB_ACTIONS: "true",
		GITHUB_ACTION: "rookery",
		GITHUB_ACTION_PATH: run.actionFolder,
		GITHUB_ACTOR: run.actor,
		GITHUB_API_URL: run.apiUrl,
		GITHUB_EVENT_NAME: run.event.name,
		GITHUB_GRAPHQL_URL: run.graphqlUrl ?? `${run.apiUrl}/graphql`,
		GITHUB_JOB: "rookery",
		GITHUB_REF: run.ref,
		GITHUB_REPOSITORY: run.repository,
		GITHUB_REPOSITORY_OWNER: owner ?? "",
		GITHUB_RUN_ATTEMPT: run.runAttempt ?? "1",
		GITHUB_RUN_ID: run.runId ?? "1",
		GITHUB_RUN_NUMBER: "1",
		GITHUB_SERVER_URL: run.serverUrl,
		GITHUB_SHA: run.sha,
		GITHUB_TRIGGERING_ACTOR: run.actor,
		GITHUB_WORKFLOW: run.workflow ?? "rookery",
		GITHUB_WORKSPACE: run.workspace,
		RUNNER_ARCH: "X64",
		RUNNER_ENVIRONMENT: "github-hosted",
		RUNNER_NAME: "loopback",
		RUNNER_OS: "Linux",
		RUNNER_TEMP: run.temp,
	};
}

const FILE_COMMANDS = {
	GITHUB_OUTPUT: "set_output_",
	GITHUB_STATE: "save_state_",
	GITHUB_ENV: "set_env_",
	GITHUB_PATH: "add_path_",
	GITHUB_STEP_SUMMARY: "step_summary_",
} as const;

async function makeRunnerFiles(run: ActionRun): Promise<Record<keyof typeof FILE_COMMANDS | "GITHUB_EVENT_PATH", string>> {
	const commandFolder = path.join(run.temp, "_runner_file_commands");
	const eventFolder = await mkdtemp(path.join(run.temp, "_github_workflow-"));
	await mkdir(commandFolder, { recursive: true });
	const files: Record<string, string> = { GITHUB_EVENT_PATH: path.join(eventFolder, "event.json") };
	await writeFile(path.join(eventFolder, "event.json"), JSON.stringify(run.event.payload));
	for (const [variable, prefix] of Object.entries(FILE_COMMANDS)) {
		const file = path.join(commandFolder, prefix + randomUUID());
		await writeFile(file, "");
		files[variable] = file;
	}
	return files as Record<keyof typeof FILE_COMMANDS | "GITHUB_EVENT_PATH", string>;
}

function makeRunningStep(child: ChildProcess): RunningStep {
	const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
	const waitOrEnd = (ms: number) =>
		new Promise<void>((resolve) => {
			const timer = setTimeout(resolve, ms);
			void ended.then(() => {
				clearTimeout(timer);
				resolve();
			});
		});
	return {
		process: child,
		async cancel() {
			const start = performance.now();
			for (const [signal, grace] of [
				["SIGINT", 7500],
				["SIGTERM", 2500],
				["SIGKILL", 1000],
			] as const) {
				if (child.exitCode !== null || child.signalCode !== null) break;
				child.kill(signal);
				await waitOrEnd(grace);
			}
			return performance.now() - start;
		},
	};
}

async function startStep(run: ActionRun, script: string, environment: Record<string, string>): Promise<ActionResult> {
	const files = await makeRunnerFiles(run);
	const start = performance.now();
	// As the runner does it: no shell, closed standard input, the workspace as working directory.
	const child = spawn(run.node ?? process.execPath, [path.join(run.actionFolder, script)], {
		cwd: run.workspace,
		env: { PATH: run.path, HOME: run.temp, ...run.env, ...environment, ...githubEnvironment(run), ...files },
		stdio: ["ignore", "pipe", "pipe"],
	});
	const step = makeRunningStep(child);
	run.onStart?.(step);
	const chunks: { stdout: Buffer[]; stderr: Buffer[] } = { stdout: [], stderr: [] };
	child.stdout?.on("data", (data: Buffer) => chunks.stdout.push(data));
	child.stderr?.on("data", (data: Buffer) => chunks.stderr.push(data));
	const timer = setTimeout(() => void step.cancel(), run.timeoutMs ?? 120_000);
	const [exitCode, signal] = await new Promise<[number | null, string | null]>((resolve, reject) => {
		child.once("error", reject);
		child.once("close", (code, name) => resolve([code, name]));
	});
	clearTimeout(timer);
	const stdout = Buffer.concat(chunks.stdout).toString("utf8");
	const stderr = Buffer.concat(chunks.stderr).toString("utf8");
	const [outputs, state, exportedEnv, addedPath, summary] = await Promise.all(
		[files.GITHUB_OUTPUT, files.GITHUB_STATE, files.GITHUB_ENV, files.GITHUB_PATH, files.GITHUB_STEP_SUMMARY].map((file) =>
			readFile(file, "utf8"),
		),
	);
	return {
		exitCode,
		signal,
		stdout,
		stderr,
		outputs: parseFileCommand(outputs ?? ""),
		state: parseFileCommand(state ?? ""),
		exportedEnv: parseFileCommand(exportedEnv ?? ""),
		addedPath: addedPath ?? "",
		summary: summary ?? "",
		commands: parseStandardOutput(`${stdout}\n${stderr}`),
		durationMs: performance.now() - start,
	};
}

async function readManifest(folder: string): Promise<ActionManifest> {
	return parse(await readFile(path.join(folder, "action.yml"), "utf8")) as ActionManifest;
}

/**
 * Runs the action's main step as GitHub's runner does: same environment, event file, file commands and
 * cancel sequence (actions/runner 2.336). Rejects only when the process cannot be started.
 */
export async function runAction(run: ActionRun): Promise<ActionResult> {
	const manifest = await readManifest(run.actionFolder);
	return startStep(run, manifest.runs.main, resolveInputs(manifest, run.inputs));
}

/** Runs the post step with the state that the main step saved. */
export async function runPostStep(run: ActionRun, state: Readonly<Record<string, string>>): Promise<ActionResult> {
	const manifest = await readManifest(run.actionFolder);
	if (manifest.runs.post === undefined) throw new Error("action.yml has no post step");
	const saved = Object.fromEntries(Object.entries(state).map(([key, value]) => [`STATE_${key}`, value]));
	return startStep(run, manifest.runs.post, { ...resolveInputs(manifest, run.inputs), ...saved });
}
