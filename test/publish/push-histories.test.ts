import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadChangeSet } from "../../src/adapters/git/load-change-set.ts";
import { openRepository } from "../../src/adapters/git/open-repository.ts";
import { createRepositoryReader } from "../../src/adapters/git/repository-reader.ts";
import { createGitHubHost, type GitHubHost } from "../../src/adapters/github/create-github-host.ts";
import { createSystemClock } from "../../src/adapters/system-clock.ts";
import type { LoopbackGitHub } from "../../src/demo/loopback-github/loopback-github.ts";
import { startLoopbackGitHub } from "../../src/demo/loopback-github/start-loopback-github.ts";
import type { ReportedFinding } from "../../src/domain/finding.ts";
import type { Synthesis } from "../../src/domain/synthesis.ts";
import { applyPublications } from "../../src/publish/apply-publications.ts";
import { cleanSynthesis } from "../../src/publish/clean-synthesis.ts";
import { parseMarker } from "../../src/publish/marker.ts";
import { planPublications } from "../../src/publish/plan-publications.ts";
import { readConversations } from "../../src/publish/read-conversations.ts";
import { readExistingState, toPreviousReview } from "../../src/publish/read-existing-state.ts";
import { synthesize } from "../../src/synthesis/synthesize.ts";
import { git } from "../e2e/start-scene.ts";
import { createGraphQLHandler } from "../rig/graphql.ts";
import { QUIET } from "../stages/question-rig.ts";
import { childReport, planFor, reported, review } from "../synthesis/build-fixtures.ts";
import { cleanerFor, reportOf, runContext } from "./build-run.ts";

/*
 * Random histories of pushes, replayed from the children's reports on with real git and real requests: every push adds,
 * fixes, moves or rewords findings, the reviewer may forget one, and the last run is applied twice. Whatever happens, no
 * finding gets a second comment, nothing is called fixed that is not, and a run that is applied again writes nothing new.
 */

const TOKEN = "ghs_histories0000000000000000000000000000";
const FILES = ["a.go", "b.go", "pkg/c.go"] as const;
const HISTORIES = 12;
const SEED = 20_261_207;

const step = fc.oneof(
	fc.record({ kind: fc.constant("add" as const), file: fc.nat({ max: FILES.length - 1 }) }),
	fc.record({ kind: fc.constant("fix" as const), which: fc.nat() }),
	fc.record({ kind: fc.constant("shift" as const), file: fc.nat({ max: FILES.length - 1 }) }),
	fc.record({ kind: fc.constant("move" as const), which: fc.nat(), file: fc.nat({ max: FILES.length - 1 }) }),
	fc.record({ kind: fc.constant("reword" as const), which: fc.nat() }),
	fc.record({ kind: fc.constant("forget" as const), which: fc.nat() }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
const history = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 3, maxLength: 4 });

interface Defect {
	readonly key: string;
	file: number;
	fixed: boolean;
	/** Another number, other words. */
	words: number;
	forgotten: boolean;
}

/** What the author's branch holds, as data. */
interface World {
	readonly defects: Defect[];
	/** Lines of comment above everything, by file. */
	readonly shifts: number[];
}

const badLine = (key: string): string => `	return total${key} / len(items${key})`;

function textOf(world: World, file: number): string {
	const name = FILES[file] ?? "";
	const shifted = Array.from({ length: world.shifts[file] ?? 0 }, (_, index) => `// Line ${index} of ${name}.`);
	const filler = Array.from({ length: 8 }, (_, index) => `func step${file}x${index}(count int) int { return count + ${index} }`);
	const own = world.defects.filter((defect) => defect.file === file);
	const functions = own.map(({ key, fixed }) => {
		const body = fixed ? `	return mean${key}(total${key})` : badLine(key);
		return `func Mean${key}(total${key} int, items${key} []int) int {\n${body}\n}`;
	});
	return [...shifted, "package a", "", ...filler, "", ...functions, ""].join("\n");
}

function play(world: World, each: Step, next: () => string): void {
	const live = world.defects.filter((defect) => !defect.fixed);
	if (each.kind === "add") world.defects.push({ key: next(), file: each.file, fixed: false, words: 0, forgotten: false });
	else if (each.kind === "shift") world.shifts[each.file] = (world.shifts[each.file] ?? 0) + 1;
	else {
		const defect = live[each.which % Math.max(1, live.length)];
		if (defect === undefined) return;
		if (each.kind === "fix") defect.fixed = true;
		else if (each.kind === "move") defect.file = each.file;
		else if (each.kind === "reword") defect.words += 1;
		else defect.forgotten = true;
	}
}

/** The key stands in every wording, so that a comment can be told to be about a defect. */
function findingOf({ key, file, words }: Defect): ReportedFinding {
	return reported({
		path: FILES[file] ?? "",
		quote: badLine(key).trim(),
		title: words === 0 ? `Division by zero in Mean${key}` : `Mean${key} panics, told another way (${words})`,
		body: `Without items Mean${key} divides by zero. Wording ${words}.`,
		confidence: 90 + (words % 10),
	});
}

let github: LoopbackGitHub;
let folder: string;
beforeAll(async () => {
	github = await startLoopbackGitHub({ graphql: createGraphQLHandler() });
	github.addUser("author");
	github.addToken(TOKEN, { login: "github-actions[bot]", type: "Bot", permissions: "write" });
	folder = await mkdtemp(path.join(os.tmpdir(), "rookery-histories-"));
});
afterAll(async () => {
	await github.close();
	await rm(folder, { recursive: true, force: true });
});

/** One pull request, its author's clone and what the workflow has. */
interface Scene {
	readonly name: string;
	readonly work: string;
	readonly number: number;
	readonly base: string;
	readonly host: GitHubHost;
}

let repositories = 0;
let run = 1_000;

async function openScene(world: World): Promise<Scene> {
	repositories += 1;
	const name = `h${repositories}`;
	const work = path.join(folder, name);
	await mkdir(path.join(work, "pkg"), { recursive: true });
	await git(work, "init", "-q", "-b", "main");
	await commit(work, world);
	const base = await git(work, "rev-parse", "HEAD");
	await git(work, "checkout", "-q", "-b", "change");
	await git(work, "commit", "-q", "--allow-empty", "-m", "Begin");
	await github.createRepository({ owner: "octo", name, from: work, defaultBranch: "main" });
	const repository = `octo/${name}`;
	const number = await github.openPullRequest({ repository, title: "Change", body: "", author: "author", base: "main", head: "change" });
	const host = await createGitHubHost({ token: TOKEN, baseUrl: github.url, repository: { owner: "octo", name }, throttle: false });
	return { name, work, number, base, host };
}

async function commit(work: string, world: World): Promise<void> {
	for (const [index, file] of FILES.entries()) await writeFile(path.join(work, file), textOf(world, index));
	await git(work, "add", "-A");
	await git(work, "commit", "-q", "--allow-empty", "-m", "Push");
}

async function push(scene: Scene, world: World): Promise<void> {
	await commit(scene.work, world);
	const remote = `${github.serverUrl.replace("://", `://x-access-token:${TOKEN}@`)}/octo/${scene.name}.git`;
	await git(scene.work, "push", "-q", remote, "change");
}

/** One round, as a run does it from the children's reports on. `again` is the same run applied a second time. */
async function reviewRound(scene: Scene, findings: readonly ReportedFinding[], again: boolean): Promise<Synthesis> {
	const { work, number, base, host } = scene;
	if (!again) run += 1;
	const head = await git(work, "rev-parse", "change");
	const repository = await openRepository(work);
	await using reader = createRepositoryReader(repository.git);
	const changeSet = await loadChangeSet(repository.git, base, head);
	const patches = await reader.patches(base, head, changeSet.files);
	const found = await readExistingState(host.reader, number, "histories");
	const { conversations } = await readConversations(number, found.posted ?? [], {
		reader: host.reader,
		identity: found.identity,
		closedByUs: new Set(found.sticky?.marker.closed),
	});
	const existing = { ...found, conversations };
	const previous = toPreviousReview(existing);
	const paths = changeSet.files.map((file) => file.path);
	const synthesis = await synthesize({
		changeSet,
		plan: planFor({ go: paths }),
		reports: [childReport("go", paths, { findings })],
		patches,
		readHead: async (file) => (await reader.readFile(head, file))?.toString("utf8"),
		settings: { review: { ...review, maxInline: 30, maxInlinePerPullRequest: 100 } },
		...(previous === undefined ? {} : { previous }),
	});
	const plain = runContext();
	if (plain.pullRequest === undefined) throw new Error("no pull request");
	const context = runContext({
		runId: String(run),
		base,
		head,
		mergeBase: base,
		trusted: base,
		pullRequest: { ...plain.pullRequest, number },
	});
	const publications = planPublications({
		synthesis: cleanSynthesis(synthesis, cleanerFor()),
		changeSet,
		context,
		patches,
		reviewers: "0123456789abcdef",
		failOn: "never",
		report: reportOf(synthesis, context),
		provider: "anthropic",
		existing,
		instance: "histories",
		banner: [],
		reportPath: "/report.json",
	});
	const nothing = async (): Promise<void> => undefined;
	const results = await applyPublications(publications, {
		...{
			reader: host.reader,
			writer: host.writer,
			clock: createSystemClock(),
			log: QUIET,
			budget: { left: 0 },
			identity: existing.identity,
		},
		...{ instance: "histories", run: String(run), attempt: 1, head, redact: (text: string) => text },
		sinks: { stepSummary: nothing, outputs: nothing, artifacts: { folder: "/", write: async (name) => `/${name}` } },
	});
	expect(results.filter((result) => result.detail !== "")).toEqual([]);
	return synthesis;
}

/** Everything that must hold after each round, whatever the history. */
function checkRound(scene: Scene, world: World, synthesis: Synthesis, told: readonly Defect[]): void {
	const repository = `octo/${scene.name}`;
	const comments = github.reviewComments(scene.number, repository);
	const keys = comments.map((comment) => /Mean(k\d+z)/.exec(comment.body)?.[1]);
	expect(
		keys.filter((key, index) => keys.indexOf(key) !== index),
		"defects with two comments",
	).toEqual([]);
	const fingerprints = comments.map((comment) => parseMarker("finding", comment.body)?.fingerprint);
	expect(new Set(fingerprints).size).toBe(comments.length);
	const stickies = github.comments(scene.number, repository).filter((comment) => comment.body.startsWith("<!-- rookery:sticky"));
	expect(stickies).toHaveLength(1);
	for (const defect of told) {
		const shown = synthesis.findings.filter((finding) => finding.title.includes(`Mean${defect.key}`));
		expect(
			shown.map((finding) => finding.state),
			defect.key,
		).toEqual([expect.stringMatching(/^(?:new|open)$/)]);
		expect(keys.includes(defect.key) || stickies[0]?.body.includes(shown[0]?.id ?? "?"), defect.key).toBe(true);
	}
	// What is fixed is not open any more, and nothing that nobody has fixed is called fixed.
	for (const finding of synthesis.findings) {
		const key = /Mean(k\d+z)/.exec(finding.title)?.[1];
		const defect = world.defects.find((each) => each.key === key);
		expect(finding.state === "fixed", `${key} is ${finding.state}`).toBe(defect?.fixed === true);
	}
}

describe("histories of pushes", () => {
	it(`S-003 X-04 BR-68 ${HISTORIES} random histories with reviewers that forget, and runs that are applied twice, leave no two comments on one finding`, async () => {
		let rounds = 0;
		await fc.assert(
			fc.asyncProperty(history, async (pushes) => {
				const world: World = { defects: [], shifts: [0, 0, 0] };
				let last = 0;
				const next = (): string => {
					last += 1;
					return `k${last}z`;
				};
				const scene = await openScene(world);
				for (const steps of pushes) {
					for (const defect of world.defects) defect.forgotten = false;
					for (const each of steps) play(world, each, next);
					await push(scene, world);
					const told = world.defects.filter((defect) => !defect.fixed && !defect.forgotten);
					const synthesis = await reviewRound(scene, told.map(findingOf), false);
					checkRound(scene, world, synthesis, told);
					rounds += 1;
				}
				// The same run once more, as when a job is started again after it had posted.
				const before = github.requests.length;
				const told = world.defects.filter((defect) => !defect.fixed && !defect.forgotten);
				await reviewRound(scene, told.map(findingOf), true);
				const made = github.requests.slice(before).map((request) => request.operation);
				expect(made).not.toContain("pulls/create-review");
				expect(made).not.toContain("issues/create-comment");
			}),
			{ seed: SEED, numRuns: HISTORIES, endOnFailure: true },
		);
		expect(rounds).toBeGreaterThanOrEqual(3 * HISTORIES);
		expect(github.violations).toEqual([]);
	}, 600_000);
});
