import { isSha, type Sha } from "../../domain/ids.ts";
import { type CommitRequest, type PushOutcome, requireForward } from "../../domain/patch.ts";
import type { CommitPusher } from "../../seams.ts";
import { type Git, GitError } from "./create-git.ts";

export interface GitPusherOptions {
	readonly git: Git;
	/** Address to push to. The token travels in a header that the git module keeps in its environment (SECURITY.md 3.6). */
	readonly remoteUrl: string;
	/** Path of a private key file for SSH signatures, readable by this user alone; absent: commits are not signed. */
	readonly signingKey?: string;
	readonly signal?: AbortSignal;
}

/** Commits with `git commit-tree` and pushes with a lease; nothing of the checkout, no ref and no hook of it is used. */
export function createGitPusher(options: GitPusherOptions): CommitPusher {
	const { git, remoteUrl, signingKey, signal } = options;
	const signing = signingKey === undefined ? git : git.withSettings(signWith(signingKey));
	const run = signal === undefined ? {} : { signal };
	const readBranch = async (branch: string): Promise<Sha | null> => {
		const ref = fullRef(branch);
		const { stdout } = await git.run(["ls-remote", "--refs", "--end-of-options", remoteUrl, ref], run);
		const line = stdout
			.toString("utf8")
			.split("\n")
			.find((each) => each.split("\t")[1] === ref);
		const commit = line?.split("\t")[0];
		return isSha(commit) ? commit : null;
	};
	return {
		way: signingKey === undefined ? "git" : "ssh",
		readBranch,
		async push(request) {
			requireForward(request);
			const ref = fullRef(request.branch);
			const made = await tryCommit(signing, request, signingKey !== undefined);
			if (!made.ok) return made;
			const { commit } = made;
			const lease = `--force-with-lease=${ref}:${request.expected ?? ""}`;
			const args = ["push", "--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no", "--no-signed", lease];
			const { code, stdout, stderr } = await git.run([...args, "--end-of-options", remoteUrl, `${commit}:${ref}`], {
				...run,
				okCodes: [0, 1, 128],
			});
			const done = { ok: true, commit, signed: signingKey !== undefined } as const;
			if (code === 0) return done;
			const refusal = classifyPushRefusal(`${stderr}\n${stdout.toString("utf8")}`);
			// An answer that did not come says nothing of what was done, and what sends it again is told that it is stale (BR-45).
			const mayHave = refusal.reason === "uncertain" || refusal.reason === "stale";
			const arrived = mayHave && (await readBranch(request.branch).catch(() => null)) === commit;
			return arrived ? done : refusal;
		},
	};
}

function fullRef(branch: string): string {
	return `refs/heads/${branch}`;
}

async function writeCommit(git: Git, request: CommitRequest, sign: boolean): Promise<Sha> {
	const { change, parents, message, author } = request;
	const { stdout } = await git.run(
		["commit-tree", ...(sign ? ["-S"] : ["--no-gpg-sign"]), ...parents.flatMap((parent) => ["-p", parent]), "-F", "-", change.tree],
		{
			input: message.endsWith("\n") ? message : `${message}\n`,
			variables: {
				GIT_AUTHOR_NAME: author.name,
				GIT_AUTHOR_EMAIL: author.email,
				GIT_COMMITTER_NAME: author.name,
				GIT_COMMITTER_EMAIL: author.email,
			},
		},
	);
	return stdout.toString("latin1").trim();
}

/** A key that does not fit is the user's to mend, and no reason to lose the patch. */
async function tryCommit(
	git: Git,
	request: CommitRequest,
	sign: boolean,
): Promise<{ readonly ok: true; readonly commit: Sha } | Extract<PushOutcome, { ok: false }>> {
	try {
		return { ok: true, commit: await writeCommit(git, request, sign) };
	} catch (error) {
		if (!(error instanceof GitError)) throw error;
		const what = sign ? "the commit could not be signed with the input signing-key" : "git could not make the commit";
		return { ok: false, reason: "refused", message: `${what}: ${describe(error.stderr)}` };
	}
}

function signWith(key: string): readonly (readonly [string, string])[] {
	return [
		["gpg.format", "ssh"],
		["gpg.ssh.program", "ssh-keygen"],
		["user.signingKey", key],
	];
}

type Refusal = Extract<PushOutcome, { ok: false }>;

const PATTERNS: readonly (readonly [Refusal["reason"], RegExp])[] = [
	["workflow", /without [`"']?workflows?[`"']? (?:permission|scope)/i],
	["protected", /\bGH0(?:06|13)\b|protected branch|repository rule violations|required signature|must be made through a pull request/i],
	["taken", /cannot lock ref '[^']*': '[^']*' exists|\(directory file conflict\)/i],
	[
		"stale",
		/\(stale info\)|\(fetch first\)|\(non-fast-forward\)|cannot lock ref '[^']*': (?:is at|reference already exists)|\(failed to update ref\)/i,
	],
	[
		"not-permitted",
		/\b40[13]\b|Permission to \S+ denied|Authentication failed|could not read Username|Write access to repository not granted/i,
	],
];

/**
 * What a refused push means. GitHub says it in text only; the strings are those of its documentation and of the reports
 * in BR-50 and BR-51. A plain refusal is final; what breaks off in between may have arrived.
 */
export function classifyPushRefusal(said: string): Refusal {
	const message = describe(said);
	for (const [reason, pattern] of PATTERNS) if (pattern.test(said)) return { ok: false, reason, message };
	return { ok: false, reason: /\[(?:remote )?rejected\]/.test(said) ? "refused" : "uncertain", message };
}

/** The line that says most: the remote's own words before git's summary of them. */
function describe(said: string): string {
	const lines = said
		.split("\n")
		.map((line) => line.replace(/^remote:\s*/, "").trim())
		.filter((line) => line !== "" && !/^(?:To |Done$|error: failed to push|hint:)/.test(line));
	const telling = lines.find((line) => /^(?:error|fatal):/.test(line)) ?? lines.find((line) => line.includes("rejected]")) ?? lines[0];
	return (telling ?? "no message").replace(/^(?:error|fatal):\s*/, "").slice(0, 300);
}
