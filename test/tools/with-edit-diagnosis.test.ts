import { describe, expect, it } from "vitest";
import { createWriteTools } from "../../src/tools/create-hosted-tools.ts";
import { createReadFile } from "../../src/tools/read-file.ts";
import { createReadState } from "../../src/tools/read-state.ts";
import { createTestSyntax, makeTempFolder, writeFiles } from "./tool-fixture.ts";

const never = new AbortController().signal;

function openTools(folder: string) {
	const context = {
		...{ root: folder, head: "2".repeat(40), mergeBase: "1".repeat(40), changedFiles: [], readState: createReadState() },
		readPatches: async () => [],
		readBase: async () => undefined,
		syntax: createTestSyntax(),
	};
	const tools = [createReadFile(context), ...createWriteTools(context)];
	return (name: string, input: object) => {
		const tool = tools.find((candidate) => candidate.spec.name === name);
		const parsed = tool?.parse(input);
		if (tool === undefined || parsed?.ok !== true) throw new Error(`${name}: ${parsed?.ok === false ? parsed.error : "missing"}`);
		return tool.run(parsed.value, never);
	};
}

describe("edits", () => {
	it("S-074 an edit that breaks the syntax says so in its own result; one that mends it, and one that is sound, do not", async () => {
		using temp = makeTempFolder();
		writeFiles(temp.folder, { "a.py": "def add(a, b):\n    return a + b\n" });
		const run = openTools(temp.folder);
		await run("read_file", { path: "a.py" });
		const broken = await run("edit_file", { path: "a.py", oldText: "def add(a, b):", newText: "def add(a, b" });
		expect(broken.isError).toBeUndefined();
		expect(broken.content).toMatch(/1 place changed[\s\S]*does not parse any more[\s\S]*line 1: def add\(a, b/);
		const mended = await run("edit_file", { path: "a.py", oldText: "def add(a, b", newText: "def add(a, b):" });
		expect(mended.content).not.toContain("parse");
		expect((await run("write_file", { path: "b.py", content: "x = 1\n" })).content).not.toContain("parse");
		expect((await run("write_file", { path: "c.ts", content: "const x = {\n" })).content).toContain("does not parse any more");
	});

	it("what was broken before, and what has no grammar, is not held against an edit", async () => {
		using temp = makeTempFolder();
		writeFiles(temp.folder, { "a.py": "def add(a, b\n    return a + b\n", "note.txt": "x\n" });
		const run = openTools(temp.folder);
		await run("read_file", { path: "a.py" });
		await run("read_file", { path: "note.txt" });
		expect((await run("edit_file", { path: "a.py", oldText: "a + b", newText: "a - b" })).content).not.toContain("parse");
		expect((await run("edit_file", { path: "note.txt", oldText: "x", newText: "{" })).content).not.toContain("parse");
		expect((await run("edit_file", { path: "note.txt", oldText: "absent", newText: "y" })).isError).toBe(true);
	});
});
