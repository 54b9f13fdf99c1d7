import { Worker } from "node:worker_threads";

/** Finds the lines of a text that match. Lines come without their line ends. */
export interface LineMatcher extends AsyncDisposable {
	/** 0-based line numbers, at most `limit`; `too-slow` when the pattern did not answer in time. */
	match(lines: readonly string[], limit: number): Promise<readonly number[] | "too-slow">;
}

/** A pattern without any of these means the same as a plain text. */
const SPECIAL = /[\\^$.*+?()[\]{}|]/;

export interface MatcherOptions {
	readonly pattern: string;
	readonly ignoreCase: boolean;
	/** For all texts together. */
	readonly deadlineMs: number;
}

export interface BuiltMatcher {
	readonly matcher: LineMatcher;
	/** Said to the model: the pattern was not read as it may have been meant. */
	readonly note?: string;
}

/**
 * Plain texts are looked for right here. Everything else runs in a thread that is ended at the deadline, so that no
 * pattern can hold the event loop (A64).
 */
export function buildLineMatcher(options: MatcherOptions): BuiltMatcher {
	// The spelling of other engines for "ignore case"; V8 only knows it as a flag.
	const inline = options.pattern.startsWith("(?i)");
	const pattern = inline ? options.pattern.slice(4) : options.pattern;
	const ignoreCase = options.ignoreCase || inline;
	if (!SPECIAL.test(pattern)) return { matcher: matchPlain(pattern, ignoreCase) };
	try {
		// Checks the spelling alone: nothing is compiled before the first match.
		new RegExp(pattern);
	} catch {
		return { matcher: matchPlain(pattern, ignoreCase), note: "not a valid regular expression, so it was searched as plain text" };
	}
	return { matcher: matchInThread(pattern, ignoreCase ? "i" : "", options.deadlineMs) };
}

function matchPlain(text: string, ignoreCase: boolean): LineMatcher {
	const wanted = ignoreCase ? text.toLowerCase() : text;
	return {
		async match(lines, limit) {
			const found: number[] = [];
			for (let index = 0; index < lines.length && found.length < limit; index++) {
				const line = lines[index] ?? "";
				if ((ignoreCase ? line.toLowerCase() : line).includes(wanted)) found.push(index);
			}
			return found;
		},
		[Symbol.asyncDispose]: async () => undefined,
	};
}

/**
 * The thread's whole program; text, so that the bundle needs no further file. The engine flag lets V8 go over to its
 * linear engine when a pattern backtracks too much; V8's flags belong to the process, which is why it is set at the
 * first use and never on import. It does not cover look-around and back references: for those the deadline is there.
 */
const THREAD_SOURCE = `
const { parentPort, workerData } = require("node:worker_threads");
require("node:v8").setFlagsFromString("--enable-experimental-regexp-engine-on-excessive-backtracks");
const expression = new RegExp(workerData.pattern, workerData.flags);
parentPort.on("message", ({ lines, limit }) => {
	const found = [];
	for (let index = 0; index < lines.length && found.length < limit; index++) {
		if (expression.test(lines[index])) found.push(index);
	}
	parentPort.postMessage(found);
});
`;

function matchInThread(pattern: string, flags: string, deadlineMs: number): LineMatcher {
	let worker: Worker | undefined;
	let left = deadlineMs;
	return {
		async match(lines, limit) {
			if (left <= 0) return "too-slow";
			worker ??= new Worker(THREAD_SOURCE, {
				eval: true,
				workerData: { pattern, flags },
				env: {},
				resourceLimits: { maxOldGenerationSizeMb: 256 },
			});
			const started = performance.now();
			const answer = await ask(worker, { lines, limit }, left);
			left -= performance.now() - started;
			if (answer === "too-slow") left = 0;
			return answer;
		},
		async [Symbol.asyncDispose]() {
			await worker?.terminate();
		},
	};
}

async function ask(worker: Worker, question: object, waitMs: number): Promise<readonly number[] | "too-slow"> {
	return new Promise((resolve) => {
		const finish = (answer: readonly number[] | "too-slow") => {
			clearTimeout(timer);
			worker.off("message", finish);
			worker.off("error", fail);
			resolve(answer);
		};
		// Out of memory or stack: the thread is gone, which for the caller is the same as no answer in time.
		const fail = () => finish("too-slow");
		const timer = setTimeout(fail, waitMs);
		worker.on("message", finish);
		worker.on("error", fail);
		worker.postMessage(question);
	});
}
