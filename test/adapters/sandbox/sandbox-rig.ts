import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { openSandbox, type Sandbox } from "../../../src/adapters/sandbox/open-sandbox.ts";
import type { SandboxSpec } from "../../../src/adapters/sandbox/sandbox-spec.ts";
import { findBubblewrap } from "../../../src/adapters/sandbox/find-bubblewrap.ts";
import {
	createWorkerClient,
	type WorkerClient,
	type WorkerClientOptions,
} from "../../../src/adapters/worker-client/create-worker-client.ts";
import type { ToolName } from "../../../src/domain/agent.ts";
import { type CommandLimits, DEFAULT_COMMAND_LIMITS } from "../../../src/domain/worker-protocol.ts";
import { createPathRules } from "../../../src/guard/path-rules.ts";
import type { Tool, ToolOutput } from "../../../src/seams.ts";
import { createShellTools, createWriteTools } from "../../../src/tools/create-hosted-tools.ts";
import { createReadOnlyTools } from "../../../src/tools/create-read-only-tools.ts";
import { createReadState } from "../../../src/tools/read-state.ts";
import { type BuiltWorker, buildWorker } from "./build-worker.ts";

/** True where the tests of the sandbox can run. In CI they always do, so a missing bubblewrap fails there. */
export async function canSandbox(): Promise<boolean> {
	if (process.env["CI"] !== undefined) return true;
	const found = await findBubblewrap();
	if (!found.ok) console.warn(`notice: sandbox tests are left out: ${found.reason}. ${found.fix}`);
	return found.ok;
}

export interface SandboxRig extends AsyncDisposable {
	readonly sandbox: Sandbox;
	readonly built: BuiltWorker;
	/** Holds trees and what lies beside them. */
	readonly folder: string;
	/** A tree with a git repository whose one commit holds the files; `origin` is a bare copy outside. */
	makeRepository(files?: Readonly<Record<string, string>>): Promise<{ readonly root: string; readonly origin: string }>;
	openChild(spec: SandboxSpec, change?: ChildChange): TestChild;
}

export interface ChildChange extends Partial<Pick<WorkerClientOptions, "restarts" | "answers" | "launch">> {
	readonly limits?: Partial<CommandLimits>;
	readonly tools?: readonly ToolName[];
}

export interface TestChild extends AsyncDisposable {
	readonly client: WorkerClient;
	readonly problems: readonly string[];
	use(tool: ToolName, input: unknown, signal?: AbortSignal): Promise<ToolOutput>;
	bash(command: string, timeoutSeconds?: number): Promise<ToolOutput>;
}

export async function makeSandboxRig(): Promise<SandboxRig> {
	const built = await buildWorker();
	const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), "rookery-sandbox-")));
	await chmod(folder, 0o755);
	const sandbox = await openSandbox({ code: built.code, temporaryFolder: folder });
	if (!sandbox.available) throw new Error(`no sandbox: ${sandbox.reason}. ${sandbox.fix}`);
	let count = 0;
	return {
		...{ sandbox, built, folder },
		async makeRepository(files = { "a.txt": "one\n" }) {
			count += 1;
			const root = path.join(folder, `tree-${count}`);
			const origin = path.join(folder, `origin-${count}.git`);
			await mkdir(root);
			for (const [name, content] of Object.entries(files)) {
				await mkdir(path.dirname(path.join(root, name)), { recursive: true });
				await writeFile(path.join(root, name), content);
			}
			const git = (...args: readonly string[]): void => {
				const identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
				execFileSync("git", [...identity, ...args], { cwd: root, stdio: "ignore", env: { PATH: "/usr/bin:/bin", HOME: folder } });
			};
			git("init", "--initial-branch=main");
			git("add", "--all", "--force");
			git("commit", "--message", "first");
			git("clone", "--bare", root, origin);
			git("remote", "add", "origin", origin);
			return { root, origin };
		},
		openChild: (spec, change = {}) => openChild(sandbox, spec, change),
		[Symbol.asyncDispose]: async () => {
			await rm(folder, { recursive: true, force: true });
			await built[Symbol.asyncDispose]();
		},
	};
}

function openChild(sandbox: Sandbox, spec: SandboxSpec, change: ChildChange): TestChild {
	const limits = { ...DEFAULT_COMMAND_LIMITS, ...change.limits };
	const tools = shapesOf(spec.root, limits);
	const problems: string[] = [];
	const rules = createPathRules({ denyPaths: ["secrets/**"], protectedPaths: [] });
	const client = createWorkerClient({
		tools,
		start: {
			...{ type: "start", root: spec.root, head: "1".repeat(40), mergeBase: "2".repeat(40), changedFiles: [] },
			tools: change.tools ?? tools.map((tool) => tool.spec.name as ToolName),
			...{
				denyPaths: ["secrets/**"],
				assets: sandbox.codePath("grammars"),
				hasFileList: change.answers?.listFiles !== undefined,
				commands: limits,
			},
		},
		launch: change.launch ?? (() => sandbox.start(spec, "worker.js")),
		answers: change.answers ?? { readPatches: async () => [], readBase: async () => undefined, isVisible: rules.isVisible },
		onProblem: (text) => problems.push(text),
		...(change.restarts === undefined ? {} : { restarts: change.restarts }),
	});
	const use = async (name: ToolName, input: unknown, signal = new AbortController().signal): Promise<ToolOutput> => {
		const tool = client.tools.find((candidate) => candidate.spec.name === name);
		const parsed = tool?.parse(input);
		if (tool === undefined || parsed === undefined || !parsed.ok)
			throw new Error(`${name}: ${parsed?.ok === false ? parsed.error : "unknown"}`);
		return tool.run(parsed.value, signal, { id: "call" });
	};
	return {
		...{ client, problems, use },
		bash: (command, timeoutSeconds) => use("bash", { command, ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }) }),
		[Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
	};
}

/** The orchestrator's side of the tools: their schemas; what they do happens in the process. */
function shapesOf(root: string, limits: CommandLimits): readonly Tool[] {
	const context = {
		...{ root, head: "1".repeat(40), mergeBase: "2".repeat(40), changedFiles: [] },
		readPatches: async () => [],
		readBase: async () => undefined,
		syntax: {
			parseSource: async () => ({ ok: false as const, reason: "not here" }),
			openGrammar: () => Promise.reject(new Error("not here")),
		},
		readState: createReadState(),
	};
	return [...createReadOnlyTools(context), ...createWriteTools(context), ...createShellTools({ root, limits }).tools];
}
