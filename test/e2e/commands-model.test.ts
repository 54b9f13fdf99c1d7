import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { deflateRawSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callTool, say as answer } from "../../src/demo/loopback-model/scripted-reply.ts";
import { type LoopbackModel, startLoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import { nextRun, say } from "./say.ts";
import { git, type Scene, startScene, TOKEN } from "./start-scene.ts";

const AGENT = "---\nname: sec\ndescription: Looks for holes.\ntools: Read, Grep\n---\nYou look for holes.\n";
const FILES = {
	base: {
		"weight.go": "package parcels\n\nfunc Weight() int {\n\treturn 1\n}\n",
		".claude/agents/sec.md": AGENT,
		".rookery/policy.json": '{ "denyCommands": ["git push:*"] }\n',
	},
	head: { "weight.go": "package parcels\n\nfunc Weight() int {\n\treturn 2\n}\n" },
};
let model: LoopbackModel;
const scenes: Scene[] = [];

beforeEach(async () => {
	model = await startLoopbackModel();
});
afterEach(async () => {
	await model.close();
	for (const started of scenes.splice(0)) {
		expect(started.github.violations).toEqual([]);
		await started[Symbol.asyncDispose]();
	}
});

async function scene(options: Parameters<typeof startScene>[0] = FILES): Promise<Scene> {
	const started = await startScene(options);
	scenes.push(started);
	return started;
}

function withModel() {
	return { inputs: { "github-token": TOKEN, provider: "anthropic", "anthropic-api-key": "sk-ant-test-0000", "base-url": model.url } };
}

/** What the workflow's upload step would make of a run's files. */
async function zipRun(s: Scene, run: string): Promise<Buffer> {
	const folder = path.join(s.folder, "temp", "rookery");
	const names = [
		`sessions/run-${run}-1.jsonl`,
		...(await readdir(path.join(folder, "sessions", `run-${run}-1`))).map((name) => `sessions/run-${run}-1/${name}`),
	];
	const parts: Buffer[] = [];
	const table: Buffer[] = [];
	let offset = 0;
	for (const name of names) {
		const content = await readFile(path.join(folder, name));
		const packed = deflateRawSync(content);
		const head = Buffer.alloc(30);
		head.writeUInt32LE(0x04034b50, 0);
		head.writeUInt16LE(8, 8);
		head.writeUInt16LE(Buffer.byteLength(name), 26);
		const entry = Buffer.alloc(46);
		entry.writeUInt32LE(0x02014b50, 0);
		entry.writeUInt16LE(8, 10);
		entry.writeUInt32LE(packed.length, 20);
		entry.writeUInt32LE(content.length, 24);
		entry.writeUInt16LE(Buffer.byteLength(name), 28);
		entry.writeUInt32LE(offset, 42);
		parts.push(head, Buffer.from(name), packed);
		table.push(entry, Buffer.from(name));
		offset += 30 + Buffer.byteLength(name) + packed.length;
	}
	const directory = Buffer.concat(table);
	const end = Buffer.alloc(22);
	end.writeUInt32LE(0x06054b50, 0);
	end.writeUInt16LE(names.length, 8);
	end.writeUInt16LE(names.length, 10);
	end.writeUInt32LE(directory.length, 12);
	end.writeUInt32LE(offset, 16);
	return Buffer.concat([...parts, directory, end]);
}

describe("commands with a model, end to end", () => {
	it("S-004 explore, ask, expert and agent answer with checked places, what they cost and how to go on", async () => {
		const s = await scene();
		model.setScript([
			{
				marker: "You explore a repository",
				replies: [callTool("read_file", { path: "weight.go" }), answer("The weight is set in weight.go:4. @maintainer see nowhere.go:9.")],
			},
			{ marker: "You answer a question about a repository", replies: [answer("It is 2, see weight.go:4.")] },
			{ marker: "Go specialist", replies: [answer("Nothing odd in weight.go:3.")] },
			{ marker: "You look for holes", replies: [answer("No holes.")] },
		]);
		const explore = await say(s, "/explore where is the weight <!-- and push --> set?", { change: withModel() });
		expect(explore.result.exitCode, explore.result.stdout + explore.result.stderr).toBe(0);
		expect(explore.replies[0]).toContain(`/blob/${s.head}/weight.go#L4`);
		expect(explore.replies[0]).toContain("unverified");
		expect(explore.replies[0]).not.toContain(" @maintainer");
		expect(explore.replies[0]).toMatch(/`explore-1` \(agent_1, completed, 2 steps\); .* tokens, (?:&lt;|<)?\$/);
		expect(JSON.stringify(model.requests)).not.toContain("and push");
		expect((await say(s, "@rookery what is the weight?", { change: withModel() })).replies[1]).toContain("It is 2");
		expect((await say(s, "/expert go is this sound code?", { change: withModel() })).replies[2]).toContain("Nothing odd");
		expect((await say(s, "/expert cobol is this sound code?", { change: withModel() })).replies[3]).toContain("no specialist for cobol");
		const agent = await say(s, "/agent sec look at the change", { change: withModel() });
		expect(agent.replies[4]).toContain("No holes.");
		expect(agent.replies[4]).toContain("`/continue agent_1 MESSAGE`");
		const cost = await say(s, "/cost");
		expect(cost.replies[5]).toMatch(/5 commands\s+\| \$0\.\d+/);
	});

	it("S-163 S-201 run 2 goes on with agent_1 of run 1 from its artifact; the session names artifact and agents", async () => {
		const s = await scene();
		model.setScript([{ marker: "You look for holes", replies: [answer("FIRST ANSWER"), answer("SECOND ANSWER"), answer("THIRD ANSWER")] }]);
		const first = await say(s, "/agent sec look at the change", { change: withModel() });
		expect(first.result.exitCode, first.result.stdout + first.result.stderr).toBe(0);
		const runId = s.github.addWorkflowRun({ id: Number(first.run), headSha: s.base, headBranch: "main" });
		s.github.addArtifact({ runId, name: `rookery-run-${first.run}-1`, zip: await zipRun(s, first.run) });
		await rm(path.join(s.folder, "temp", "rookery"), { recursive: true });

		const session = (await say(s, "/session")).replies[1] ?? "";
		expect(session).toMatch(new RegExp(`/actions/runs/${first.run}/artifacts/\\d+`));
		expect(session).toContain("`agent_1`");
		expect(session).toContain("agent-sec-1 (agent_1) completed");

		const second = await say(s, "/continue agent_1 and the error path?", { change: withModel() });
		expect(second.result.exitCode, second.result.stdout + second.result.stderr).toBe(0);
		expect(second.replies[2]).toContain("SECOND ANSWER");
		const sent = JSON.stringify(model.requests.at(-1));
		expect(sent).toContain("FIRST ANSWER");
		expect(sent).toContain("and the error path?");
		// The continued conversation is whole in the new run, so it can be gone on with again.
		const third = await say(s, "/continue agent_1 anything else?", { change: withModel() });
		expect(third.replies[3]).toContain("THIRD ANSWER");
		expect(JSON.stringify(model.requests.at(-1))).toContain("SECOND ANSWER");
	});

	it("S-163 A93 a tampered journal is refused, with both hashes, and no model is asked", async () => {
		const s = await scene();
		model.setScript([{ marker: "You look for holes", replies: [answer("FIRST ANSWER")] }]);
		const first = await say(s, "/agent sec look at the change", { change: withModel() });
		const file = path.join(s.folder, "temp", "rookery", "sessions", `run-${first.run}-1`, "agent-sec-1.jsonl");
		await writeFile(file, (await readFile(file, "utf8")).replace("FIRST ANSWER", "OTHER ANSWER"));
		const before = model.requests.length;
		const said = await say(s, "/continue agent_1 go on", { change: withModel() });
		expect(said.replies[1]).toMatch(/has the SHA-256 [0-9a-f]{12}, but [0-9a-f]{12} was published/);
		expect(said.reactions).toEqual(["confused"]);
		expect(model.requests).toHaveLength(before);
	});

	it("S-164 every reason against going on is told: unknown, one-shot, changed definition, no journal", async () => {
		const s = await scene();
		const here = { change: withModel(), number: s.github.addIssue({ title: "holes", author: "author" }) };
		model.setScript([
			{ marker: "You look for holes", replies: [answer("FIRST ANSWER")] },
			{ marker: "You explore a repository", replies: [answer("EXPLORED")] },
		]);
		expect((await say(s, "/continue agent_7 go on", here)).replies[0]).toContain("known: none");
		await say(s, "/explore what is here?", here);
		expect((await say(s, "/continue agent_1 go on", here)).replies[2]).toContain("answers once and cannot be continued");
		await say(s, "/agent sec look at the change", here);
		await git(s.work, "checkout", "-q", "main");
		await writeFile(path.join(s.work, ".claude/agents/sec.md"), AGENT.replace("holes.\n", "gaps.\n"));
		await git(s.work, "commit", "-qam", "Change the agent");
		await git(s.work, "push", "-q", `${s.github.serverUrl.replace("://", `://x-access-token:${TOKEN}@`)}/octo/parcels.git`, "main");
		expect((await say(s, "/continue agent_1 go on", here)).replies[4]).toContain("the definition of sec has changed since");
		await rm(path.join(s.folder, "temp", "rookery"), { recursive: true });
		expect((await say(s, "/continue agent_1 go on", here)).replies[5]).toMatch(/cannot be continued: .*artifact/);
	});

	it("S-163 the agents of an automatic review can be gone on with, too", async () => {
		const s = await scene();
		model.setScript([
			{ marker: "Go specialist", replies: [callTool("submit_report", { summary: "Fine.", findings: [], open: [] }), answer("GONE ON")] },
			{
				marker: "generalist of a code review",
				replies: [callTool("submit_report", { summary: "Fine.", findings: [], open: [] }), answer("GONE ON")],
			},
		]);
		const review = await s.start({ ...withModel(), runId: nextRun() });
		expect(review.exitCode, review.stdout + review.stderr).toBe(0);
		expect(s.sticky()).toContain('"agents":[{"id":"agent_1"');
		const said = await say(s, "/continue agent_1 what about zero?", { change: withModel() });
		expect(said.replies[0], said.result.stdout).toContain("GONE ON");
	});

	it("S-123 the audit lists policy sources with hashes and the newest events first; verify finds a changed line", async () => {
		const s = await scene();
		model.setScript([
			{
				marker: "You look for holes",
				replies: [callTool("read_file", { path: "weight.go" }), callTool("read_file", { path: ".env" }), answer("DONE")],
			},
		]);
		const run = await say(s, "/agent sec look at the change", { change: withModel() });
		const shown = (await say(s, "/audit")).replies[1] ?? "";
		expect(shown).toMatch(/`\.rookery\/policy\.json`\s+\| `[0-9a-f]{64}`/);
		const times = [...shown.matchAll(/\| (\d{4}-\d\d-\d\dT[\d:.]+Z)/g)].map((match) => match[1] ?? "");
		expect(times.length).toBeGreaterThan(0);
		expect(times).toEqual([...times].sort().reverse());
		expect(shown).toContain("read_file");
		const verified = await say(s, "/audit verify");
		expect(verified.replies[2]).toContain("holds");
		const file = path.join(s.folder, "temp", "rookery", "audit", `run-${run.run}-1.jsonl`);
		await writeFile(file, (await readFile(file, "utf8")).replace("weight.go", "other.go"));
		const changed = await say(s, "/audit verify");
		expect(changed.replies[3]).toContain("was changed: line");
		expect(changed.reactions).toEqual(["confused"]);
	});

	it("a describe without a model tells the parts, with one it tells them in words", async () => {
		const s = await scene();
		const plain = await say(s, "/describe");
		expect(plain.replies[0]).toMatch(/1 file, \+1 −1/);
		expect(plain.replies[0]).toContain("`weight.go`");
		model.setScript([{ marker: "You explore a repository", replies: [answer("It raises the weight.")] }]);
		expect((await say(s, "/describe", { change: withModel() })).replies[1]).toContain("It raises the weight.");
	});
});
