import { afterEach, describe, expect, it } from "vitest";
import { callTool, type Decide } from "../../src/demo/loopback-model/scripted-reply.ts";
import { type LoopbackModel, startLoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import { canSandbox } from "../adapters/sandbox/sandbox-rig.ts";
import { has } from "../checks/has-program.ts";
import { type Scene, type SceneOptions, startScene, TOKEN } from "./start-scene.ts";

const KEY = "sk-loopback-canary-5f2b9c1d7e";
const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
	for (const each of open.splice(0)) await each.close();
});

const MOD = "module example.org/parcels\n\ngo 1.22\n";
const filler = Array.from({ length: 30 }, (_, index) => `func Step${index}(n int) int { return n + ${index} }`).join("\n");
const BASE = 'package parcels\n\nimport "fmt"\n\nfunc Weigh(n int) int { return n }\n\nfunc Old() { fmt.Printf("%d\\n", "old") }\n';
const USE = "package parcels\n\nfunc Use() int { return Weigh(1) }\n";

async function scene(options: Partial<SceneOptions> = {}): Promise<Scene> {
	const made = await startScene({
		base: { "go.mod": MOD, "a.go": BASE, "use.go": USE, ...options.base },
		head: { "a.go": `${BASE.replace("Weigh(n int)", "Weigh(n, m int)")}\n${filler}\n`, ...options.head },
		...(options.fork === undefined ? {} : { fork: options.fork }),
	});
	open.push({
		close: async () => {
			expect(made.github.violations).toEqual([]);
			await made[Symbol.asyncDispose]();
		},
	});
	return made;
}

async function startModel(openings: string[]): Promise<LoopbackModel> {
	const decide: Decide = ({ opening }) => {
		openings.push(opening);
		return callTool("submit_report", { summary: "Read it.", findings: [], open: [] });
	};
	const model = await startLoopbackModel({ latencyMs: 0, apiKey: KEY, decide });
	open.push(model);
	return model;
}

const inputs = (model: LoopbackModel) => ({ "github-token": TOKEN, "anthropic-api-key": KEY, "base-url": model.url });

describe.runIf((await canSandbox()) && has("go", "version"))("facts before the model, end to end", { timeout: 400_000 }, () => {
	it("the specialist's brief and the summary say what go vet found, once and marked as new", async () => {
		const openings: string[] = [];
		const s = await scene();
		const model = await startModel(openings);
		const result = await s.start({ inputs: inputs(model), timeoutMs: 300_000 });
		expect(result.exitCode).toBe(0);
		const [opening = ""] = openings;
		const fact = opening.split("\n").find((line) => line.startsWith('{"tool":"go vet"'));
		expect(JSON.parse(fact ?? "{}")).toMatchObject({
			tool: "go vet",
			rule: "compile",
			path: "use.go",
			line: 3,
			message: expect.stringContaining("not enough arguments in call to Weigh"),
			new: true,
		});
		expect(opening).toContain("do not report them again");
		expect(s.sticky()).toMatch(/go vet says of this change \(1, 1 of them new against the base\): `use\.go:3`/);
	});

	it("a fork's pull request runs nothing of the head", async () => {
		const openings: string[] = [];
		const s = await scene({ fork: true });
		const model = await startModel(openings);
		await s.start({ inputs: inputs(model), timeoutMs: 300_000 });
		expect(openings.join("\n")).not.toContain('{"tool":"go vet"');
		expect(s.sticky() ?? "").not.toContain("go vet says");
	});

	it("the offline analyst asks the tools only where the settings say so, and review.facts off asks nobody", async () => {
		const facts = (value: string) => ({ ".rookery/settings.json": JSON.stringify({ review: { facts: value } }) });
		const [always, plain] = [await scene({ base: facts("always") }), await scene()];
		for (const s of [always, plain])
			expect((await s.start({ inputs: { "github-token": TOKEN, provider: "offline" }, timeoutMs: 300_000 })).exitCode).toBe(0);
		expect(always.sticky()).toContain("go vet says of this change");
		expect(plain.sticky()).not.toContain("go vet");
		const openings: string[] = [];
		const off = await scene({ base: facts("off") });
		await off.start({ inputs: inputs(await startModel(openings)) });
		expect(openings.join("\n")).not.toContain('{"tool":"go vet"');
		expect(openings).not.toEqual([]);
	});
});
