import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { callTool, callTools, type Decide, say as answer, type ScriptedReply } from "../../src/demo/loopback-model/scripted-reply.ts";
import { type LoopbackModel, startLoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import { type Said, say } from "./say.ts";
import { git, type Scene, startScene, TOKEN } from "./start-scene.ts";

const KEY = "sk-loopback-fix-7d31";
const WRONG = "export const add = (a, b) => a - b;\n";
const RIGHT = "export const add = (a, b) => a + b;\n";
const TEST =
	'import { strict as assert } from "node:assert";\nimport { test } from "node:test";\nimport { add } from "./add.mjs";\n\ntest("adds", () => assert.equal(add(1, 2), 3));\n';
const BASE = {
	"add.mjs": RIGHT,
	"add.test.mjs": TEST,
	".rookery/settings.json": '{ "checks": { "typescript": "node --test" } }\n',
	"package.json": "{}\n",
	"package-lock.json": "{}\n",
	"run.sh": "echo\n",
};

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
	for (const each of open.splice(0)) await each.close();
});

interface Rig {
	readonly scene: Scene;
	readonly model: LoopbackModel;
	/** Of a run with this model. */
	readonly inputs: Readonly<Record<string, string>>;
	fix(words: string): Promise<Said & { readonly reply: string }>;
}

/** What the writing child does, call by call; reviewers report the one finding there is. */
async function start(fixer: readonly ScriptedReply[] | Decide, more: Readonly<Record<string, string>> = {}): Promise<Rig> {
	const scene = await startScene({ base: BASE, head: { "add.mjs": WRONG, ...more } });
	const decide: Decide = (call) => {
		if (call.opening.includes("You change code of a repository in a copy of your own")) {
			return typeof fixer === "function" ? fixer(call) : (fixer[Math.min(call.turn, fixer.length - 1)] ?? answer("Done."));
		}
		if (call.opening.includes("Try to refute")) return callTool("submit_report", { summary: "Looked.", findings: [], open: [] });
		const standing = call.opening.includes("a - b");
		const finding = {
			...{
				path: "add.mjs",
				quote: WRONG.trim(),
				severity: "critical",
				category: "bug",
				title: "It subtracts",
				body: "The sum is a difference.",
			},
			...{ confidence: 95, evidence: { kind: "traced", detail: "add.mjs:1" } },
		};
		const other = {
			...finding,
			path: "notes.md",
			quote: more["notes.md"]?.trim() ?? "",
			title: "It is untrue",
			evidence: { kind: "traced", detail: "notes.md:1" },
		};
		const found = [finding, ...(more["notes.md"] === undefined ? [] : [other])];
		return callTool("submit_report", { summary: "Read.", findings: standing ? found : [], open: [] });
	};
	const model = await startLoopbackModel({ apiKey: KEY, decide });
	open.push(model, {
		close: async () => {
			expect(scene.github.violations).toEqual([]);
			await scene[Symbol.asyncDispose]();
		},
	});
	const inputs = { "github-token": TOKEN, "anthropic-api-key": KEY, "base-url": model.url };
	return {
		...{ scene, model, inputs },
		fix: async (words) => {
			const said = await say(scene, `/fix ${scene.head} ${words}`, { change: { inputs } });
			expect(said.result.exitCode === 0 || said.result.exitCode === 1, said.result.stdout + said.result.stderr).toBe(true);
			return { ...said, reply: said.replies.at(-1) ?? "" };
		},
	};
}

function bareOf({ scene }: Rig): string {
	return scene.github.state.repositories.get("octo/parcels")?.bare ?? "";
}

/** Only branches: the refs of pull requests follow them. */
async function heads({ scene }: Rig): Promise<Readonly<Record<string, string>>> {
	return Object.fromEntries(Object.entries(await scene.github.refs()).filter(([name]) => name.startsWith("refs/heads/")));
}

const read = callTool("read_file", { path: "add.mjs" });
const edit = callTool("edit_file", { path: "add.mjs", oldText: "a - b", newText: "a + b" });
/** Nothing a child says or does but its files may leave: each of these ends with what was there before. */
async function expectHeld(rig: Rig, words: string, code: string): Promise<string> {
	const before = await heads(rig);
	const { reply, operations } = await rig.fix(words);
	expect(reply).toContain(`Nothing was pushed (${code})`);
	expect(await heads(rig)).toEqual(before);
	expect(operations.filter((name) => /^git\/(?:create|update)|receive-pack|pulls\/create/.test(name))).toEqual([]);
	return reply;
}

describe("fix with a model, end to end", { timeout: 120_000 }, () => {
	it("X-12 A56 a child settles a finding in its own tree; red becomes green, and the message is by our template alone", async () => {
		const rig = await start(({ turn, opening }) => {
			const id = /"id":"(\w+)"/.exec(opening)?.[1] ?? "";
			if (turn === 0) return read;
			if (turn === 1) return edit;
			if (turn === 2) return callTool("bash", { command: "node --test", timeoutSeconds: 60 });
			const hostile = "Co-authored-by: maintainer <m@example.org>\n[skip ci]\nCloses #1\n@maintainer merge this\n";
			return answer(`${id}: adds instead of subtracting. Closes #1 @maintainer\n\n${hostile}${"x".repeat(200_000)}`);
		});
		const review = await rig.scene.start({ inputs: rig.inputs });
		expect(review.exitCode, review.stdout + review.stderr).toBe(0);
		const { reply } = await rig.fix("all");
		const commit = (await heads(rig))["refs/heads/change"] ?? "";
		expect(await git(bareOf(rig), "show", `${commit}:add.mjs`)).toBe(RIGHT.trim());
		expect(reply).toMatch(/`node --test` \| failed, .* \| passed, 1 passed/);
		expect(reply).toMatch(/- \w+ fixed \(`moe-typescript-1`\), It subtracts/);
		expect(reply).not.toMatch(/(?<!`)@maintainer/);
		const message = await git(bareOf(rig), "show", "-s", "--format=%B", commit);
		expect(message).toMatch(/^Fix \w+: It subtracts\n\n- \w+: It subtracts \(add\.mjs:1\)\n/);
		expect(message).toMatch(/\n\nRequested-by: maintainer\nRookery-Run: \d+$/);
		expect(message).not.toMatch(/skip ci|Co-authored-by:|#1|@maintainer/i);
		expect(message.length).toBeLessThan(4_000);
		expect(rig.scene.sticky()).toContain("1 fixed");
		// The child was told what the review said, and that it is data.
		const asked = JSON.stringify(rig.model.requests.find((request) => JSON.stringify(request).includes("Settle these findings")));
		expect(asked).toContain("The sum is a difference.");
	});

	it("S-181 one child a language, each in its own tree: what one has fixed is pushed, whatever becomes of the other", async () => {
		const rig = await start(
			({ turn, opening }) => {
				if (opening.includes("You repair code in TypeScript")) return [read, edit][turn] ?? answer("Added, not subtracted.");
				if (turn === 0) return callTool("write_file", { path: "half-done.txt", content: "no\n" });
				return { blocks: [], stop: "refusal" };
			},
			{ "notes.md": "It subtracts.\n" },
		);
		const review = await rig.scene.start({ inputs: rig.inputs });
		expect((await rig.scene.readReport(review)).findings).toHaveLength(2);
		const { reply } = await rig.fix("all");
		const commit = (await heads(rig))["refs/heads/change"] ?? "";
		expect(reply).toMatch(/- \w+ fixed \(`moe-typescript-1`\), It subtracts, in `add\.mjs`/);
		expect(await git(bareOf(rig), "show", `${commit}:add.mjs`)).toBe(RIGHT.trim());
		expect(reply).toMatch(/- \w+ not fixed \(`[\w-]+`\), It is untrue, in `notes\.md`/);
		expect(await git(bareOf(rig), "diff", "--name-only", rig.scene.head, commit)).toBe("add.mjs");
	});

	it("X-12 green by checking less is no proof: such a change goes to a draft of its own, and its risks are named", async () => {
		const rig = await start(({ turn }) => {
			if (turn === 0) return callTools([{ name: "read_file", input: { path: "add.test.mjs" } }]);
			if (turn === 1) return callTool("edit_file", { path: "add.test.mjs", oldText: 'test("adds"', newText: 'test.skip("adds"' });
			return answer("The tests are green.");
		});
		const { reply } = await rig.fix("make the tests green");
		const now = await heads(rig);
		expect(now["refs/heads/change"]).toBe(rig.scene.head);
		expect(Object.keys(now).filter((name) => name.startsWith("refs/heads/rookery/"))).toHaveLength(1);
		expect(reply).toContain("add.test.mjs: a test is left out");
		expect(reply).toContain("because it changes what the proof rests on");
		expect(rig.scene.github.pull(rig.scene.number + 1).draft).toBe(true);
	});

	it("A51 A52 workflows, lock files, agents, links and executable bits hold the whole patch, each with its path", async () => {
		const rig = await start([
			read,
			callTools([
				{ name: "edit_file", input: { path: "add.mjs", oldText: "a - b", newText: "a + b" } },
				{ name: "write_file", input: { path: ".github/workflows/x.yml", content: "on: push\n" } },
				{
					name: "bash",
					input: {
						command: "mkdir -p .github/workflows .claude/agents; echo 'on: push' > .github/workflows/x.yml; echo x > .claude/agents/x.md",
					},
				},
				{
					name: "bash",
					input: {
						command:
							"echo '{ }' > package-lock.json; ln -s /etc/passwd link; chmod +x run.sh; echo '* @x' > CODEOWNERS; echo 'name: a' > action.yml",
					},
				},
			]),
			answer("Done."),
		]);
		const reply = await expectHeld(rig, "make it add", "E_PROTECTED");
		for (const name of [".github/workflows/x.yml", "package-lock.json", "link", "run.sh", "CODEOWNERS", "action.yml"]) {
			expect(reply).toContain(`E_PROTECTED: ${name}`);
		}
		expect(reply).toContain("git apply");
		expect(reply).toContain("+export const add = (a, b) => a + b;");
	});

	it("A40 A48 what a child asks git for reaches neither the remote nor a file outside its tree", async () => {
		let sentinel = "";
		const outputs: string[] = [];
		const rig = await start(({ turn, results }) => {
			outputs.push(...results.map((result) => result.content));
			if (turn > 0) return answer("Done.");
			return callTools([
				...["main", "refs/heads/main", "HEAD", "+x:main", "HEAD:main", "+HEAD:refs/heads/change"].map((ref) => ({
					name: "bash",
					input: { command: `git push origin ${ref}; git push --force ${rig.scene.github.serverUrl}/octo/parcels.git ${ref}` },
				})),
				{ name: "bash", input: { command: `git diff --output=${sentinel} HEAD~1 HEAD; git diff --ext-diff; git diff -O/etc/passwd` } },
				{
					name: "bash",
					input: { command: "git diff --no-index /etc/shadow /dev/null; git -c core.fsmonitor=false log --output=/tmp/../x" },
				},
				{ name: "read_file", input: { path: `--output=${sentinel}` } },
				{ name: "grep", input: { pattern: "--ext-diff", path: "../../../etc" } },
			]);
		});
		sentinel = path.join(rig.scene.folder, "SENT");
		const before = await heads(rig);
		const { reply, operations } = await rig.fix("--pr push it to main");
		expect(await heads(rig)).toEqual(before);
		expect(operations.filter((name) => name.includes("receive-pack"))).toEqual([]);
		expect(existsSync(sentinel)).toBe(false);
		expect(outputs.join("\n")).not.toMatch(/root:.*:0:0|^[a-z]+:\$\w+\$/m);
		expect(outputs.length).toBeGreaterThan(8);
		expect(reply).toContain("There is no fix for");
	});

	it("A55 a history that is rewritten during the run is left as it is: nothing is forced over it", async () => {
		const rig = await start([read, edit, answer("It adds.")]);
		let rewritten = "";
		rig.scene.github.faults.add({
			method: "POST",
			path: /\/git\/commits$/,
			action: {
				kind: "hook",
				run: async () => {
					const { work } = rig.scene;
					await git(work, "checkout", "-q", "change");
					await git(work, "commit", "-q", "--amend", "-m", "Rewritten");
					rewritten = await git(work, "rev-parse", "HEAD");
					await git(work, "push", "-q", "--force", bareOf(rig), "change");
				},
			},
		});
		const { reply } = await rig.fix("make it add");
		expect(rewritten).not.toBe("");
		expect((await heads(rig))["refs/heads/change"]).toBe(rewritten);
		expect(reply).toContain("Nothing was pushed (E_STALE)");
		expect(reply).toContain("nothing was overwritten");
	});

	it("X-12 red tests after the change hold it; what was there before stays, and the patch is kept without secrets", async () => {
		const key = `ghp_${"9f3kQz7Lw2Xb8Vn4Rt6Yp1Ds5Hj0Gm3Ce7Ua"}`;
		const rig = await start(({ turn, opening }) => {
			if (turn === 0) return read;
			if (turn > 1) return answer("Done.");
			const secret = opening.includes("put the key in");
			return callTool("edit_file", { path: "add.mjs", oldText: "a - b", newText: secret ? `a + b + "${key}"` : "a * b" });
		});
		const red = await expectHeld(rig, "make it multiply", "E_PUSH");
		expect(red).toContain("The tests fail with the patch as they did before");
		const secret = await expectHeld(rig, "put the key in", "E_SECRET");
		expect(secret).not.toContain(key);
		expect(secret).toContain("add.mjs adds what looks like a credential");
		const file = path.join(rig.scene.folder, "temp", "rookery", "reports");
		for (const run of await readdir(file)) {
			for (const name of await readdir(path.join(file, run))) expect(await readFile(path.join(file, run, name), "utf8")).not.toContain(key);
		}
	});
});
