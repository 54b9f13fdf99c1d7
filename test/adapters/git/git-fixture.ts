import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

const ENVIRONMENT = {
	PATH: process.env["PATH"] ?? "/usr/bin:/bin",
	HOME: "/nonexistent",
	LC_ALL: "C",
	GIT_CONFIG_NOSYSTEM: "1",
	GIT_CONFIG_GLOBAL: "/dev/null",
	GIT_AUTHOR_NAME: "A",
	GIT_AUTHOR_EMAIL: "a@example.invalid",
	GIT_COMMITTER_NAME: "C",
	GIT_COMMITTER_EMAIL: "c@example.invalid",
	GIT_AUTHOR_DATE: "2024-01-01T00:00:00Z",
	GIT_COMMITTER_DATE: "2024-01-01T00:00:00Z",
};

/** A folder that is gone after the test. */
export function makeFolder(name = "rookery-test-"): string {
	const folder = realpathSync(mkdtempSync(path.join(tmpdir(), name)));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

/** Plain git of the test itself, not the module under test. */
export function git(folder: string, ...args: string[]): string {
	return execFileSync("git", args, { cwd: folder, env: ENVIRONMENT, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1e9 });
}

/** Files by path; null deletes. */
export type Files = Record<string, string | Buffer | null>;

export function writeFiles(folder: string, files: Files): void {
	for (const [name, content] of Object.entries(files)) {
		const file = path.join(folder, name);
		if (content === null) rmSync(file);
		else {
			mkdirSync(path.dirname(file), { recursive: true });
			writeFileSync(file, content);
		}
	}
}

/** Writes the files and commits everything; gives the commit's id. */
export function commit(folder: string, files: Files, message = "change"): string {
	writeFiles(folder, files);
	git(folder, "add", "-A");
	git(folder, "commit", "-q", "--allow-empty", "-m", message);
	return git(folder, "rev-parse", "HEAD").trim();
}

/** An empty repository on branch `main`. */
export function makeRepository(): string {
	const folder = makeFolder();
	git(folder, "init", "-q", "-b", "main", ".");
	return folder;
}
