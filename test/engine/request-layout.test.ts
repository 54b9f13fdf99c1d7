import { describe, expect, it } from "vitest";
import type { ContentBlock, ModelRequest, TextBlock } from "../../src/domain/model-message.ts";
import { NO_USAGE } from "../../src/domain/usage.ts";
import { createLedger } from "../../src/engine/ledger.ts";
import { createRunBudget } from "../../src/engine/run-budget.ts";
import { runChild } from "../../src/engine/run-child.ts";
import { warmUp } from "../../src/engine/warm-up.ts";
import { agentNamed, assign, environmentFor, memoryJournal, readTool, reportTool, toolNamed } from "./engine-parts.ts";
import { answer, asks, failed, scriptModel, USAGE } from "./scripted-model.ts";

interface Block {
	readonly bytes: string;
	readonly marked: boolean;
}

/** A request as the provider's cache sees it: tools, system, messages, block by block. */
function blocksOf(request: ModelRequest): Block[] {
	const strip = (block: TextBlock | ContentBlock, role: string): Block => {
		const { cache, ...rest } = { cache: undefined, ...block };
		return { bytes: JSON.stringify({ ...rest, role }), marked: cache === true };
	};
	return [
		...request.tools.map((tool) => ({ bytes: JSON.stringify(tool), marked: false })),
		...request.system.map((block) => strip(block, "system")),
		...request.messages.flatMap((message) => message.content.map((block) => strip(block, message.role))),
	];
}

/** Characters of `request` that a cache filled by `earlier` could give back: up to a mark of both, equal before it. */
function reusable(earlier: ModelRequest, request: ModelRequest): number {
	const before = blocksOf(earlier);
	const now = blocksOf(request);
	let length = 0;
	let reached = 0;
	for (const [index, block] of now.entries()) {
		if (before[index]?.bytes !== block.bytes) break;
		length += block.bytes.length;
		if (block.marked && before[index]?.marked === true) reached = length;
	}
	return reached;
}

function size(request: ModelRequest): number {
	return blocksOf(request).reduce((sum, block) => sum + block.bytes.length, 0);
}

const pack = {
	system: [{ type: "text" as const, text: "Shared rules. ".repeat(80) }],
	pack: [{ type: "text" as const, text: "The diff. ".repeat(1_500) }],
};

async function runSteps(agent: string, language: string): Promise<readonly ModelRequest[]> {
	const model = scriptModel([
		asks(
			[
				{ tool: "read_file", input: { path: "a" } },
				{ tool: "read_file", input: { path: "b" } },
			],
			{ text: "First." },
		),
		asks(
			Array.from({ length: 12 }, (_, n) => ({ tool: "read_file", input: { path: `c${n}` } })),
			{ text: "Second." },
		),
		asks([{ tool: "read_file", input: { path: "d" } }]),
		answer("done"),
	]);
	const environment = environmentFor(model, { brief: pack, toolList: agent === "go" ? [readTool, reportTool] : [reportTool, readTool] });
	await runChild(
		assign({ agent: agentNamed(agent, { kind: "specialist", language, prompt: `You know ${language}. `.repeat(20) }) }),
		environment,
	);
	return model.requests;
}

describe("the request layout", () => {
	it("each step reads the whole of the step before from the cache (G3)", async () => {
		const requests = await runSteps("go", "go");
		for (const [index, request] of requests.entries()) {
			const earlier = requests[index - 1];
			if (earlier !== undefined) expect(reusable(earlier, request) / size(earlier)).toBeGreaterThanOrEqual(0.99);
		}
	});

	it("siblings of different languages share all of the prefix, whatever the order of their tools (G4)", async () => {
		const [go] = await runSteps("go", "go");
		const [rust] = await runSteps("rust", "rust");
		if (go === undefined || rust === undefined) throw new Error("no requests");
		expect(reusable(go, rust) / size(rust)).toBeGreaterThanOrEqual(0.9);
	});

	it("there are at most four marks, one of them at the end of the pack and one at the end", async () => {
		for (const request of await runSteps("go", "go")) {
			const blocks = blocksOf(request);
			expect(blocks.filter((block) => block.marked).length).toBeLessThanOrEqual(4);
			expect(blocks.findLast((block) => block.bytes.includes('"role":"user"'))?.marked).toBe(true);
			expect(request.messages[0]?.content[0]).toMatchObject({ cache: true });
		}
	});

	it("the history is append-only, and two runs make the same bodies (G16)", async () => {
		const first = await runSteps("go", "go");
		const strip = (request: ModelRequest) => blocksOf(request).map((block) => block.bytes.replace(/call_\d+/g, "call"));
		for (const [index, request] of first.entries()) {
			const earlier = first[index - 1];
			if (earlier !== undefined) expect(strip(request).slice(0, strip(earlier).length)).toEqual(strip(earlier));
		}
		const second = await runSteps("go", "go");
		expect(second.map(strip)).toEqual(first.map(strip));
		expect(new Set(first.map((request) => `${request.model} ${request.effort}`)).size).toBe(1);
	});
});

describe("the warm-up", () => {
	const parts = (model: ReturnType<typeof scriptModel>, children = 3) => {
		const journal = memoryJournal();
		return {
			model,
			modelId: "claude-sonnet-5-5",
			effort: "high" as const,
			prefix: pack,
			tools: [readTool, reportTool],
			children,
			budget: createRunBudget({ tokens: 1_000_000 }),
			ledger: createLedger(journal),
			journal,
			clock: { now: () => Date.now(), sleep: () => new Promise<void>(() => undefined) },
			signal: new AbortController().signal,
			price: () => 0.01,
		};
	};

	it("writes exactly the prefix that the children then read", async () => {
		const model = scriptModel([{ ...answer(""), usage: { ...NO_USAGE, cacheWrite: 4_000 } }]);
		const options = parts(model);
		expect(await warmUp(options)).toEqual({ ran: true, ok: true });
		const [request] = model.requests;
		const [child] = await runSteps("go", "go");
		if (request === undefined || child === undefined) throw new Error("no request");
		expect(request.maxTokens).toBe(0);
		expect(reusable(request, child)).toBe(size(request));
		expect(options.ledger.totals()).toEqual({ usage: { ...NO_USAGE, cacheWrite: 4_000 }, costUsd: 0.01, estimated: false });
		expect(options.journal.of("model.call")).toMatchObject([{ purpose: "warm-up" }]);
	});

	it("is left out for one child and for providers without a cache; its failure is only charged", async () => {
		expect(await warmUp(parts(scriptModel([]), 1))).toMatchObject({ ran: false });
		expect(await warmUp(parts(scriptModel([], { provider: "offline" })))).toMatchObject({ ran: false });
		const options = parts(scriptModel([failed("overloaded", "busy", USAGE)]));
		expect(await warmUp(options)).toEqual({ ran: true, ok: false });
		expect(options.budget.state().committed.tokens).toBe(110);
	});
});

it("a child without a pack still has one user message and its marks", async () => {
	const model = scriptModel([asks([{ tool: "grep" }]), answer("ok")]);
	const grep = toolNamed("grep", () => ({ content: "hit" }));
	await runChild(assign(), environmentFor(model, { brief: { system: pack.system, pack: [] }, toolList: [grep] }));
	expect(model.requests[0]?.messages).toHaveLength(1);
	expect(model.requests[0]?.system.at(-1)).toMatchObject({ cache: true });
});
