import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { GIT_ENVIRONMENT } from "../loopback-github/git-command.ts";
import { goPart } from "./go-part.ts";
import { javaPart } from "./java-part.ts";
import { otherPart, SAMPLE_README } from "./other-part.ts";
import { pythonPart } from "./python-part.ts";
import { rustPart } from "./rust-part.ts";
import type { PlantedDefect, SampleFile } from "./sample-file.ts";
import { typescriptPart } from "./typescript-part.ts";

/** A planted defect with its line in the head. */
export interface SeededDefect {
	readonly path: string;
	/** 1-based line of the head file. */
	readonly line: number;
	readonly kind: string;
	readonly rule: string;
	readonly offline: boolean;
	readonly why: string;
}

export interface SampleRepository {
	readonly folder: string;
	readonly baseBranch: "main";
	readonly headBranch: "urgent-parcels";
	/** Tip of `main`, one commit behind which the branch left it. */
	readonly base: string;
	readonly mergeBase: string;
	/** Tip of the branch; checked out. */
	readonly head: string;
	readonly pullRequest: { readonly title: string; readonly body: string };
	readonly defects: readonly SeededDefect[];
}

const BASE_BRANCH = "main";
const HEAD_BRANCH = "urgent-parcels";
const AUTHOR = "Sample Author <author@example.org>";
/** 2026-01-05, 09:00 UTC; fixed, so that every machine makes the same commits. */
const FIRST_SECOND = 1_767_603_600;

/**
 * Makes a small polyglot repository with a pull request whose defects are known. The folder must not exist or be
 * empty. Needs nothing but git; no configuration of the user takes part. Rejects with git's own words.
 */
export async function makeSampleRepository(folder: string): Promise<SampleRepository> {
	const parts = [goPart(), rustPart(), pythonPart(), javaPart(), typescriptPart(), otherPart()];
	const files = parts.flatMap((part) => part.files);
	await mkdir(folder, { recursive: true });
	await git(folder, ["init", "--quiet", `--initial-branch=${BASE_BRANCH}`]);
	for (const [key, value] of [
		["core.autocrlf", "false"],
		["core.hooksPath", "/dev/null"],
		["commit.gpgSign", "false"],
		["user.name", "Sample Author"],
		["user.email", "author@example.org"],
	] as const) {
		await git(folder, ["config", key, value]);
	}
	await git(folder, ["fast-import", "--quiet"], buildStream(files));
	await git(folder, ["checkout", "--quiet", "--force", HEAD_BRANCH]);
	return {
		folder,
		baseBranch: BASE_BRANCH,
		headBranch: HEAD_BRANCH,
		base: await git(folder, ["rev-parse", BASE_BRANCH]),
		mergeBase: await git(folder, ["merge-base", BASE_BRANCH, HEAD_BRANCH]),
		head: await git(folder, ["rev-parse", HEAD_BRANCH]),
		pullRequest: {
			title: "Add an urgent lane",
			body: "Urgent parcels overtake the others. Also moves the operations page and changes how rates are stored.",
		},
		defects: parts.flatMap((part) => part.defects.map((defect) => locate(defect, files))),
	};
}

/** All commits as one `git fast-import` stream: no index, no umask, no line-end conversion. */
function buildStream(files: readonly SampleFile[]): Buffer {
	const chunks: Buffer[] = [];
	const data = (content: string | Buffer) => {
		const bytes = Buffer.from(content);
		chunks.push(Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from("\n"));
	};
	const commit = (branch: string, hour: number, message: string, from: string | undefined) => {
		const when = `${FIRST_SECOND + hour * 3_600} +0000`;
		chunks.push(Buffer.from(`commit refs/heads/${branch}\nmark :${hour + 1}\nauthor ${AUTHOR} ${when}\ncommitter ${AUTHOR} ${when}\n`));
		data(message);
		if (from !== undefined) chunks.push(Buffer.from(`from ${from}\n`));
	};
	const modify = (path: string, content: string | Buffer) => {
		chunks.push(Buffer.from(`M 100644 inline ${path}\n`));
		data(content);
	};
	const readme = files.filter((file) => file.path === "README.md");
	commit(BASE_BRANCH, 0, "Start\n", undefined);
	for (const file of readme) modify(file.path, file.base ?? "");
	commit(BASE_BRANCH, 1, "Add the services\n", ":1");
	for (const file of files) if (file.base !== undefined) modify(file.path, file.base);
	commit(HEAD_BRANCH, 2, "Add an urgent lane\n", ":2");
	for (const file of files) {
		if (file.head === undefined) chunks.push(Buffer.from(`D ${file.path}\n`));
		else if (file.base === undefined || !Buffer.from(file.head).equals(Buffer.from(file.base))) modify(file.path, file.head);
	}
	// The base has gone on, so that the merge base is not its tip.
	commit(BASE_BRANCH, 3, "Say who answers\n", ":2");
	modify("README.md", `${SAMPLE_README}\nQuestions go to the harbour master.\n`);
	chunks.push(Buffer.from("done\n"));
	return Buffer.concat(chunks);
}

function locate(defect: PlantedDefect, files: readonly SampleFile[]): SeededDefect {
	const head = files.find((file) => file.path === defect.path)?.head;
	const lines = String(head ?? "").split("\n");
	const found = lines.flatMap((line, index) => (line.includes(defect.on) ? [index + 1] : []));
	const line = found[0];
	if (line === undefined || found.length > 1)
		throw new Error(`${defect.path}: ${JSON.stringify(defect.on)} stands on ${found.length} lines`);
	const { path, kind, rule, offline, why } = defect;
	return { path, line, kind, rule, offline, why };
}

async function git(folder: string, args: readonly string[], input?: Buffer): Promise<string> {
	return new Promise((resolve, reject) => {
		const child = spawn("git", args, { cwd: folder, env: GIT_ENVIRONMENT, stdio: ["pipe", "pipe", "pipe"] });
		let stdout = "";
		let stderr = "";
		child.stdout.on("data", (chunk: Buffer) => {
			stdout += chunk.toString("utf8");
		});
		child.stderr.on("data", (chunk: Buffer) => {
			stderr += chunk.toString("utf8");
		});
		// A git that ends early breaks the pipe; its exit code says what matters.
		child.stdin.on("error", () => undefined);
		child.on("error", reject);
		child.on("close", (code) => {
			if (code === 0) resolve(stdout.trim());
			else reject(new Error(`git ${args[0] ?? ""} failed with exit code ${code ?? "none"}: ${stderr.trim()}`));
		});
		child.stdin.end(input);
	});
}
