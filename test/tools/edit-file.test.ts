import { execFileSync } from "node:child_process";
import { existsSync, linkSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createEditFile } from "../../src/tools/edit-file.ts";
import { createMultiEdit } from "../../src/tools/multi-edit.ts";
import { createReadFile } from "../../src/tools/read-file.ts";
import { createReadState } from "../../src/tools/read-state.ts";
import { applyTextEdit } from "../../src/tools/text-edit.ts";
import { createWriteFile } from "../../src/tools/write-file.ts";
import { makeTree, use } from "./tree.ts";

describe("edit_file and multi_edit", () => {
	it("S-036 S-066 a file has to be read by this very child before it is edited", async () => {
		await using tree = await makeTree({ "a.ts": "one\n" });
		const caller = tree.context();
		const child = tree.context({ readState: createReadState() });
		await use(createReadFile(child), { path: "a.ts" });
		expect(await use(createEditFile(caller), { path: "a.ts", oldText: "one", newText: "two" })).toMatchObject({
			isError: true,
			content: expect.stringContaining("read first"),
		});
		expect(readFileSync(path.join(tree.root, "a.ts"), "utf8")).toBe("one\n");
		await use(createReadFile(caller), { path: "a.ts" });
		expect(await use(createEditFile(caller), { path: "a.ts", oldText: "one", newText: "two" })).toMatchObject({
			data: { changedPaths: ["a.ts"] },
		});
		expect(readFileSync(path.join(tree.root, "a.ts"), "utf8")).toBe("two\n");
		expect(await use(createEditFile(child), { path: "a.ts", oldText: "two", newText: "three" })).toMatchObject({
			isError: true,
			content: expect.stringContaining("has changed"),
		});
	});

	it("A68 a text that stands there never or twice, and a file that has changed, stay as they are", async () => {
		await using tree = await makeTree({ "a.ts": "x = 1\nx = 1\n" });
		const context = tree.context();
		const edit = createEditFile(context);
		await use(createReadFile(context), { path: "a.ts" });
		expect(await use(edit, { path: "a.ts", oldText: "y", newText: "z" })).toMatchObject({
			isError: true,
			content: expect.stringContaining("does not stand"),
		});
		expect(await use(edit, { path: "a.ts", oldText: "x = 1", newText: "z" })).toMatchObject({
			isError: true,
			content: expect.stringContaining("2 times"),
		});
		expect(readFileSync(path.join(tree.root, "a.ts"), "utf8")).toBe("x = 1\nx = 1\n");
		writeFileSync(path.join(tree.root, "a.ts"), "x = 2\n");
		expect(await use(edit, { path: "a.ts", oldText: "x = 2", newText: "z" })).toMatchObject({ isError: true });
		expect(readFileSync(path.join(tree.root, "a.ts"), "utf8")).toBe("x = 2\n");
	});

	it("A68 several edits are made all or not at all", async () => {
		await using tree = await makeTree({ "a.ts": "one two three\n" });
		const context = tree.context();
		const edit = createMultiEdit(context);
		await use(createReadFile(context), { path: "a.ts" });
		const edits = [
			{ oldText: "one", newText: "1" },
			{ oldText: "four", newText: "4" },
		];
		expect(await use(edit, { path: "a.ts", edits })).toMatchObject({ isError: true, content: expect.stringContaining("edit 2 of 2") });
		expect(readFileSync(path.join(tree.root, "a.ts"), "utf8")).toBe("one two three\n");
		await use(edit, {
			path: "a.ts",
			edits: [
				{ oldText: "one", newText: "1" },
				{ oldText: "1 two", newText: "1 2" },
			],
		});
		expect(readFileSync(path.join(tree.root, "a.ts"), "utf8")).toBe("1 2 three\n");
	});

	it("BR-13 a CRLF file keeps its line ends, and a mixed one keeps each", async () => {
		await using tree = await makeTree({ "w.txt": "one\r\ntwo\r\nthree\r\n", "m.txt": "a\nb\r\nc\nd\r\n" });
		const context = tree.context();
		for (const file of ["w.txt", "m.txt"]) await use(createReadFile(context), { path: file });
		await use(createEditFile(context), { path: "w.txt", oldText: "one\ntwo\n", newText: "ONE\nTWO\nMORE\n" });
		expect(readFileSync(path.join(tree.root, "w.txt"), "utf8")).toBe("ONE\r\nTWO\r\nMORE\r\nthree\r\n");
		await use(createEditFile(context), { path: "m.txt", oldText: "c", newText: "c\nc2" });
		expect(readFileSync(path.join(tree.root, "m.txt"), "utf8")).toBe("a\nb\r\nc\nc2\nd\r\n");
		await use(createWriteFile(context), { path: "w.txt", content: "new\ntext\n" });
		expect(readFileSync(path.join(tree.root, "w.txt"), "utf8")).toBe("new\r\ntext\r\n");
	});

	it("BR-13 an edit touches nothing but its place", () => {
		const part = fc.array(fc.constantFrom("a", "b", "\n", "\r\n", "x"), { maxLength: 12 }).map((signs) => signs.join(""));
		fc.assert(
			fc.property(part, part, fc.constantFrom("NEW", "N\nEW", ""), (before, after, replacement) => {
				const text = `${before}@@${after}`;
				const result = applyTextEdit(text, { oldText: "@@", newText: replacement });
				expect(result.ok && result.text.startsWith(before) && result.text.endsWith(after)).toBe(true);
				expect(result.ok && result.text.replaceAll("\r\n", "\n")).toBe(text.replaceAll("\r\n", "\n").replace("@@", replacement));
			}),
		);
	});

	it("names of arguments that models know mean the same", async () => {
		await using tree = await makeTree({ "a.ts": "one one\n" });
		const context = tree.context();
		await use(createReadFile(context), { path: "a.ts" });
		await use(createEditFile(context), { file_path: "a.ts", old_string: "one", new_string: "two", replace_all: true });
		expect(readFileSync(path.join(tree.root, "a.ts"), "utf8")).toBe("two two\n");
	});

	it("A58 nothing is written through a link of any kind", async () => {
		await using tree = await makeTree({ "dir/a.ts": "one\n" });
		const target = path.join(tree.outside, "target");
		writeFileSync(target, "untouched");
		symlinkSync(target, path.join(tree.root, "file-link"));
		symlinkSync(tree.outside, path.join(tree.root, "folder-link"));
		symlinkSync("folder-link", path.join(tree.root, "chain"));
		symlinkSync("..", path.join(tree.root, "dir/up"));
		const write = createWriteFile(tree.context());
		for (const file of ["file-link", "folder-link/target", "folder-link/new", "folder-link/deep/new", "chain/new", "dir/up/new"]) {
			expect(await use(write, { path: file, content: "x" }), file).toMatchObject({ isError: true, code: "E_PATH" });
		}
		expect(readFileSync(target, "utf8")).toBe("untouched");
		expect(["new", "deep"].filter((name) => existsSync(path.join(tree.outside, name)))).toEqual([]);
	});

	it("A57 A60 A61 A66 paths that are none, hard links, pipes and git's own files are not written", async () => {
		await using tree = await makeTree({ "a.ts": "one\n", ".git/config": "[core]\n" });
		const context = tree.context();
		const write = createWriteFile(context);
		const target = path.join(tree.outside, "target");
		writeFileSync(target, "untouched");
		linkSync(target, path.join(tree.root, "hard"));
		execFileSync("mkfifo", [path.join(tree.root, "pipe")]);
		mkdirSync(path.join(tree.root, "sub"));
		for (const file of [
			"../outside/x",
			"/etc/x",
			"~/x",
			"C:\\x",
			"file:///etc/x",
			"a\0b",
			"hard",
			"pipe",
			".git/config",
			".git",
			".GIT/hooks/x",
			"sub/.git/config",
		]) {
			expect(await use(write, { path: file, content: "x" }), JSON.stringify(file)).toMatchObject({ isError: true, code: "E_PATH" });
		}
		expect(await use(write, { path: "/proc/self/environ", content: "x" })).toMatchObject({ code: "E_PROC" });
		expect(readFileSync(target, "utf8")).toBe("untouched");
		expect(readFileSync(path.join(tree.root, ".git/config"), "utf8")).toBe("[core]\n");
		expect(lstatSync(path.join(tree.root, "pipe")).isFIFO()).toBe(true);
	});

	it("A67 a denied path is neither made nor changed, in no spelling", async () => {
		await using tree = await makeTree({});
		for (const file of ["secrets/x", "./secrets//x", "a/../Secrets/x", ".env"]) {
			expect(await use(createWriteFile(tree.context()), { path: file, content: "x" }), file).toMatchObject({
				isError: true,
				code: "E_POLICY",
			});
		}
		expect(["secrets", "Secrets", ".env"].filter((name) => existsSync(path.join(tree.root, name)))).toEqual([]);
	});

	it("a file that is no text is not changed, and one that was made counts as read", async () => {
		await using tree = await makeTree({ "b.bin": Buffer.from([0xff, 0xfe, 0x41]) });
		const context = tree.context();
		await use(createReadFile(context), { path: "b.bin" });
		expect(await use(createWriteFile(context), { path: "b.bin", content: "x" })).toMatchObject({
			isError: true,
			content: expect.stringContaining("UTF-8"),
		});
		expect(await use(createWriteFile(context), { path: "new/deep/a.ts", content: "one\n" })).toMatchObject({
			content: expect.stringContaining("made"),
		});
		expect(await use(createEditFile(context), { path: "new/deep/a.ts", oldText: "one", newText: "two" })).not.toMatchObject({
			isError: true,
		});
		expect(readFileSync(path.join(tree.root, "new/deep/a.ts"), "utf8")).toBe("two\n");
	});
});
