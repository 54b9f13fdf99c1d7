import { UserError } from "../../domain/errors.ts";
import type { Sha } from "../../domain/ids.ts";
import { type Git, GitError } from "./create-git.ts";
import { type GitProcess, stopGit } from "./run-git-process.ts";

/** One object as git keeps it. */
export interface GitObject {
	readonly sha: Sha;
	readonly type: string;
	readonly content: Buffer;
}

/** Reads objects by name through one standing `git cat-file --batch`, started at the first question. */
export interface ObjectStream {
	/** `SHA`, `SHA:path`, `ref^{commit}`; undefined when there is none. Rejects when git ends, or when the object is too large. */
	read(name: string): Promise<GitObject | undefined>;
	[Symbol.asyncDispose](): Promise<void>;
}

interface Question {
	readonly name: string;
	readonly resolve: (object: GitObject | undefined) => void;
	readonly reject: (error: Error) => void;
}

/** The object whose bytes come next; `passed` counts those of a too large one. */
interface Expected {
	readonly sha: Sha;
	readonly type: string;
	readonly size: number;
	passed: number;
}

const LINE_FEED = 0x0a;
/** A larger object is no text that anybody reviews; its bytes are passed over. */
const LARGEST_OBJECT = 64 * 1024 * 1024;

/** Questions may be asked at any time and in any number; they are answered in order over one process. */
export function createObjectStream(git: Git): ObjectStream {
	let running: Conversation | undefined;
	return {
		read: (name) => {
			if (/[\n\0]/.test(name)) return Promise.reject(new Error("an object name cannot hold a line feed"));
			if (running === undefined || running.ended) running = new Conversation(git);
			return running.ask(name);
		},
		[Symbol.asyncDispose]: async () => {
			await running?.close();
			running = undefined;
		},
	};
}

/** One process and the questions it has not answered yet. */
class Conversation {
	readonly #process: GitProcess;
	readonly #exit: Promise<void>;
	readonly #waiting: Question[] = [];
	#chunks: Buffer[] = [];
	#buffered = 0;
	#expected: Expected | undefined;
	ended = false;

	constructor(git: Git) {
		const { process, exit } = git.start(["cat-file", "--batch"]);
		this.#process = process;
		process.stdout.on("data", (chunk: Buffer) => this.#take(chunk));
		this.#exit = exit.then(({ code, stderr, startError }) => {
			this.ended = true;
			const said = startError?.message ?? (stderr.trim() || `exit code ${code}`);
			for (const question of this.#waiting.splice(0)) question.reject(new GitError(`git cat-file ended: ${said}`, code, stderr));
		});
		this.#holdEventLoop(false);
	}

	ask(name: string): Promise<GitObject | undefined> {
		return new Promise((resolve, reject) => {
			this.#waiting.push({ name, resolve, reject });
			this.#holdEventLoop(true);
			this.#process.stdin.write(`${name}\n`);
		});
	}

	async close(): Promise<void> {
		this.#holdEventLoop(true);
		this.#process.stdin.end();
		if (this.#waiting.length > 0) stopGit(this.#process);
		await this.#exit;
	}

	/** An idle process must not keep the program from ending when nobody disposed it. */
	#holdEventLoop(hold: boolean): void {
		const handles = [this.#process, this.#process.stdin, this.#process.stdout, this.#process.stderr] as { ref?(): void; unref?(): void }[];
		for (const handle of handles) hold ? handle.ref?.() : handle.unref?.();
	}

	#take(chunk: Buffer): void {
		this.#chunks.push(chunk);
		this.#buffered += chunk.length;
		while (this.#answerNext());
		if (this.#waiting.length === 0) this.#holdEventLoop(false);
	}

	/** Answers one question when enough bytes are there. Joins chunks only when a header or a whole object is complete. */
	#answerNext(): boolean {
		if (this.#expected === undefined) {
			if (this.#buffered === 0) return false;
			const bytes = this.#join();
			const end = bytes.indexOf(LINE_FEED);
			if (end === -1) return false;
			this.#leave(bytes.subarray(end + 1));
			return this.#readHeader(bytes.toString("utf8", 0, end));
		}
		const { sha, type, size } = this.#expected;
		if (size > LARGEST_OBJECT) return this.#passOver(this.#expected);
		if (this.#buffered < size + 1) return false;
		const bytes = this.#join();
		this.#leave(bytes.subarray(size + 1));
		this.#expected = undefined;
		this.#waiting.shift()?.resolve({ sha, type, content: Buffer.from(bytes.subarray(0, size)) });
		return true;
	}

	/** Counts down the bytes of a too large object, and its line feed, without keeping them. */
	#passOver(expected: Expected): boolean {
		const bytes = this.#join();
		const taken = Math.min(bytes.length, expected.size + 1 - expected.passed);
		expected.passed += taken;
		this.#leave(bytes.subarray(taken));
		if (expected.passed <= expected.size) return false;
		this.#expected = undefined;
		const question = this.#waiting.shift();
		const found = `${question?.name} has ${expected.size} bytes`;
		question?.reject(new UserError(`file: ${found}; wanted: at most ${LARGEST_OBJECT}`, { code: "E_LIMIT" }));
		return true;
	}

	#readHeader(line: string): boolean {
		const found = /^([0-9a-f]{40}) (\w+) (\d+)$/.exec(line);
		if (found !== null) {
			this.#expected = { sha: found[1] ?? "", type: found[2] ?? "", size: Number(found[3]), passed: 0 };
			return true;
		}
		const question = this.#waiting.shift();
		if (line.endsWith(" missing") || line.endsWith(" submodule")) question?.resolve(undefined);
		else question?.reject(new GitError(`git cat-file: ${line}`, 0, line));
		return true;
	}

	#leave(rest: Buffer): void {
		this.#chunks = rest.length === 0 ? [] : [rest];
		this.#buffered = rest.length;
	}

	#join(): Buffer {
		const only = this.#chunks.length === 1 ? this.#chunks[0] : undefined;
		const bytes = only ?? Buffer.concat(this.#chunks, this.#buffered);
		this.#chunks = [bytes];
		return bytes;
	}
}
