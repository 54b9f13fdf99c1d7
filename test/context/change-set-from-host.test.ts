import { expect, it } from "vitest";
import { changeSetFromHost } from "../../src/context/change-set-from-host.ts";

const commits = { base: "1".repeat(40), head: "2".repeat(40) };

it("BR-10 a file without patch is kept, with the reason why it has none", () => {
	const { changeSet, patches, withoutPatch } = changeSetFromHost(
		[
			{ path: "assets/intro.json", status: "added", additions: 1, deletions: 0 },
			{ path: "logo.png", status: "removed", additions: 0, deletions: 0 },
			{ path: "src/new.ts", previousPath: "src/old.ts", status: "renamed", additions: 0, deletions: 0 },
			{ path: "src/a.ts", status: "modified", additions: 1, deletions: 1, patch: "@@ -1 +1 @@\n-a\n+b" },
		],
		commits,
		4,
	);
	expect(changeSet.files.map((file) => [file.path, file.status, file.binary])).toEqual([
		["assets/intro.json", "added", false],
		["logo.png", "deleted", true],
		["src/new.ts", "renamed", false],
		["src/a.ts", "modified", false],
	]);
	expect([...withoutPatch]).toEqual([
		["assets/intro.json", "too large for the API"],
		["logo.png", "binary or empty"],
		["src/new.ts", "moved without a change"],
	]);
	expect(patches.map((patch) => patch.hunks.length)).toEqual([0, 0, 0, 1]);
});

it("BR-11 says how many of the changed files the API listed", () => {
	const files = [{ path: "a", status: "modified", additions: 0, deletions: 0, patch: "" }];
	expect(changeSetFromHost(files, commits, 412).note).toBe("The API listed 1 of 412 changed files; the others were not looked at.");
	expect(changeSetFromHost(files, commits, 1).note).toBeUndefined();
	expect(changeSetFromHost(files, commits, undefined).note).toBeUndefined();
});

it("BR-12 a renamed file keeps its old name in both forms", () => {
	const { changeSet, patches } = changeSetFromHost(
		[
			{
				path: "pkg/core/id.ts",
				previousPath: "pkg/secure/id.ts",
				status: "renamed",
				additions: 1,
				deletions: 1,
				patch: "@@ -10 +10 @@\n-a\n+b",
			},
		],
		commits,
		1,
	);
	expect(changeSet.files[0]?.previousPath).toBe("pkg/secure/id.ts");
	expect(patches[0]?.previousPath).toBe("pkg/secure/id.ts");
});
