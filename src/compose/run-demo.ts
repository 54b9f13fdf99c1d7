import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { UserError } from "../domain/errors.ts";
import type { RunReport } from "../domain/run-report.ts";
import { startLoopbackGitHub } from "../demo/loopback-github/start-loopback-github.ts";
import { runAction } from "../demo/runner/run-action.ts";
import { makeSampleRepository } from "../demo/sample-repository/make-sample-repository.ts";
import { plural } from "../publish/render/format.ts";

export interface DemoOptions {
	readonly write: (line: string) => void;
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly bundleFolder: string;
	readonly node: string;
	readonly json: boolean;
}

const OWNER = "rookery-demo";
const NAME = "parcels";
const TOKEN = "ghs_demo0000000000000000000000000000";
const run = promisify(execFile);

async function clone(from: string, to: string, branchSha: string, searchPath: string): Promise<void> {
	const environment = { PATH: searchPath, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_TERMINAL_PROMPT: "0" };
	await run("git", ["clone", "--quiet", from, to], { env: environment });
	await run("git", ["-C", to, "checkout", "--quiet", "--detach", branchSha], { env: environment });
}

/**
 * The whole job on real input: a sample repository with a pull request, a loopback GitHub, and the action started as
 * the runner starts it. Prints what a maintainer would see and where the files are. Gives the action's exit code.
 */
export async function runDemo(options: DemoOptions): Promise<number> {
	const searchPath = options.environment["PATH"] ?? "";
	const scratch = await mkdtemp(path.join(os.tmpdir(), "rookery-demo-"));
	const temp = path.join(scratch, "runner-temp");
	await mkdir(temp);
	const sample = await makeSampleRepository(path.join(scratch, "sample")).catch((error: unknown) => {
		throw new UserError(`demo: the sample repository cannot be made; git is needed (${String(error)})`, { cause: error });
	});
	await using github = await startLoopbackGitHub({ checkResponses: false });
	const { cloneUrl } = await github.createRepository({ owner: OWNER, name: NAME, from: sample.folder, defaultBranch: sample.baseBranch });
	github.addUser("maintainer");
	github.setPermission(`${OWNER}/${NAME}`, "maintainer", "write");
	github.addToken(TOKEN, { login: "github-actions[bot]", type: "Bot", permissions: "write" });
	const number = await github.openPullRequest({
		repository: `${OWNER}/${NAME}`,
		...sample.pullRequest,
		author: "maintainer",
		base: sample.baseBranch,
		head: sample.headBranch,
	});
	const workspace = path.join(scratch, "workspace");
	await clone(cloneUrl.replace("://", `://x-access-token:${TOKEN}@`), workspace, sample.head, searchPath);
	const payload = await github.pullRequestPayload(number, "opened");
	const result = await runAction({
		actionFolder: path.dirname(options.bundleFolder),
		workspace,
		temp,
		event: { name: "pull_request", payload },
		inputs: { "github-token": TOKEN, provider: "offline" },
		repository: `${OWNER}/${NAME}`,
		sha: sample.head,
		ref: `refs/pull/${number}/merge`,
		actor: "maintainer",
		apiUrl: github.url,
		serverUrl: github.serverUrl,
		graphqlUrl: github.graphqlUrl,
		path: searchPath,
		node: options.node,
	});
	const reportPath = result.outputs["report"];
	if (reportPath === undefined)
		throw new UserError(`demo: the action gave no report (exit code ${result.exitCode}):\n${result.stdout}${result.stderr}`);
	const text = await readFile(reportPath, "utf8");
	if (options.json) options.write(text.trimEnd());
	else
		printDemo(options.write, {
			github,
			number,
			report: JSON.parse(text) as RunReport,
			reportPath,
			journals: result.outputs["journals"] ?? "",
			exitCode: result.exitCode,
		});
	await Promise.all([workspace, path.join(scratch, "sample")].map((folder) => rm(folder, { recursive: true, force: true })));
	return result.exitCode ?? 2;
}

interface Shown {
	readonly github: Awaited<ReturnType<typeof startLoopbackGitHub>>;
	readonly number: number;
	readonly report: RunReport;
	readonly reportPath: string;
	readonly journals: string;
	readonly exitCode: number | null;
}

function printDemo(write: (line: string) => void, { github, number, report, reportPath, journals, exitCode }: Shown): void {
	const heading = (text: string) => write(`\n${text}\n${"=".repeat(text.length)}\n`);
	heading("The sticky comment");
	for (const comment of github.comments(number)) write(comment.body);
	const comments = github.reviewComments(number);
	heading(`The review: ${plural(comments.length, "inline comment")}`);
	for (const comment of comments) {
		write(`--- ${comment.path}:${comment.line ?? "file"} (${comment.side})`);
		write(`${comment.body}\n`);
	}
	heading("Files");
	write(`Verdict: ${report.verdict.state}; exit code of the action: ${exitCode}`);
	write(`JSON report: ${reportPath}`);
	write(`HTML report: ${path.join(path.dirname(reportPath), "report.html")}`);
	write(`Journals: ${journals}`);
}
