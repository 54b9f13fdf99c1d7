import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { isAcceptableRef, isAcceptableRevision, splitRevision } from "../../src/domain/git-ref.ts";

describe("isAcceptableRef", () => {
	// biome-ignore lint/suspicious/noTemplateCurlyInString: shell syntax is the attack.
	const valid = ["feature/#12;a+b@c", "@hotfix/x", "naïve/ünï", "a$(id)", "x`y`", "dependabot/npm_and_yarn/a-1.0", "$(touch${IFS}SENT)"];
	const invalid = [
		"-x",
		"--upload-pack=touch",
		"--upload-pack=touch SENT",
		"a..b",
		"x.lock",
		"a b",
		"a~1",
		"a@{1}",
		"",
		"@",
		"a/",
		"/a",
		"a//b",
		"a/.b",
		"a.",
	];

	it.each(valid)("BR-49 A39 accepts %s, which git accepts", (name) => {
		expect(isAcceptableRef(name)).toBe(true);
	});

	it.each(invalid)("BR-49 A38 refuses %j", (name) => {
		expect(isAcceptableRef(name)).toBe(false);
	});

	it("BR-49 refuses exactly what git refuses, besides a leading dash", () => {
		const names = [
			...valid,
			...invalid,
			"a:b",
			"a?b",
			"a*b",
			"a[b",
			"a\\b",
			"a^b",
			"a\u007fb",
			"a\tb",
			"HEAD",
			"x/y.lock/z",
			".x",
			"ü.lock",
		];
		for (const name of names.filter((candidate) => candidate !== "" && !candidate.startsWith("-"))) {
			let accepted = true;
			try {
				execFileSync("git", ["check-ref-format", `refs/heads/${name}`], { stdio: "ignore" });
			} catch {
				accepted = false;
			}
			// Git allows a branch called `@`; on its own it means HEAD, so it is no name for us.
			expect([name, isAcceptableRef(name)]).toEqual([name, accepted && name !== "@"]);
		}
	});

	it("steps back may follow a name on the command line only", () => {
		expect(splitRevision("main~2^")).toEqual({ name: "main", steps: "~2^" });
		expect(isAcceptableRevision("HEAD~1")).toBe(true);
		expect(isAcceptableRevision("HEAD^^2~3")).toBe(true);
		expect(isAcceptableRevision("~1")).toBe(false);
		expect(isAcceptableRevision("a^{tree}")).toBe(false);
		expect(isAcceptableRevision("main..head")).toBe(false);
	});
});
