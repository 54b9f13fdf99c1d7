import { expect } from "vitest";
import { callTool, type Decide } from "../../src/demo/loopback-model/scripted-reply.ts";
import { type LoopbackModel, startLoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import type { ActionResult } from "../../src/demo/runner/run-action.ts";
import type { Severity } from "../../src/domain/finding.ts";
import type { RunReport } from "../../src/domain/run-report.ts";
import { type Files, git, type Scene, startScene, TOKEN } from "./start-scene.ts";

export const KEY = "sk-loopback-rounds-7d1e";
const PUSH_TOKEN = "ghp_author00000000000000000000000000000000";
const open: { close(): Promise<void> }[] = [];

/** Closes what the test has started, and fails when GitHub was asked something it would refuse. */
export async function closeAll(): Promise<void> {
	for (const each of open.splice(0)) await each.close();
}

const STEPS = Array.from({ length: 30 }, (_, index) => `func Step${index}(count int) int { return count + ${index} }`).join("\n");
export const BAD = "	return total / len(items)";
export const FIXED = "	if len(items) == 0 {\n		return 0\n	}\n	return total / max(1, len(items))";

/** A Go file with a function that divides by zero for no items. */
export function mean(name: string, line = BAD): string {
	return `package ${name}\n\n${STEPS}\n\nfunc Mean${name}(total int, items []int) int {\n${line}\n}\n`;
}

export const plain = (name: string): string => `package ${name}\n\n${STEPS}\n`;
let words = 0;

/** Reads every file it is given and reports each division that it finds there, in other words each time. */
export const reviewerOf =
	(severity: Severity): Decide =>
	({ opening, turn, results }) => {
		const files = [...opening.matchAll(/^- (\S+\.go)(?: \(was \S+\))? (?:modified|added|renamed) \+/gm)].map((match) => match[1] ?? "");
		if (files.length === 0) return callTool("submit_report", { summary: "Nothing is assigned.", findings: [], open: [] });
		if (turn === 0) return { blocks: files.map((path) => ({ type: "tool" as const, name: "read_file", input: { path } })) };
		words += 1;
		const findings = files.flatMap((path, index) =>
			(results[index]?.content ?? "").includes(BAD.trim())
				? [
						{
							path,
							quote: BAD.trim(),
							severity,
							category: "bug",
							title: `Division by zero, put in words number ${words}`,
							body: `Without items this panics (${words}).`,
							confidence: 95,
							evidence: { kind: "traced", detail: path },
						},
					]
				: [],
		);
		return callTool("submit_report", { summary: "Read.", findings, open: [] });
	};

/** A pull request and a model that reviews it. */
export async function start(
	options: Parameters<typeof startScene>[0],
	by: Decide = reviewerOf("important"),
): Promise<{ readonly scene: Scene; readonly model: LoopbackModel }> {
	const scene = await startScene(options);
	open.push({
		close: async () => {
			expect(scene.github.violations).toEqual([]);
			await scene[Symbol.asyncDispose]();
		},
	});
	const model = await startLoopbackModel({ apiKey: KEY, decide: by });
	open.push(model);
	return { scene, model };
}

let runs = 100;

/** One run of the action on what was pushed last. */
export async function review(
	scene: Scene,
	model: LoopbackModel | undefined,
): Promise<{ readonly result: ActionResult; readonly report: RunReport }> {
	runs += 1;
	const inputs: Record<string, string> =
		model === undefined ? { "github-token": TOKEN } : { "github-token": TOKEN, "anthropic-api-key": KEY, "base-url": model.url };
	const head = await git(scene.work, "rev-parse", "change");
	await git(scene.workspace, "fetch", "-q", "origin", "+refs/heads/*:refs/remotes/origin/*");
	await git(scene.workspace, "checkout", "-q", "--detach", head);
	const payload = await scene.github.pullRequestPayload(scene.number, "synchronize");
	const result = await scene.start({ inputs, sha: head, runId: String(runs), event: { name: "pull_request", payload } });
	expect(result.exitCode, result.stdout + result.stderr).toBe(0);
	return { result, report: await scene.readReport(result) };
}

/** Commits to the author's branch and pushes it, over what is there when `force` says so. */
export async function push(scene: Scene, files: Files, force = false): Promise<void> {
	const { mkdir, writeFile } = await import("node:fs/promises");
	const path = await import("node:path");
	await git(scene.work, "checkout", "-q", "change");
	for (const [name, content] of Object.entries(files)) {
		if (content === null) await git(scene.work, "rm", "-q", "--", name);
		else {
			await mkdir(path.dirname(path.join(scene.work, name)), { recursive: true });
			await writeFile(path.join(scene.work, name), content);
		}
	}
	await git(scene.work, "add", "-A");
	await git(scene.work, "commit", "-q", "--allow-empty", "-m", "More");
	await send(scene, "change", force);
}

/** Pushes what is committed. */
export async function send(scene: Scene, branch: string, force = false): Promise<void> {
	// The author's own: the workflow's token need not be allowed to push.
	scene.github.addToken(PUSH_TOKEN, { login: "author", type: "User", permissions: "write" });
	const remote = `${scene.github.serverUrl.replace("://", `://x-access-token:${PUSH_TOKEN}@`)}/octo/parcels.git`;
	await git(scene.work, "push", "-q", ...(force ? ["--force"] : []), remote, branch);
}
