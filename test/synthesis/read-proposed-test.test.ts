import { describe, expect, it } from "vitest";
import { readProposedTest } from "../../src/synthesis/read-proposed-test.ts";

describe("readProposedTest", () => {
	it.each([
		["a fence", "pkg/mean_test.go\n```go\npackage pkg\n\nfunc A() {}\n```"],
		["plain text", "pkg/mean_test.go\npackage pkg\n\nfunc A() {}\n"],
		["a label and back-ticks", "Test: `pkg/mean_test.go`:\r\n~~~\r\npackage pkg\r\n\r\nfunc A() {}\r\n~~~\r\n"],
	])("X-10 reads a path and a text in %s", (_, detail) => {
		expect(readProposedTest(detail)).toEqual({ path: "pkg/mean_test.go", content: "package pkg\n\nfunc A() {}\n" });
	});

	it.each([
		["nothing", ""],
		["a place instead of a test", "pkg/mean.go:12"],
		["a sentence", "I ran the tests and they fail\nwith a panic"],
		["a path that leaves the tree", "../mean_test.go\npackage a"],
		["a path that leaves the tree later", "a/../../mean_test.go\npackage a"],
		["an absolute path", "/tmp/mean_test.go\npackage a"],
		["a path with a blank", "my test.go\npackage a"],
		["a fence that is not closed", "mean_test.go\n```go\npackage a"],
		["too much text", `mean_test.go\n${"x".repeat(10_001)}`],
	])("X-10 takes %s for no test", (_, detail) => {
		expect(readProposedTest(detail)).toBeUndefined();
	});
});
