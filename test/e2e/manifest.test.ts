import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { RunManifest } from "../../src/domain/run-manifest.ts";
import { job, startWorkflow, upload } from "./outbox-rig.ts";
import { ACTION_FOLDER, type Scene, startScene, TOKEN } from "./start-scene.ts";

const GO = "package parcels\n\nfunc Weight(items []int) int {\n\treturn len(items)\n}\n";
const OPTIONS = {
	base: { "weight.go": GO, ".rookery/settings.json": '{ "review": { "maxInline": 5 } }' },
	head: { "weight.go": GO.replace("\treturn len(items)\n}", "\treturn len(items)\n") },
};
const scenes: Scene[] = [];
// Several processes a test, on machines that do other work as well.
vi.setConfig({ testTimeout: 240_000 });

async function scene(): Promise<Scene> {
	const started = await startScene(OPTIONS);
	scenes.push(started);
	return started;
}

afterEach(async () => {
	for (const started of scenes.splice(0)) {
		expect(started.github.violations).toEqual([]);
		await started[Symbol.asyncDispose]();
	}
});

const hash = (bytes: Buffer | string) => createHash("sha256").update(bytes).digest("hex");

/** The command line as a person starts it. */
async function cli(...args: string[]): Promise<{ readonly exitCode: number; readonly output: string }> {
	try {
		const { stdout, stderr } = await promisify(execFile)(process.execPath, [path.join(ACTION_FOLDER, "dist/cli.js"), ...args]);
		return { exitCode: 0, output: stdout + stderr };
	} catch (error) {
		const failed = error as { readonly code: number; readonly stdout: string; readonly stderr: string };
		return { exitCode: failed.code, output: failed.stdout + failed.stderr };
	}
}

function publishedHash(s: Scene): string {
	return /Manifest: `([0-9a-f]{64})`/.exec(s.sticky() ?? "")?.[1] ?? "";
}

async function change(file: string, from: string | RegExp, to: string): Promise<void> {
	const before = await readFile(file, "utf8");
	const after = before.replace(from, to);
	expect(after).not.toBe(before);
	await writeFile(file, after);
}

describe("the manifest of a run", () => {
	it("X-14 names what the run was made from, and its hash stands in the comment", async () => {
		const s = await scene();
		const result = await s.start();
		expect(result.exitCode, result.stdout + result.stderr).toBe(0);
		const file = result.outputs["manifest"] ?? "";
		const bytes = await readFile(file);
		expect(publishedHash(s)).toBe(hash(bytes));
		const manifest = JSON.parse(bytes.toString("utf8")) as RunManifest;
		const report = await s.readReport(result);
		expect(manifest).toMatchObject({
			run: { id: report.run.id, attempt: 1, trigger: "pull_request" },
			repository: "octo/parcels",
			pullRequest: s.number,
			base: s.base,
			head: s.head,
			mergeBase: report.run.mergeBase,
			provider: "offline",
			models: ["offline-analyst"],
			definitions: [{ name: "go", path: null }],
			audit: report.audit,
			parts: [],
		});
		expect(manifest.report).toBe(hash(await readFile(result.outputs["report"] ?? "")));
		expect(manifest.journals.map((journal) => journal.session).sort()).toEqual(report.agents.map((agent) => agent.session).sort());
	});

	it("X-14 other settings, policy, instructions or agents are other hashes; the same are the same", async () => {
		const make = async (files: Readonly<Record<string, string>>): Promise<RunManifest> => {
			const s = await startScene({ base: { ...OPTIONS.base, ...files }, head: OPTIONS.head });
			scenes.push(s);
			return JSON.parse(await readFile((await s.start()).outputs["manifest"] ?? "", "utf8")) as RunManifest;
		};
		const plain = await make({});
		const other = await make({
			".rookery/policy.json": '{ "denyPaths": ["secret/**"] }',
			".rookery/settings.json": "{}",
			"AGENTS.md": "Be kind.\n",
			".claude/agents/one.md": "---\nname: one\ndescription: One.\ntools: Read\n---\nYou are one.\n",
		});
		const again = await make({});
		for (const key of ["settings", "policy", "instructions"] as const) {
			expect(again[key]).toBe(plain[key]);
			expect(other[key]).not.toBe(plain[key]);
		}
		expect(again.definitions).toEqual(plain.definitions);
		const one = "---\nname: one\ndescription: One.\ntools: Read\n---\nYou are one.\n";
		expect(other.definitions).toContainEqual({ name: "one", path: ".claude/agents/one.md", sha256: hash(one) });
	});

	it("X-14 rookery audit manifest finds a changed report, journal, audit and manifest, and says what is not here", async () => {
		const s = await scene();
		const result = await s.start();
		const file = result.outputs["manifest"] ?? "";
		const published = publishedHash(s);
		const check = () => cli("audit", "manifest", file, "--sha256", published);
		const good = await check();
		expect(good.exitCode, good.output).toBe(0);
		expect(good.output).toContain("5 as the manifest says, 0 different, 0 not here");
		const rookery = path.join(s.folder, "temp", "rookery");
		const run = path.basename(path.dirname(file));
		const files: readonly (readonly [string, string, string | RegExp, string])[] = [
			["report", result.outputs["report"] ?? "", '"critical"', '"nit"'],
			["journal moe-go-1", path.join(rookery, "sessions", run, "moe-go-1.jsonl"), "weight.go", "weighs.go"],
			["audit", path.join(rookery, "audit", `${run}.jsonl`), /\n[^\n]+\n$/, "\n"],
			["manifest", file, '"offline-analyst"', '"another"'],
		];
		for (const [what, changed, from, to] of files) {
			const before = await readFile(changed, "utf8");
			await change(changed, from, to);
			const found = await check();
			expect(found.exitCode, found.output).toBe(1);
			expect(found.output).toMatch(new RegExp(`^differs +${what} `, "m"));
			await writeFile(changed, before);
		}
		expect((await check()).exitCode).toBe(0);
		const unpublished = await cli("audit", "manifest", file);
		expect(unpublished.exitCode).toBe(0);
		expect(unpublished.output).toContain("without --sha256 nothing says");
		expect((await cli("audit", "manifest", path.join(rookery, "none.json"))).output).toContain("found no file");
		expect((await cli("audit", "manifest", file, "--sha256", "abc")).output).toContain('--sha256: found "abc"');
	});

	it("X-14 X-05 the manifest of a published outbox names the other job's audit and journals, and they can be checked", async () => {
		const s = await scene();
		const run = startWorkflow(s);
		const work = await job(s, run, { mode: "work" });
		await upload(s, run, work);
		const result = await job(s, run, { "github-token": TOKEN, mode: "publish" });
		expect(result.exitCode, result.stdout + result.stderr).toBe(0);
		const file = result.outputs["manifest"] ?? "";
		const manifest = JSON.parse(await readFile(file, "utf8")) as RunManifest;
		const outbox = work.outputs["outbox"] ?? "";
		expect(manifest.parts).toMatchObject([{ shard: 1, outbox: hash(await readFile(path.join(outbox, "outbox.json"))) }]);
		expect(manifest.parts[0]?.journals.map((journal) => journal.session)).toContain("moe-go-1");
		const other = path.dirname(path.dirname(outbox));
		const alone = await cli("audit", "manifest", file, "--sha256", publishedHash(s));
		expect(alone.exitCode, alone.output).toBe(0);
		expect(alone.output).toMatch(/^absent +audit of shard 1/m);
		const both = await cli("audit", "manifest", file, "--sha256", publishedHash(s), "--files", other);
		expect(both.exitCode, both.output).toBe(0);
		expect(both.output).toMatch(/^same +audit of shard 1/m);
		expect(both.output).toContain("0 different, 0 not here");
		await change(path.join(other, "audit", `run-${run.id}-1.jsonl`), /\n[^\n]+\n$/, "\n");
		const shortened = await cli("audit", "manifest", file, "--files", other);
		expect(shortened.exitCode).toBe(1);
		expect(shortened.output).toMatch(/^differs +audit of shard 1/m);
	});
});
