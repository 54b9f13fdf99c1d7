import { describe, expect, it } from "vitest";
import { UserError } from "../../src/domain/errors.ts";
import { INPUT_TABLE } from "../../src/intake/input-table.ts";
import { readActionInputs } from "../../src/intake/read-inputs.ts";

describe("readInputs", () => {
	it("gives working values when nothing is set", () => {
		const inputs = readActionInputs({});
		expect(inputs).toMatchObject({
			provider: "offline",
			providerGiven: false,
			mode: "run",
			dryRun: false,
			settings: ".rookery/settings.json",
			workingDirectory: ".",
		});
		expect([...inputs.publish]).toEqual(["review", "sticky", "check", "summary"]);
		expect(inputs.warnings).toEqual([]);
		expect(inputs.githubToken).toBeUndefined();
	});

	it("takes the runner's form with hyphens and the shell's form with underscores", () => {
		expect(readActionInputs({ "INPUT_GITHUB-TOKEN": " t1 \n", INPUT_GITHUB_TOKEN: "t2" }).githubToken).toBe("t1");
		expect(readActionInputs({ "INPUT_GITHUB-TOKEN": "", INPUT_GITHUB_TOKEN: "t2" }).githubToken).toBe("t2");
	});

	it("picks anthropic when there is a key, and the named provider before that", () => {
		expect(readActionInputs({ "INPUT_ANTHROPIC-API-KEY": "k" }).provider).toBe("anthropic");
		expect(readActionInputs({ "INPUT_ANTHROPIC-API-KEY": "k", INPUT_PROVIDER: "Offline" })).toMatchObject({
			provider: "offline",
			providerGiven: true,
		});
	});

	it("BR-42 booleans are texts: true, false, 1, 0, yes, no in any case, and nothing else", () => {
		for (const word of ["true", "TRUE", "1", "Yes"]) expect(readActionInputs({ "INPUT_DRY-RUN": word }).dryRun).toBe(true);
		for (const word of ["false", "False", "0", "no", ""]) expect(readActionInputs({ "INPUT_DRY-RUN": word }).dryRun).toBe(false);
		expect(() => readActionInputs({ "INPUT_DRY-RUN": "maybe" })).toThrow(
			new UserError('input dry-run: found "maybe", wanted true or false'),
		);
	});

	it.each([
		["INPUT_PROVIDER", "antropic", /did you mean anthropic\?/],
		["INPUT_MODE", "plann", /did you mean plan\?/],
		["INPUT_FAIL-ON", "important!", /did you mean important\?/],
		["INPUT_FAIL-ON", "warning", /wanted critical, important, minor, nit, never$/],
		["INPUT_PUBLISH", "review,stickey", /did you mean sticky\?/],
		["INPUT_PUBLISH", "all,review", /all or none alone/],
		["INPUT_MAX-COST-USD", "2€", /a number above 0/],
		["INPUT_MAX-COST-USD", "0", /a number above 0/],
		["INPUT_MAX-COST-USD", "-1", /a number above 0/],
		["INPUT_BASE-URL", "file:///etc/passwd", /http or https/],
		["INPUT_WORKING-DIRECTORY", "../other", /a path without \.\./],
		["INPUT_JOB", "a b", /a job's name/],
		["INPUT_MODEL", "sonnet\n::add-mask::x", /one line of text/],
	])("%s=%s is refused with the input's name, the value found and the wanted one", (name, value, wanted) => {
		expect(() => readActionInputs({ [name]: value })).toThrow(wanted);
		expect(() => readActionInputs({ [name]: value })).toThrow(UserError);
		expect(() => readActionInputs({ [name]: value })).toThrow(new RegExp(`^input ${name.slice(6).toLowerCase()}: found `));
	});

	it("never shows a password of an address", () => {
		expect(() => readActionInputs({ "INPUT_BASE-URL": "https://user:hunter2@example.com" })).toThrow(/^(?!.*hunter2)/s);
	});

	it("warns of an input nobody declared and names the nearest one", () => {
		const { warnings } = readActionInputs({ "INPUT_GITHUB-TOKN": "x", INPUT_ZZZZZZZZ: "1", PATH: "/bin" });
		expect(warnings).toEqual([
			"input github-tokn is not known and has no effect; did you mean github-token?",
			"input zzzzzzzz is not known and has no effect",
		]);
	});

	it("reads lists and targets", () => {
		const inputs = readActionInputs({
			INPUT_PUBLISH: "check, summary",
			"INPUT_ALLOWED-BOTS": "Dependabot, renovate[bot]\nother",
			INPUT_TRUST: "pinned",
			"INPUT_MAX-COST-USD": "1.5",
		});
		expect([...inputs.publish]).toEqual(["check", "summary"]);
		expect(readActionInputs({ INPUT_PUBLISH: "none" }).publish.size).toBe(0);
		expect(inputs).toMatchObject({ allowedBots: ["Dependabot", "renovate[bot]", "other"], trust: "pinned", maxCostUsd: 1.5 });
	});

	it("the table has kebab-case names, each once, with a description, and none is required", () => {
		const names = INPUT_TABLE.map((input) => input.name);
		expect(new Set(names).size).toBe(names.length);
		for (const input of INPUT_TABLE) {
			expect(input.name).toMatch(/^[a-z]+(-[a-z]+)*$/);
			expect(input.description).toMatch(/^[A-Za-z].*\.$/);
			expect(input.required).toBe(false);
		}
	});
});
