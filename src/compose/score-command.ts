import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { errorText, UserError } from "../domain/errors.ts";
import { readPublicCases } from "../score/read-public.ts";
import { readSeededCase } from "../score/read-seeded.ts";
import type { ScoreCase } from "../score/score-case.ts";
import { buildScorecard, type ReviewedCase, type Scorecard } from "../score/scorecard.ts";
import type { Log } from "../seams.ts";
import { type LocalReviewOptions, reviewLocally } from "./local-review.ts";
import { makeScoreRepository } from "./score-repository.ts";

export interface ScoreOptions
	extends Pick<LocalReviewOptions, "provider" | "apiKey" | "baseUrl" | "model" | "secrets" | "signal" | "bundleFolder"> {
	/** A folder of seeded cases, or the JSON file of a public set. */
	readonly dataset: string;
	/** Folder of the clones that a public set speaks of: `owner/name` or `owner+name` below it. */
	readonly clones?: string;
	/** Only cases whose id holds this text. */
	readonly only?: string;
	/** The comments of the set are ones that people rejected. */
	readonly rejected?: boolean;
	readonly log: Log;
}

/**
 * `rookery score`: reviews every pull request of a data set by the same pipeline and says what of the known defects was
 * found, at which cost and time. A case that cannot be run is named and takes no other with it. Throws a UserError for a
 * data set that cannot be read, and when no case is left.
 */
export async function scoreDataset(options: ScoreOptions): Promise<Scorecard> {
	const all = await readDataset(options);
	const cases = all.filter((each) => options.only === undefined || each.id.includes(options.only));
	if (cases.length === 0) {
		throw new UserError(
			`--only: found no case whose id holds ${JSON.stringify(options.only ?? "")}, wanted part of one of ${
				all
					.map((each) => each.id)
					.slice(0, 10)
					.join(", ") || "none"
			}`,
		);
	}
	const temp = await mkdtemp(path.join(os.tmpdir(), "rookery-score-"));
	const reviewed: ReviewedCase[] = [];
	const failed: { id: string; reason: string }[] = [];
	try {
		for (const [index, given] of cases.entries()) {
			if (options.signal.aborted) {
				failed.push({ id: given.id, reason: "stopped" });
				continue;
			}
			options.log.info(`${index + 1} of ${cases.length}: ${given.id}`);
			try {
				reviewed.push(await reviewCase(given, path.join(temp, String(index)), options));
			} catch (error) {
				failed.push({ id: given.id, reason: errorText(error).split("\n", 1)[0] ?? "" });
			}
		}
	} finally {
		await rm(temp, { recursive: true, force: true });
	}
	return buildScorecard(reviewed, { dataset: path.basename(path.resolve(options.dataset)), provider: options.provider, failed });
}

async function reviewCase(given: ScoreCase, folder: string, options: ScoreOptions): Promise<ReviewedCase> {
	const { source } = given;
	if (source.kind === "files") await makeScoreRepository(source, folder);
	const where =
		source.kind === "files"
			? { repo: folder, base: "main", head: "change" }
			: { repo: source.folder, base: source.base, head: source.head };
	const startedAt = performance.now();
	const { outcome, reportPath } = await reviewLocally({
		...where,
		provider: options.provider,
		...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
		...(options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl }),
		...(options.model === undefined ? {} : { model: options.model }),
		log: options.log,
		secrets: options.secrets,
		signal: options.signal,
		bundleFolder: options.bundleFolder,
	});
	const durationMs = Math.round(performance.now() - startedAt);
	// <temp>/rookery/reports/<run>/report.json
	await rm(path.resolve(reportPath, "../../../.."), { recursive: true, force: true });
	return { given, report: outcome.report, durationMs };
}

async function readDataset(options: ScoreOptions): Promise<readonly ScoreCase[]> {
	const { dataset } = options;
	const kind = await stat(dataset).catch(() => undefined);
	if (kind === undefined)
		throw new UserError(`${dataset}: found nothing there, wanted a folder of seeded cases or a JSON file of a public set`);
	if (kind.isDirectory()) return readSeededCases(dataset);
	const file = path.basename(dataset);
	let value: unknown;
	try {
		value = JSON.parse(await readFile(dataset, "utf8"));
	} catch (error) {
		throw new UserError(`${file}: not valid JSON (${errorText(error)}), wanted the rows of a public set`, { cause: error });
	}
	const { clones } = options;
	return readPublicCases(value, {
		file,
		rejected: options.rejected === true,
		findClone: (repository) => {
			if (clones === undefined) throw new UserError(`--clones: not given, wanted the folder that holds a clone of ${repository}`);
			return findClone(clones, repository);
		},
	});
}

async function readSeededCases(folder: string): Promise<readonly ScoreCase[]> {
	const names = (await readdir(folder)).filter((name) => /\.ya?ml$/.test(name)).sort();
	if (names.length === 0) throw new UserError(`${folder}: found no .yml file, wanted one for each case`);
	return Promise.all(
		names.map(async (name) => readSeededCase(await readFile(path.join(folder, name), "utf8"), name, name.replace(/\.ya?ml$/, ""))),
	);
}

/** A clone as `owner+name` or `owner/name` below the folder, bare or not. */
function findClone(clones: string, repository: string): string {
	const found = [repository.replace("/", "+"), repository]
		.map((name) => path.join(clones, name))
		.find((folder) => existsSync(path.join(folder, "HEAD")) || existsSync(path.join(folder, ".git")));
	if (found === undefined)
		throw new UserError(`--clones: found no clone of ${repository} below ${clones}, wanted the folder ${repository} there`);
	return found;
}
