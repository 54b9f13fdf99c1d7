import { writeFile } from "node:fs/promises";
import { expect } from "vitest";
import type { ActionResult, ActionRun } from "../../src/demo/runner/run-action.ts";
import { nextRun } from "./say.ts";
import { type Files, git, REPOSITORY, type Scene, startScene, TOKEN } from "./start-scene.ts";

/** A repository whose settings name these jobs. */
export async function startJobs(jobs: Readonly<Record<string, unknown>>, files: Files = {}, settings: object = {}): Promise<Scene> {
	const base = {
		"notes.txt": "one  two\nthree\n",
		"other.txt": "a  b\n",
		".rookery/settings.json": JSON.stringify({ maintenance: jobs, ...settings }),
		...files,
	};
	return startScene({ base, head: { "x.txt": "x\n" }, checkout: "base" });
}

/** Runs the workflow with a job, as `workflow_dispatch` by a maintainer unless said otherwise. */
export async function dispatch(scene: Scene, job: string | undefined, change: Partial<ActionRun> = {}): Promise<ActionResult> {
	return scene.start({
		event: { name: "workflow_dispatch", payload: scene.github.workflowDispatchPayload({ sender: "maintainer", inputs: {} }) },
		inputs: { "github-token": TOKEN, ...(job === undefined ? {} : { job }) },
		...{ sha: scene.base, ref: "refs/heads/main", actor: "maintainer", runId: nextRun() },
		...change,
	});
}

/** The pull requests of a job's branch, oldest first. */
export function pullsOf(scene: Scene, branch: string) {
	const found = [];
	for (let number = 1; number <= 30; number += 1) {
		try {
			const pull = scene.github.pull(number);
			if (pull.head.ref === branch)
				found.push({ number, pull, issue: scene.github.state.repositories.get(REPOSITORY)?.issues.get(number) });
		} catch {
			break;
		}
	}
	return found;
}

export function ofBranch(scene: Scene, branch: string) {
	const [only, ...others] = pullsOf(scene, branch);
	expect(others).toEqual([]);
	if (only === undefined) throw new Error(`no pull request from ${branch}`);
	return only;
}

/** git in the bare repository behind the loopback GitHub. */
export function inBare(scene: Scene, ...args: string[]): Promise<string> {
	return git(scene.github.state.repositories.get(REPOSITORY)?.bare ?? "?", ...args);
}

/** Pushes with somebody's own name. */
export async function pushAs(scene: Scene, branch: string, files: Files, from = branch): Promise<string> {
	const address = `${scene.github.serverUrl.replace("://", `://x-access-token:${TOKEN}@`)}/${REPOSITORY}.git`;
	await git(scene.work, "fetch", "-q", address, from);
	await git(scene.work, "checkout", "-q", "--detach", "FETCH_HEAD");
	for (const [name, content] of Object.entries(files)) await writeFile(`${scene.work}/${name}`, content ?? "");
	await git(scene.work, "add", "-A");
	await git(scene.work, "commit", "-q", "-m", "By hand");
	await git(scene.work, "push", "-q", address, `HEAD:refs/heads/${branch}`);
	return git(scene.work, "rev-parse", "HEAD");
}
