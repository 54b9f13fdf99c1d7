import { afterEach, describe, expect, it } from "vitest";
import { promptTooLong } from "../../src/demo/loopback-model/fault.ts";
import { callTool, type Decide, say, type ScriptedReply } from "../../src/demo/loopback-model/scripted-reply.ts";
import { type LoopbackModel, startLoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import { parseClaims } from "../../src/domain/claim-lines.ts";
import { type Scene, startScene, TOKEN } from "./start-scene.ts";

const KEY = "sk-loopback-verify-0c4b";
const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
	for (const each of open.splice(0)) await each.close();
});

const lines = (from: number) =>
	Array.from({ length: 30 }, (_, index) => `func Step${index}(count int) int { return count + ${index + from} }`);
const source = (from: number) => `package steps\n\n${lines(from).join("\n")}\n`;
const SEVERITIES = ["critical", "important", "minor", "nit"] as const;

/** One finding a severity, on lines of their own. */
const findings = SEVERITIES.map((severity, index) => ({
	path: "steps.go",
	quote: lines(100)[index * 5],
	severity,
	category: "bug",
	title: `Claim ${severity}`,
	body: `The ${severity} step is wrong.`,
	confidence: 95,
	evidence: { kind: "stated", detail: "" },
}));

type Word = (title: string, id: string) => Record<string, unknown> | undefined;
const silent: Word = () => undefined;

/** Reviewers report all findings; verifiers answer each claim as `word` says. */
function decideBy(word: Word, verifier?: () => ScriptedReply, bill: Omit<ScriptedReply, "blocks"> = {}): Decide {
	return ({ opening, turn }) => {
		if (opening.includes("Try to refute")) {
			if (verifier !== undefined) return verifier();
			if (turn === 0) return callTool("read_file", { path: "steps.go" });
			const answers = parseClaims(opening).flatMap((claim) => {
				const given = word(claim.title, claim.id);
				if (given === undefined) return [];
				const { path, severity, category } = claim;
				return [
					{
						path,
						severity,
						category,
						body: "Somebody checks before.",
						confidence: 95,
						evidence: { kind: "traced", detail: "steps.go:3" },
						...given,
					},
				];
			});
			return callTool("submit_report", { summary: "Looked.", findings: answers, open: [] });
		}
		if (turn === 0) return callTool("read_file", { path: "steps.go" });
		return callTool("submit_report", { summary: "Read.", findings, open: [] }, bill);
	};
}

async function start(decide: Decide, base: Record<string, string> = {}): Promise<{ readonly scene: Scene; readonly model: LoopbackModel }> {
	const scene = await startScene({ base: { "steps.go": source(0), ...base }, head: { "steps.go": source(100) } });
	open.push({
		close: async () => {
			expect(scene.github.violations).toEqual([]);
			await scene[Symbol.asyncDispose]();
		},
	});
	const model = await startLoopbackModel({ apiKey: KEY, decide });
	open.push(model);
	return { scene, model };
}

async function review({ scene, model }: Awaited<ReturnType<typeof start>>) {
	const result = await scene.start({ inputs: { "github-token": TOKEN, "anthropic-api-key": KEY, "base-url": model.url } });
	expect(result.exitCode, result.stdout + result.stderr).toBe(0);
	return scene.readReport(result);
}

const verifiers = (model: LoopbackModel) =>
	model.requests.filter((request) => request.turn === 0 && request.rawBody.includes("Try to refute"));
const titled = (report: Awaited<ReturnType<typeof review>>, title: string) => report.findings.find((finding) => finding.title === title);

describe("verification, end to end", () => {
	it("X-10 a refuted finding is dismissed with the reason and not posted, a confirmed one names the place, a doubt is said", async () => {
		const words: Record<string, Record<string, unknown>> = {
			"Claim critical": { kind: "confirmed" },
			"Claim important": { kind: "refuted" },
			"Claim minor": { kind: "unsure" },
		};
		const run = await start(decideBy((title, id) => ({ title: `${id} ${String(words[title]?.["kind"])}` })));
		const report = await review(run);
		expect(report.findings.map((finding) => finding.title)).toEqual(["Claim critical", "Claim minor", "Claim nit"]);
		expect(report.dismissed).toMatchObject([
			{ finding: { title: "Claim important" }, reason: "refuted by verifier-1: Somebody checks before. (steps.go:3)" },
		]);
		const confirmed = titled(report, "Claim critical");
		expect(confirmed?.evidence).toEqual({ kind: "traced", detail: "confirmed by verifier-1: steps.go:3" });
		expect(confirmed?.sources).toEqual(["moe-go-1", "verifier-1"]);
		expect(titled(report, "Claim minor")?.body).toContain("_Not verified: verifier-1 could not tell.");
		expect(titled(report, "Claim nit")?.body).toBe("The nit step is wrong.");
		const posted = run.scene.github
			.reviewComments(run.scene.number)
			.map((comment) => comment.body)
			.join("\n");
		expect(posted).toContain("Claim critical");
		expect(posted).not.toContain("Claim important");
		const [verifier] = report.agents.filter((agent) => agent.kind === "verifier");
		expect(verifier).toMatchObject({
			name: "verifier",
			session: "verifier-1",
			status: "completed",
			summary: "Claims: 1 confirmed, 1 refuted, 1 unsure.",
		});
		// One batch, without the nit, behind the very prefix that the reviewer has filled the cache with.
		expect(verifiers(run.model)).toHaveLength(1);
		const brief = verifiers(run.model)[0]?.rawBody ?? "";
		expect(brief).not.toContain("Claim nit");
		expect(verifier?.usage.cacheRead).toBeGreaterThan(0);
		expect(report.usage).toMatchObject(run.model.usageTotals().usage);
	});

	it("X-10 a verifier that fails, says nothing or is not sure loses no finding: they are posted as unverified", async () => {
		const unsure = /Not verified: verifier-1 could not tell/;
		const broken: readonly (readonly [Decide, RegExp])[] = [
			[decideBy(silent, () => say("x", { fault: promptTooLong() })), /Not verified: the verifier (?:failed|stopped early)/],
			[decideBy(silent), /Not verified: the verifier did not answer/],
			[decideBy((_title, id) => ({ title: `${id} refuted`, confidence: 60 })), unsure],
			[decideBy((_title, id) => ({ title: `${id} refuted`, evidence: { kind: "stated", detail: "" } })), unsure],
		];
		for (const [decide, remark] of broken) {
			const run = await start(decide);
			const report = await review(run);
			expect(report.findings).toHaveLength(4);
			expect(report.dismissed).toEqual([]);
			expect(report.verdict.state).toBe("findings");
			for (const finding of report.findings.filter((each) => each.severity !== "nit")) expect(finding.body).toMatch(remark);
			expect(run.scene.github.reviewComments(run.scene.number)).toHaveLength(3);
		}
	});

	it("X-10 a critical finding that is refuted is still named, and a verdict can neither add nor change a finding (A96)", async () => {
		const run = await start(
			decideBy((title, id) =>
				title === "Claim critical"
					? { title: `${id} refuted` }
					: { title: `${id} confirmed`, severity: "nit", category: "style", path: "other.go" },
			),
		);
		const report = await review(run);
		expect(report.notes.join("\n")).toContain("A critical finding was refuted by verifier-1 and is not shown: Claim critical.");
		expect(report.findings.map((finding) => [finding.title, finding.severity, finding.path])).toEqual([
			["Claim important", "important", "steps.go"],
			["Claim minor", "minor", "steps.go"],
			["Claim nit", "nit", "steps.go"],
		]);
	});

	it("X-10 review.verify off asks nobody; models.verifier picks the model", async () => {
		const settings = (value: object) => ({ ".rookery/settings.json": JSON.stringify(value) });
		const off = await start(decideBy(silent), settings({ review: { verify: false } }));
		const report = await review(off);
		expect(verifiers(off.model)).toHaveLength(0);
		expect(report.findings).toHaveLength(4);
		expect(report.findings.map((finding) => finding.body).join()).not.toContain("Not verified");
		const other = await start(decideBy(silent), settings({ models: { verifier: "opus" } }));
		const agents = (await review(other)).agents;
		expect(agents.find((agent) => agent.kind === "verifier")?.model).toMatch(/opus/);
		expect(agents.find((agent) => agent.kind === "specialist")?.model).not.toMatch(/opus/);
	});

	it("X-08 X-10 a report that uses the budget up is taken, and its findings are posted all the same, unverified", async () => {
		const settings = JSON.stringify({ budget: { runTokens: 60_000 } });
		const run = await start(decideBy(silent, undefined, { usage: { input: 52_000 } }), { ".rookery/settings.json": settings });
		const report = await review(run);
		expect(report.findings).toHaveLength(4);
		for (const finding of report.findings.slice(0, 3)) expect(finding.body).toMatch(/Not verified: .*budget/);
	});

	it("X-10 without a model the checks are run again over each finding, at no cost", async () => {
		const scene = await startScene({ base: { "a.go": "package a\n\nfunc A() {}\n" }, head: { "a.go": "package a\n\nfunc A() {\n" } });
		open.push({ close: async () => scene[Symbol.asyncDispose]() });
		const result = await scene.start();
		const report = await scene.readReport(result);
		expect(report.findings).toHaveLength(1);
		expect(report.findings[0]?.evidence).toMatchObject({ kind: "reproduced" });
		expect(report.findings[0]?.evidence.detail).toContain("confirmed by verifier-1");
		expect(report.usage.costUsd).toBe(0);
	});
});
