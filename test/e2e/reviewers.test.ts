import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { RunReport } from "../../src/domain/run-report.ts";
import { ACTION_FOLDER, git, type Scene, startScene } from "./start-scene.ts";

const scenes: Scene[] = [];

async function scene(options: Parameters<typeof startScene>[0]): Promise<Scene> {
	const started = await startScene(options);
	scenes.push(started);
	return started;
}

afterEach(async () => {
	for (const started of scenes.splice(0)) await started[Symbol.asyncDispose]();
});

const agent = (name: string, header: Readonly<Record<string, string>> = {}, body = `You are ${name}.`) =>
	`---\n${Object.entries({ name, description: `Looks at ${name}.`, ...header })
		.map(([key, value]) => `${key}: ${value}`)
		.join("\n")}\n---\n${body}\n`;
const GO = "package parcels\n\nfunc Weight(items []int) int {\n\treturn len(items)\n}\n";

/** Names, modes and contents below a folder, git directory included; the object store and git's worktree records aside. */
function fingerprint(folder: string): string {
	const hash = createHash("sha256");
	const walk = (current: string): void => {
		for (const name of readdirSync(current).sort()) {
			const file = path.join(current, name);
			if (file === path.join(folder, ".git", "objects") || file === path.join(folder, ".git", "worktrees")) continue;
			const found = lstatSync(file);
			hash.update(`${path.relative(folder, file)} ${found.mode} ${found.isDirectory() ? "" : found.mtimeMs}\n`);
			if (found.isDirectory()) walk(file);
			else if (found.isSymbolicLink()) hash.update(readlinkSync(file));
			else hash.update(readFileSync(file));
		}
	};
	walk(folder);
	return hash.digest("hex");
}

/** What a person would ask git, without letting it write. */
async function describeCheckout(folder: string): Promise<string> {
	const ask = (...args: string[]) => git(folder, "--no-optional-locks", ...args);
	const asked = [
		ask("status", "--porcelain=v2", "--branch", "--untracked-files=all"),
		ask("rev-parse", "HEAD"),
		ask("for-each-ref"),
		ask("stash", "list"),
		ask("ls-files", "--stage"),
	];
	return [...(await Promise.all(asked)), fingerprint(folder)].join("\n--\n");
}

describe("the repository's own reviewers, end to end", () => {
	it("S-007 S-040 X-06 A26 A27 BR-34 reviewers of base run with base's tools; what the head changes in them is shown and flagged", async () => {
		const s = await scene({
			base: {
				"weight.go": GO,
				".claude/agents/sec.md": agent("sec", { tools: "Read" }),
				".claude/agents/api.md": agent("api", { tools: "Read, Grep" }),
				".claude/agents/walled.md": agent("walled", { isolation: "docker" }),
				".claude/agents/explore.md": agent("explore"),
			},
			head: {
				"weight.go": GO.replace("len(items)", "len(items) + 1"),
				".claude/agents/sec.md": agent("sec", { tools: "Read, Bash" }),
				".claude/agents/evil.md": agent("evil", { tools: "Bash" }),
				".claude/settings.json": '{"env":{"ANTHROPIC_BASE_URL":"http://127.0.0.1:9"},"hooks":{}}',
				".mcp.json": '{"mcpServers":{"x":{"command":"touch"}}}',
			},
		});
		const result = await s.start();
		expect(result.exitCode, result.stdout + result.stderr).toBe(0);
		const report = await s.readReport(result);
		const names = report.agents.map((row) => row.name).sort();
		expect(names).toEqual(["api", "generalist", "go", "sec"]);
		expect(report.agents.every((row) => row.status === "completed")).toBe(true);
		const rows = Object.fromEntries(report.trustDiff.map((row) => [row.path, row]));
		expect(rows[".claude/agents/sec.md"]).toMatchObject({
			attention: true,
			agent: { gains: ["execute"], toolsAdded: expect.arrayContaining(["bash"]) },
		});
		expect(rows[".claude/agents/sec.md"]?.oldHash).toMatch(/^[0-9a-f]{64}$/);
		expect(Object.keys(rows).sort()).toEqual([".claude/agents/evil.md", ".claude/agents/sec.md", ".claude/settings.json", ".mcp.json"]);
		const sticky = s.sticky() ?? "";
		expect(sticky).toContain("GAINS execute ability");
		expect(sticky).toContain("the versions of the trusted branch were used");
		expect(sticky).toMatch(/Agent .walled. did not run: E_POLICY: .*docker/);
		// S-041: both paths or tiers of a name clash are named.
		expect(sticky).toMatch(/Agent .explore. did not run: .*\.claude\/agents\/explore\.md.*built-in/);
		expect(s.github.violations).toEqual([]);
	});

	it("S-039 A28 with agents.trust pinned an agent without a pin does not run; its hash and tools are named", async () => {
		const settings = '{"agents":{"trust":"pinned"}}';
		const s = await scene({
			base: { "weight.go": GO, ".rookery/settings.json": settings, ".claude/agents/sec.md": agent("sec", { tools: "Read" }) },
			head: { "weight.go": GO.replace("len(items)", "len(items) + 1") },
		});
		const report = await s.readReport(await s.start());
		expect(report.agents.map((row) => row.name)).not.toContain("sec");
		expect(s.sticky()).toMatch(/Agent .sec. did not run: E_CONSENT: .*hash [0-9a-f]{12}, tools: read_file/);
	});
});

const LANGUAGES: Readonly<Record<string, (index: number) => string>> = {
	"go/x.go": (index) => `func F${index}() int { return ${index} }\n`,
	"rust/x.rs": (index) => `pub fn f${index}() -> u32 { ${index} }\n`,
	"ts/x.ts": (index) => `export const f${index} = () => ${index};\n`,
	"py/x.py": (index) => `def f${index}():\n    return ${index}\n`,
	"java/X.java": (index) => `  static int f${index}() { return ${index}; }\n`,
};

/** A clone in the middle of somebody's work, with a change in five languages and four reviewers: nine children. */
async function makeBusyClone(folder: string): Promise<void> {
	await mkdir(folder, { recursive: true });
	await git(folder, "init", "-q", "-b", "main");
	const write = async (name: string, text: string): Promise<void> => {
		await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
		await writeFile(path.join(folder, name), text);
	};
	for (const name of ["one", "two", "three", "four"])
		await write(`.claude/agents/${name}.md`, agent(name, name === "one" || name === "two" ? { isolation: "worktree" } : {}));
	await write("README.md", "x\n");
	await git(folder, "add", "-A");
	await git(folder, "commit", "-qm", "base");
	await git(folder, "checkout", "-q", "-b", "change");
	for (const [name, line] of Object.entries(LANGUAGES)) {
		const body = Array.from({ length: 30 }, (_, index) => line(index)).join("");
		const text = name.endsWith(".java") ? `class X {\n${body}}\n` : name.endsWith(".go") ? `package x\n\n${body}` : body;
		for (const copy of ["a", "b", "c"])
			await write(
				name.replace("x.", `${copy}.`).replace("X.", `${copy.toUpperCase()}.`),
				text.replace("class X", `class ${copy.toUpperCase()}`),
			);
	}
	for (let index = 0; index < 300; index += 1) await write(`data/${index}.txt`, `${index}\n`.repeat(50));
	symlinkSync("/etc/passwd", path.join(folder, "link"));
	await git(folder, "add", "-A");
	await git(folder, "commit", "-qm", "head");
	await write("README.md", "stashed\n");
	await git(folder, "stash", "-q");
	await write("README.md", "staged\n");
	await git(folder, "add", "README.md");
	await write("README.md", "unstaged\n");
	await write("untracked.txt", "u\n");
	await git(folder, "status");
}

function startReview(folder: string, temp: string) {
	const args = [path.join(ACTION_FOLDER, "dist/cli.js"), "review", "--repo", folder, "--base", "main", "--json", "--provider", "offline"];
	return spawn(process.execPath, args, { env: { PATH: process.env["PATH"] ?? "", TMPDIR: temp }, stdio: ["ignore", "pipe", "pipe"] });
}

const registrations = (folder: string) =>
	existsSync(path.join(folder, ".git/worktrees")) ? readdirSync(path.join(folder, ".git/worktrees")) : [];

describe("the main checkout", () => {
	it("S-184 in a run of nine children status, HEAD, index, refs and stash stay byte-equal, during and after", {
		timeout: 120_000,
	}, async () => {
		const s = await scene({ base: { "a.txt": "a\n" }, head: { "a.txt": "b\n" } });
		const folder = path.join(s.folder, "busy");
		const temp = path.join(s.folder, "cli-temp");
		await mkdir(temp);
		await makeBusyClone(folder);
		const before = await describeCheckout(folder);
		const child = startReview(folder, temp);
		let output = "";
		child.stdout.on("data", (chunk: Buffer) => {
			output += chunk.toString("utf8");
		});
		const closed = once(child, "close");
		for (let round = 0; round < 400 && registrations(folder).length === 0; round += 1) await wait(10);
		expect(await describeCheckout(folder)).toBe(before);
		await closed;
		const report = JSON.parse(output) as RunReport;
		expect(report.agents.filter((row) => row.status === "completed").length).toBeGreaterThanOrEqual(9);
		expect(await describeCheckout(folder)).toBe(before);
		expect(registrations(folder)).toEqual([]);
	});

	it("A43 A54 W2 a run that is killed in the middle leaves the checkout as it was, and the next run sweeps the rest", {
		timeout: 120_000,
	}, async () => {
		const s = await scene({ base: { "a.txt": "a\n" }, head: { "a.txt": "b\n" } });
		const folder = path.join(s.folder, "busy");
		const temp = path.join(s.folder, "cli-temp");
		await mkdir(temp);
		await makeBusyClone(folder);
		const before = await describeCheckout(folder);
		const config = readFileSync(path.join(folder, ".git/config"), "utf8");
		let killed = 0;
		for (const delay of [0, 60, 200]) {
			const child = startReview(folder, temp);
			const closed = once(child, "close");
			for (let round = 0; round < 400 && registrations(folder).length === 0 && child.exitCode === null; round += 1) await wait(5);
			await wait(delay);
			if (child.exitCode === null) killed += 1;
			child.kill("SIGKILL");
			await closed;
			expect(await describeCheckout(folder)).toBe(before);
		}
		expect(killed).toBeGreaterThan(0);
		const last = startReview(folder, temp);
		await once(
			last.on("spawn", () => last.stdout.resume()),
			"close",
		);
		expect(await describeCheckout(folder)).toBe(before);
		expect(registrations(folder)).toEqual([]);
		expect(readFileSync(path.join(folder, ".git/config"), "utf8")).toBe(config);
		expect((await git(folder, "branch", "--list")).split("\n")).toHaveLength(2);
	});
});
