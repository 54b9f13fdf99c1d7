import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Toolchains } from "../adapters/sandbox/find-toolchains.ts";
import type { NoSandbox, Sandbox } from "../adapters/sandbox/open-sandbox.ts";
import { createLocalWorker } from "../adapters/worker-client/create-local-worker.ts";
import type { Tool, ToolOutput, ToolWorker } from "../seams.ts";
import type { RunSandbox, SandboxedChild } from "../stages/run-sandbox.ts";

export interface SandboxForRunOptions {
	/** Folder with `worker.js` and the grammars. */
	readonly bundleFolder: string;
	/** Exists by the time of the first probe. */
	readonly temporaryFolder: string;
	/** Folder of the checkout, for what the workflow has installed into it. */
	readonly folder: string;
	/** The runner's search path, for the compilers and test tools that commands may use; absent: those of the system alone. */
	readonly searchPath?: string;
	/** Install and allow what the sandbox needs; only when the user asked for it. */
	readonly setUp?: boolean;
	readonly onProblem?: (text: string) => void;
}

const WORKER = "worker.js";

/** The sandbox of a run. Nothing is loaded or tried before the first question. */
export function openSandboxForRun(options: SandboxForRunOptions): RunSandbox {
	let opened: Promise<Sandbox | NoSandbox> | undefined;
	const open = (): Promise<Sandbox | NoSandbox> => {
		opened ??= openNow(options);
		return opened;
	};
	return {
		async probe() {
			const sandbox = await open();
			if (!sandbox.available) return sandbox;
			return { available: true, name: sandbox.name, checks: sandbox.checks };
		},
		openWorker: (child) => createLateWorker(child.tools, async () => startWorker(await open(), child, options)),
		hookRunner: (workspace) => async (command, signal) => {
			const sandbox = await open();
			if (!sandbox.available) return { kind: "failed", reason: `no sandbox: ${sandbox.reason}` };
			const { runHookCommand } = await import("../adapters/sandbox/run-hook-command.ts");
			return runHookCommand(sandbox, workspace, command, signal);
		},
	};
}

async function openNow(options: SandboxForRunOptions): Promise<Sandbox | NoSandbox> {
	if (!existsSync(path.join(options.bundleFolder, WORKER)))
		return {
			available: false,
			reason: `${WORKER} is not in the program's folder`,
			fix: "Run a built release; from sources, npm run build.",
		};
	const { openSandbox } = await import("../adapters/sandbox/open-sandbox.ts");
	const tryOnce = () => openSandbox({ code: options.bundleFolder, temporaryFolder: options.temporaryFolder });
	let sandbox = await tryOnce();
	if (sandbox.available || options.setUp !== true) return sandbox;
	const { allowUserNamespaces } = await import("../adapters/sandbox/allow-user-namespaces.ts");
	const { steps } = await allowUserNamespaces(async () => {
		sandbox = await tryOnce();
		return sandbox.available;
	});
	for (const step of steps) if (step.problem !== undefined) options.onProblem?.(`sandbox set-up: ${step.what}: ${step.problem}`);
	return sandbox.available ? sandbox : tryOnce();
}

/** Tools whose place is chosen when the first of them is called. */
function createLateWorker(tools: readonly Tool[], start: () => Promise<ToolWorker>): ToolWorker {
	let started: Promise<ToolWorker> | undefined;
	const run = async (index: number, ...call: Parameters<Tool["run"]>): Promise<ToolOutput> => {
		started ??= start();
		const tool = (await started).tools[index];
		if (tool === undefined) throw new Error("a worker has fewer tools than it was given");
		return tool.run(...call);
	};
	return {
		tools: tools.map((tool, index) =>
			tool.effect === "read" || tool.effect === "execute" || tool.effect === "write"
				? { ...tool, run: (...call: Parameters<Tool["run"]>) => run(index, ...call) }
				: tool,
		),
		[Symbol.asyncDispose]: async () => {
			const worker = await started?.catch(() => undefined);
			await worker?.[Symbol.asyncDispose]();
		},
	};
}

async function startWorker(sandbox: Sandbox | NoSandbox, child: SandboxedChild, options: SandboxForRunOptions): Promise<ToolWorker> {
	if (!sandbox.available) return createLocalWorker({ tools: child.tools, reason: `${sandbox.reason}. ${sandbox.fix}` });
	const [{ createWorkerClient }, spec] = await Promise.all([
		import("../adapters/worker-client/create-worker-client.ts"),
		describeSpec(child, options),
	]);
	const { tools, root, head, mergeBase, changedFiles, assignedPaths, denyPaths, commands, answers } = child;
	return createWorkerClient({
		tools,
		start: {
			type: "start",
			...{ root, head, mergeBase, changedFiles, denyPaths },
			...(assignedPaths === undefined ? {} : { assignedPaths }),
			tools: tools.filter((tool) => tool.effect !== "none").map((tool) => tool.spec.name as never),
			assets: sandbox.codePath("grammars"),
			hasFileList: answers.listFiles !== undefined,
			...(commands === undefined ? {} : { commands }),
		},
		launch: () => sandbox.start(spec, WORKER),
		answers,
		onProblem: (text) => child.onProblem(text),
	});
}

/**
 * The walls of one child. Where paths are hidden or may not be read, git's objects are, too: they hold the same files under another name.
 */
async function describeSpec(child: SandboxedChild, options: SandboxForRunOptions): Promise<Parameters<Sandbox["start"]>[0]> {
	const hiddenPaths = (await child.hiddenPaths?.()) ?? [];
	// A policy may name what the head no longer has; the history still has it.
	const git = hiddenPaths.length === 0 && child.denyPaths.length === 0 ? child.git : undefined;
	const toolchains = child.commands === undefined ? undefined : await locateToolchains(options);
	const dependencies = await planBinds(child, options);
	return {
		root: child.root,
		writable: child.writable,
		...(git === undefined ? {} : { git }),
		hiddenPaths,
		readOnlyPaths: (await child.readOnlyPaths?.()) ?? [],
		binds: [...(toolchains?.binds ?? []), ...dependencies],
		path: toolchains?.path ?? [],
	};
}

async function locateToolchains(options: SandboxForRunOptions): Promise<Toolchains | undefined> {
	if (options.searchPath === undefined) return undefined;
	const { findToolchains } = await import("../adapters/sandbox/find-toolchains.ts");
	const { searchPath, folder, temporaryFolder } = options;
	return findToolchains({ searchPath, home: os.homedir(), untrusted: [folder, temporaryFolder, os.tmpdir()] });
}

async function planBinds(child: SandboxedChild, options: SandboxForRunOptions) {
	if (child.dependencies === undefined || child.dependencies.length === 0) return [];
	const { planDependencyBinds } = await import("../adapters/sandbox/dependency-binds.ts");
	const planned = await planDependencyBinds({
		names: child.dependencies,
		checkout: options.folder,
		root: child.root,
		home: os.homedir(),
	});
	for (const problem of planned.problems) child.onProblem(`sandbox.dependencies: ${problem}`);
	return planned.binds;
}
