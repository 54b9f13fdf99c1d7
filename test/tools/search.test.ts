import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createReadOnlyTools } from "../../src/tools/create-read-only-tools.ts";
import { callTool, makeTempFolder, plainContext, writeFiles } from "./tool-fixture.ts";

const FILES = {
	"src/a.ts": "import x from 'y';\nexport const alpha = 1;\n// Alpha again\n",
	"src/deep/b.ts": "alpha();\n",
	"docs/read me.md": "alpha -f/etc/passwd --pre=x\n",
	"a.sql": "select 1;\n",
};

describe("glob", () => {
	it.each([
		["*.ts", ["src/a.ts", "src/deep/b.ts"]],
		["src/*.ts", ["src/a.ts"]],
		["src/", ["src/a.ts", "src/deep/b.ts"]],
		["./src/**/*.ts", ["src/a.ts", "src/deep/b.ts"]],
		["{docs,src/deep}/**", ["docs/read me.md", "src/deep/b.ts"]],
	])("%s", async (pattern, expected) => {
		using temp = makeTempFolder();
		writeFiles(temp.folder, FILES);
		const tools = createReadOnlyTools(plainContext(temp.folder));
		expect((await callTool(tools, "glob", { pattern })).content.split("\n")).toEqual(expected);
	});

	it.each(["../**", "/etc/*", "{..,x}/**", "link/*", "**/../../*", "{x,..}/*", "~/*", "+(..)/*"])(
		"A62 %s gives only paths below the root",
		async (pattern) => {
			using temp = makeTempFolder();
			const root = path.join(temp.folder, "root");
			writeFiles(temp.folder, { "outside.txt": "x", "x/outside.txt": "x" });
			writeFiles(root, FILES);
			symlinkSync(temp.folder, path.join(root, "link"));
			for (const context of [plainContext(root), plainContext(root, { listFiles: async () => [...Object.keys(FILES), "link"] })]) {
				const output = await callTool(createReadOnlyTools(context), "glob", { pattern });
				expect(output.content).not.toContain("outside");
				expect(output.content).not.toContain("passwd\n");
				if (output.isError === true) expect(output.code).toBe("E_PATH");
			}
		},
	);

	it("A63 a folder that links to itself ends the walk as soon as any other", async () => {
		using temp = makeTempFolder();
		writeFiles(temp.folder, FILES);
		symlinkSync(".", path.join(temp.folder, "src", "self"));
		const tools = createReadOnlyTools(plainContext(temp.folder));
		const started = performance.now();
		expect((await callTool(tools, "glob", { pattern: "**/*" })).content.split("\n")).toHaveLength(4);
		expect((await callTool(tools, "grep", { pattern: "alpha" })).content.split("\n")).toHaveLength(3);
		expect(performance.now() - started).toBeLessThan(2_000);
	});

	it("is capped and says so; a name with a line feed stays on one line", async () => {
		using temp = makeTempFolder();
		const listFiles = async () => ["odd\nname.ts", ...Array.from({ length: 300 }, (_, index) => `f${index}.ts`)];
		const { content } = await callTool(createReadOnlyTools(plainContext(temp.folder, { listFiles })), "glob", { pattern: "*.ts" });
		const lines = content.split("\n");
		expect(lines).toHaveLength(201);
		expect(lines[0]).toBe('"odd\\nname.ts"');
		expect(lines.at(-1)).toBe("(101 more of 301; narrow the pattern)");
	});
});

describe("grep", () => {
	it("prints path:line:text, with lines around when asked", async () => {
		using temp = makeTempFolder();
		writeFiles(temp.folder, FILES);
		const tools = createReadOnlyTools(plainContext(temp.folder));
		expect((await callTool(tools, "grep", { pattern: "const (\\w+)" })).content).toBe("src/a.ts:2:export const alpha = 1;");
		expect((await callTool(tools, "grep", { pattern: "ALPHA", ignoreCase: true, path: "src" })).content).toBe(
			"src/a.ts:2:export const alpha = 1;\nsrc/a.ts:3:// Alpha again\nsrc/deep/b.ts:1:alpha();",
		);
		expect((await callTool(tools, "grep", { pattern: "(?i)ALPHA\\(", path: "*.ts" })).content).toBe("src/deep/b.ts:1:alpha();");
		expect((await callTool(tools, "grep", { pattern: "const", path: "src/a.ts", context: "1" })).content).toBe(
			"src/a.ts-1-import x from 'y';\nsrc/a.ts:2:export const alpha = 1;\nsrc/a.ts-3-// Alpha again",
		);
		expect((await callTool(tools, "grep", { pattern: "alpha(" })).content).toBe(
			"src/deep/b.ts:1:alpha();\n(not a valid regular expression, so it was searched as plain text)",
		);
	});

	it("A64 patterns never become options", async () => {
		using temp = makeTempFolder();
		writeFiles(temp.folder, FILES);
		const tools = createReadOnlyTools(plainContext(temp.folder));
		for (const pattern of ["--pre=x", "-f/etc/passwd"]) {
			expect((await callTool(tools, "grep", { pattern })).content).toBe("docs/read me.md:1:alpha -f/etc/passwd --pre=x");
		}
		expect((await callTool(tools, "grep", { pattern: "root", path: "-f/etc/passwd" })).content).not.toContain("root:");
	});

	it("A64 a pattern that backtracks without end does not keep anybody waiting", async () => {
		using temp = makeTempFolder();
		writeFileSync(path.join(temp.folder, "a.txt"), `${"a".repeat(1_000_000)}b\n`);
		const tools = createReadOnlyTools(plainContext(temp.folder));
		let ticks = 0;
		const ticker = setInterval(() => ticks++, 20);
		const started = performance.now();
		const linear = await callTool(tools, "grep", { pattern: "(a+)+$" });
		const linearMs = performance.now() - started;
		expect(linearMs).toBeLessThan(5_000);
		expect(linear.content).toMatch(/^No match\./);
		// Look-around keeps V8 from its linear engine, so this one must be ended from outside.
		ticks = 0;
		const evil = performance.now();
		const ended = await callTool(tools, "grep", { pattern: "(?=a)(a+)+$" });
		const evilMs = performance.now() - evil;
		clearInterval(ticker);
		expect(evilMs).toBeLessThan(5_500);
		expect(ended.isError).toBe(true);
		expect(ended.content).toMatch(/too slow/);
		expect(ticks).toBeGreaterThan(evilMs / 100);
	});

	it("is capped and cuts long lines", async () => {
		using temp = makeTempFolder();
		mkdirSync(path.join(temp.folder, "many"));
		writeFileSync(path.join(temp.folder, "many/x.txt"), "hit\n".repeat(500));
		writeFileSync(path.join(temp.folder, "long.txt"), `hit ${"x".repeat(5_000)}\n`);
		writeFileSync(path.join(temp.folder, "binary"), Buffer.from("hit\0hit\n"));
		const tools = createReadOnlyTools(plainContext(temp.folder));
		const many = (await callTool(tools, "grep", { pattern: "hit", path: "many" })).content.split("\n");
		expect(many).toHaveLength(201);
		expect(many.at(-1)).toBe("(cut at 200 matches; narrow the pattern or the path)");
		expect((await callTool(tools, "grep", { pattern: "hit", path: "long.txt" })).content.length).toBeLessThan(330);
		expect((await callTool(tools, "grep", { pattern: "hit", path: "binary" })).content).toBe("No match.");
	});
});
