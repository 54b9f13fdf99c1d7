import { readFileSync, readlinkSync } from "node:fs";
import { WRITE_TOOLS } from "./domain/agent.ts";
import type { ChangedFile, FilePatch } from "./domain/change-set.ts";
import { errorText } from "./domain/errors.ts";
import type { FromWorker, ToWorker, WorkerAnswer, WorkerQuestion, WorkerStart } from "./domain/worker-protocol.ts";
import type { Tool, ToolOutput } from "./seams.ts";

/*
 * Entry of the process that holds a child's tools, one child a process. It reads lines and writes lines; everything it
 * knows came through the first line. Nothing here decides what is allowed: calls arrive already checked, and the walls
 * around this process hold whatever it is told.
 */

const write = (message: FromWorker): void => void process.stdout.write(`${JSON.stringify(message)}\n`);

/** Questions to the orchestrator about the merge base. */
function createAsker(): { ask(question: WorkerQuestion): Promise<WorkerAnswer>; settle(message: ToWorker & { type: "answer" }): void } {
	const waiting = new Map<number, { resolve(value: WorkerAnswer): void; reject(error: Error): void }>();
	let count = 0;
	return {
		ask: (question) =>
			new Promise((resolve, reject) => {
				count += 1;
				waiting.set(count, { resolve, reject });
				write({ type: "ask", id: count, question });
			}),
		settle: ({ id, value, error }) => {
			const asked = waiting.get(id);
			waiting.delete(id);
			if (value === undefined) asked?.reject(new Error(error ?? "no answer"));
			else asked?.resolve(value);
		},
	};
}

/** True when this process is alone with its children: only then may "all other processes" ever be ended. */
function isInSandbox(): boolean {
	try {
		if (process.ppid !== 1 || process.pid > 50 || readFileSync("/proc/1/comm", "latin1").trim() !== "bwrap") return false;
		return readlinkSync("/proc/self/exe") === "/opt/rookery/bin/node";
	} catch {
		return false;
	}
}

/** Everything that takes time to load is loaded here, after the first sign of life (a child's first call comes seconds later). */
async function loadTools(start: WorkerStart, ask: (question: WorkerQuestion) => Promise<WorkerAnswer>): Promise<readonly Tool[]> {
	const [reading, hosted, { createReadState }, { createSyntaxService }, { locateAssets }, { createPathRules }] = await Promise.all([
		import("./tools/create-read-only-tools.ts"),
		import("./tools/create-hosted-tools.ts"),
		import("./tools/read-state.ts"),
		import("./code-index/syntax-service.ts"),
		import("./code-index/grammars.ts"),
		import("./guard/path-rules.ts"),
	]);
	const rules = createPathRules({ denyPaths: start.denyPaths, protectedPaths: [] });
	const { root, head, mergeBase, changedFiles, assignedPaths } = start;
	const context = {
		...{ root, head, mergeBase, changedFiles, ...(assignedPaths === undefined ? {} : { assignedPaths }) },
		readPatches: async (files: readonly ChangedFile[]): Promise<readonly FilePatch[]> => {
			const answer = await ask({ what: "patches", paths: files.map((file) => file.path) });
			return "patches" in answer ? answer.patches : [];
		},
		readBase: async (path: string): Promise<Buffer | undefined> => {
			const answer = await ask({ what: "base", path });
			return "base" in answer && answer.base !== null ? Buffer.from(answer.base, "base64") : undefined;
		},
		...(start.hasFileList ? { listFiles: async () => pickFiles(await ask({ what: "files" })) } : {}),
		readHistory: async () => {
			const answer = await ask({ what: "history" });
			return "history" in answer ? answer.history : [];
		},
		treeMayChange: start.tools.some((name) => WRITE_TOOLS.includes(name)),
		isDenied: (path: string) => rules.hiddenBy(path) !== undefined,
		syntax: createSyntaxService({ locateAsset: locateAssets(start.assets) }),
		readState: createReadState(),
	};
	const tools = [...reading.createReadOnlyTools(context), ...hosted.createWriteTools(context)];
	if (start.commands !== undefined && isInSandbox()) {
		const endAllOthers = (): void => {
			try {
				process.kill(-1, "SIGKILL");
			} catch {
				// Nobody else is there.
			}
		};
		tools.push(...hosted.createSandboxShellTools({ root, limits: start.commands, endAllOthers }));
	}
	return tools.filter((tool) => start.tools.some((name) => name === tool.spec.name));
}

function pickFiles(answer: WorkerAnswer): readonly string[] {
	return "files" in answer ? answer.files : [];
}

async function runCall(tools: Promise<readonly Tool[]>, call: ToWorker & { type: "call" }, signal: AbortSignal): Promise<ToolOutput> {
	try {
		const tool = (await tools).find((candidate) => candidate.spec.name === call.tool);
		if (tool === undefined) return { content: `The tool ${call.tool} is not here.`, isError: true, code: "E_SANDBOX" };
		return await tool.run(call.input, signal, ...(call.call === undefined ? [] : [{ id: call.call }]));
	} catch (error) {
		return { content: `${call.tool} failed: ${errorText(error)}`, isError: true };
	}
}

/** Own lines instead of the library's: loading that takes a tenth of the whole start. */
function readLines(onLine: (line: string) => void): void {
	let pending: Buffer[] = [];
	process.stdin.on("data", (chunk: Buffer) => {
		let start = 0;
		for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
			onLine(Buffer.concat([...pending, chunk.subarray(start, end)]).toString("utf8"));
			pending = [];
			start = end + 1;
		}
		if (start < chunk.length) pending.push(chunk.subarray(start));
	});
	process.stdin.on("end", () => process.exit(0));
}

function serve(): void {
	const asker = createAsker();
	const running = new Map<number, AbortController>();
	let tools: Promise<readonly Tool[]> | undefined;
	const handle = (message: ToWorker): void => {
		switch (message.type) {
			case "start":
				write({ type: "ready" });
				tools = loadTools(message, asker.ask);
				// A failure shows in each call.
				tools.catch(() => undefined);
				return;
			case "call": {
				const controller = new AbortController();
				running.set(message.id, controller);
				const loaded = tools ?? Promise.reject(new Error("the process was not started"));
				void runCall(loaded, message, controller.signal).then((output) => {
					running.delete(message.id);
					write({ type: "result", id: message.id, output });
				});
				return;
			}
			case "cancel":
				running.get(message.id)?.abort();
				return;
			case "answer":
				asker.settle(message);
				return;
		}
	};
	// A line that cannot be read means that the other side is gone or wrong; there is nobody to tell.
	readLines((line) => handle(JSON.parse(line) as ToWorker));
}

serve();
