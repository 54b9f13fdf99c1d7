import { describe, expect, it } from "vitest";
import { extendTable, LANGUAGES } from "../../src/agents/experts/table.ts";
import { findCheckFolders } from "../../src/checks/find-check-folders.ts";

function folders(id: string, files: readonly string[], changed?: readonly string[], checks: Readonly<Record<string, string>> = {}) {
	const profile = extendTable(LANGUAGES, {}, checks).find((each) => each.id === id);
	if (profile === undefined) throw new Error(id);
	return findCheckFolders(profile, files, changed).map((folder) => [folder.path, profile.testCommand(folder.files)]);
}

describe("where a language's commands are run", () => {
	it("the nearest manifest decides in a monorepo, the lock file of the workspace above it the tool", () => {
		const files = ["pnpm-lock.yaml", "package.json", "apps/web/package.json", "apps/web/src/a.ts", "apps/api/package.json", "tools/x.ts"];
		expect(folders("typescript", files, ["apps/web/src/a.ts", "tools/x.ts"])).toEqual([
			["", "pnpm test"],
			["apps/web", "pnpm test"],
		]);
	});

	it("one Maven or Gradle build covers its modules", () => {
		const files = ["pom.xml", "core/pom.xml", "core/src/main/java/A.java", "web/pom.xml"];
		expect(folders("java", files, ["core/src/main/java/A.java"])).toEqual([["", "mvn -B -ntp test"]]);
		expect(folders("java", ["server/pom.xml", "server/A.java"], ["server/A.java"])).toEqual([["server", "mvn -B -ntp test"]]);
	});

	it("each Go module is its own folder, a crate of a workspace, too", () => {
		const files = ["go.mod", "a.go", "tools/go.mod", "tools/b.go", "Cargo.toml", "crates/x/Cargo.toml", "crates/x/src/lib.rs"];
		expect(folders("go", files)).toEqual([
			["", "go test ./..."],
			["tools", "go test ./..."],
		]);
		expect(folders("rust", files, ["crates/x/src/lib.rs"])).toEqual([["crates/x", "cargo test"]]);
	});

	it("a command of the settings runs once, at the top", () => {
		expect(folders("go", ["a/go.mod", "a/x.go", "b/go.mod", "b/y.go"], undefined, { go: "make check" })).toEqual([["", "make check"]]);
	});

	it("without a manifest above a file the top is tried, and nothing where that says nothing", () => {
		expect(folders("python", ["tests/test_a.py", "src/a.py"], ["src/a.py"])).toEqual([["", "pytest"]]);
		expect(folders("go", ["x.go"])).toEqual([]);
	});
});
