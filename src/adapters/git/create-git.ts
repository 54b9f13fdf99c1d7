import { setTimeout as wait } from "node:timers/promises";
import { errorText, UserError } from "../../domain/errors.ts";
import type { Clock } from "../../seams.ts";
import { buildGitEnvironment, type GitEnvironmentOptions } from "./git-environment.ts";
import { type GitExit, type GitLaunch, type GitProcess, startGit, stopGit, waitForExit } from "./run-git-process.ts";

export interface GitOptions extends GitEnvironmentOptions {
	/** Absolute path of the git directory; every call names it, so that nothing in a working tree can redirect one. */
	readonly gitDirectory: string;
	/**
	 * Absolute path of the working tree. Left out for calls on objects alone: git then finds no `.gitattributes`
	 * at all, and a pull request cannot hide a file from its own review with `* -diff`.
	 */
	readonly workTree?: string;
	/** `git` unless named. */
	readonly binary?: string;
	/** How long a lock file of another process is waited for (R39); 10 seconds unless given. */
	readonly lockWaitMs?: number;
	readonly clock?: Pick<Clock, "now" | "sleep">;
}

export interface GitRunOptions {
	readonly input?: string | Buffer;
	readonly signal?: AbortSignal;
	/** More output than this ends the process and rejects; 256 MiB unless given. */
	readonly maxBytes?: number;
	/** Exit codes that are an answer and no failure; [0] unless given. */
	readonly okCodes?: readonly number[];
	/** Lets pathspec arguments be patterns instead of literal names. */
	readonly patterns?: true;
	/** An index of its own, and who a commit is by. Nothing else of the environment can be given. */
	readonly variables?: Readonly<Partial<Record<GitVariable, string>>>;
}

export type GitVariable = "GIT_INDEX_FILE" | "GIT_AUTHOR_NAME" | "GIT_AUTHOR_EMAIL" | "GIT_COMMITTER_NAME" | "GIT_COMMITTER_EMAIL";

export interface GitResult {
	readonly stdout: Buffer;
	readonly stderr: string;
	readonly code: number;
}

/** A git call that ended otherwise than asked. Never to be taken for "nothing found" (BR-47). */
export class GitError extends Error {
	override readonly name = "GitError";
	readonly code: number | null;
	readonly stderr: string;
	constructor(message: string, code: number | null, stderr: string) {
		super(message);
		this.code = code;
		this.stderr = stderr;
	}
}

/** Every git call of the program goes through one of these. */
export interface Git {
	readonly gitDirectory: string;
	readonly workTree: string | undefined;
	/** Runs to the end. Rejects with a GitError on any other exit code, with a UserError on a lasting lock file. */
	run(args: readonly string[], options?: GitRunOptions): Promise<GitResult>;
	/** Output as it comes. Leaving the loop early, or the signal, ends the process; a failure rejects at the end. */
	stream(args: readonly string[], options?: Omit<GitRunOptions, "maxBytes">): AsyncGenerator<Buffer, void, undefined>;
	/** A process that stays, for `cat-file --batch`. The caller ends it. */
	start(args: readonly string[]): { readonly process: GitProcess; readonly exit: Promise<GitExit> };
	/** Text of a call with short output (worktree administration, status), made by simple-git in the same environment. Rejects like `run`. */
	porcelain(args: readonly string[], signal?: AbortSignal): Promise<string>;
	/** The same repository with further settings, which win. */
	withSettings(settings: readonly (readonly [key: string, value: string])[]): Git;
	/** The same repository as seen from a working tree, with every filter driver its configuration names switched off (A44). */
	withWorkTree(place: {
		readonly gitDirectory: string;
		readonly workTree: string;
		/** False makes links small text files at checkout, so that nothing that reads the tree can follow one (SECURITY 3.3 no. 11). */
		readonly symlinks?: boolean;
	}): Promise<Git>;
}

const LOCK_WAIT_MS = 10_000;
const LOCK_RETRY_MS = 100;
const MAX_BYTES = 256 * 1024 * 1024;
const LOCK_FAILURE = /Unable to create '([^'\n]+\.lock)': File exists/;

/**
 * What simple-git refuses unless told otherwise. Each is used here to switch the named thing off, never on.
 * Its guards look at the settings' names and do not tell the two apart.
 */
const SIMPLE_GIT_UNSAFE = {
	allowUnsafeAskPass: true,
	allowUnsafeConfigEnvCount: true,
	allowUnsafeConfigPaths: true,
	allowUnsafeCredentialHelper: true,
	allowUnsafeCommandBinaries: true,
	allowUnsafeCustomBinary: true,
	allowUnsafeDiffExternal: true,
	allowUnsafeEditor: true,
	allowUnsafeExec: true,
	allowUnsafeFilter: true,
	allowUnsafeFsMonitor: true,
	allowUnsafeGitProxy: true,
	allowUnsafeGpgProgram: true,
	allowUnsafeHooksPath: true,
	allowUnsafePager: true,
	allowUnsafeProtocolOverride: true,
	allowUnsafeSshCommand: true,
};

/**
 * A git module for one repository. Nothing is started until the first call.
 *
 * Most calls start git directly: simple-git hands output back as text, which loses names that are no UTF-8,
 * cannot stream, and cannot feed a standing process. Where its answers are short text it is used (`porcelain`).
 */
export function createGit(options: GitOptions): Git {
	return createConfiguredGit(options, []);
}

function createConfiguredGit(options: GitOptions, settings: readonly (readonly [string, string])[]): Git {
	const environment = buildGitEnvironment(options, settings);
	const place = [`--git-dir=${options.gitDirectory}`, `--work-tree=${options.workTree ?? options.gitDirectory}`];
	const folder = options.workTree ?? options.gitDirectory;
	const binary = options.binary ?? "git";
	const redact = createRedactor(options);

	const launch = (args: readonly string[], { patterns, variables }: Pick<GitRunOptions, "patterns" | "variables"> = {}): GitLaunch => ({
		binary,
		arguments: [...place, "--no-pager", ...args],
		environment: { ...environment, ...(patterns === undefined ? {} : { GIT_LITERAL_PATHSPECS: "0" }), ...variables },
		folder,
	});

	const git: Git = {
		gitDirectory: options.gitDirectory,
		workTree: options.workTree,
		run: (args, runOptions = {}) =>
			retryWhileLocked(options, runOptions.signal, async () => {
				const result = await runOnce(launch(args, runOptions), runOptions);
				return finish(result, args, runOptions.okCodes ?? [0], redact);
			}),
		stream: (args, runOptions = {}) => streamOnce(launch(args, runOptions), args, runOptions, redact),
		start: (args) => {
			const child = startGit(launch(args));
			return { process: child, exit: waitForExit(child) };
		},
		porcelain: (args, signal) =>
			retryWhileLocked(options, signal, async () => {
				const named = { ...environment, GIT_DIR: options.gitDirectory, GIT_WORK_TREE: options.workTree ?? options.gitDirectory };
				return runWithSimpleGit({ binary: options.binary, folder, environment: named, args, signal, redact });
			}),
		withSettings: (more) => createConfiguredGit(options, [...settings, ...more]),
		withWorkTree: async ({ gitDirectory, workTree, symlinks }) => {
			const other = { ...options, gitDirectory, workTree };
			const links: (readonly [string, string])[] = symlinks === false ? [["core.symlinks", "false"]] : [];
			const filters = await readFilterOverrides(createConfiguredGit(other, settings));
			return createConfiguredGit(other, [...settings, ...links, ...filters]);
		},
	};
	return git;
}

/** Settings that switch off each filter driver the repository's configuration names: an empty `process` runs nothing. */
async function readFilterOverrides(git: Git): Promise<(readonly [string, string])[]> {
	const names = (await git.run(["config", "--list", "-z", "--name-only"])).stdout.toString("utf8").split("\0");
	const drivers = new Set<string>();
	for (const name of names) {
		const driver = /^filter\.([\s\S]+)\.[^.]+$/.exec(name)?.[1];
		if (driver !== undefined) drivers.add(driver);
	}
	return [...drivers].flatMap((driver) => [
		[`filter.${driver}.process`, ""] as const,
		[`filter.${driver}.smudge`, ""] as const,
		[`filter.${driver}.clean`, ""] as const,
		[`filter.${driver}.required`, "false"] as const,
	]);
}

interface SimpleGitCall {
	readonly binary: string | undefined;
	readonly folder: string;
	readonly environment: Readonly<Record<string, string>>;
	readonly args: readonly string[];
	readonly signal: AbortSignal | undefined;
	readonly redact: (text: string) => string;
}

/** Loaded on first use: a run that only reads objects does not pay for it. */
async function runWithSimpleGit(call: SimpleGitCall): Promise<string> {
	const { simpleGit } = await import("simple-git");
	try {
		return await simpleGit({
			baseDir: call.folder,
			unsafe: SIMPLE_GIT_UNSAFE,
			allowEnvironment: Object.keys(call.environment),
			...(call.binary === undefined ? {} : { binary: call.binary }),
			...(call.signal === undefined ? {} : { abort: call.signal }),
		})
			.env(call.environment)
			.raw([...call.args]);
	} catch (error) {
		call.signal?.throwIfAborted();
		const said = call.redact(errorText(error).trim());
		throw new GitError(`git ${call.args[0] ?? ""} failed: ${said}`, null, said);
	}
}

async function runOnce(launch: GitLaunch, options: GitRunOptions): Promise<{ readonly stdout: Buffer; readonly exit: GitExit }> {
	options.signal?.throwIfAborted();
	const maxBytes = options.maxBytes ?? MAX_BYTES;
	const child = startGit(launch);
	const exit = waitForExit(child);
	const chunks: Buffer[] = [];
	let bytes = 0;
	child.stdout.on("data", (chunk: Buffer) => {
		bytes += chunk.length;
		if (bytes > maxBytes) stopGit(child);
		else chunks.push(chunk);
	});
	const abort = (): void => stopGit(child);
	options.signal?.addEventListener("abort", abort, { once: true });
	child.stdin.end(options.input);
	try {
		const ended = await exit;
		options.signal?.throwIfAborted();
		if (bytes > maxBytes) {
			throw new UserError(`git ${launch.arguments[3] ?? ""}: output is larger than ${maxBytes} bytes`, { code: "E_LIMIT" });
		}
		return { stdout: Buffer.concat(chunks, bytes), exit: ended };
	} finally {
		options.signal?.removeEventListener("abort", abort);
	}
}

async function* streamOnce(
	launch: GitLaunch,
	args: readonly string[],
	options: Omit<GitRunOptions, "maxBytes">,
	redact: (text: string) => string,
): AsyncGenerator<Buffer, void, undefined> {
	options.signal?.throwIfAborted();
	const child = startGit(launch);
	const exit = waitForExit(child);
	const abort = (): void => stopGit(child);
	options.signal?.addEventListener("abort", abort, { once: true });
	child.stdin.end(options.input);
	try {
		for await (const chunk of child.stdout) yield chunk as Buffer;
		const ended = await exit;
		options.signal?.throwIfAborted();
		finish({ stdout: Buffer.alloc(0), exit: ended }, args, options.okCodes ?? [0], redact);
	} finally {
		options.signal?.removeEventListener("abort", abort);
		stopGit(child);
		await exit;
	}
}

function finish(
	result: { readonly stdout: Buffer; readonly exit: GitExit },
	args: readonly string[],
	okCodes: readonly number[],
	redact: (text: string) => string,
): GitResult {
	const { code, stderr, startError } = result.exit;
	if (code !== null && okCodes.includes(code)) return { stdout: result.stdout, stderr: redact(stderr), code };
	if (startError !== undefined) {
		throw new UserError(`git could not be started (${startError.message}); wanted: git installed, and the repository's folder in place`);
	}
	const said = redact(stderr.trim() || "no message");
	throw new GitError(`git ${args[0] ?? ""} ended with ${code === null ? "a signal" : `exit code ${code}`}: ${said}`, code, said);
}

/** R39: a lock of another process is waited for; it is not ours to remove. */
async function retryWhileLocked<T>(options: GitOptions, signal: AbortSignal | undefined, attempt: () => Promise<T>): Promise<T> {
	const clock = options.clock ?? { now: Date.now, sleep: async (ms: number) => void (await wait(ms)) };
	const limit = options.lockWaitMs ?? LOCK_WAIT_MS;
	const start = clock.now();
	for (let delay = LOCK_RETRY_MS; ; delay = Math.min(delay * 2, 1000)) {
		try {
			return await attempt();
		} catch (error) {
			const lock = error instanceof GitError ? LOCK_FAILURE.exec(error.stderr)?.[1] : undefined;
			if (lock === undefined) throw error;
			if (clock.now() - start >= limit) {
				throw new UserError(
					`git: ${lock} is still there after ${limit / 1000} s; end the git process that holds it, or delete the file when none runs`,
					{ cause: error },
				);
			}
			await clock.sleep(Math.min(delay, Math.max(1, limit - (clock.now() - start))), signal);
			signal?.throwIfAborted();
		}
	}
}

/** Takes the secret out of everything that git says: the header, its value, and user names in addresses. */
function createRedactor(options: GitOptions): (text: string) => string {
	const header = options.authorization?.header ?? "";
	const credential = header.split(/\s+/).at(-1) ?? "";
	const password = Buffer.from(credential, "base64").toString("utf8").split(":").slice(1).join(":");
	const secrets = [header, header.slice(header.indexOf(":") + 1).trim(), credential, password].filter((part) => part.length > 3);
	return (text) => {
		let clean = text.replace(/(\w+:\/\/)[^\s/@]+@/g, "$1***@");
		for (const secret of secrets) clean = clean.replaceAll(secret, "***");
		return clean;
	};
}
