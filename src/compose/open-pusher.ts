import { mkdtemp, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { createGitPusher } from "../adapters/git/push-commit.ts";
import type { GitHubHost } from "../adapters/github/create-github-host.ts";
import { UserError } from "../domain/errors.ts";
import type { Settings } from "../domain/settings.ts";
import type { TeamPolicy } from "../domain/team-policy.ts";
import { hashPolicy } from "../guard/policy-hash.ts";
import type { CommitPusher } from "../seams.ts";
import { auditPushes } from "../stages/audit-pushes.ts";
import type { OpenedRun } from "./open-run.ts";

export interface PusherOptions {
	/** The setting `commit`. */
	readonly way: Settings["commit"];
	readonly run: Pick<OpenedRun, "git" | "seams">;
	readonly host: Pick<GitHubHost, "openPusher">;
	/** Address of the repository; the run's git module holds the token for it. */
	readonly remoteUrl: string;
	/** The input `signing-key`. */
	readonly signingKey?: string;
	readonly temp: string;
	/** Stands with each push in the audit. */
	readonly policy: TeamPolicy;
}

/**
 * Who commits and pushes in this run, as the setting `commit` says. A signing key lies in a file of this user's alone
 * until the pusher is disposed. Throws a UserError when `ssh` is wanted and there is no key.
 */
export async function openPusher(options: PusherOptions): Promise<CommitPusher & AsyncDisposable> {
	const { way, run, host, remoteUrl, signingKey, temp } = options;
	const nothing = async (): Promise<void> => undefined;
	const { audit, clock } = run.seams;
	const recorded = (pusher: CommitPusher): CommitPusher =>
		audit === undefined ? pusher : auditPushes(pusher, { audit, clock, policyHash: hashPolicy(options.policy) });
	if (way === "api") return { ...recorded(host.openPusher(run.seams.patchTrees)), [Symbol.asyncDispose]: nothing };
	const git = { git: run.git, remoteUrl, signal: run.seams.signal };
	if (way === "git") return { ...recorded(createGitPusher(git)), [Symbol.asyncDispose]: nothing };
	if (signingKey === undefined) {
		throw new UserError(
			"settings: commit is ssh, but the input signing-key is empty; wanted a private SSH key in a secret, or commit: api",
		);
	}
	const folder = await mkdtemp(path.join(temp, "rookery-key-"));
	const file = path.join(folder, "key");
	await writeFile(file, `${signingKey.replace(/\r\n/g, "\n").trimEnd()}\n`, { mode: 0o600, flag: "wx" });
	return {
		...recorded(createGitPusher({ ...git, signingKey: file })),
		[Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
	};
}
