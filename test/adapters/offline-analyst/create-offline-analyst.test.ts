import path from "node:path";
import { describe, expect, it } from "vitest";
import { createOfflineAnalyst } from "../../../src/adapters/offline-analyst/create-offline-analyst.ts";
import { makeSampleRepository } from "../../../src/demo/sample-repository/make-sample-repository.ts";
import type { ChildReport } from "../../../src/domain/finding.ts";
import type { ContentBlock, ModelMessage, ModelReply, ModelRequest, ToolSpec } from "../../../src/domain/model-message.ts";
import type { Tool } from "../../../src/seams.ts";
import { callTool, makeChange, makeTempFolder, openContext } from "../../tools/tool-fixture.ts";

const BRIEF: ModelMessage = { role: "user", content: [{ type: "text", text: "Review these files." }] };

function request(messages: readonly ModelMessage[], tools: readonly ToolSpec[], maxTokens = 4_000): ModelRequest {
	return { model: "offline-analyst", effort: "medium", maxTokens, system: [], tools, messages };
}

/** The engine's loop in small: calls run in order, results go back in one message. */
async function play(tools: readonly Tool[], messages: ModelMessage[] = [BRIEF]) {
	const analyst = createOfflineAnalyst();
	const specs = tools.map((tool) => tool.spec);
	const replies: ModelReply[] = [];
	let report: ChildReport | undefined;
	for (let step = 0; step < 10; step++) {
		const reply = await analyst.complete(request(messages, specs), new AbortController().signal);
		replies.push(reply);
		messages.push({ role: "assistant", content: reply.content });
		if (reply.stop !== "tool-use") break;
		const results: ContentBlock[] = [];
		for (const block of reply.content) {
			if (block.type !== "tool-use") continue;
			const output = await callTool(tools, block.name, block.input);
			if (block.name === "submit_report") report = output.data as ChildReport;
			results.push({
				type: "tool-result",
				toolUseId: block.id,
				content: output.content,
				...(output.isError === true ? { isError: true } : {}),
			});
		}
		messages.push({ role: "user", content: results });
	}
	return { replies, report, messages };
}

const said = (reply: ModelReply | undefined) => (reply?.content ?? []).map((block) => (block.type === "text" ? block.text : "")).join("");

describe("the offline analyst on the sample repository", () => {
	it("X-01 finds every defect that needs no model, exactly these, and hands them in as a report", async () => {
		using temp = makeTempFolder();
		const sample = await makeSampleRepository(path.join(temp.folder, "r"));
		await using open = await openContext(sample.folder, sample.mergeBase, sample.head);
		const { report, replies } = await play(open.tools);
		const place = (at: { path: string; line: number }) => `${at.path}:${at.line}`;
		expect(report?.findings.map((finding) => place({ path: finding.path, line: finding.startLine ?? 0 })).toSorted()).toEqual(
			sample.defects
				.filter((defect) => defect.offline)
				.map(place)
				.toSorted(),
		);
		expect(replies.map((reply) => reply.stop)).toEqual(["tool-use", "tool-use", "end-turn"]);
		expect(replies.every((reply) => reply.usage.input + reply.usage.output + reply.usage.cacheRead + reply.usage.cacheWrite === 0)).toBe(
			true,
		);
		for (const finding of report?.findings ?? []) {
			expect(finding.confidence).toBeGreaterThanOrEqual(80);
			expect(["reproduced", "traced"]).toContain(finding.evidence.kind);
		}
		expect(report?.findings.find((finding) => finding.title === "Only this test runs")?.suggestion).toBe(
			'\tit("charges each started half kilogram", () => {',
		);
		expect(report?.summary).toMatch(/conflict markers, secrets, syntax, focused or skipped tests.*19 files.*9 findings.*not judged/s);
		expect(report?.open).toEqual(["docs/logo.png was not checked: binary"]);
	});

	it("is deterministic", async () => {
		using temp = makeTempFolder();
		const sample = await makeSampleRepository(path.join(temp.folder, "r"));
		await using open = await openContext(sample.folder, sample.mergeBase, sample.head);
		expect((await play(open.tools)).messages).toEqual((await play(open.tools)).messages);
	});
});

describe("the offline analyst elsewhere", () => {
	it("a clean change gets a report without findings that does not claim more than was checked", async () => {
		using temp = makeTempFolder();
		makeChange(temp.folder, {}, { "a.ts": "export const a = 1;\n" });
		await using open = await openContext(temp.folder, "HEAD~1", "HEAD");
		const { report } = await play(open.tools);
		expect(report?.findings).toEqual([]);
		expect(report?.summary).toMatch(/without a language model.*0 findings.*not judged/);
	});

	it("says so when the checks cannot run, and never calls that clean", async () => {
		using temp = makeTempFolder();
		makeChange(temp.folder, {}, { "a.ts": "export const a = 1;\n" });
		await using open = await openContext(temp.folder, "HEAD~1", "HEAD");
		const withoutDiagnose = await play(open.tools.filter((tool) => tool.spec.name !== "diagnose"));
		expect(withoutDiagnose.report).toMatchObject({ findings: [], summary: expect.stringMatching(/nothing was reviewed/) });
		const failing = open.tools.map(
			(tool): Tool => (tool.spec.name === "diagnose" ? { ...tool, run: async () => ({ content: "git failed", isError: true }) } : tool),
		);
		expect((await play(failing)).report?.open).toEqual(["The checks did not run: git failed"]);
	});

	it("answers what is no review with an honest text, and calls no tool that it was not offered", async () => {
		const reply = await createOfflineAnalyst().complete(request([BRIEF], []), new AbortController().signal);
		expect(reply.stop).toBe("end-turn");
		expect(said(reply)).toMatch(/^No language model is configured/);
	});

	it("lists its findings in text where no report can be handed in", async () => {
		using temp = makeTempFolder();
		makeChange(temp.folder, {}, { "a.test.ts": "it.only('a', () => {});\n" });
		await using open = await openContext(temp.folder, "HEAD~1", "HEAD");
		const { replies, report } = await play(open.tools.filter((tool) => tool.spec.name !== "submit_report"));
		expect(report).toBeUndefined();
		expect(said(replies.at(-1))).toContain("- a.test.ts:1: Only this test runs");
	});

	it("does not go round in circles when its report is refused or somebody writes again", async () => {
		using temp = makeTempFolder();
		makeChange(temp.folder, {}, { "a.ts": "export const a = 1;\n" });
		await using open = await openContext(temp.folder, "HEAD~1", "HEAD");
		const refusing = open.tools.map(
			(tool): Tool => (tool.spec.name === "submit_report" ? { ...tool, parse: () => ({ ok: false, error: "no" }) } : tool),
		);
		const refused = await play(refusing);
		expect(refused.replies).toHaveLength(3);
		expect(said(refused.replies.at(-1))).toBe("The report was not taken: no");
		const { messages } = await play(open.tools);
		messages.push({ role: "user", content: [{ type: "text", text: "Why?" }] });
		const again = await play(open.tools, messages);
		expect(again.replies.map((reply) => reply.stop)).toEqual(["end-turn"]);
		expect(said(again.replies[0])).toMatch(/cannot answer questions/);
	});

	it("a remark of the loop beside tool results is no new question", async () => {
		const diagnose: ToolSpec = { name: "diagnose", description: "", inputSchema: {} };
		const submit: ToolSpec = { name: "submit_report", description: "", inputSchema: {} };
		const messages: ModelMessage[] = [
			BRIEF,
			{ role: "assistant", content: [{ type: "tool-use", id: "1", name: "diagnose", input: {} }] },
			{
				role: "user",
				content: [
					{ type: "tool-result", toolUseId: "1", content: "(cut)" },
					{ type: "text", text: "Two steps left: hand in your report." },
				],
			},
		];
		const reply = await createOfflineAnalyst().complete(request(messages, [diagnose, submit]), new AbortController().signal);
		expect(reply.content).toMatchObject([
			{ type: "tool-use", name: "submit_report", input: { open: [expect.stringMatching(/cut for length/)] } },
		]);
	});

	it("honours the signal and a warm-up, and never rejects", async () => {
		const analyst = createOfflineAnalyst();
		expect(analyst.provider).toBe("offline");
		expect(await analyst.complete(request([BRIEF], []), AbortSignal.abort())).toMatchObject({
			stop: "aborted",
			failure: { kind: "deadline", fatal: false },
		});
		expect(await analyst.complete(request([BRIEF], [], 0), new AbortController().signal)).toMatchObject({ stop: "end-turn", content: [] });
	});
});
