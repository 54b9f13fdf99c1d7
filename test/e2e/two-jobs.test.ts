import { mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { forge, job, startWorkflow, upload, type WorkflowRun } from "./outbox-rig.ts";
import { push } from "./rounds-rig.ts";
import { git, type Scene, startScene, TOKEN } from "./start-scene.ts";

const GO_BASE = "package parcels\n\nfunc Weight(items []int) int {\n\treturn len(items)\n}\n";
const GO_BROKEN = GO_BASE.replace("\treturn len(items)\n}", "\treturn len(items)\n");
const FORK = { base: { "weight.go": GO_BASE }, head: { "weight.go": GO_BROKEN }, fork: true, role: "read", checkout: "base" } as const;
const scenes: Scene[] = [];
// Two or three processes a test, on machines that do other work as well.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

async function scene(options: Parameters<typeof startScene>[0] = FORK): Promise<Scene> {
	const started = await startScene(options);
	scenes.push(started);
	return started;
}

afterEach(async () => {
	for (const started of scenes.splice(0)) {
		expect(started.github.violations).toEqual([]);
		await started[Symbol.asyncDispose]();
	}
});

/** The privileged half: another workflow, on the default branch, after the first one's end. */
async function publish(s: Scene, run: WorkflowRun, inputs: Readonly<Record<string, string>> = {}) {
	const payload = await s.github.workflowRunPayload(run.id);
	return job(
		s,
		{ id: run.id + 500_000, attempt: 1 },
		{ "github-token": TOKEN, mode: "publish", ...inputs },
		{
			event: { name: "workflow_run", payload },
			sha: s.base,
			ref: "refs/heads/main",
			actor: "author",
		},
	);
}

function posted(s: Scene): number {
	return s.github.comments(s.number).length + s.github.reviews(s.number).length + s.github.checks(s.head).length;
}

describe("one review in two jobs", () => {
	it("X-05 a job that may only read leaves an outbox, and one that may write publishes it without the fork's code", async () => {
		const s = await scene();
		const run = startWorkflow(s, { fork: true });
		const work = await job(s, run, { mode: "work" });
		expect(work.exitCode, work.stdout + work.stderr).toBe(0);
		expect(posted(s)).toBe(0);
		await upload(s, run, work);
		const result = await publish(s, run);
		expect(result.exitCode, result.stdout + result.stderr).toBe(0);
		const report = await s.readReport(result);
		expect(report.findings).toMatchObject([{ path: "weight.go", severity: "critical", tier: "inline" }]);
		expect(report.run).toMatchObject({ id: String(run.id), head: s.head, base: s.base, trigger: "pull_request" });
		expect(s.github.reviews(s.number)).toHaveLength(1);
		expect(s.github.reviewComments(s.number)).toHaveLength(1);
		expect(s.github.checks(s.head)).toHaveLength(1);
		const sticky = s.sticky() ?? "";
		expect(sticky).toContain(`"run":"${run.id}"`);
		expect(sticky).toContain("in a job of the fork's own run, without secrets");
		// Its journals are no history for a later run to go on from.
		expect(sticky).toContain('"agents":[]');
		expect(await git(s.workspace, "rev-parse", "HEAD")).toBe(s.base);
		expect(await git(s.workspace, "status", "--porcelain")).toBe("");
		expect(await git(s.workspace, "worktree", "list")).not.toContain("\n");
	});
});

type Change = Parameters<typeof upload>[3];

describe("an outbox that cannot be believed", () => {
	const other = "ab".repeat(20);
	let shared: Promise<{ readonly s: Scene; readonly work: Awaited<ReturnType<typeof job>> }>;

	beforeAll(() => {
		shared = (async () => {
			const s = await startScene(FORK);
			return { s, work: await job(s, startWorkflow(s, { fork: true }), { mode: "work" }) };
		})();
		shared.catch(() => undefined);
	});

	afterAll(async () => {
		const { s } = await shared;
		expect(s.github.violations).toEqual([]);
		await s[Symbol.asyncDispose]();
	});

	it.each<[title: string, change: Change, reason: string, code: string]>([
		[
			"X-05 reports that were changed after they were written",
			(files) => ({ ...files, "reports.json": String(files["reports.json"]).replace("weight.go", "other.go") }),
			"it was changed after it was written",
			"E_OUTBOX",
		],
		[
			"X-05 reports of a child that the plan does not have, with right hashes",
			forge(({ reports }) => {
				const [first] = reports["reports"] as Record<string, unknown>[];
				(reports["reports"] as unknown[]).push({ ...first, session: "moe-go-2" });
			}),
			"found 2 reports, wanted 1",
			"E_OUTBOX",
		],
		[
			"X-05 files that the plan gives to nobody",
			forge(({ reports }) => {
				const [first] = reports["reports"] as Record<string, unknown>[];
				if (first !== undefined) first["files"] = ["weight.go", "README.md"];
			}),
			"its files are not those that the plan gives it",
			"E_OUTBOX",
		],
		["X-05 a key that nobody declared", forge(({ head }) => (head["approve"] = true)), "approve", "E_OUTBOX"],
		["X-05 another head than GitHub names", forge(({ head }) => (head["head"] = other)), `head: found ${other}`, "E_OUTBOX"],
		["X-05 another repository", forge(({ head }) => (head["repository"] = "octo/other")), "repository: found octo/other", "E_OUTBOX"],
		["X-05 another fork", forge(({ head }) => (head["headRepository"] = "evil/parcels")), "headRepository: found evil/parcels", "E_OUTBOX"],
		["X-05 a replay of another run's", forge(({ head }) => (head["run"] = "77")), "run: found 77", "E_OUTBOX"],
		["X-05 an attempt that has not begun", forge(({ head }) => (head["attempt"] = 2)), "attempt: found 2", "E_OUTBOX"],
		["X-05 another merge base", forge(({ head }) => (head["mergeBase"] = other)), `mergeBase: found ${other}`, "E_OUTBOX"],
		["X-05 a plan of its own", forge(({ head }) => (head["plan"] = "0".repeat(64))), "who reads what differs", "E_STALE"],
		[
			"X-05 costs beyond its share",
			forge(({ reports }) => ((reports["totals"] as Record<string, unknown>)["costUsd"] = 900)),
			"found costs of 900 US dollars",
			"E_LIMIT",
		],
		[
			"X-05 a verdict by nobody, which would close earlier findings",
			forge(({ reports }) => {
				const verdict = { fingerprint: "0123456789abcdef", word: "refuted", reason: "no", detail: "", by: "verifier-9" };
				(reports["verification"] as Record<string, unknown>)["verdicts"] = [verdict];
			}),
			"a verdict by verifier-9",
			"E_OUTBOX",
		],
		["X-05 a file that climbs out", (files) => ({ ...files, "../../evil.json": "{}" }), "evil.json", "E_PATH"],
		["X-05 a folder within", (files) => ({ ...files, "shard-1/outbox.json": "{}" }), "shard-1/outbox.json", "E_PATH"],
		["X-05 no JSON at all", (files) => ({ ...files, "outbox.json": "<html>" }), "found no JSON", "E_OUTBOX"],
		["X-05 a file that is too large", (files) => ({ ...files, "outbox.json": " ".repeat(1_100_000) }), "more than 1048576", "E_LIMIT"],
	])("%s is refused with the reason, and nothing is posted", async (_title, change, reason, code) => {
		const { s, work } = await shared;
		const run = startWorkflow(s, { fork: true });
		// The same work, left by a run of its own in each case.
		await upload(s, run, work, (files) => {
			const head = JSON.parse(String(files["outbox.json"])) as Record<string, unknown>;
			return change?.({ ...files, "outbox.json": Buffer.from(JSON.stringify({ ...head, run: String(run.id) })) }) ?? files;
		});
		const result = await publish(s, run);
		expect(result.exitCode, result.stdout + result.stderr).toBe(1);
		expect(result.stdout).toContain(reason);
		expect(result.stdout).toContain(code);
		expect(posted(s)).toBe(0);
	});

	it("X-05 a base that the base branch never had is refused: settings would be read there", async () => {
		const s = await scene();
		const run = startWorkflow(s, { fork: true });
		await upload(
			s,
			run,
			await job(s, run, { mode: "work" }),
			forge(({ head }) => (head["base"] = s.head)),
		);
		const result = await publish(s, run);
		expect(result.exitCode).toBe(1);
		expect(result.stdout).toContain(`base: found ${s.head}, wanted a commit of main`);
		expect(posted(s)).toBe(0);
	});

	it("X-05 a pull request whose head lies elsewhere is refused, whatever number the outbox names", async () => {
		const s = await scene();
		const mine = await s.github.openPullRequest({
			repository: "octo/parcels",
			title: "Another",
			body: "",
			author: "maintainer",
			base: "main",
			head: "change",
		});
		const run = startWorkflow(s, { fork: true });
		await upload(
			s,
			run,
			await job(s, run, { mode: "work" }),
			forge(({ head }) => (head["pullRequest"] = mine)),
		);
		const result = await publish(s, run);
		expect(result.exitCode).toBe(1);
		expect(result.stdout).toContain(`pull request #${mine} has its head in octo/parcels, found author/parcels`);
		expect(posted(s)).toBe(0);
		expect(s.github.comments(mine)).toHaveLength(0);
	});

	it("X-05 a run without an outbox is an error that says what the workflow lacks", async () => {
		const s = await scene();
		const result = await publish(s, startWorkflow(s, { fork: true }));
		expect(result.exitCode).toBe(1);
		expect(result.stdout).toContain("left none; the workflow has to upload");
	});
});

describe("an outbox that cannot be written", () => {
	it("R38 X-05 ends the job before a child is started, in one line that names the folder", async () => {
		const s = await scene();
		const run = startWorkflow(s, { fork: true });
		const temp = path.join(s.folder, "full");
		await mkdir(path.join(temp, "rookery"), { recursive: true });
		await writeFile(path.join(temp, "rookery", "outbox"), "in the way");
		const result = await job(s, run, { mode: "work" }, { temp });
		expect(result.exitCode).toBe(1);
		expect(result.commands.filter((command) => command.name === "error")).toHaveLength(1);
		expect(result.stdout).toContain(`outbox ${path.join(temp, "rookery", "outbox", "shard-1")}: cannot be written`);
		expect(result.outputs["outbox"]).toBeUndefined();
		expect(await readdir(path.join(temp, "rookery", "sessions", `run-${run.id}-1`)).catch(() => [])).toEqual([]);
	});
});

describe("an outbox that is late", () => {
	it("A09 X-05 a head that moved on is left to its own review: E_STALE, nothing posted", async () => {
		const s = await scene({ base: FORK.base, head: FORK.head });
		const run = startWorkflow(s);
		await upload(s, run, await job(s, run, { mode: "work" }));
		await push(s, { "weight.go": GO_BASE });
		const result = await publish(s, run);
		expect(result.exitCode, result.stdout + result.stderr).toBe(0);
		expect(result.stdout).toContain("E_STALE");
		expect(result.outputs["verdict"]).toBe("skipped");
		expect(posted(s)).toBe(0);
	});

	it("X-05 the same outbox a second time publishes nothing more", async () => {
		const s = await scene();
		const run = startWorkflow(s, { fork: true });
		await upload(s, run, await job(s, run, { mode: "work" }));
		expect((await publish(s, run)).exitCode).toBe(0);
		const before = [s.sticky(), posted(s)];
		const again = await publish(s, run);
		expect(again.exitCode).toBe(0);
		expect(again.stdout).toContain(`the review of run ${run.id}, attempt 1, is published already`);
		expect([s.sticky(), posted(s)]).toEqual(before);
	});

	it("X-05 a draft, and a run that no pull request started, are left alone", async () => {
		const draft = await scene({
			...FORK,
			draft: true,
			base: { ...FORK.base, ".rookery/settings.json": '{ "review": { "drafts": false } }' },
		});
		const run = startWorkflow(draft, { fork: true });
		const work = await job(draft, run, { mode: "work" });
		expect(work.stdout).toContain("is a draft");
		expect(work.outputs["outbox"]).toBeUndefined();
		const push = startWorkflow(draft, { event: "push" });
		const result = await publish(draft, push);
		expect(result.exitCode).toBe(0);
		expect(result.stdout).toContain("was started by push, not for a pull request");
	});

	it("X-05 who started the other run is asked of the API again: a bot that nobody named starts no publication", async () => {
		const s = await scene();
		s.github.addUser("evil-app[bot]", { type: "Bot" });
		const run = startWorkflow(s, { fork: true, actor: "evil-app[bot]" });
		await upload(s, run, await job(s, run, { mode: "work" }));
		const result = await publish(s, run);
		expect(result.exitCode, result.stdout + result.stderr).toBe(0);
		expect(result.stdout).toContain("E_ACTOR");
		expect(posted(s)).toBe(0);
		const named = await publish(s, run, { "allowed-bots": "evil-app" });
		expect(named.stdout).toContain("author and owner of the head decide");
		expect(posted(s)).toBe(0);
	});

	it("X-05 text of an outbox passes the outgoing filter once more", async () => {
		const s = await scene();
		const run = startWorkflow(s, { fork: true });
		await upload(
			s,
			run,
			await job(s, run, { mode: "work" }),
			forge(({ head, reports }) => {
				head["notes"] = ["ping @everyone, see https://evil.example/x", `token ${TOKEN}`];
				const [first] = reports["reports"] as { report: { findings: Record<string, unknown>[] } }[];
				for (const finding of first?.report.findings ?? []) {
					finding["title"] = "@octo/team closes #1";
					finding["body"] = "<!-- rookery:sticky v1 {} --> ![x](https://evil.example/p.png)";
				}
			}),
		);
		const result = await publish(s, run);
		expect(result.exitCode, result.stdout + result.stderr).toBe(0);
		const text = [s.sticky() ?? "", ...s.github.reviewComments(s.number).map((comment) => comment.body)].join("\n");
		expect(text).not.toContain(TOKEN);
		expect(text).not.toMatch(/(?<!`)@everyone/);
		expect(text).not.toMatch(/(?<!`)@octo/);
		expect(text).not.toContain("](https://evil.example");
		expect(text).not.toContain("<!-- rookery:sticky v1 {} -->");
	});
});
