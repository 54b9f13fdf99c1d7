import { existsSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runChecks } from "../../src/checks/run-checks.ts";
import { LANGUAGES } from "../../src/agents/experts/table.ts";
import { openSandboxForRun } from "../../src/compose/open-sandbox-for-run.ts";
import type { CommandRunner } from "../../src/seams.ts";
import { openCommandRunner } from "../../src/stages/open-command-runner.ts";
import { canSandbox, makeSandboxRig, type SandboxRig } from "../adapters/sandbox/sandbox-rig.ts";

const IDS = { head: "1".repeat(40), mergeBase: "2".repeat(40) };

function open(root: string, bundleFolder: string, rig: Pick<SandboxRig, "folder">, writable = true): CommandRunner & AsyncDisposable {
	const sandbox = openSandboxForRun({ bundleFolder, temporaryFolder: rig.folder, folder: root });
	return openCommandRunner(sandbox, {
		...{ ...IDS, root, writable, denyPaths: ["secrets/**"], onProblem: () => undefined },
		hiddenPaths: async () => ["secrets/key"],
	});
}

describe.runIf(await canSandbox())("commands of the run in the sandbox", { timeout: 60_000 }, () => {
	let rig: SandboxRig;
	beforeAll(async () => {
		rig = await makeSandboxRig();
	}, 60_000);
	afterAll(() => rig?.[Symbol.asyncDispose]());

	it("run behind the walls, keep /tmp from one to the next, and leave no process", async () => {
		const { root } = await rig.makeRepository({ "pkg/a.txt": "a\n", "secrets/key": "k\n" });
		await using runner = open(root, rig.built.code, rig);
		const run = (command: string, folder?: string) =>
			runner.run(command, { timeoutMs: 10_000, ...(folder === undefined ? {} : { folder }) });
		expect(await run("cat a.txt; echo kept > /tmp/x; exit 3", "pkg")).toMatchObject({ exitCode: 3, stdout: "a\n" });
		expect(await run("cat /tmp/x; cat secrets/key")).toMatchObject({ exitCode: 1, stdout: "kept\n" });
		expect((await run("env")).stdout).not.toMatch(/TOKEN|INPUT_/);
		expect(await run("true", "it's not there")).toMatchObject({ exitCode: 125 });
		expect(await runner.run("sleep 30", { timeoutMs: 200 })).toMatchObject({ exitCode: null, stopped: "timed out" });
		expect(await run("head -c 6000000 /dev/zero | tr '\\0' x")).toMatchObject({
			exitCode: 0,
			stdout: expect.stringMatching(/^x{4194304}$/),
		});
	});

	it("S-014 a language's tests run there, red told from green", async () => {
		const { root } = await rig.makeRepository({
			"package.json": '{"scripts":{"test":"node --test"}}',
			"a.test.mjs": 'import { test } from "node:test";\ntest("good", () => {});\n',
		});
		await using runner = open(root, rig.built.code, rig);
		const node = LANGUAGES.find((profile) => profile.id === "typescript");
		if (node === undefined) throw new Error("no profile");
		const profile = { ...node, testCommand: () => "node --test" };
		const checks = await runChecks(profile, { path: "", files: new Set(["package.json"]) }, runner);
		expect(checks).toMatchObject({ outcome: "passed", results: [{ counts: { passed: 1, failed: 0 } }] });
	});

	it("A76 without a sandbox nothing is run, and the reason is said", async () => {
		const { root } = await rig.makeRepository();
		await using runner = open(root, path.join(rig.folder, "nothing"), rig);
		expect(await runner.run("touch ran", { timeoutMs: 1_000 })).toMatchObject({
			exitCode: null,
			startError: expect.stringContaining("worker.js is not in the program's folder"),
		});
		expect(existsSync(path.join(root, "ran"))).toBe(false);
	});
});
