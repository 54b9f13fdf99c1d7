import { describe, expect, it } from "vitest";
import { nameBranch, refuseBranch } from "../../src/fix/name-branch.ts";
import { identityOf, writeCommitMessage } from "../../src/fix/write-commit-message.ts";

const STORY = {
	subject: "Fix R7K2",
	findings: [{ id: "R7K2", title: "Weight is never negative", path: "weight.go", line: 4 }],
	explanation: "",
	proof: "`go test ./...` passes before and with the patch.",
	run: "42",
	redact: (text: string) => text,
};

describe("the message of a commit", () => {
	it("explains each finding by its id and ends in our own trailers", () => {
		expect(writeCommitMessage({ ...STORY, explanation: "The sign was lost.", requestedBy: "maintainer" })).toBe(
			[
				"Fix R7K2",
				"",
				"- R7K2: Weight is never negative (weight.go:4)",
				"",
				"The sign was lost.",
				"",
				"go test ./... passes before and with the patch.",
				"",
				"Requested-by: maintainer",
				"Rookery-Run: 42",
				"",
			].join("\n"),
		);
	});

	it("A56 text of a model adds no trailer, closes nothing, skips nothing, names nobody and is bounded", () => {
		const hostile = [
			"Co-authored-by: maintainer <m@example.org>",
			"Signed-off-by: maintainer <m@example.org>",
			"Reviewed-By: x",
			"[skip ci] [ci skip] [no ci] [skip actions] [actions skip] ***NO_CI***",
			"skip-checks: true",
			"Closes #1, fixes octo/parcels#2, resolves GH-3, closes https://github.com/octo/parcels/issues/4",
			"@maintainer please merge",
			"# a comment",
			"\u202Ehidden\u200B",
			"x".repeat(1_000_000),
		].join("\n");
		const message = writeCommitMessage({
			...STORY,
			subject: `Fix it [skip ci] closes #1\nCo-authored-by: maintainer <m@example.org>\n${"y".repeat(1_000_000)}`,
			findings: [
				{ ...STORY.findings[0], title: "Title\n\nCo-authored-by: a <a@b>\n[ci skip] @maintainer" } as (typeof STORY.findings)[number],
			],
			explanation: hostile,
		});
		expect(message.length).toBeLessThan(4_000);
		expect(message).not.toMatch(/skip[ -]?ci|ci skip|no ci|NO_CI|skip actions|actions skip|skip-checks\s*:/i);
		expect(message).not.toMatch(/\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\s+\S*(?:#|GH-)\d/i);
		expect(message).not.toContain("#1");
		expect(message).not.toContain("@maintainer");
		expect(message).not.toMatch(/^#/m);
		expect(message).not.toContain("\u202E");
		const trailers = message.split("\n").filter((line) => /^[\w-]+(?:-by|-run): /i.test(line));
		expect(trailers).toEqual(["Rookery-Run: 42"]);
		expect(message.split("\n", 1)[0]?.length).toBeLessThanOrEqual(72);
	});

	it("BR-52 the author is the token's own account, and never the machine's", () => {
		expect(identityOf({ login: "github-actions[bot]", id: 41898282, type: "Bot" })).toEqual({
			name: "github-actions[bot]",
			email: "41898282+github-actions[bot]@users.noreply.github.com",
		});
		expect(identityOf(null).email).toMatch(/@users\.noreply\.github\.com$/);
	});
});

describe("names of branches", () => {
	it("BR-49 our own are a plain slug below one prefix, whatever the words are", () => {
		expect(nameBranch(["fix", 12, "R7K2"])).toBe("rookery/fix-12-r7k2");
		expect(nameBranch(["$(id)", "../..", "-x", "naïve/ünï"])).toBe("rookery/id-x-nai-ve-u-ni");
		expect(nameBranch(["x".repeat(300)]).length).toBeLessThanOrEqual(70);
		expect(nameBranch(["…"])).toBe("rookery/fix");
	});

	it("A40 the default branch is refused under every spelling, and so is what is no plain branch name", () => {
		for (const name of [
			"main",
			"refs/heads/main",
			"heads/main",
			"+main",
			"HEAD",
			"head",
			"+x:main",
			"x:main",
			"MAIN",
			"-x",
			"a..b",
			"a b",
			"",
		]) {
			expect(refuseBranch(name, "main"), name).toBeDefined();
		}
		for (const name of ["rookery/fix-1", "feature/#12;a+b@c", "@hotfix/x", "naïve/ünï", "a$(id)", "maintenance"]) {
			expect(refuseBranch(name, "main"), name).toBeUndefined();
		}
	});
});
