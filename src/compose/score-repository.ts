import { mkdir } from "node:fs/promises";
import { startGit, waitForExit } from "../adapters/git/run-git-process.ts";
import { UserError } from "../domain/errors.ts";
import type { ScoreCase } from "../score/score-case.ts";

/** Nothing of the user's configuration takes part, so that every machine makes the same commits. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
	PATH: "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin",
	HOME: "/nonexistent",
	LC_ALL: "C",
	TZ: "UTC",
	GIT_CONFIG_NOSYSTEM: "1",
	GIT_CONFIG_GLOBAL: "/dev/null",
};
const AUTHOR = "Score <score@example.org>";
/** 2026-01-05, 09:00 UTC. */
const FIRST_SECOND = 1_767_603_600;

/** A checkout with two commits, `main` and `change`, for a case that brings its files. The folder must be new. */
export async function makeScoreRepository(source: Extract<ScoreCase["source"], { kind: "files" }>, folder: string): Promise<void> {
	await mkdir(folder, { recursive: true });
	await git(folder, ["init", "--quiet", "--initial-branch=main"]);
	for (const [key, value] of [
		["core.autocrlf", "false"],
		["core.hooksPath", "/dev/null"],
	] as const) {
		await git(folder, ["config", key, value]);
	}
	await git(folder, ["fast-import", "--quiet"], buildStream(source));
	await git(folder, ["checkout", "--quiet", "--force", "change"]);
}

/** Both commits as one stream: no index, no umask, no line-end conversion. */
function buildStream({ base, head }: Extract<ScoreCase["source"], { kind: "files" }>): Buffer {
	const chunks: Buffer[] = [];
	const data = (content: string): void => {
		const bytes = Buffer.from(content);
		chunks.push(Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from("\n"));
	};
	const commit = (branch: string, number: number, message: string): void => {
		const when = `${FIRST_SECOND + number * 3_600} +0000`;
		chunks.push(Buffer.from(`commit refs/heads/${branch}\nmark :${number}\nauthor ${AUTHOR} ${when}\ncommitter ${AUTHOR} ${when}\n`));
		data(message);
		if (number > 1) chunks.push(Buffer.from(`from :${number - 1}\n`));
	};
	const put = (path: string, content: string | null): void => {
		chunks.push(Buffer.from(content === null ? `D ${path}\n` : `M 100644 inline ${path}\n`));
		if (content !== null) data(content);
	};
	commit("main", 1, "Base\n");
	for (const [path, content] of Object.entries(base)) put(path, content);
	commit("change", 2, "Change\n");
	for (const [path, content] of Object.entries(head)) put(path, content);
	chunks.push(Buffer.from("done\n"));
	return Buffer.concat(chunks);
}

async function git(folder: string, args: readonly string[], input?: Buffer): Promise<void> {
	const child = startGit({ binary: "git", arguments: args, environment: ENVIRONMENT, folder });
	child.stdout.resume();
	const ended = waitForExit(child);
	child.stdin.end(input);
	const { code, stderr, startError } = await ended;
	if (startError !== undefined) throw new UserError(`git cannot be started: ${startError.message}`);
	if (code !== 0) throw new Error(`git ${args[0] ?? ""} failed: ${stderr.trim().slice(-500)}`);
}
