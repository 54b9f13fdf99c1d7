import { describe, expect, it } from "vitest";
import { parseRaw } from "../../src/context/parse-raw.ts";

const A = "a".repeat(40);
const B = "b".repeat(40);
const parse = (...fields: string[]) => parseRaw(Buffer.from(fields.map((field) => `${field}\0`).join(""), "utf8"));

describe("parseRaw", () => {
	it("BR-04 a rename has two names, and both lists have them", () => {
		expect(parse(`:100644 100755 ${A} ${A} R100`, "lib/a.sh", "bin/a.sh", "0\t0\t", "lib/a.sh", "bin/a.sh")).toEqual([
			{
				path: "bin/a.sh",
				previousPath: "lib/a.sh",
				status: "renamed",
				oldMode: "100644",
				newMode: "100755",
				oldBlob: A,
				newBlob: A,
				binary: false,
				additions: 0,
				deletions: 0,
			},
		]);
	});

	it("BR-05 a change of mode alone is told from a change of content", () => {
		const files = parse(`:100644 100755 ${A} ${A} M`, "x", `:100644 100755 ${A} ${B} M`, "y", "0\t0\tx", "1\t2\ty");
		expect(files.map((file) => [file.path, file.status, file.additions, file.deletions])).toEqual([
			["x", "mode-changed", 0, 0],
			["y", "modified", 1, 2],
		]);
	});

	it("BR-06 counts of - mean binary", () => {
		expect(parse(`:100644 100644 ${A} ${B} M`, "logo one.png", "-\t-\tlogo one.png")[0]).toMatchObject({
			binary: true,
			additions: 0,
			deletions: 0,
		});
	});

	it("BR-07 a submodule names its two commits; one that did not move is no change", () => {
		const moved = parse(`:160000 160000 ${A} ${B} M`, "lib", "1\t1\tlib");
		expect(moved[0]?.submodule).toEqual({ from: A, to: B });
		expect(parse(`:160000 160000 ${A} ${A} M`, "lib", "0\t0\tlib")).toEqual([]);
	});

	it("R44 names that look like syntax are taken by their place", () => {
		const names = [`:100644 100644 ${A} ${B} M`, "1\t1\tx", "a\nb", 'we"ird\\'];
		const entries = names.flatMap((name) => [`:100644 100644 ${A} ${B} M`, name]);
		const counts = names.map((name) => `3\t4\t${name}`);
		expect(parse(...entries, ...counts).map((file) => [file.path, file.additions])).toEqual(names.map((name) => [name, 3]));
	});

	it("BR-47 output that is cut off throws and is never an empty list", () => {
		expect(() => parseRaw(Buffer.from(`:100644 100644 ${A} ${B} M\0x`))).toThrow("cut off");
		expect(() => parse(`:100644 100644 ${A} ${B} M`, "x")).toThrow("line count is missing");
		expect(() => parse(`:100644 100644 ${A} ${B} M`, "x", "1\t1\ty")).toThrow("line counts of y where x was due");
		expect(() => parse(`:100644 100644 ${A} ${B} M`, "x", "1\t1\tx", "z")).toThrow("too many");
		expect(parseRaw(Buffer.alloc(0))).toEqual([]);
	});
});
