import type { Readable, Writable } from "node:stream";
import type { ChangedFile, FilePatch } from "../../domain/change-set.ts";
import { errorText } from "../../domain/errors.ts";
import type { ToWorker, WorkerAnswer, WorkerStart } from "../../domain/worker-protocol.ts";
import type { Tool, ToolOutput, ToolWorker } from "../../seams.ts";
import { createLineSplitter, readWorkerLine, type WorkerAsk } from "./worker-line.ts";

/** A started process as the client needs it; `SandboxedProcess` fits. */
export interface WorkerProcess {
	readonly input: Writable;
	readonly output: Readable;
	errorTail(): string;
	readonly ended: Promise<{ readonly code: number | null; readonly startError?: string }>;
	kill(): void;
}

/** What the process may ask for about the merge base. Rejections go to it as error texts. */
export interface WorkerAnswers {
	readPatches(files: readonly ChangedFile[]): Promise<readonly FilePatch[]>;
	readBase(path: string): Promise<Buffer | undefined>;
	/** Absent where there is no git: then `start.hasFileList` is false. */
	listFiles?(): Promise<readonly string[]>;
	readHistory?(): Promise<readonly (readonly string[])[]>;
	/** False for what policy hides: the process is not told of it, whatever it asks (S-110). */
	isVisible(path: string): boolean;
}

export interface WorkerClientOptions {
	/** All tools of the child in the order of its requests. Those that read, execute or write run in the process; the rest here. */
	readonly tools: readonly Tool[];
	readonly start: WorkerStart;
	/** Starts a process; called again after one has died. */
	launch(): Promise<WorkerProcess>;
	readonly answers: WorkerAnswers;
	/** How often a dead process is replaced before calls fail for good. */
	readonly restarts?: number;
	/** Told of each death, for the journal. */
	readonly onProblem?: (text: string) => void;
}

export interface WorkerClient extends ToolWorker {
	/** Starts the process now, while the model is still thinking. Resolves when it lives or has failed; never rejects. */
	warmUp(): Promise<void>;
}

const DEFAULT_RESTARTS = 2;
/** A tool that has not answered this long after it was cancelled takes its process with it. */
const CANCEL_GRACE_MS = 3_000;
/** Behind a tool's own limit, which the engine keeps. */
const OVERDUE_MS = 5_000;

/**
 * The tools of one child, run by one process that lives as long as the child. Calls may overlap. A process that dies fails
 * its calls, never the child: the next call gets a new process, and the model is told that shells and reads are gone.
 * Disposing ends the process and everything it has started.
 */
export function createWorkerClient(options: WorkerClientOptions): WorkerClient {
	let current: Promise<Connection> | undefined;
	let deaths = 0;
	let disposed = false;

	const connect = (): Promise<Connection> => {
		if (current !== undefined) return current;
		const connection = openConnection(options, (problem) => {
			if (disposed) return;
			deaths += 1;
			if (current === connection) current = undefined;
			options.onProblem?.(problem);
		});
		current = connection;
		connection.catch((error: unknown) => {
			deaths += 1;
			if (current === connection) current = undefined;
			options.onProblem?.(errorText(error));
		});
		return connection;
	};
	const forward = async (tool: Tool, input: unknown, signal: AbortSignal, call?: { readonly id: string }): Promise<ToolOutput> => {
		if (disposed) return failed("The tools of this agent have been closed.");
		if (signal.aborted) return failed("Cancelled before it started.");
		if (deaths > (options.restarts ?? DEFAULT_RESTARTS))
			return failed("The sandboxed process of this agent has died too often; its tools are off.");
		try {
			const connection = await connect();
			return await connection.call(tool, input, signal, call);
		} catch (error) {
			return failed(`The sandboxed process could not be started: ${errorText(error)}`);
		}
	};
	return {
		tools: options.tools.map((tool) =>
			isForwarded(tool) ? { ...tool, run: (input, signal, call) => forward(tool, input, signal, call) } : tool,
		),
		warmUp: async () => {
			await connect().then(
				(connection) => connection.ready,
				() => undefined,
			);
		},
		[Symbol.asyncDispose]: async () => {
			disposed = true;
			await current?.then(
				(connection) => connection.close(),
				() => undefined,
			);
		},
	};
}

/** True for a tool that touches the tree. */
export function isForwarded(tool: Tool): boolean {
	return tool.effect === "read" || tool.effect === "execute" || tool.effect === "write";
}

function failed(content: string): ToolOutput {
	return { content, isError: true, code: "E_SANDBOX" };
}

interface Connection {
	/** Resolves at the first sign of life, or when there will be none. */
	readonly ready: Promise<void>;
	call(tool: Tool, input: unknown, signal: AbortSignal, call?: { readonly id: string }): Promise<ToolOutput>;
	close(): Promise<void>;
}

async function openConnection(options: WorkerClientOptions, onDeath: (problem: string) => void): Promise<Connection> {
	const worker = await options.launch();
	const pending = new Map<number, (output: ToolOutput) => void>();
	let count = 0;
	let signOfLife = (): void => undefined;
	const ready = new Promise<void>((resolve) => {
		signOfLife = resolve;
	});
	const send = (message: ToWorker): void => void worker.input.write(`${JSON.stringify(message)}\n`);
	const onLine = (text: string): void => {
		const line = readWorkerLine(text);
		// Nothing of ours looks like that: whatever writes there is not our program any more.
		if (line === undefined) worker.kill();
		else if (line.type === "ready") signOfLife();
		else if (line.type === "result") pending.get(line.id)?.(line.output);
		else void answer(line, options).then(send);
	};
	worker.output.on(
		"data",
		createLineSplitter(onLine, () => worker.kill()),
	);
	void worker.ended.then(({ code, startError }) => {
		signOfLife();
		const said = startError ?? worker.errorTail().trim().split("\n").at(-1) ?? "";
		const problem = `the sandboxed process ended (${code === null ? "killed" : `exit code ${code}`}${said === "" ? "" : `: ${said}`})`;
		onDeath(problem);
		for (const settle of [...pending.values()])
			settle(failed(`The call failed: ${problem}. Background shells and what was read are gone; read again before an edit.`));
	});
	send(options.start);
	return {
		ready,
		call: (tool, input, signal, call) =>
			new Promise((resolve) => {
				count += 1;
				const id = count;
				const overdue = setTimeout(() => worker.kill(), tool.timeoutMs + OVERDUE_MS);
				let grace: NodeJS.Timeout | undefined;
				const cancel = (): void => {
					send({ type: "cancel", id });
					grace = setTimeout(() => worker.kill(), CANCEL_GRACE_MS);
				};
				signal.addEventListener("abort", cancel, { once: true });
				pending.set(id, (output) => {
					pending.delete(id);
					clearTimeout(overdue);
					clearTimeout(grace);
					signal.removeEventListener("abort", cancel);
					resolve(output);
				});
				send({ type: "call", id, tool: tool.spec.name, input, ...(call === undefined ? {} : { call: call.id }) });
			}),
		close: async () => {
			worker.kill();
			await worker.ended;
		},
	};
}

async function answer(ask: WorkerAsk, { answers, start }: WorkerClientOptions): Promise<ToWorker> {
	const { id, question } = ask;
	try {
		return { type: "answer", id, value: await answerQuestion(question, answers, start) };
	} catch (error) {
		return { type: "answer", id, error: errorText(error) };
	}
}

async function answerQuestion(question: WorkerAsk["question"], answers: WorkerAnswers, start: WorkerStart): Promise<WorkerAnswer> {
	switch (question.what) {
		case "patches": {
			const wanted = question.paths.map((path) => start.changedFiles.find((file) => file.path === path && answers.isVisible(path)));
			const files = wanted.filter((file): file is ChangedFile => file !== undefined);
			const patches = files.length === 0 ? [] : await answers.readPatches(files);
			return {
				patches: wanted.map(
					(file, index) => patches[files.indexOf(file as ChangedFile)] ?? { path: question.paths[index] ?? "", binary: false, hunks: [] },
				),
			};
		}
		case "base": {
			const content = answers.isVisible(question.path) ? await answers.readBase(question.path) : undefined;
			return { base: content?.toString("base64") ?? null };
		}
		case "files":
			return { files: ((await answers.listFiles?.()) ?? []).filter((path) => answers.isVisible(path)) };
		case "history": {
			const commits = (await answers.readHistory?.()) ?? [];
			return { history: commits.map((paths) => paths.filter((path) => answers.isVisible(path))) };
		}
	}
}
