import { spawn } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { openAuditFile } from "../src/adapters/audit-file/open-audit-file.ts";
import { findBubblewrap } from "../src/adapters/sandbox/find-bubblewrap.ts";
import { openSandbox, type Sandbox } from "../src/adapters/sandbox/open-sandbox.ts";
import { createSystemClock } from "../src/adapters/system-clock.ts";
import { createWorkerClient, type WorkerClient } from "../src/adapters/worker-client/create-worker-client.ts";
import type { ToolName } from "../src/domain/agent.ts";
import { NO_POLICY } from "../src/domain/team-policy.ts";
import { createAuditWriter } from "../src/guard/audit.ts";
import { createGate } from "../src/guard/gate.ts";
import type { Tool, ToolWorker } from "../src/seams.ts";
import { createReadFile } from "../src/tools/read-file.ts";
import { createReadState } from "../src/tools/read-state.ts";
import type { ToolContext } from "../src/tools/tool-context.ts";
import { buildWorker } from "../test/adapters/sandbox/build-worker.ts";
import type { Ratio } from "./ratio.ts";

/*
 * npm run bench -- worker [ROUNDS]: what a child pays for its sandboxed process and for the guard. The other side is
 * bubblewrap and Node started by hand with the fewest flags, and the same tool called without anything in between.
 */

const CALLS = 200;

export async function run(args: readonly string[]): Promise<readonly Ratio[]> {
	const rounds = Number(args[0] ?? 21);
	await using built = await buildWorker();
	const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), "rookery-bench-")));
	try {
		const root = path.join(folder, "tree");
		await mkdir(root);
		await writeFile(path.join(root, "a.txt"), "line\n".repeat(200));
		const sandbox = await openSandbox({ code: built.code, temporaryFolder: folder });
		if (!sandbox.available) throw new Error(`no sandbox here: ${sandbox.reason}. ${sandbox.fix}`);
		const tool = createReadFile(contextOf(root));
		return [
			await measureStart(sandbox, tool, root, rounds),
			await measureCall(sandbox, tool, root),
			await measureGuard(tool, folder, root),
		];
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

async function measureStart(sandbox: Sandbox, tool: Tool, root: string, rounds: number): Promise<Ratio> {
	const found = await findBubblewrap();
	if (!found.ok) throw new Error(found.reason);
	const ours: number[] = [];
	const byHand: number[] = [];
	for (let round = 0; round < rounds; round++) {
		byHand.push(await timeByHand(found.path, root));
		const client = clientFor(sandbox, tool, root);
		const startedAt = performance.now();
		await client.warmUp();
		ours.push(performance.now() - startedAt);
		await client[Symbol.asyncDispose]();
	}
	const [our, hand] = [median(ours), median(byHand)];
	return {
		name: "worker-start",
		value: our / hand,
		target: 1.2,
		detail: `${our.toFixed(1)} ms against ${hand.toFixed(1)} ms, median of ${rounds}`,
	};
}

/** The plainest set of walls that keeps the same things out, and a script that says one word. */
function timeByHand(bubblewrap: string, root: string): Promise<number> {
	const unshared = ["user", "pid", "net", "ipc", "uts", "cgroup"].map((name) => `--unshare-${name}`);
	const walls = [
		...unshared,
		"--disable-userns",
		"--cap-drop",
		"ALL",
		"--uid",
		"1000",
		"--gid",
		"1000",
		"--die-with-parent",
		"--new-session",
	];
	const system = [
		"--ro-bind",
		"/usr",
		"/usr",
		"--symlink",
		"usr/bin",
		"/bin",
		"--symlink",
		"usr/lib",
		"/lib",
		"--symlink",
		"usr/lib64",
		"/lib64",
	];
	const files = ["/etc/passwd", "/etc/group", "/etc/ld.so.cache"].flatMap((file) => ["--ro-bind", file, file]);
	const memory = ["--proc", "/proc", "--dev", "/dev", "--size", "268435456", "--tmpfs", "/tmp"];
	const places = ["--bind", root, root, "--ro-bind", process.execPath, "/tmp/node", "--chdir", root, "--clearenv"];
	const variables = ["PATH", "HOME", "LANG", "TMPDIR", "TERM"].flatMap((name) => ["--setenv", name, "/tmp"]);
	const command = ["--", "/tmp/node", "-e", "process.stdout.write('ready\\n'); process.stdin.resume()"];
	const words = [...walls, ...system, ...files, ...memory, ...places, ...variables, ...command];
	const startedAt = performance.now();
	const child = spawn(bubblewrap, words, { env: {}, stdio: ["pipe", "pipe", "inherit"] });
	return new Promise((resolve, reject) => {
		let took: number | undefined;
		child.once("error", reject);
		child.stdout.once("data", () => {
			took = performance.now() - startedAt;
			child.kill("SIGKILL");
		});
		// Only then: the end of one round must not cost the next one anything.
		child.once("close", () => (took === undefined ? reject(new Error("bubblewrap by hand gave no answer")) : resolve(took)));
	});
}

async function measureCall(sandbox: Sandbox, tool: Tool, root: string): Promise<Ratio> {
	await using client = clientFor(sandbox, tool, root);
	const forwarded = client.tools[0];
	if (forwarded === undefined) throw new Error("no tool");
	await timeCalls(forwarded, 20);
	await timeCalls(tool, 20);
	const through = await timeCalls(forwarded, CALLS);
	const direct = await timeCalls(tool, CALLS);
	return {
		name: "worker-call-ms",
		value: Math.max(0, through - direct),
		target: 1,
		detail: `${through.toFixed(2)} ms through the worker, ${direct.toFixed(2)} ms without, median of ${CALLS}`,
	};
}

async function timeCalls(tool: Tool, count: number): Promise<number> {
	const times: number[] = [];
	for (let index = 0; index < count; index++) {
		const startedAt = performance.now();
		await tool.run({ path: "a.txt" }, new AbortController().signal, { id: `${index}` });
		times.push(performance.now() - startedAt);
	}
	return median(times);
}

/** Nine children at once, ten steps each with two calls, 50 ms for the model: with and without gate and audit. */
async function measureGuard(tool: Tool, folder: string, root: string): Promise<Ratio> {
	const clock = createSystemClock();
	const audit = createAuditWriter({ file: await openAuditFile(path.join(folder, "audit.jsonl")), clock, redact: (text) => text });
	const bare: ToolWorker = { tools: [tool], [Symbol.asyncDispose]: async () => undefined };
	const runAll = async (guarded: boolean): Promise<number> => {
		const startedAt = performance.now();
		await Promise.all(
			Array.from({ length: 9 }, async (_, child) => {
				const gate = createGate({
					...{ policy: NO_POLICY, mode: "review", tier: "T1", tierReason: "", child: `child-${child}`, audit, clock },
					...{ agent: { name: "bench", tools: ["read_file"], disallowedTools: [] }, resolveTool: () => [] },
				});
				const worker = guarded ? gate.guard(bare) : bare;
				for (let step = 0; step < 10; step++) {
					await clock.sleep(50);
					for (let call = 0; call < 2; call++) {
						const input = { path: "a.txt" };
						const id = `${child}-${step}-${call}`;
						if (guarded) await gate.gate({ id, tool: "read_file", effect: "read", input });
						await worker.tools[0]?.run(input, new AbortController().signal, { id });
					}
				}
			}),
		);
		return performance.now() - startedAt;
	};
	const [withGuard, without]: [number[], number[]] = [[], []];
	for (let round = 0; round < 5; round++) {
		without.push(await runAll(false));
		withGuard.push(await runAll(true));
	}
	await audit.close();
	const [guarded, plain] = [median(withGuard), median(without)];
	return {
		name: "guard-wall",
		value: guarded / plain,
		target: 1.03,
		detail: `${guarded.toFixed(0)} ms against ${plain.toFixed(0)} ms, nine children in ${path.basename(root)}`,
	};
}

function clientFor(sandbox: Sandbox, tool: Tool, root: string): WorkerClient {
	return createWorkerClient({
		tools: [tool],
		start: {
			...{ type: "start", root, head: "1".repeat(40), mergeBase: "2".repeat(40), changedFiles: [], denyPaths: [] },
			...{ tools: [tool.spec.name as ToolName], assets: sandbox.codePath("grammars"), hasFileList: false },
		},
		launch: () => sandbox.start({ root, writable: false }, "worker.js"),
		answers: { readPatches: async () => [], readBase: async () => undefined, isVisible: () => true },
	});
}

function contextOf(root: string): ToolContext {
	return {
		...{ root, head: "1".repeat(40), mergeBase: "2".repeat(40), changedFiles: [] },
		readPatches: async () => [],
		readBase: async () => undefined,
		syntax: {
			parseSource: async () => ({ ok: false as const, reason: "not here" }),
			openGrammar: () => Promise.reject(new Error("not here")),
		},
		readState: createReadState(),
	};
}

function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
