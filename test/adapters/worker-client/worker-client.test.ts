import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWorkerClient, type WorkerProcess } from "../../../src/adapters/worker-client/create-worker-client.ts";
import { createLineSplitter, readWorkerLine } from "../../../src/adapters/worker-client/worker-line.ts";
import type { ToWorker } from "../../../src/domain/worker-protocol.ts";
import { toolNamed } from "../../engine/engine-parts.ts";
import { canSandbox, makeSandboxRig, type SandboxRig } from "../sandbox/sandbox-rig.ts";

describe.runIf(await canSandbox())("the tools of a child in their process", { timeout: 60_000 }, () => {
	let rig: SandboxRig;
	beforeAll(async () => {
		rig = await makeSandboxRig();
	}, 60_000);
	afterAll(() => rig?.[Symbol.asyncDispose]());

	it("reads, edits and runs in one tree, with one read state", async () => {
		const { root } = await rig.makeRepository({ "a.txt": "one\r\ntwo\r\n" });
		await using child = rig.openChild({ root, writable: true });
		expect(await child.use("edit_file", { path: "a.txt", oldText: "one", newText: "1" })).toMatchObject({ isError: true });
		expect(await child.use("read_file", { path: "a.txt" })).toMatchObject({ filesRead: ["a.txt"] });
		expect(await child.use("edit_file", { path: "a.txt", oldText: "one", newText: "1" })).toMatchObject({
			data: { changedPaths: ["a.txt"] },
		});
		expect(readFileSync(path.join(root, "a.txt"), "utf8")).toBe("1\r\ntwo\r\n");
		expect(await child.bash("cat a.txt; exit 3")).toMatchObject({
			content: expect.stringMatching(/^1\s+two\s+\[exit code 3/),
			data: { exitCode: 3 },
		});
		expect(await child.use("read_file", { path: "secrets/x" })).toMatchObject({ isError: true });
	});

	it("S-066 each child has a process and a read state of its own", async () => {
		const { root } = await rig.makeRepository();
		await using first = rig.openChild({ root, writable: true });
		await using second = rig.openChild({ root, writable: true });
		await first.use("read_file", { path: "a.txt" });
		expect(await second.use("edit_file", { path: "a.txt", oldText: "one", newText: "1" })).toMatchObject({
			isError: true,
			content: expect.stringContaining("read first"),
		});
	});

	it("asks for the merge base what it cannot see, and is told of visible files alone", async () => {
		const asked: string[] = [];
		const { root } = await rig.makeRepository({ "a.js": "let x = ;\n", "b.txt": "b\n" });
		const answers = {
			readPatches: async () => [],
			readBase: async (file: string) => void asked.push(file),
			listFiles: async () => ["a.js", "b.txt", "secrets/x"],
			isVisible: (file: string) => !file.startsWith("secrets/"),
		};
		await using child = rig.openChild({ root, writable: false }, { answers: { ...answers, readBase: async () => undefined } });
		expect((await child.use("glob", { pattern: "**/*" })).content.split("\n").sort()).toEqual(expect.arrayContaining(["a.js", "b.txt"]));
		expect((await child.use("glob", { pattern: "**/*" })).content).not.toContain("secrets");
		expect((await child.use("diagnose", { paths: ["a.js"] })).isError).toBeUndefined();
		expect(asked).toEqual([]);
	});

	it("R43 a command that ignores its end and prints without end is dead in time, head and tail kept", async () => {
		const { root } = await rig.makeRepository();
		await using child = rig.openChild({ root, writable: true });
		const startedAt = performance.now();
		const stubborn = await child.bash("trap '' TERM INT HUP; echo HEAD; while :; do sleep 0.05; done", 1);
		expect(performance.now() - startedAt).toBeLessThan(3_000);
		expect(stubborn).toMatchObject({ isError: true, content: expect.stringMatching(/^HEAD\n\[timed out after/) });
		const flood = await child.bash("echo HEAD; yes 0123456789 | head -c 40000000; echo TAIL");
		expect(flood.content).toMatch(/^HEAD\n0123456789[\s\S]*\[… \d+ bytes left out …\][\s\S]*TAIL\n\[exit code 0/);
		expect(flood.content.length).toBeLessThan(40_000);
	});

	it("A75 fork bomb, memory, file size and output end at their limits; the orchestrator lives", async () => {
		const { root } = await rig.makeRepository();
		await using child = rig.openChild(
			{ root, writable: true },
			{ limits: { processes: 128, memoryBytes: 800 * 1024 ** 2, fileBytes: 5 * 1024 ** 2, outputBytes: 2 * 1024 ** 2 } },
		);
		const bomb = await child.bash("bomb() { bomb | bomb & }; bomb; sleep 20", 10);
		expect(bomb.code === "E_LIMIT" || bomb.content.includes("fork: ")).toBe(true);
		expect(await child.bash("node -e 'const a=[]; for(;;) a.push(Buffer.alloc(5e7, 1))' ; exit 1")).toMatchObject({ code: "E_LIMIT" });
		const file = await child.bash("head -c 50000000 /dev/zero > big");
		expect(file).toMatchObject({ code: "E_LIMIT" });
		expect(await child.bash("yes")).toMatchObject({ isError: true, code: "E_LIMIT", data: { stopped: "output limit" } });
		const memory = await child.bash(
			"for i in 1 2 3 4 5 6 7 8 9 10; do node -e 'const b=Buffer.alloc(1e8,1); setTimeout(()=>b, 5000)' & done; wait",
			8,
		);
		expect(memory).toMatchObject({ isError: true, code: "E_LIMIT" });
		expect(await child.use("read_file", { path: "a.txt" })).toMatchObject({ filesRead: ["a.txt"] });
	});

	it("background commands are read, ended and counted", async () => {
		const { root } = await rig.makeRepository();
		await using child = rig.openChild({ root, writable: true });
		const started = await child.use("bash", { command: "echo up; sleep 30", run_in_background: true });
		expect(started).toMatchObject({ data: { shell: "shell_1" } });
		await child.bash("sleep 0.2");
		expect((await child.use("bash_output", { shell: "shell_1" })).content).toBe("up\n[running]");
		expect((await child.use("bash_output", { shell: "shell_1" })).content).toBe("[running, nothing new]");
		expect((await child.use("kill_shell", { shell: "shell_1" })).content).toContain("[killed");
		expect(await child.use("bash_output", { shell: "shell_9" })).toMatchObject({ isError: true });
		for (let index = 0; index < 8; index++) await child.use("bash", { command: "sleep 30", background: true });
		expect(await child.use("bash", { command: "sleep 30", background: true })).toMatchObject({ isError: true, code: "E_LIMIT" });
	});

	it("what a command leaves behind ends with it, and everything ends with the child", async () => {
		const { root } = await rig.makeRepository();
		const mark = `rookery-mark-${process.pid}`;
		{
			await using child = rig.openChild({ root, writable: true });
			await child.bash(`setsid bash -c 'exec -a ${mark}-one sleep 60' > /dev/null 2>&1 & sleep 0.2`);
			expect((await child.bash("ps ax")).content).not.toContain(`${mark}-one`);
			await child.use("bash", { command: `setsid bash -c 'exec -a ${mark}-two sleep 60' & wait`, background: true });
			expect((await child.bash("sleep 0.2; ps ax")).content).toContain(`${mark}-two`);
			expect(hostCommandLines()).toContain(`${mark}-two`);
		}
		// The kernel ends the namespace; on a busy machine not in the same instant.
		await expect.poll(hostCommandLines, { timeout: 10_000 }).not.toContain(mark);
	});

	it("cancelling ends the command, not the process", async () => {
		const { root } = await rig.makeRepository();
		await using child = rig.openChild({ root, writable: true });
		const stop = new AbortController();
		const running = child.use("bash", { command: "echo begun; touch begun; sleep 60" }, stop.signal);
		await expect.poll(() => existsSync(path.join(root, "begun")), { timeout: 10_000 }).toBe(true);
		stop.abort();
		expect(await running).toMatchObject({ isError: true, content: expect.stringContaining("begun\n[cancelled") });
		expect(child.problems).toEqual([]);
		expect(await child.bash("echo alive")).toMatchObject({ data: { exitCode: 0 } });
	});

	it("a dead process fails its calls and is replaced, until it has died too often", async () => {
		const { root } = await rig.makeRepository();
		await using child = rig.openChild({ root, writable: true }, { restarts: 1 });
		await child.use("read_file", { path: "a.txt" });
		expect(await child.bash("kill -9 2")).toMatchObject({
			isError: true,
			code: "E_SANDBOX",
			content: expect.stringContaining("read again before an edit"),
		});
		expect(await child.use("edit_file", { path: "a.txt", oldText: "one", newText: "1" })).toMatchObject({
			content: expect.stringContaining("read first"),
		});
		expect(await child.bash("kill -9 2")).toMatchObject({ code: "E_SANDBOX" });
		expect(await child.use("read_file", { path: "a.txt" })).toMatchObject({
			code: "E_SANDBOX",
			content: expect.stringContaining("too often"),
		});
		expect(child.problems).toHaveLength(2);
	});

	it("a process that cannot start says why", async () => {
		const { root } = await rig.makeRepository();
		await using child = rig.openChild(
			{ root, writable: true },
			{ launch: () => rig.sandbox.start({ root: path.join(root, "missing"), writable: true }, "worker.js") },
		);
		expect(await child.use("read_file", { path: "a.txt" })).toMatchObject({
			isError: true,
			code: "E_SANDBOX",
			content: expect.stringContaining("could not be started"),
		});
	});

	it("a tool that was not given to the child does not exist in its process", async () => {
		const { root } = await rig.makeRepository();
		await using child = rig.openChild({ root, writable: true }, { tools: ["read_file"] });
		expect(await child.bash("touch x")).toMatchObject({ isError: true, code: "E_SANDBOX" });
		expect(existsSync(path.join(root, "x"))).toBe(false);
	});
});

describe("a process that has been taken over", () => {
	function fakeProcess(
		onMessage: (message: ToWorker, say: (text: string) => void) => void,
	): WorkerProcess & { readonly killed: () => boolean } {
		const input = new PassThrough();
		const output = new PassThrough();
		let killed = false;
		let end = (_value: { code: number | null }): void => undefined;
		const ended = new Promise<{ code: number | null }>((resolve) => {
			end = resolve;
		});
		const split = createLineSplitter(
			(line) => onMessage(JSON.parse(line) as ToWorker, (text) => void output.write(`${text}\n`)),
			() => undefined,
		);
		input.on("data", split);
		return {
			...{ input, output, ended, errorTail: () => "", killed: () => killed },
			kill: () => {
				killed = true;
				end({ code: null });
			},
		};
	}
	const tool = toolNamed("read_file", () => ({ content: "" }));
	const start = {
		type: "start",
		root: "/",
		head: "",
		mergeBase: "",
		changedFiles: [],
		tools: [],
		denyPaths: [],
		assets: "",
		hasFileList: true,
	} as const;

	it.each([
		"not json",
		'{"type":"result","id":1,"output":{"content":5}}',
		'{"type":"evil"}',
		'{"type":"result","id":1,"output":{"content":"x","code":"E_FORK"}}',
	])("is ended at a line that is none of ours: %s", async (line) => {
		const worker = fakeProcess((message, say) => message.type === "call" && say(line));
		await using client = createWorkerClient({
			tools: [tool],
			start,
			launch: async () => worker,
			answers: { readPatches: async () => [], readBase: async () => undefined, isVisible: () => true },
		});
		expect(await client.tools[0]?.run({}, new AbortController().signal)).toMatchObject({ isError: true, code: "E_SANDBOX" });
		expect(worker.killed()).toBe(true);
	});

	it("S-110 gets no hidden file, no patch of it and no unchanged file by asking", async () => {
		const answered: unknown[] = [];
		const worker = fakeProcess((message, say) => {
			if (message.type === "call") {
				say('{"type":"ask","id":1,"question":{"what":"base","path":"secrets/x"}}');
				say('{"type":"ask","id":2,"question":{"what":"patches","paths":["secrets/x","other"]}}');
				say('{"type":"ask","id":3,"question":{"what":"files"}}');
				say('{"type":"ask","id":4,"question":{"what":"history"}}');
			} else if (message.type === "answer") {
				answered.push(message.value);
				if (answered.length === 4) say('{"type":"result","id":1,"output":{"content":"ok"}}');
			}
		});
		const answers = {
			readPatches: async () => [{ path: "secrets/x", binary: false, hunks: [], note: "leak" }],
			readBase: async () => Buffer.from("leak"),
			listFiles: async () => ["a", "secrets/x"],
			readHistory: async () => [["a", "secrets/x"]],
			isVisible: (file: string) => !file.startsWith("secrets/"),
		};
		await using client = createWorkerClient({ tools: [tool], start, launch: async () => worker, answers });
		await client.tools[0]?.run({}, new AbortController().signal);
		expect(answered).toHaveLength(4);
		expect(JSON.stringify(answered)).not.toContain("leak");
		expect(answered).toContainEqual({ history: [["a"]] });
		expect(answered).toContainEqual({ files: ["a"] });
	});

	it("a line without an end is not kept for ever", () => {
		let overflows = 0;
		const take = createLineSplitter(
			() => undefined,
			() => {
				overflows += 1;
			},
		);
		const chunk = Buffer.alloc(8 * 1024 * 1024, 120);
		for (let index = 0; index < 9; index++) take(chunk);
		expect(overflows).toBe(1);
		expect(readWorkerLine(`{"type":"result","id":1,"output":{"content":"${"x".repeat(1_100_000)}"}}`)).toMatchObject({
			output: { content: expect.stringMatching(/\[cut\]$/) },
		});
	});
});

/** Command lines of all processes of this machine that can be seen. */
function hostCommandLines(): string {
	return readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name))
		.map((id) => {
			try {
				return readFileSync(`/proc/${id}/cmdline`, "utf8");
			} catch {
				return "";
			}
		})
		.join("\n");
}
