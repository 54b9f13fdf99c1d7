import { cp, mkdir, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { ActionResult } from "../../src/demo/runner/run-action.ts";
import { OUTBOX_FILE, OUTBOX_REPORTS } from "../../src/domain/outbox.ts";
import { hashBytes } from "../../src/stages/outbox/parse-outbox.ts";
import { makeZip } from "../rig/make-zip.ts";
import { REPOSITORY, type Scene } from "./start-scene.ts";

/** The token of a job that may only read, as a pull request from a fork has it. */
export const READ_TOKEN = "ghs_read0000000000000000000000000000000";

export interface WorkflowRun {
	readonly id: number;
	/** The next attempt of the same run. */
	readonly attempt: number;
}

/** Registers a workflow run for the scene's pull request, and the token of its jobs. */
export function startWorkflow(
	s: Scene,
	change: { readonly fork?: true; readonly head?: string; readonly event?: string; readonly actor?: string } = {},
): WorkflowRun {
	s.github.addToken(READ_TOKEN, { login: "github-actions[bot]", type: "Bot", permissions: "read" });
	const id = s.github.addWorkflowRun({
		name: "Rookery forks",
		headSha: change.head ?? s.head,
		headBranch: "change",
		headRepository: change.fork === true ? "author/parcels" : REPOSITORY,
		actor: change.actor ?? "author",
		...(change.event === undefined ? {} : { event: change.event }),
	});
	return { id, attempt: 1 };
}

/** A job of a run on a machine of its own: nothing is left there by others. */
export async function job(
	s: Scene,
	run: WorkflowRun,
	inputs: Readonly<Record<string, string>>,
	change: Parameters<Scene["start"]>[0] = {},
): Promise<ActionResult> {
	const temp = path.join(s.folder, `temp-${run.id}-${run.attempt}-${Math.random().toString(36).slice(2, 10)}`);
	await mkdir(temp, { recursive: true });
	return s.start({
		runId: String(run.id),
		runAttempt: String(run.attempt),
		temp,
		inputs: { "github-token": READ_TOKEN, ...inputs },
		...change,
	});
}

export async function readOutbox(folder: string): Promise<Record<string, Buffer>> {
	const names = await readdir(folder);
	return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readFile(path.join(folder, name))] as const)));
}

/** Uploads an outbox as `actions/upload-artifact` does; `change` plays whoever had it in between. */
export async function upload(
	s: Scene,
	run: WorkflowRun,
	result: ActionResult,
	change: (files: Record<string, Buffer>) => Record<string, Buffer | string> = (files) => files,
): Promise<void> {
	const folder = result.outputs["outbox"];
	if (folder === undefined) throw new Error(`no outbox; exit ${result.exitCode}\n${result.stdout}\n${result.stderr}`);
	const name = `rookery-outbox-${path.basename(folder).replace("shard-", "")}-${run.attempt}`;
	s.github.addArtifact({ runId: run.id, name, zip: makeZip(change(await readOutbox(folder))) });
}

interface OpenOutbox {
	readonly head: Record<string, unknown>;
	readonly reports: Record<string, unknown>;
}

/** Changes what an outbox says and makes its hashes right again, as a forger who knows the form would. */
export function forge(change: (outbox: OpenOutbox) => void) {
	return (files: Record<string, Buffer>): Record<string, Buffer> => {
		const head = JSON.parse(String(files[OUTBOX_FILE])) as Record<string, unknown>;
		const reports = JSON.parse(String(files[OUTBOX_REPORTS])) as Record<string, unknown>;
		change({ head, reports });
		const body = Buffer.from(JSON.stringify(reports));
		head["files"] = { [OUTBOX_REPORTS]: { sha256: hashBytes(body), bytes: body.length } };
		return { [OUTBOX_FILE]: Buffer.from(JSON.stringify(head)), [OUTBOX_REPORTS]: body };
	};
}

/** Puts outboxes where `actions/download-artifact` would: a folder each in one folder. */
export async function download(s: Scene, results: readonly ActionResult[], name = "downloaded"): Promise<string> {
	const folder = path.join(s.folder, name);
	for (const result of results) {
		const from = result.outputs["outbox"] ?? "";
		await cp(from, path.join(folder, `rookery-outbox-${path.basename(from)}`), { recursive: true });
	}
	await mkdir(folder, { recursive: true });
	return folder;
}
