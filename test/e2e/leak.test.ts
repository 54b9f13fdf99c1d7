import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { callTool } from "../../src/demo/loopback-model/scripted-reply.ts";
import { startLoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import { startScene, TOKEN } from "./start-scene.ts";

const CANARIES = {
	ANTHROPIC_API_KEY: "sk-loopback-canary-9d2f7c1b5e8a",
	ACTIONS_RUNTIME_TOKEN: "runtime-canary-Xk29fLq8Zt4Vw7",
	ACTIONS_ID_TOKEN_REQUEST_TOKEN: "request-canary-Pm51rTy3Hc6Jd0",
	DEPLOY_KEY: "deploy-canary-Bn83gWe2Ks7Ua4",
};

function formsOf(value: string): readonly string[] {
	const bytes = Buffer.from(value);
	const inner = [0, 1, 2].map((offset) =>
		Buffer.concat([Buffer.alloc(offset), bytes])
			.toString("base64")
			.slice(4, -4),
	);
	return [value, bytes.toString("hex"), [...value].reverse().join(""), value.replaceAll("-", ""), ...inner];
}

it("A86 A87 X-16 secrets of the job that a model repeats, raw or encoded, reach no sink, with RUNNER_DEBUG either", async () => {
	const scene = await startScene({
		base: { "a.go": "package a\n" },
		head: { "a.go": "package a\n\nfunc Sum(a, b int) int { return a - b }\n" },
	});
	const stolen = Object.values(CANARIES).flatMap(formsOf).join(" then ");
	const model = await startLoopbackModel({
		apiKey: CANARIES.ANTHROPIC_API_KEY,
		decide: () =>
			callTool("submit_report", {
				summary: stolen,
				findings: [
					{
						...{ path: "a.go", quote: "func Sum(a, b int) int { return a - b }", severity: "important", category: "bug" },
						...{ title: "Wrong sum", body: stolen, confidence: 95, evidence: { kind: "traced", detail: "a.go" } },
					},
				],
				open: [stolen],
			}),
	});
	try {
		const { ANTHROPIC_API_KEY, ...env } = CANARIES;
		const result = await scene.start({
			inputs: { "github-token": TOKEN, "anthropic-api-key": ANTHROPIC_API_KEY, "base-url": model.url },
			env: { ...env, RUNNER_DEBUG: "1" },
		});
		expect(result.exitCode, result.stdout).toBe(0);
		expect(result.summary).toContain("E_SECRET");
		const temp = path.join(scene.folder, "temp", "rookery");
		const files = (await readdir(temp, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
		const written = await Promise.all(files.map((entry) => readFile(path.join(entry.parentPath, entry.name), "utf8")));
		expect(written.length).toBeGreaterThan(3);
		const sinks = {
			// The runner takes the mask commands itself.
			log: result.stdout.replace(/^::add-mask::.*$/gm, "") + result.stderr,
			...{ summary: result.summary, outputs: JSON.stringify(result.outputs), files: written.join("\n") },
			github: JSON.stringify([scene.github.comments(scene.number), scene.github.reviewComments(scene.number)]),
			checks: JSON.stringify([scene.github.reviews(scene.number), scene.github.checks(scene.head)]),
		};
		for (const [name, canary] of Object.entries(CANARIES))
			for (const form of formsOf(canary))
				for (const [sink, text] of Object.entries(sinks)) expect(text.includes(form), `${name} ${form} in ${sink}`).toBe(false);
	} finally {
		await model.close();
		await scene[Symbol.asyncDispose]();
	}
}, 60_000);

it("A87 X-16 a credential that nobody named, as a model found it in a file, is published in no form, and the report says E_SECRET", async () => {
	const found = ["ghp", "R4mXq7LtZ2vK9sWc1JfYb8NdHa5PuG3oEiTx"].join("_");
	await using scene = await startScene({
		base: { "a.go": "package a\n" },
		head: { "a.go": "package a\n\nfunc Sum(a, b int) int { return a - b }\n" },
	});
	const body = `The key ${found} works, and so does ${Buffer.from(`id=${found}`).toString("base64")}.`;
	const model = await startLoopbackModel({
		apiKey: CANARIES.ANTHROPIC_API_KEY,
		decide: () =>
			callTool("submit_report", {
				summary: body,
				findings: [
					{
						...{ path: "a.go", quote: "func Sum(a, b int) int { return a - b }", severity: "important", category: "bug" },
						...{ title: "Wrong sum", body, confidence: 95, evidence: { kind: "traced", detail: "a.go" } },
					},
				],
				open: [],
			}),
	});
	onTestFinished(() => model.close());
	const result = await scene.start({
		inputs: { "github-token": TOKEN, "anthropic-api-key": CANARIES.ANTHROPIC_API_KEY, "base-url": model.url },
	});
	expect(result.exitCode, result.stdout).toBe(0);
	const published = JSON.stringify([
		...[scene.github.comments(scene.number), scene.github.reviewComments(scene.number), scene.github.reviews(scene.number)],
		...[result.summary, result.outputs],
	]);
	expect(published).toContain("[REDACTED]");
	const report = await readFile(result.outputs["report"] ?? "", "utf8");
	for (const form of formsOf(found).concat(Buffer.from(`id=${found}`).toString("base64"))) {
		expect(published).not.toContain(form);
		expect(report).not.toContain(form);
	}
	expect(JSON.parse(report).refused).toContainEqual(expect.objectContaining({ code: "E_SECRET" }));
}, 60_000);
