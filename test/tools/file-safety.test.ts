import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Tool, ToolOutput } from "../../src/seams.ts";
import { createReadOnlyTools } from "../../src/tools/create-read-only-tools.ts";
import { callTool, makeTempFolder, plainContext } from "./tool-fixture.ts";

const CANARY = "canary-7f3e91";

describe("files that are not what they seem", () => {
	const temp = makeTempFolder();
	const root = path.join(temp.folder, "tree");
	const outside = path.join(temp.folder, "outside");
	const server = createServer();
	let tools: readonly Tool[];
	/** As git lists them: links are files of the tree there. */
	const listed = [
		"src/real.ts",
		"link.txt",
		"folder-link",
		"chain",
		"to-parent",
		"up/link",
		"hard.txt",
		"pipe",
		"socket",
		"device",
		"proc-link",
	];

	beforeAll(async () => {
		mkdirSync(path.join(root, "src"), { recursive: true });
		mkdirSync(path.join(root, "up"));
		mkdirSync(outside);
		writeFileSync(path.join(outside, "secret.txt"), `${CANARY}\n`);
		writeFileSync(path.join(root, "src/real.ts"), "const real = 1;\n");
		symlinkSync(path.join(outside, "secret.txt"), path.join(root, "link.txt"));
		symlinkSync(outside, path.join(root, "folder-link"));
		symlinkSync("link.txt", path.join(root, "chain"));
		symlinkSync("..", path.join(root, "to-parent"));
		symlinkSync("../src", path.join(root, "up/link"));
		symlinkSync("/dev/zero", path.join(root, "device"));
		symlinkSync("/proc/self/environ", path.join(root, "proc-link"));
		linkSync(path.join(outside, "secret.txt"), path.join(root, "hard.txt"));
		execFileSync("mkfifo", [path.join(root, "pipe")]);
		await new Promise<void>((resolve) => server.listen(path.join(root, "socket"), resolve));
		tools = createReadOnlyTools(plainContext(root, { listFiles: async () => listed }));
	});

	afterAll(() => {
		server.close();
		temp[Symbol.dispose]();
	});

	const expectRefused = (output: ToolOutput, code: string) => {
		expect(output).toMatchObject({ isError: true, code });
		expect(output.content).not.toContain(CANARY);
		expect(output.filesRead).toBeUndefined();
	};

	it.each(["../../etc/passwd", "/etc/passwd", "~/.ssh/id_rsa", "C:\\", "file:///etc/passwd", "a\0b"])(
		"A57 read_file and grep refuse %j",
		async (target) => {
			expectRefused(await callTool(tools, "read_file", { path: target }), "E_PATH");
			expectRefused(await callTool(tools, "grep", { pattern: "x", path: target }), "E_PATH");
		},
	);

	it.each(["link.txt", "folder-link/secret.txt", "chain", "to-parent/outside/secret.txt", "up/link/real.ts"])(
		"A58 nothing is read through the link %s",
		async (target) => {
			expectRefused(await callTool(tools, "read_file", { path: target }), "E_PATH");
		},
	);

	it("A58 grep and glob see no content behind links", async () => {
		expectRefused(await callTool(tools, "grep", { pattern: "canary", path: "link.txt" }), "E_PATH");
		expect((await callTool(tools, "grep", { pattern: "canary" })).content).toBe("No match.");
		expect((await callTool(tools, "glob", { pattern: "folder-link/*" })).content).toBe("No file matches.");
		expect((await callTool(tools, "grep", { pattern: "real" })).content).toBe("src/real.ts:1:const real = 1;");
	});

	it.each(["/proc/self/environ", "/proc/1/environ", `/proc/${process.ppid}/environ`, "/proc/self/root/etc/passwd", "/dev/fd/0"])(
		"A59 %s is out of reach",
		async (target) => {
			const output = await callTool(tools, "read_file", { path: target });
			expectRefused(output, "E_PROC");
			expect(output.content).not.toContain("PATH=");
		},
	);

	it("A59 nor by a link in the tree", async () => {
		expectRefused(await callTool(tools, "read_file", { path: "proc-link" }), "E_PATH");
	});

	it("A60 a hard link to a file outside is not read", async () => {
		expectRefused(await callTool(tools, "read_file", { path: "hard.txt" }), "E_PATH");
		expectRefused(await callTool(tools, "grep", { pattern: CANARY, path: "hard.txt" }), "E_PATH");
	});

	it.each(["pipe", "socket", "device"])("A61 a %s is refused within a second and hangs nothing", async (target) => {
		const started = performance.now();
		expectRefused(await callTool(tools, "read_file", { path: target }), "E_PATH");
		expectRefused(await callTool(tools, "grep", { pattern: "x", path: target }), "E_PATH");
		expect(performance.now() - started).toBeLessThan(1_000);
	});

	it.each([".git/config", ".git", ".GIT/hooks/x", "sub/.git/config"])("A66 %s is not even read", async (target) => {
		mkdirSync(path.join(root, ".git"), { recursive: true });
		writeFileSync(path.join(root, ".git/config"), CANARY);
		expectRefused(await callTool(tools, "read_file", { path: target }), "E_PATH");
		const walked = createReadOnlyTools(plainContext(root));
		expect((await callTool(walked, "glob", { pattern: "**/*" })).content).not.toMatch(/\.git\//);
	});

	it("says what is wrong with a folder and a missing file, which are no refusals", async () => {
		expect(await callTool(tools, "read_file", { path: "src" })).toEqual({ content: "src: is a folder.", isError: true });
		expect(await callTool(tools, "read_file", { path: "src/none.ts" })).toEqual({ content: "src/none.ts: does not exist.", isError: true });
	});

	it("hides what policy hides", async () => {
		const hidden = createReadOnlyTools(plainContext(root, { listFiles: async () => listed, isDenied: (file) => file.startsWith("src/") }));
		expect(await callTool(hidden, "read_file", { path: "./src//real.ts" })).toMatchObject({ isError: true, code: "E_POLICY" });
		expect((await callTool(hidden, "grep", { pattern: "real" })).content).toBe("No match.");
		expect((await callTool(hidden, "glob", { pattern: "*.ts" })).content).toBe("No file matches.");
	});
});
