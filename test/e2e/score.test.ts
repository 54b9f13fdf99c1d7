import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { callTool, type Decide } from "../../src/demo/loopback-model/scripted-reply.ts";
import { startLoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import type { Scorecard } from "../../src/score/scorecard.ts";
import { ACTION_FOLDER, git } from "./start-scene.ts";

const KEY = "sk-loopback-score-2a7c";
const SEEDED = path.join(ACTION_FOLDER, "scorecard");
const open: (() => Promise<void>)[] = [];

afterEach(async () => {
	for (const close of open.splice(0)) await close();
});

interface Ended {
	readonly code: number;
	readonly stdout: string;
	readonly stderr: string;
}

/** `rookery score`, as a person starts it. */
async function score(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Ended> {
	const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", TMPDIR: os.tmpdir(), ...environment };
	try {
		const { stdout, stderr } = await promisify(execFile)(process.execPath, [path.join(ACTION_FOLDER, "dist/cli.js"), "score", ...args], {
			env,
		});
		return { code: 0, stdout, stderr };
	} catch (error) {
		const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
		return { code, stdout, stderr };
	}
}

/** Reads the file it is given and reports two lines of it: one with a seeded defect, one without. */
const decide: Decide = ({ opening, turn }) => {
	if (opening.includes("Try to refute")) return callTool("submit_report", { summary: "Looked.", findings: [], open: [] });
	if (!opening.includes("- cache.go modified")) return callTool("submit_report", { summary: "Nothing.", findings: [], open: [] });
	if (turn === 0) return callTool("read_file", { path: "cache.go" });
	const finding = (quote: string, title: string) => ({
		path: "cache.go",
		quote,
		severity: "important",
		category: "bug",
		title,
		body: title,
		confidence: 95,
		evidence: { kind: "traced", detail: "cache.go" },
	});
	const findings = [finding("	go c.sweep()", "The sweeper never ends"), finding("type entry struct {", "The type has no comment")];
	return callTool("submit_report", { summary: "Read.", findings, open: [] });
};

describe("rookery score, end to end", () => {
	it("1c-16 says what of the known defects a model found, with precision, recall, cost and time of each agent", async () => {
		const model = await startLoopbackModel({ apiKey: KEY, decide });
		open.push(() => model.close());
		const args = [SEEDED, "--only", "go-c", "--json", "--base-url", model.url];
		const { code, stdout, stderr } = await score(args, { ANTHROPIC_API_KEY: KEY });
		expect(code, stderr).toBe(0);
		const card = JSON.parse(stdout) as Scorecard;
		expect(card).toMatchObject({ version: 1, dataset: "scorecard", provider: "anthropic", complete: true, failed: [] });
		expect(card.cases.map((each) => [each.id, each.defects, each.found, each.false])).toEqual([
			["go-cache", 4, 1, 1],
			["go-clean", 0, 0, 0],
		]);
		expect(card.total).toMatchObject({ defects: 4, found: 1, findings: 2, false: 1, precision: 0.5, recall: 0.25 });
		expect(card.total.f1).toBeCloseTo(1 / 3);
		expect(card.total.costUsd).toBeGreaterThan(0);
		const agent = card.agents.find((each) => each.agent === "go");
		expect(agent).toMatchObject({ runs: 2, found: 1, false: 1, precision: 0.5 });
		expect(agent?.tokens).toBeGreaterThan(0);
		expect(card.agents.reduce((sum, each) => sum + (each.costUsd ?? 0), 0)).toBeLessThanOrEqual((card.total.costUsd ?? 0) + 1e-9);
		expect(card.cases[0]?.missed).toHaveLength(3);
		expect(card.cases[0]?.wrong).toMatchObject([{ path: "cache.go", title: "The type has no comment" }]);
	}, 60_000);

	it("1c-16 without a model the fixed checks find what they can, and nothing that is not there", async () => {
		const { code, stdout } = await score([SEEDED, "--only", "-", "--provider", "offline"]);
		expect(code).toBe(0);
		expect(stdout).toContain("scorecard: 20 pull requests, 72 known defects, provider offline");
		expect(stdout).toMatch(/precision 100 %, recall 5\.6 %/);
		expect(stdout).toMatch(/\| typescript \| +16 \| +2 \| +0 \| +100 % \|/);
	}, 120_000);

	it("1c-16 scores a public set on clones; a clone without the commits is named and takes no other with it", async () => {
		const folder = await mkdtemp(path.join(os.tmpdir(), "rookery-score-test-"));
		open.push(() => rm(folder, { recursive: true, force: true }));
		const clone = path.join(folder, "clones", "acme+widgets");
		await git(folder, "init", "-q", "-b", "main", clone);
		await writeFile(path.join(clone, "a.go"), "package a\n\nfunc A() {}\n");
		await git(clone, "add", "-A");
		await git(clone, "commit", "-q", "-m", "Base");
		const base = await git(clone, "rev-parse", "HEAD");
		await writeFile(path.join(clone, "a.go"), "package a\n\nfunc A() {\n");
		await git(clone, "commit", "-qam", "Change");
		const row = (number: number, head: string) => ({
			githubPrUrl: `https://github.com/acme/widgets/pull/${number}`,
			project_main_language: "Go",
			source_commit: base,
			target_commit: head,
			comments: [{ note: "It does not parse.", path: "a.go", side: "right", from_line: 3, to_line: 3 }],
		});
		const set = path.join(folder, "positive_samples.json");
		await writeFile(set, JSON.stringify([row(1, await git(clone, "rev-parse", "HEAD")), row(2, "f".repeat(40))]));
		const flags = ["--provider", "offline", "--json", "--clones", path.join(folder, "clones")];
		const card = JSON.parse((await score([set, ...flags])).stdout) as Scorecard;
		expect(card.cases).toMatchObject([{ id: "acme/widgets#1", defects: 1, found: 1, false: 0 }]);
		expect(card.failed).toMatchObject([{ id: "acme/widgets#2" }]);
		expect(card.complete).toBe(false);
		const rejected = JSON.parse((await score([set, ...flags, "--rejected"])).stdout) as Scorecard;
		expect(rejected.cases).toMatchObject([{ defects: 0, found: 0, false: 1, precision: 0 }]);
	}, 60_000);

	it.each([
		["a folder that is not there", ["/nonexistent/set"], "found nothing there"],
		["a folder without cases", [path.join(ACTION_FOLDER, "docs")], "found no .yml file"],
		["a filter that fits nothing", [SEEDED, "--only", "cobol"], '--only: found no case whose id holds "cobol"'],
		["a file of another form", [path.join(ACTION_FOLDER, "package.json")], "package.json: found neither"],
	])("1c-16 %s is an error that says what is wanted, exit code 2", async (_, args, part) => {
		const { code, stderr } = await score([...args, "--provider", "offline"]);
		expect(code).toBe(2);
		expect(stderr).toContain(part);
		expect(stderr).toContain("wanted");
	});
});
