import { spawn } from "node:child_process";

/** A program search path that finds git on Linux and macOS without reading our own environment. */
const PROGRAM_PATH = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin:/usr/lib/git-core";

/** The environment of every git process: nothing of the user's configuration takes part (BR-09). */
export const GIT_ENVIRONMENT: Readonly<Record<string, string>> = {
	PATH: PROGRAM_PATH,
	HOME: "/nonexistent",
	LC_ALL: "C",
	TZ: "UTC",
	GIT_CONFIG_NOSYSTEM: "1",
	GIT_CONFIG_GLOBAL: "/dev/null",
	GIT_TERMINAL_PROMPT: "0",
};

export interface GitOptions {
	readonly input?: Buffer | string;
	readonly environment?: Readonly<Record<string, string>>;
}

export interface GitResult {
	readonly code: number;
	readonly stdout: Buffer;
	readonly stderr: string;
}

/** Runs git on a bare repository and gives its exit code; rejects only when git cannot be started. */
export async function tryGit(bare: string, args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
	return new Promise((resolve, reject) => {
		const child = spawn("git", ["--git-dir", bare, "-c", "safe.directory=*", "-c", "gc.auto=0", ...args], {
			env: { ...GIT_ENVIRONMENT, ...options.environment },
			stdio: ["pipe", "pipe", "pipe"],
		});
		const stdout: Buffer[] = [];
		const stderr: Buffer[] = [];
		child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
		child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
		child.on("error", reject);
		// A git that ends before it has read all its input breaks the pipe; its exit code says what matters.
		child.stdin.on("error", () => undefined);
		child.on("close", (code) =>
			resolve({ code: code ?? 1, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString("utf8") }),
		);
		child.stdin.end(options.input ?? "");
	});
}

/** Runs git and gives its output; rejects with git's own words when it fails. */
export async function runGitBytes(bare: string, args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
	const result = await tryGit(bare, args, options);
	if (result.code !== 0) throw new Error(`git ${args[0] ?? ""} failed with exit code ${result.code}: ${result.stderr.trim()}`);
	return result.stdout;
}

/** Output as text without the final line feed. */
export async function runGit(bare: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
	return (await runGitBytes(bare, args, options)).toString("utf8").replace(/\n$/, "");
}

/** Output as text, or undefined when git says no. */
export async function askGit(bare: string, args: readonly string[], options: GitOptions = {}): Promise<string | undefined> {
	const result = await tryGit(bare, args, options);
	return result.code === 0 ? result.stdout.toString("utf8").replace(/\n$/, "") : undefined;
}
