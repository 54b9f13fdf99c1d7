import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";

/** A place that reviewers commented on, with what they wrote. */
export interface GoldenComment {
	readonly path: string;
	readonly side: "left" | "right";
	/** 1-based, inclusive. */
	readonly from: number;
	readonly to: number;
	/** Names in back ticks of the comment's text, each once. */
	readonly identifiers: readonly string[];
}

/** One pull request of the data set, and the clone that holds both its commits. */
export interface ContextCase {
	readonly title: string;
	readonly clone: string;
	readonly base: string;
	readonly head: string;
	readonly comments: readonly GoldenComment[];
}

interface RawCase {
	readonly repository: string;
	readonly githubPrUrl: string;
	readonly source_commit: string;
	readonly target_commit: string;
	readonly comments: readonly {
		readonly path: string;
		readonly side: string;
		readonly from_line: number | null;
		readonly to_line: number;
		readonly note: string;
	}[];
}

/** Cases of AACR-Bench's form. Throws with the repository's name when its clone is not below `clones`. */
export async function readCases(file: string, clones: string): Promise<readonly ContextCase[]> {
	const raw = JSON.parse(await readFile(file, "utf8")) as readonly RawCase[];
	return raw.map((row) => ({
		title: `${row.repository}#${row.githubPrUrl.split("/").at(-1) ?? ""}`,
		clone: findClone(clones, row.repository),
		base: row.source_commit,
		head: row.target_commit,
		comments: row.comments.map((comment) => ({
			path: comment.path,
			side: comment.side === "left" ? "left" : "right",
			from: comment.from_line ?? comment.to_line,
			to: comment.to_line,
			identifiers: namesIn(comment.note),
		})),
	}));
}

/** A clone as `owner+name` or `owner/name` below the folder, bare or not, or in a `repo` folder below that. */
export function findClone(clones: string, repository: string): string {
	const found = [repository.replace("/", "+"), repository]
		.flatMap((name) => [path.join(clones, name, "repo"), path.join(clones, name)])
		.find((folder) => existsSync(path.join(folder, "HEAD")) || existsSync(path.join(folder, ".git")));
	if (found === undefined) throw new Error(`--clones: ${clones} holds no clone of ${repository}; wanted: a folder ${repository} below it`);
	return found;
}

/** Identifiers of what stands in back ticks on one line and is a name, a path of names or a call of one; calls lose their arguments. */
function namesIn(note: string): readonly string[] {
	const codes = [...note.replace(/```[\s\S]*?```/g, "").matchAll(/`([^`\n]+)`/g)].map((match) => (match[1] ?? "").replace(/\(.*\)$/, ""));
	const paths = codes.filter((code) => /^[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*$/.test(code));
	return [...new Set(paths.flatMap((code) => code.split(/\.|::|#/)))];
}
