import { createHash } from "node:crypto";
import { closeSync, ftruncateSync, openSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createReadOnlyTools } from "../../src/tools/create-read-only-tools.ts";
import { checkReadBeforeEdit, createReadState } from "../../src/tools/read-state.ts";
import { callTool, makeTempFolder, plainContext } from "./tool-fixture.ts";

function sha256(content: string): string {
	return createHash("sha256").update(content).digest("hex");
}

describe("read_file", () => {
	it("numbers lines so that they can be cited, and says what more there is", async () => {
		using temp = makeTempFolder();
		writeFileSync(path.join(temp.folder, "a.txt"), Array.from({ length: 1_000 }, (_, index) => `line ${index + 1}\n`).join(""));
		const tools = createReadOnlyTools(plainContext(temp.folder));
		const part = await callTool(tools, "read_file", { path: "a.txt", startLine: 499, endLine: 501 });
		expect(part).toEqual({
			content: "a.txt lines 499-501 of 1000 (more follows from line 502)\n499\tline 499\n500\tline 500\n501\tline 501",
			filesRead: ["a.txt"],
		});
		const whole = await callTool(tools, "read_file", { path: "a.txt" });
		expect(whole.content).toMatch(/^a\.txt lines 1-800 of 1000 \(more follows from line 801\)\n1\tline 1\n/);
		expect((await callTool(tools, "read_file", { path: "a.txt", startLine: "990", endLine: null })).content).toMatch(
			/^a\.txt lines 990-1000 of 1000\n/,
		);
		expect((await callTool(tools, "read_file", { path: "a.txt", startLine: 2_000 })).content).toBe(
			"a.txt has 1000 lines; there is no line 2000.",
		);
	});

	it("tells wrong input what to mend", async () => {
		using temp = makeTempFolder();
		const tools = createReadOnlyTools(plainContext(temp.folder));
		const output = await callTool(tools, "read_file", { startLine: "x" });
		expect(output.isError).toBe(true);
		expect(output.content).toMatch(/read_file was not run.*path: .*startLine: /s);
	});

	it("BR-13 shows CRLF lines without the CR and takes a lone CR for content", async () => {
		using temp = makeTempFolder();
		writeFileSync(path.join(temp.folder, "w.txt"), "one\r\ntwo\rstill two\r\nthree");
		const tools = createReadOnlyTools(plainContext(temp.folder));
		expect((await callTool(tools, "read_file", { path: "w.txt" })).content).toBe(
			"w.txt lines 1-3 of 3 (lines end in CRLF)\n1\tone\n2\ttwo\rstill two\n3\tthree",
		);
		expect((await callTool(tools, "grep", { pattern: "two$", path: "w.txt" })).content).toBe("w.txt:2:two\rstill two");
	});

	it("BR-75 cuts a long line between characters", async () => {
		using temp = makeTempFolder();
		for (const shift of ["", "x"]) {
			writeFileSync(path.join(temp.folder, "emoji.txt"), `${shift}${"🔥".repeat(5_000)}\n`);
			const tools = createReadOnlyTools(plainContext(temp.folder));
			const { content } = await callTool(tools, "read_file", { path: "emoji.txt" });
			expect(content.isWellFormed()).toBe(true);
			expect(content).not.toContain("\ufffd");
			expect(content).toMatch(/cut, marked \[…\]/);
			const found = await callTool(tools, "grep", { pattern: "🔥", path: "emoji.txt" });
			expect(found.content.isWellFormed()).toBe(true);
			expect(found.content).toMatch(/🔥 \[…\]$/);
		}
	});

	it("A65 a sparse file of 2 GB, a compressed one and a single endless line cost no memory", async () => {
		using temp = makeTempFolder();
		const sparse = openSync(path.join(temp.folder, "sparse"), "w");
		ftruncateSync(sparse, 2 * 1024 ** 3);
		closeSync(sparse);
		writeFileSync(path.join(temp.folder, "bomb.gz"), gzipSync(Buffer.alloc(50_000_000)));
		const line = openSync(path.join(temp.folder, "line.txt"), "w");
		const block = Buffer.alloc(4 * 1024 * 1024, "a");
		for (let index = 0; index < 30; index++) writeSync(line, block);
		closeSync(line);
		const before = process.memoryUsage.rss();
		const tools = createReadOnlyTools(plainContext(temp.folder));
		expect((await callTool(tools, "read_file", { path: "sparse" })).content).toBe("sparse is binary (2147483648 bytes) and not shown.");
		expect((await callTool(tools, "read_file", { path: "bomb.gz" })).content).toMatch(/is binary/);
		const { content } = await callTool(tools, "read_file", { path: "line.txt" });
		expect(content.length).toBeLessThan(2_500);
		expect(content).toMatch(/the first 64 MiB/);
		expect((await callTool(tools, "grep", { pattern: "needle" })).content).toBe("No match.\n(2 files over 4 MiB not searched)");
		expect(process.memoryUsage.rss() - before).toBeLessThan(256 * 1024 * 1024);
	});

	it("A65 bytes that are not UTF-8 are shown and said", async () => {
		using temp = makeTempFolder();
		writeFileSync(path.join(temp.folder, "latin.txt"), Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a, 0xef, 0xbb, 0xbf, 0x78, 0x0a]));
		const tools = createReadOnlyTools(plainContext(temp.folder));
		expect((await callTool(tools, "read_file", { path: "latin.txt" })).content).toMatch(
			/^latin\.txt lines 1-2 of 2 \(bytes that are not UTF-8 are shown as \ufffd\)\n1\tcaf\ufffd\n/,
		);
		expect((await callTool(tools, "grep", { pattern: "^caf.$", path: "latin.txt" })).content).toBe("latin.txt:1:caf\ufffd");
	});

	it("an empty file is empty, and a file without a last line feed has its last line", async () => {
		using temp = makeTempFolder();
		writeFileSync(path.join(temp.folder, "empty"), "");
		writeFileSync(path.join(temp.folder, "open"), "a\n\nb");
		const tools = createReadOnlyTools(plainContext(temp.folder));
		expect((await callTool(tools, "read_file", { path: "empty" })).content).toBe("empty is empty.");
		expect((await callTool(tools, "read_file", { path: "open" })).content).toBe("open lines 1-3 of 3\n1\ta\n2\t\n3\tb");
	});
});

describe("what a child has read", () => {
	it("S-036 S-066 each child has its own: the child's read does not count for the parent, nor the other way round", async () => {
		using temp = makeTempFolder();
		writeFileSync(path.join(temp.folder, "a.ts"), "const a = 1;\n");
		writeFileSync(path.join(temp.folder, "b.ts"), "const b = 1;\n");
		const parent = createReadState();
		const child = createReadState();
		await callTool(createReadOnlyTools(plainContext(temp.folder, { readState: child })), "read_file", { path: "./a.ts" });
		const parentTools = createReadOnlyTools(plainContext(temp.folder, { readState: parent }));
		await callTool(parentTools, "read_file", { path: "b.ts" });

		const content = sha256("const a = 1;\n");
		expect(checkReadBeforeEdit(parent, "a.ts", content)).toEqual({ ok: false, reason: "read first: this agent has not read a.ts itself" });
		expect(checkReadBeforeEdit(child, "b.ts", sha256("const b = 1;\n")).ok).toBe(false);
		await callTool(parentTools, "read_file", { path: "a.ts" });
		expect(checkReadBeforeEdit(parent, "a.ts", content)).toEqual({ ok: true });
		expect(checkReadBeforeEdit(child, "a.ts", sha256("changed\n"))).toEqual({
			ok: false,
			reason: "read again: a.ts has changed since this agent read it",
		});
	});

	it("S-036 grep, glob and diagnose are no reads", async () => {
		using temp = makeTempFolder();
		writeFileSync(path.join(temp.folder, "a.ts"), "const a = 1;\n");
		const readState = createReadState();
		const tools = createReadOnlyTools(plainContext(temp.folder, { readState }));
		await callTool(tools, "grep", { pattern: "const" });
		await callTool(tools, "glob", { pattern: "*" });
		await callTool(tools, "diagnose", {});
		expect(readState.hashOf("a.ts")).toBeUndefined();
	});
});
