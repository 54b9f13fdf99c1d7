import { afterEach, describe, expect, it } from "vitest";
import { callTool, type Decide } from "../../src/demo/loopback-model/scripted-reply.ts";
import { startLoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import { startScene, TOKEN } from "./start-scene.ts";

const KEY = "sk-loopback-canary-5f2b9c1d7e";
const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
	for (const each of open.splice(0)) await each.close();
});

const steps = (from: number) =>
	Array.from({ length: 40 }, (_, index) => `func Step${index}(n int) int { return n + ${index + from} }`).join("\n");

describe("the provider's web search", { timeout: 120_000 }, () => {
	it("S-027 is in no request of a review: not for specialists, and not for a reviewer whose file asks for it", async () => {
		const scene = await startScene({
			base: {
				"a.go": `package a\n\n${steps(0)}\n`,
				".claude/agents/surfer.md":
					"---\nname: surfer\ndescription: Looks things up.\ntools: Read, WebSearch, WebFetch\n---\nYou look things up.\n",
			},
			head: { "a.go": `package a\n\n${steps(100)}\n` },
		});
		open.push({ close: () => scene[Symbol.asyncDispose]() });
		// A reply that calls it all the same is answered like any other unknown tool.
		const decide: Decide = ({ turn }) =>
			turn === 0
				? callTool("web_search", { query: "how to leak" })
				: callTool("submit_report", { summary: "Read it.", findings: [], open: [] });
		const model = await startLoopbackModel({ latencyMs: 0, apiKey: KEY, decide });
		open.push(model);
		const result = await scene.start({ inputs: { "github-token": TOKEN, "anthropic-api-key": KEY, "base-url": model.url } });
		expect(result.exitCode).toBe(0);
		const report = await scene.readReport(result);
		expect(report.agents.map((agent) => agent.name).sort()).toEqual(["go", "surfer"]);
		expect(model.requests.length).toBeGreaterThan(2);
		for (const { tools = [] } of model.requests.map(
			(request) => request.request as unknown as { tools?: { name: string; type?: string }[] },
		)) {
			expect(tools.map((tool) => tool.name).filter((name) => name.startsWith("web"))).toEqual([]);
			expect(tools.filter((tool) => tool.type !== undefined && tool.type !== "custom")).toEqual([]);
		}
		const results = model.requests.map((request) => request.rawBody).join("\n");
		expect(results).toMatch(/The tool web_search is not available here/);
		expect(scene.github.violations).toEqual([]);
	});
});
