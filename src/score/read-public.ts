import * as z from "zod";
import { UserError } from "../domain/errors.ts";
import type { Severity } from "../domain/finding.ts";
import type { KnownDefect, ScoreCase } from "./score-case.ts";

/*
 * Public sets of reviewed pull requests. They hold comments, no code: the clones are the user's, one folder a repository.
 */

/** AACR-Bench (`positive_samples.json`, `negative_samples.json`): reviewers' comments with their places. */
const aacrSchema = z.array(
	z.object({
		githubPrUrl: z.string(),
		repository: z.string().optional(),
		project_main_language: z.string(),
		source_commit: z.string(),
		target_commit: z.string(),
		comments: z.array(
			z.object({
				note: z.string(),
				path: z.string(),
				side: z.string(),
				from_line: z.number().nullable().optional(),
				to_line: z.number(),
			}),
		),
	}),
);

/** Code Review Bench's golden comments: words and a severity, and no place. Commits are the user's to add. */
const goldenSchema = z.array(
	z.object({
		pr_title: z.string(),
		url: z.string(),
		base: z.string().optional(),
		head: z.string().optional(),
		comments: z.array(z.object({ comment: z.string(), severity: z.string().optional() })),
	}),
);

export interface PublicOptions {
	/** Name of the file, for messages. */
	readonly file: string;
	/** The clone of `owner/name`; throws a UserError when there is none. */
	readonly findClone: (repository: string) => string;
	/** The comments are ones that people rejected: each is a decoy. */
	readonly rejected: boolean;
}

/** Cases of a public set, told by its form. Throws a UserError when the value has neither form. */
export function readPublicCases(value: unknown, options: PublicOptions): readonly ScoreCase[] {
	const aacr = aacrSchema.safeParse(value);
	if (aacr.success) return aacr.data.map((row) => readAacr(row, options));
	const golden = goldenSchema.safeParse(value);
	if (golden.success) return golden.data.map((row) => readGolden(row, options));
	throw new UserError(
		`${options.file}: found neither AACR-Bench's rows (source_commit, target_commit, comments) nor golden comments (pr_title, url, comments); wanted one of them, or a folder of seeded cases`,
	);
}

function readAacr(row: z.output<typeof aacrSchema>[number], { findClone, rejected }: PublicOptions): ScoreCase {
	const { repository, number } = readUrl(row.githubPrUrl);
	const known = row.comments.map((comment): KnownDefect => {
		const from = comment.from_line ?? comment.to_line;
		return {
			path: comment.path,
			startLine: Math.min(from, comment.to_line),
			endLine: Math.max(from, comment.to_line),
			side: comment.side.toLowerCase() === "left" ? "LEFT" : "RIGHT",
			text: comment.note,
		};
	});
	return {
		id: `${row.repository ?? repository}#${number}`,
		title: `Pull request ${number}`,
		language: row.project_main_language,
		source: { kind: "clone", folder: findClone(row.repository ?? repository), base: row.source_commit, head: row.target_commit },
		defects: rejected ? [] : known,
		decoys: rejected ? known : [],
		complete: false,
	};
}

const SEVERITY_WORDS: Readonly<Record<string, Severity>> = { critical: "critical", high: "important", medium: "minor", low: "nit" };

function readGolden(row: z.output<typeof goldenSchema>[number], { file, findClone }: PublicOptions): ScoreCase {
	const { repository, number } = readUrl(row.url);
	if (row.base === undefined || row.head === undefined) {
		throw new UserError(`${file}: ${row.url}: found no base and head, wanted the two commits beside url: the set itself names none`);
	}
	return {
		id: `${repository}#${number}`,
		title: row.pr_title,
		language: "",
		source: { kind: "clone", folder: findClone(repository), base: row.base, head: row.head },
		defects: row.comments.map((comment): KnownDefect => {
			const severity = SEVERITY_WORDS[(comment.severity ?? "").toLowerCase()];
			const place = { path: "", startLine: 0, endLine: 0, side: "RIGHT" as const, text: comment.comment };
			return severity === undefined ? place : { ...place, severity };
		}),
		decoys: [],
		complete: false,
	};
}

function readUrl(url: string): { readonly repository: string; readonly number: string } {
	const match = /([\w.-]+\/[\w.-]+)\/pull\/(\d+)/.exec(url);
	return { repository: match?.[1] ?? url, number: match?.[2] ?? "" };
}
