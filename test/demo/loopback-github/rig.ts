import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { Octokit } from "@octokit/rest";
import { type LoopbackGitHub, type LoopbackOptions, startLoopbackGitHub } from "../../../src/demo/loopback-github/start-loopback-github.ts";

const run = promisify(execFile);

const GIT_ENVIRONMENT = {
	PATH: process.env["PATH"] ?? "",
	HOME: tmpdir(),
	GIT_CONFIG_NOSYSTEM: "1",
	GIT_CONFIG_GLOBAL: "/dev/null",
	GIT_TERMINAL_PROMPT: "0",
	GIT_AUTHOR_NAME: "Ada",
	GIT_AUTHOR_EMAIL: "ada@users.noreply.github.com",
	GIT_COMMITTER_NAME: "Ada",
	GIT_COMMITTER_EMAIL: "ada@users.noreply.github.com",
};

/** Runs git in a folder; rejects with git's own words. */
export async function git(folder: string, ...args: readonly string[]): Promise<string> {
	const { stdout } = await run("git", args, { cwd: folder, env: GIT_ENVIRONMENT, maxBuffer: 64 * 1024 * 1024 });
	return stdout.trim();
}

/** The text git wrote to its error output when it failed; fails the test when git succeeds. */
export async function gitFailure(folder: string, ...args: readonly string[]): Promise<string> {
	try {
		await git(folder, ...args);
	} catch (error) {
		return String((error as { stderr?: unknown }).stderr);
	}
	throw new Error(`git ${args.join(" ")} was expected to fail`);
}

export type Files = Readonly<Record<string, string | Buffer | null>>;

/** Writes (or removes, with null) files, commits them and gives the SHA. */
export async function commit(folder: string, message: string, files: Files): Promise<string> {
	for (const [path, content] of Object.entries(files)) {
		const target = join(folder, path);
		if (content === null) await rm(target, { force: true });
		else {
			await mkdir(dirname(target), { recursive: true });
			await writeFile(target, content);
		}
	}
	await git(folder, "add", "--all");
	await git(folder, "commit", "--quiet", "--allow-empty", "--message", message);
	return git(folder, "rev-parse", "HEAD");
}

export async function temporaryFolder(): Promise<string> {
	return mkdtemp(join(tmpdir(), "loopback-test-"));
}

/** Twenty lines on `main`, of which the branch `feature` changes 2 and 15, adds a file and removes one. */
async function createSampleWork(): Promise<string> {
	const folder = await temporaryFolder();
	const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
	await git(folder, "init", "--quiet", "--initial-branch=main");
	await commit(folder, "First", { "a.txt": `${lines.join("\n")}\n`, "old.txt": "gone\n", "src/keep.ts": "export const keep = 1;\n" });
	await git(folder, "switch", "--quiet", "--create", "feature");
	const changed = lines.map((line, index) => (index === 1 || index === 14 ? `${line} changed` : line));
	await commit(folder, "Change two lines", { "a.txt": `${changed.join("\n")}\n`, "old.txt": null });
	await commit(folder, "Add a file", { "src/new.ts": "export const fresh = 1;\nexport const more = 2;\n" });
	await git(folder, "switch", "--quiet", "main");
	return folder;
}

export const TOKENS = { bot: "t-bot", ada: "t-ada", reader: "t-reader", admin: "t-admin" } as const;

export interface Rig extends AsyncDisposable {
	readonly hub: LoopbackGitHub;
	readonly work: string;
	/** Path of the bare repository of `acme/widgets`, to push to without a token. */
	readonly bare: string;
	/** A client of `acme/widgets` with one of the tokens; no throttling, no retries. */
	client(token?: string | null): Octokit;
	readonly repository: { readonly owner: "acme"; readonly repo: "widgets" };
	readonly number: number;
	/** Checks that the contract was kept and ends everything. */
	[Symbol.asyncDispose](): Promise<void>;
}

/** A loopback with `acme/widgets`, tokens for four kinds of callers and one pull request by ada. */
export async function startRig(options: LoopbackOptions = {}): Promise<Rig> {
	const hub = await startLoopbackGitHub(options);
	const work = await createSampleWork();
	const { bare } = await hub.createRepository({ owner: "acme", name: "widgets", from: work });
	hub.addToken(TOKENS.bot, { login: "github-actions[bot]", permissions: "write" });
	hub.addToken(TOKENS.ada, { login: "ada", permissions: "write" });
	hub.addToken(TOKENS.reader, { login: "github-actions[bot]", permissions: "read" });
	hub.addToken(TOKENS.admin, { login: "acme", permissions: "admin" });
	const number = await hub.openPullRequest({
		repository: "acme/widgets",
		title: "Two lines",
		body: "Please look",
		author: "ada",
		base: "main",
		head: "feature",
	});
	const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
	return {
		hub,
		work,
		bare,
		number,
		repository: { owner: "acme", repo: "widgets" },
		client: (token = TOKENS.bot) => new Octokit({ baseUrl: hub.url, log: quiet, ...(token === null ? {} : { auth: token }) }),
		async [Symbol.asyncDispose]() {
			await hub.close();
			await rm(work, { recursive: true, force: true });
		},
	};
}

/** Status, message and errors of a refused call; fails the test when the call succeeds. */
export async function refusal(
	call: Promise<unknown>,
): Promise<{ readonly status: number; readonly message: string; readonly errors: unknown; readonly headers: Record<string, unknown> }> {
	try {
		await call;
	} catch (error) {
		const { status, response } = error as {
			status: number;
			response?: { data?: { message?: string; errors?: unknown }; headers?: Record<string, unknown> };
		};
		return { status, message: response?.data?.message ?? String(error), errors: response?.data?.errors, headers: response?.headers ?? {} };
	}
	throw new Error("the call was expected to be refused");
}
