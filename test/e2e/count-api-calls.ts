import { callTool } from "../../src/demo/loopback-model/scripted-reply.ts";
import { startLoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import { startScene, TOKEN } from "./start-scene.ts";

const KEY = "sk-loopback-calls-2b8d";
const FINDINGS = 8;
const line = (index: number): string => `func Step${index}(count int) int { return count / ${index} }`;

/** Every request to GitHub's API, without git's own, of a first review that comments on eight lines. */
export async function countApiCalls(): Promise<readonly string[]> {
	const lines = Array.from({ length: FINDINGS }, (_, index) => line(index));
	await using scene = await startScene({ base: { "a.go": "package a\n" }, head: { "a.go": `package a\n\n${lines.join("\n")}\n` } });
	const findings = lines.map((quote, index) => ({
		...{ path: "a.go", quote, severity: "important", category: "bug", title: `Step ${index} divides` },
		...{ body: `Step ${index} divides where it should add.`, confidence: 95, evidence: { kind: "traced", detail: "a.go" } },
	}));
	const model = await startLoopbackModel({
		apiKey: KEY,
		decide: () => callTool("submit_report", { summary: "Read.", findings, open: [] }),
	});
	try {
		const result = await scene.start({ inputs: { "github-token": TOKEN, "anthropic-api-key": KEY, "base-url": model.url } });
		const posted = scene.github.reviewComments(scene.number).length;
		if (posted !== FINDINGS) throw new Error(`${posted} comments on lines, wanted ${FINDINGS}\n${result.stdout}\n${result.stderr}`);
		return scene.github.requests
			.map((request) => request.operation ?? `${request.method} ${request.path}`)
			.filter((operation) => !operation.startsWith("git/"));
	} finally {
		await model.close();
	}
}
