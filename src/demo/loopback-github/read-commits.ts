import { askGit, runGit } from "./git-command.ts";

interface CommitPerson {
	readonly name: string;
	readonly email: string;
	/** ISO, UTC, whole seconds. */
	readonly date: string;
}

export interface CommitFacts {
	readonly sha: string;
	readonly tree: string;
	readonly parents: readonly string[];
	readonly author: CommitPerson;
	readonly committer: CommitPerson;
	readonly message: string;
}

const FORMAT = ["%H", "%T", "%P", "%an", "%ae", "%at", "%cn", "%ce", "%ct", "%B"].join("%x1f");

function person(name: string | undefined, email: string | undefined, seconds: string | undefined): CommitPerson {
	const date = new Date(Number(seconds ?? "0") * 1000).toISOString().replace(/\.\d+Z$/, "Z");
	return { name: name ?? "", email: email ?? "", date };
}

function parseCommit(text: string): CommitFacts {
	const [sha, tree, parents, an, ae, at, cn, ce, ct, ...message] = text.split("\u001f");
	return {
		sha: sha ?? "",
		tree: tree ?? "",
		parents: (parents ?? "").split(" ").filter((parent) => parent !== ""),
		author: person(an, ae, at),
		committer: person(cn, ce, ct),
		message: message.join("\u001f").replace(/\n+$/, ""),
	};
}

/** Commits of a revision range, in `git log` order. */
export async function listCommits(bare: string, args: readonly string[]): Promise<readonly CommitFacts[]> {
	const text = await runGit(bare, ["log", "-z", `--format=${FORMAT}`, ...args, "--"]);
	return text
		.split("\0")
		.filter((entry) => entry.trim() !== "")
		.map((entry) => parseCommit(entry.replace(/^\n/, "")));
}

export async function readCommit(bare: string, sha: string): Promise<CommitFacts | undefined> {
	const text = await askGit(bare, ["log", "-1", `--format=${FORMAT}`, sha, "--"]);
	return text === undefined || text === "" ? undefined : parseCommit(text);
}

/** The commit a branch, tag, full ref or SHA names; undefined when there is none. */
export async function resolveCommit(bare: string, name: string): Promise<string | undefined> {
	if (name === "" || name.startsWith("-")) return undefined;
	for (const candidate of [`refs/heads/${name}`, `refs/tags/${name}`, `refs/${name}`, name]) {
		const found = await askGit(bare, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${candidate}^{commit}`]);
		if (found !== undefined) return found;
	}
	return undefined;
}

export async function readBranch(bare: string, branch: string): Promise<string | undefined> {
	return askGit(bare, ["rev-parse", "--verify", "--quiet", "--end-of-options", `refs/heads/${branch}`]);
}

export async function mergeBaseOf(bare: string, a: string, b: string): Promise<string | undefined> {
	return askGit(bare, ["merge-base", a, b]);
}

export async function isAncestor(bare: string, ancestor: string, descendant: string): Promise<boolean> {
	return (await askGit(bare, ["merge-base", "--is-ancestor", ancestor, descendant])) !== undefined;
}
