import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSecrets } from "../../src/adapters/actions-runner/create-secrets.ts";
import { replayRun } from "../../src/compose/replay-command.ts";
import { readSessionTree, renderSessionTree } from "../../src/compose/session-command.ts";
import { callTool, callTools, say } from "../../src/demo/loopback-model/scripted-reply.ts";
import type { LoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import { startLoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import { makeSampleRepository } from "../../src/demo/sample-repository/make-sample-repository.ts";
import { totalTokens } from "../../src/domain/usage.ts";
import { git, writeFiles } from "../tools/tool-fixture.ts";
import { openReviewRig, type ReviewRig } from "./review-rig.ts";

let rig: ReviewRig;
let server: LoopbackModel;
beforeEach(async () => {
	rig = openReviewRig();
	server = await startLoopbackModel();
});
afterEach(async () => {
	rig[Symbol.dispose]();
	await server.close();
});

function makeRepository(head: Readonly<Record<string, string>>): string {
	const folder = path.join(rig.temp, "repository");
	writeFiles(folder, { "main.go": "package main\n\nfunc main() {\n\tprintln(1)\n}\n", "app.py": "def add(a, b):\n    return a + b\n" });
	git(folder, "init", "-q", "-b", "main");
	git(folder, "add", "-A");
	git(folder, "commit", "-qm", "base");
	git(folder, "checkout", "-qb", "work");
	writeFiles(folder, head);
	git(folder, "add", "-A");
	git(folder, "commit", "-qm", "head");
	return folder;
}

const finding = (path: string, quote: string, title: string) => ({
	...{ path, quote, title, severity: "important", category: "bug", body: "It is wrong.", confidence: 95 },
	evidence: { kind: "traced", detail: "read" },
});

const withModel = () => ({ provider: "anthropic" as const, apiKey: "key-for-tests", baseUrl: server.url });

describe("rookery replay", () => {
	it("X-11 the report of the sample change comes back byte for byte, without repository, model or network", async () => {
		const sample = await makeSampleRepository(path.join(rig.temp, "sample"));
		const review = await rig.review({ repo: sample.folder, base: sample.baseBranch });
		const original = readFileSync(review.reportPath, "utf8");
		expect(review.outcome.report.findings.length).toBeGreaterThan(0);
		const kept = path.join(rig.temp, "kept");
		cpSync(path.dirname(review.journals), kept, { recursive: true });
		rmSync(sample.folder, { recursive: true });
		rmSync(path.resolve(review.reportPath, "../../../.."), { recursive: true });
		for (const location of [
			path.join(kept, path.basename(review.journals)),
			`${path.join(kept, path.basename(review.journals))}.jsonl`,
			kept,
		]) {
			expect((await replayRun(location)).text).toBe(original);
		}
	});

	it("X-11 also with a model, with a child that failed, and with a secret in the change", async () => {
		const secret = "s3cr3t-value-of-a-token";
		const folder = makeRepository({
			"main.go": `package main\n\nfunc main() {\n\tprintln("${secret}")\n}\n`,
			"app.py": "def add(a, b):\n    return a - b\n",
		});
		const lines = Array.from({ length: 80 }, (_, index) => `var V${index} = ${index}`).join("\n");
		writeFiles(folder, { "more.go": `package main\n\n${lines}\n`, "more.py": `${lines.replaceAll("var ", "")}\n` });
		git(folder, "add", "-A");
		git(folder, "commit", "-qm", "more");
		server.setScript([
			{
				marker: "the Go specialist",
				replies: [
					callTool("read_file", { path: "main.go" }),
					callTool("submit_report", {
						summary: "One.",
						findings: [finding("main.go", `println("${secret}")`, "Prints a token")],
						open: [],
					}),
				],
			},
			{
				marker: "the Python specialist",
				replies: [say("x", { fault: { kind: "status", status: 400, type: "invalid_request_error", message: "no" } })],
			},
		]);
		const secrets = createSecrets(() => undefined);
		secrets.add(secret);
		const review = await rig.review({ repo: folder, base: "main", secrets, ...withModel() });
		expect(review.outcome.report.agents.map((agent) => [agent.name, agent.status])).toEqual([
			["go", "completed"],
			["python", "failed"],
			["verifier", "completed"],
		]);
		const original = readFileSync(review.reportPath, "utf8");
		expect(original).not.toContain(secret);
		expect(readFileSync(`${review.journals}.jsonl`, "utf8")).not.toContain(secret);
		const replayed = await replayRun(review.journals);
		expect(replayed.text).toBe(original);
		expect(replayed.report.findings[0]?.title).toBe("Prints a token");
	});

	it("X-11 journals that were changed, that lack a child, or of a run that did not finish are refused by name", async () => {
		const folder = makeRepository({ "app.py": "def add(a, b):\n    return a - b\n" });
		const review = await rig.review({ repo: folder, base: "main" });
		const runFile = `${review.journals}.jsonl`;
		const session = review.outcome.report.agents[0]?.session ?? "";
		const original = readFileSync(runFile, "utf8");
		const change = (text: string) => writeFileSync(runFile, text);

		change(original.replace(/"sha256":"./, '"sha256":"_'));
		await expect(replayRun(review.journals)).rejects.toThrow(/run\.report\.sha256/);
		change(original.replace(`"title":"`, `"title":"`).replace('"provider":"offline"', '"provider":"somebody"'));
		await expect(replayRun(review.journals)).rejects.toThrow(/digest/);
		change(
			original
				.split("\n")
				.filter((line) => !line.includes('"seq":2,'))
				.join("\n"),
		);
		await expect(replayRun(review.journals)).rejects.toThrow(/line 2: seq: found 3, want 2/);
		change(original.split("\n").slice(0, -2).join("\n").concat("\n"));
		await expect(replayRun(review.journals)).rejects.toThrow(/no record run\.report/);
		change(original);
		rmSync(path.join(review.journals, `${session}.jsonl`));
		await expect(replayRun(review.journals)).rejects.toThrow(new RegExp(`${session}.jsonl is missing`));
		await expect(replayRun(path.join(rig.temp, "nowhere"))).rejects.toThrow(/no run journal/);
		expect(existsSync(runFile)).toBe(true);
	});
});

describe("rookery session", () => {
	it("S-158 the tree names every agent with its end, steps, calls, tokens and cost; the sums are the server's", async () => {
		const folder = makeRepository({ "app.py": "def add(a, b):\n    return a - b\n" });
		server.setScript([
			{
				marker: "the Python specialist",
				replies: [
					callTools([
						{ name: "read_file", input: { path: "app.py" } },
						{ name: "glob", input: { pattern: "*" } },
					]),
					callTool("submit_report", { summary: "Fine.", findings: [], open: [] }),
				],
			},
		]);
		const review = await rig.review({ repo: folder, base: "main", ...withModel() });
		const tree = await readSessionTree(review.journals);
		const [node] = tree.roots;
		expect(tree.roots).toHaveLength(1);
		expect(node).toMatchObject({
			session: "moe-python-1",
			agentId: "agent_1",
			status: "completed",
			stopReason: "done",
			steps: 2,
			toolUses: 3,
			children: [],
		});
		expect(tree.usage).toEqual(server.usageTotals().usage);
		expect(node?.usage).toEqual(server.usageTotals().usage);
		expect(tree.costUsd).toBeCloseTo(server.usageTotals().costUsd ?? Number.NaN, 12);
		const [head, line, last] = renderSessionTree(tree).split("\n");
		expect(head).toMatch(/^1 agent, [\d.]+k tokens, \$0\.\d+$/);
		expect(line).toMatch(/^└─ moe-python-1 \(agent_1\) completed: 2 steps, 3 calls, [\d.]+k tokens, \$0\.\d+, .*claude-sonnet-5-5$/);
		expect(last).toBe(`journal: ${review.journals}.jsonl`);
		expect(totalTokens(tree.usage)).toBeGreaterThan(0);
	});
});
