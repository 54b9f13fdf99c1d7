import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { LoopbackGitHub } from "../../src/demo/loopback-github/loopback-github.ts";
import { startLoopbackGitHub } from "../../src/demo/loopback-github/start-loopback-github.ts";
import { type ActionResult, type ActionRun, runAction } from "../../src/demo/runner/run-action.ts";
import type { RunReport } from "../../src/domain/run-report.ts";
import { createGraphQLHandler } from "../rig/graphql.ts";

export const ACTION_FOLDER = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
export const TOKEN = "ghs_e2e00000000000000000000000000000000";
export const REPOSITORY = "octo/parcels";

const run = promisify(execFile);

/** git in a folder with nothing of the machine's own configuration. */
export async function git(folder: string, ...args: string[]): Promise<string> {
	const { stdout } = await run("git", ["-C", folder, ...args], {
		env: {
			PATH: process.env["PATH"] ?? "",
			GIT_CONFIG_NOSYSTEM: "1",
			GIT_CONFIG_GLOBAL: "/dev/null",
			GIT_AUTHOR_NAME: "Author",
			GIT_AUTHOR_EMAIL: "author@example.org",
			GIT_COMMITTER_NAME: "Author",
			GIT_COMMITTER_EMAIL: "author@example.org",
			GIT_TERMINAL_PROMPT: "0",
		},
		maxBuffer: 64 * 1024 * 1024,
	});
	return stdout.trim();
}

export type Files = Readonly<Record<string, string | null>>;

export interface SceneOptions {
	/** Files of `main`. */
	readonly base: Files;
	/** What the pull request changes; null deletes. */
	readonly head: Files;
	/** Further commits on `main` after the branch left it. */
	readonly later?: Files;
	readonly title?: string;
	readonly body?: string;
	readonly draft?: boolean;
	/** Message and author of the head's commit. */
	readonly commit?: { readonly message: string; readonly author: string };
	/** Permissions of the workflow's token. */
	readonly permissions?: Parameters<LoopbackGitHub["addToken"]>[1]["permissions"];
	/** Author's role in the repository. */
	readonly role?: Parameters<LoopbackGitHub["setPermission"]>[2];
	/** The pull request comes from a fork. */
	readonly fork?: true;
	/** Reading needs rights, too. */
	readonly private?: true;
	readonly depth?: number;
	/** What the workspace stands at: the head unless given. */
	readonly checkout?: "head" | "base" | "none";
}

/** A loopback GitHub with one pull request and a workspace cloned from it, as a job has them. */
export interface Scene {
	readonly github: LoopbackGitHub;
	readonly folder: string;
	readonly workspace: string;
	/** The author's own clone, for pushes during a test. */
	readonly work: string;
	readonly number: number;
	readonly base: string;
	readonly head: string;
	/** Starts `dist/index.js` as the runner does. */
	start(change?: Partial<ActionRun>): Promise<ActionResult>;
	readReport(result: ActionResult): Promise<RunReport>;
	/** The one sticky comment; fails when there are several. */
	sticky(): string | undefined;
	[Symbol.asyncDispose](): Promise<void>;
}

/** Writes files, null deletes, and commits them; gives the SHA. */
export async function writeCommit(folder: string, files: Files, message: string, author = "Author <author@example.org>"): Promise<string> {
	const { writeFile } = await import("node:fs/promises");
	for (const [name, content] of Object.entries(files)) {
		if (content === null) await git(folder, "rm", "-q", "--", name);
		else {
			await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
			await writeFile(path.join(folder, name), content);
		}
	}
	await git(folder, "add", "-A");
	await git(folder, "commit", "-q", "--allow-empty", "-m", message, "--author", author);
	return git(folder, "rev-parse", "HEAD");
}

export async function startScene(options: SceneOptions): Promise<Scene> {
	const folder = await mkdtemp(path.join(os.tmpdir(), "rookery-e2e-"));
	const work = path.join(folder, "work");
	const temp = path.join(folder, "temp");
	await Promise.all([mkdir(work), mkdir(temp)]);
	await git(work, "init", "-q", "-b", "main");
	await writeCommit(work, options.base, "Base");
	await git(work, "checkout", "-q", "-b", "change");
	const head = await writeCommit(work, options.head, options.commit?.message ?? "Change", options.commit?.author);
	await git(work, "checkout", "-q", "main");
	const base = options.later === undefined ? await git(work, "rev-parse", "main") : await writeCommit(work, options.later, "Later");
	const github = await startLoopbackGitHub({ graphql: createGraphQLHandler() });
	const created = await github.createRepository({
		owner: "octo",
		name: "parcels",
		from: work,
		defaultBranch: "main",
		...(options.private === true ? { private: true } : {}),
	});
	let cloneUrl = created.cloneUrl;
	github.addUser("author");
	github.addUser("maintainer");
	github.setPermission(REPOSITORY, "author", options.role ?? "write");
	github.setPermission(REPOSITORY, "maintainer", "maintain");
	github.addToken(TOKEN, { login: "github-actions[bot]", type: "Bot", permissions: options.permissions ?? "write" });
	if (options.fork === true) await github.createRepository({ owner: "author", name: "parcels", forkOf: REPOSITORY });
	const number = await github.openPullRequest({
		repository: REPOSITORY,
		title: options.title ?? "Change",
		body: options.body ?? "",
		author: "author",
		base: "main",
		head: "change",
		...(options.fork === true ? { headRepository: "author/parcels" } : {}),
		...(options.draft === true ? { draft: true } : {}),
	});
	const workspace = path.join(folder, "workspace");
	cloneUrl = cloneUrl.replace("://", `://x-access-token:${TOKEN}@`);
	if (options.checkout === "none") await mkdir(workspace);
	else {
		const depth = options.depth === undefined ? [] : [`--depth=${options.depth}`, "--no-single-branch"];
		await git(folder, "clone", "-q", ...depth, cloneUrl, workspace);
		await git(workspace, "checkout", "-q", "--detach", options.checkout === "base" ? base : head);
		await git(workspace, "remote", "set-url", "origin", created.cloneUrl);
	}
	return {
		github,
		folder,
		workspace,
		work,
		number,
		base,
		head,
		async start(change = {}) {
			return runAction({
				actionFolder: ACTION_FOLDER,
				workspace,
				temp,
				event: change.event ?? { name: "pull_request", payload: await github.pullRequestPayload(number, "opened") },
				inputs: { "github-token": TOKEN },
				repository: REPOSITORY,
				sha: head,
				ref: `refs/pull/${number}/merge`,
				actor: "author",
				apiUrl: github.url,
				serverUrl: github.serverUrl,
				graphqlUrl: github.graphqlUrl,
				path: process.env["PATH"] ?? "",
				...change,
			});
		},
		async readReport(result) {
			const file = result.outputs["report"];
			if (file === undefined) throw new Error(`no report; exit ${result.exitCode}\n${result.stdout}\n${result.stderr}`);
			return JSON.parse(await readFile(file, "utf8")) as RunReport;
		},
		sticky() {
			const own = github.comments(number).filter((comment) => comment.body.startsWith("<!-- rookery:sticky"));
			if (own.length > 1) throw new Error(`${own.length} sticky comments`);
			return own[0]?.body;
		},
		async [Symbol.asyncDispose]() {
			await github.close();
			await rm(folder, { recursive: true, force: true });
		},
	};
}
