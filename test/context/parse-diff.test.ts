import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeQuotedPath } from "../../src/context/decode-git-path.ts";
import {
	type DiffSection,
	isUnchangedSubmodule,
	parseDiff,
	parseDiffBuffer,
	parsePatchText,
	readHunks,
	toFilePatch,
} from "../../src/context/parse-diff.ts";
import type { FilePatch } from "../../src/domain/change-set.ts";

const parse = (text: string): FilePatch[] => parseDiffBuffer(Buffer.from(text)).map(toFilePatch);

/** `kind old new text` of every line, for short expectations. */
function outline(patch: FilePatch | undefined): string[] {
	const marks = { context: " ", added: "+", deleted: "-" };
	return (patch?.hunks ?? []).flatMap((hunk) =>
		hunk.lines.map((line) => `${marks[line.kind]}${line.oldLine ?? ""}/${line.newLine ?? ""} ${line.text}${line.noNewline ? " \\" : ""}`),
	);
}

const HEADER_LOOKALIKES = `diff --git a/q.sql b/q.sql
index 584c7e0..008557d 100644
--- a/q.sql
+++ b/q.sql
@@ -1 +1 @@
--- old note
+++ new note
@@ -7 +7 @@ select 5;
-x = 1
+x = 2
`;

const NO_NEWLINE = `diff --git a/nonl.txt b/nonl.txt
index 0a207c0..1c943a9 100644
--- a/nonl.txt
+++ b/nonl.txt
@@ -1,2 +1,3 @@
 a
-b
\\ No newline at end of file
+b
+c
\\ No newline at end of file
`;

const QUOTED = `diff --git "a/caf\\303\\251.md" "b/caf\\303\\251.md"
index 587be6b..975fbec 100644
--- "a/caf\\303\\251.md"
+++ "b/caf\\303\\251.md"
@@ -1 +1 @@
-x
+y
diff --git "a/we\\"ird.txt" "b/we\\"ird.txt"
index e556b83..110ed9b 100644
--- "a/we\\"ird.txt"
+++ "b/we\\"ird.txt"
@@ -1 +1 @@
-w
+v
`;

const RENAME_AND_MODE = `diff --git a/lib/a.sh b/bin/a.sh
old mode 100644
new mode 100755
similarity index 100%
rename from lib/a.sh
rename to bin/a.sh
diff --git a/z.txt b/z.txt
index 1111111..2222222 100644
--- a/z.txt
+++ b/z.txt
@@ -1 +1 @@
-1
+2
`;

const MODE_AND_EMPTY = `diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git a/empty.txt b/empty.txt
new file mode 100644
index 0000000..e69de29
diff --git a/k.ts b/k.ts
index 1111111..2222222 100644
--- a/k.ts
+++ b/k.ts
@@ -3,0 +4 @@ export {}
+export const k = 1
`;

const BINARY = `diff --git a/img/logo one.png b/img/logo one.png
index 8352675..1592e5c 100644
Binary files a/img/logo one.png and b/img/logo one.png differ
`;

const BINARY_PATCH = `diff --git a/i.bin b/i.bin
index 8352675..1592e5c 100644
GIT binary patch
literal 3
Kcmb=J@@-1 +1

literal 0
HcmV?d00001

diff --git a/z.txt b/z.txt
index 1111111..2222222 100644
--- a/z.txt
+++ b/z.txt
@@ -1 +1 @@
-1
+2
`;

function submodule(from: string, to: string, mode: string): string {
	return `diff --git a/vendor/lib b/vendor/lib
index 51e0a7c..9b0c7de${mode}
--- a/vendor/lib
+++ b/vendor/lib
@@ -1 +1 @@
-Subproject commit ${from}
+Subproject commit ${to}
`;
}

const COMBINED = `diff --cc conf.yml
index 62d8fe9,37d4e6c..20b117f
--- a/conf.yml
+++ b/conf.yml
@@@ -1,1 -1,1 +1,1 @@@
- left
 -right
++both
`;

const CRLF =
	"diff --git a/w.txt b/w.txt\nindex 4e349b5..24fe5dc 100644\n--- a/w.txt\n+++ b/w.txt\n@@ -1,2 +1,2 @@\n one\r\n-two\r\n+TWO\r\n";

const ALL = [HEADER_LOOKALIKES, NO_NEWLINE, QUOTED, RENAME_AND_MODE, MODE_AND_EMPTY, BINARY, BINARY_PATCH, COMBINED, CRLF].join("");

describe("parseDiff", () => {
	it("BR-01 content that looks like a file header stays content", () => {
		const files = parse(HEADER_LOOKALIKES);
		expect(files.map((file) => file.path)).toEqual(["q.sql"]);
		expect(files[0]?.hunks).toHaveLength(2);
		expect(files[0]?.hunks[1]?.section).toBe("select 5;");
		expect(outline(files[0])).toEqual(["-1/ -- old note", "+/1 ++ new note", "-7/ x = 1", "+/7 x = 2"]);
	});

	it("BR-02 the no-newline marker touches no counter", () => {
		expect(outline(parse(NO_NEWLINE)[0])).toEqual([" 1/1 a", "-2/ b \\", "+/2 b", "+/3 c \\"]);
	});

	it("BR-03 quoted names are decoded byte by byte, then as UTF-8", () => {
		expect(parse(QUOTED).map((file) => file.path)).toEqual(["café.md", 'we"ird.txt']);
	});

	it("BR-03 an escape above 377 is refused and the section marked", () => {
		expect(decodeQuotedPath(Buffer.from('"a\\777"'))).toBeUndefined();
		expect(decodeQuotedPath(Buffer.from('"a\\400"'))).toBeUndefined();
		expect(decodeQuotedPath(Buffer.from('"a\\q"'))).toBeUndefined();
		expect(decodeQuotedPath(Buffer.from('"a'))).toBeUndefined();
		const [file] = parse(`diff --git "a/x\\777" "b/x\\777"\n--- "a/x\\777"\n+++ "b/x\\777"\n@@ -1 +1 @@\n-a\n+b\n`);
		expect(file?.problem).toBe("the file name cannot be decoded");
	});

	it("BR-03 every name survives git's quoting", () => {
		fc.assert(
			fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (bytes) => {
				const quoted = `"${[...bytes].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")}"`;
				expect(decodeQuotedPath(Buffer.from(quoted))).toEqual({ path: Buffer.from(bytes).toString("utf8"), end: quoted.length });
			}),
		);
	});

	it("BR-04 a rename with a mode change has both names and no hunk, and the next file is whole", () => {
		const [moved, next] = parse(RENAME_AND_MODE);
		expect(moved).toEqual({ path: "bin/a.sh", previousPath: "lib/a.sh", binary: false, hunks: [] });
		expect(next?.path).toBe("z.txt");
		expect(outline(next)).toEqual(["-1/ 1", "+/1 2"]);
	});

	it("BR-05 mode-only and empty new files have no anchors and swallow nothing", () => {
		const files = parse(MODE_AND_EMPTY);
		expect(files.map((file) => [file.path, file.hunks.length])).toEqual([
			["run.sh", 0],
			["empty.txt", 0],
			["k.ts", 1],
		]);
		expect(outline(files[2])).toEqual(["+/4 export const k = 1"]);
	});

	it("BR-06 binary files have a name with blanks, a mark and no anchors", () => {
		expect(parse(BINARY)).toEqual([{ path: "img/logo one.png", binary: true, hunks: [] }]);
	});

	it("BR-06 the body of a binary patch is passed over", () => {
		const files = parse(BINARY_PATCH);
		expect(files.map((file) => [file.path, file.binary, file.hunks.length])).toEqual([
			["i.bin", true, 0],
			["z.txt", false, 1],
		]);
	});

	it("BR-07 a submodule moves without anchors, with and without a mode", () => {
		const from = "51e0a7c0ffee51e0a7c0ffee51e0a7c0ffee51e0";
		const to = "9b0c7de0c0ffee0c0ffee0c0ffee0c0ffee0c0ff";
		for (const mode of [" 160000", ""]) {
			expect(parse(submodule(from, to, mode))).toEqual([{ path: "vendor/lib", binary: false, submodule: { from, to }, hunks: [] }]);
		}
		const [dirty] = parseDiffBuffer(Buffer.from(submodule(from, `${from}-dirty`, " 160000")));
		expect(dirty !== undefined && isUnchangedSubmodule(dirty)).toBe(true);
		expect(isUnchangedSubmodule({ submodule: { from, to } })).toBe(false);
	});

	it("BR-07 a text file that quotes a pointer line stays a text file", () => {
		const text = submodule("5".repeat(40), "6".repeat(40), " 100644");
		expect(parse(text)[0]?.hunks).toHaveLength(1);
	});

	it("BR-08 a combined section is recognised, marked and without anchors", () => {
		const [merge, next] = parse(COMBINED + BINARY);
		expect(merge).toEqual({ path: "conf.yml", binary: false, combined: true, hunks: [] });
		expect(next?.path).toBe("img/logo one.png");
	});

	it("BR-13 the CR before a line feed is content and counts no line", () => {
		expect(outline(parse(CRLF)[0])).toEqual([" 1/1 one\r", "-2/ two\r", "+/2 TWO\r"]);
	});

	it("gives the same sections however the stream is cut", async () => {
		const whole = parseDiffBuffer(Buffer.from(ALL)).map(describeSection);
		expect(whole).toHaveLength(14);
		await fc.assert(
			fc.asyncProperty(fc.integer({ min: 1, max: 97 }), async (size) => {
				const bytes = Buffer.from(ALL);
				const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
					bytes.subarray(index * size, index * size + size),
				);
				const cut: object[] = [];
				for await (const section of parseDiff(streamOf(chunks))) cut.push(describeSection(section));
				expect(cut).toEqual(whole);
			}),
			{ numRuns: 60 },
		);
	});

	it("marks a hunk that is cut off, and one that has fewer lines than it says", () => {
		expect(parse("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b")[0]?.problem).toBe("the last hunk is cut off");
		const [short, next] = parse(`diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n${BINARY}`);
		expect(short?.problem).toBe("a hunk has fewer lines than its header says");
		expect(next?.path).toBe("img/logo one.png");
	});

	it("offsets name the bytes of each section in the stream", () => {
		const bytes = Buffer.from(ALL);
		for (const section of parseDiffBuffer(bytes)) {
			expect(bytes.subarray(section.offset, section.offset + section.bytes.length).equals(section.bytes)).toBe(true);
			expect(section.bytes.toString().startsWith("diff --")).toBe(true);
		}
	});
});

describe("parsePatchText", () => {
	it("BR-10 reads the API's patch, which has no header and no last line feed", () => {
		const patch = parsePatchText("@@ -1 +1 @@\n-a\n+b", { path: "src/a.ts" });
		expect(patch).toMatchObject({ path: "src/a.ts", binary: false });
		expect(outline(patch)).toEqual(["-1/ a", "+/1 b"]);
	});

	it("BR-12 keeps both names of a renamed file", () => {
		const names = { path: "pkg/core/id.ts", previousPath: "pkg/secure/id.ts" };
		const patch = parsePatchText("@@ -10 +10 @@ function id() {\n-  return a\n+  return b", names);
		expect(patch).toMatchObject(names);
		expect(patch.hunks[0]?.section).toBe("function id() {");
		expect(outline(patch)).toEqual(["-10/   return a", "+/10   return b"]);
	});

	it("an empty patch has no hunks", () => {
		expect(parsePatchText("", { path: "x" }).hunks).toEqual([]);
	});
});

async function* streamOf(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
	for (const chunk of chunks) yield chunk;
}

function describeSection(section: DiffSection): object {
	return { ...section, bytes: section.bytes.toString("latin1"), hunks: [...section.hunks], lines: readHunks(section) };
}
