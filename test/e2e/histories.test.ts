import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callTool, type Decide } from "../../src/demo/loopback-model/scripted-reply.ts";
import { startLoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import type { RunReport } from "../../src/domain/run-report.ts";
import { send } from "./rounds-rig.ts";
import { type Files, git, type Scene, startScene, TOKEN, writeCommit } from "./start-scene.ts";

const KEY = "sk-loopback-histories-4c1a";
/** Whole runs of the action; fifty more histories are replayed in process by `test/publish/push-histories.test.ts`. */
const HISTORIES = 6;

/** What one push does; numbers pick among what is there. */
type Push =
	| { readonly kind: "add" | "fix" | "move" | "reword" | "rename"; readonly pick: number }
	| { readonly kind: "squash" | "merge"; readonly pick: number };

const HISTORY: fc.Arbitrary<readonly Push[]> = fc.array(
	fc.record({
		kind: fc.constantFrom("add", "add", "fix", "move", "reword", "rename", "squash", "merge"),
		pick: fc.nat(1_000),
	}) as fc.Arbitrary<Push>,
	{ minLength: 2, maxLength: 3 },
);

/** A pull request as its author sees it: which function stands in which file, and which of them are wrong. */
class Change {
	readonly #functions = new Map<number, { file: string; wrong: boolean }>();
	readonly #comments = new Map<string, number>();
	readonly #gone = new Set<string>();
	#next = 1;
	#renamed = 0;

	constructor() {
		for (const file of ["a.go", "b.go"]) this.#add(file);
	}

	apply({ kind, pick }: Push): void {
		const files = [...this.#comments.keys()];
		const file = files[pick % files.length] ?? "a.go";
		const wrong = [...this.#functions.values()].filter((each) => each.wrong);
		const chosen = wrong[pick % Math.max(1, wrong.length)];
		if (kind === "add") this.#add(file);
		else if (kind === "fix" && chosen !== undefined) chosen.wrong = false;
		else if (kind === "move" && chosen !== undefined) chosen.file = files.find((each) => each !== chosen.file) ?? chosen.file;
		else if (kind === "rename") this.#rename(file);
		else this.#comments.set(file, (this.#comments.get(file) ?? 0) + 1);
	}

	/** Numbers of the functions that are wrong now. */
	wrong(): readonly number[] {
		return [...this.#functions].filter(([, each]) => each.wrong).map(([number]) => number);
	}

	files(): Files {
		const written = [...this.#comments].map(([file, comments]) => {
			const own = [...this.#functions].filter(([, each]) => each.file === file);
			const body = own.map(([number, { wrong }]) => {
				const line = wrong ? `	return total / len(items${number})` : `	return safe${number}(total, items${number})`;
				return `// Mean${number} of the items.\nfunc Mean${number}(total int, items${number} []int) int {\n${line}\n}\n`;
			});
			const steps = Array.from({ length: 12 }, (_, index) => `func Step${index}(count int) int { return count + ${index} }`);
			return [file, ["package parcels\n", ...Array(comments).fill("// Another word."), ...steps, "", ...body].join("\n")] as const;
		});
		return Object.fromEntries([...written, ...[...this.#gone].map((file) => [file, null] as const)]);
	}

	settle(): void {
		this.#gone.clear();
	}

	#add(file: string): void {
		if (!this.#comments.has(file)) this.#comments.set(file, 0);
		this.#functions.set(this.#next, { file, wrong: true });
		this.#next += 1;
	}

	#rename(file: string): void {
		this.#renamed += 1;
		const name = `renamed${this.#renamed}.go`;
		for (const each of this.#functions.values()) if (each.file === file) each.file = name;
		this.#comments.set(name, this.#comments.get(file) ?? 0);
		this.#comments.delete(file);
		this.#gone.add(file);
	}
}

/** Reports each division it reads, in other words each time. */
function reviewer(): Decide {
	let words = 0;
	return ({ opening, turn, results }) => {
		const files = [...opening.matchAll(/^- (\S+\.go)(?: \(was \S+\))? (?:modified|added|renamed) \+/gm)].map((match) => match[1] ?? "");
		if (files.length === 0) return callTool("submit_report", { summary: "Nothing is assigned.", findings: [], open: [] });
		if (turn === 0) return { blocks: files.map((path) => ({ type: "tool" as const, name: "read_file", input: { path } })) };
		const findings = files.flatMap((path, index) =>
			[...(results[index]?.content ?? "").matchAll(/return total \/ len\(items(\d+)\)/g)].map(([quote, number]) => {
				words += 1;
				return {
					...{ path, quote, severity: "important", category: "bug", title: `Mean${number} divides by zero (${words})` },
					...{ body: `Without items Mean${number} panics, put in words number ${words}.`, confidence: 95 },
					evidence: { kind: "traced", detail: path },
				};
			}),
		);
		return callTool("submit_report", { summary: "Read.", findings, open: [] });
	};
}

async function publish(scene: Scene, change: Change, { kind }: Push): Promise<void> {
	await git(scene.work, "checkout", "-q", "change");
	if (kind === "merge") {
		await git(scene.work, "checkout", "-q", "main");
		await git(scene.work, "commit", "-q", "--allow-empty", "-m", "Elsewhere");
		await git(scene.work, "checkout", "-q", "change");
		await git(scene.work, "merge", "-q", "--no-edit", "main");
	}
	await writeCommit(scene.work, change.files(), "More");
	change.settle();
	if (kind === "squash") {
		await git(scene.work, "reset", "-q", "--soft", "main");
		await git(scene.work, "commit", "-q", "-m", "Squashed");
	}
	await send(scene, "change", kind === "squash");
}

async function review(scene: Scene, url: string, run: number): Promise<RunReport> {
	const head = await git(scene.work, "rev-parse", "change");
	await git(scene.workspace, "fetch", "-q", "origin", "+refs/heads/*:refs/remotes/origin/*");
	await git(scene.workspace, "checkout", "-q", "--detach", head);
	const payload = await scene.github.pullRequestPayload(scene.number, "synchronize");
	const result = await scene.start({
		inputs: { "github-token": TOKEN, "anthropic-api-key": KEY, "base-url": url },
		...{ sha: head, runId: String(run), event: { name: "pull_request", payload } },
	});
	expect(result.exitCode, result.stdout + result.stderr).toBe(0);
	return scene.readReport(result);
}

/** Each wrong function is in the report once and has one comment at most, whatever was said and done before. */
function expectNoRepeat(scene: Scene, change: Change, report: RunReport): void {
	const numberOf = (text: string): number => Number(/Mean(\d+)/.exec(text)?.[1] ?? Number.NaN);
	const standing = report.findings.filter((finding) => finding.state !== "fixed").map((finding) => numberOf(finding.title));
	expect(standing.sort((a, b) => a - b)).toEqual([...change.wrong()].sort((a, b) => a - b));
	const commented = scene.github.reviewComments(scene.number).map((comment) => numberOf(comment.body));
	expect(commented.length, `comments on ${commented.join(", ")}`).toBe(new Set(commented).size);
	expect(scene.sticky()).toBeDefined();
}

describe("any history of pushes", () => {
	const histories = fc.sample(HISTORY, { numRuns: HISTORIES, seed: 20_261_207 });

	it.concurrent.each(histories.map((history, index) => ({ index, history, kinds: history.map((push) => push.kind).join(", ") })))(
		"X-04 BR-68 2.2 history $index says nothing twice and loses nothing: $kinds",
		async ({ history }) => {
			const change = new Change();
			await using scene = await startScene({
				base: { "z.txt": "z\n", ".rookery/settings.json": JSON.stringify({ review: { verify: false } }) },
				head: change.files(),
			});
			const model = await startLoopbackModel({ apiKey: KEY, decide: reviewer() });
			try {
				expectNoRepeat(scene, change, await review(scene, model.url, 1));
				for (const [index, push] of history.entries()) {
					change.apply(push);
					await publish(scene, change, push);
					expectNoRepeat(scene, change, await review(scene, model.url, index + 2));
				}
				expect(scene.github.violations).toEqual([]);
			} finally {
				await model.close();
			}
		},
		120_000,
	);
});
