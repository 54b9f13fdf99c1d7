import { readFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UserError } from "../../src/domain/errors.ts";
import { lowest } from "../../src/domain/lowest.ts";
import { NO_POLICY } from "../../src/domain/team-policy.ts";
import { loadSettings, parseGarudaFile, parseSettingsFile } from "../../src/trust/load-settings.ts";
import { DEFAULT_SETTINGS, mergeSettings } from "../../src/trust/settings.ts";
import { createTestRepository } from "../agents/git-repository.ts";

const FILE = ".rookery/settings.json";

function faultOf(text: string): string {
	try {
		parseSettingsFile(text, FILE);
	} catch (error) {
		if (error instanceof UserError) return error.message;
		throw error;
	}
	return "no fault";
}

describe("parseSettingsFile", () => {
	it("takes comments, trailing commas, a byte order mark and a schema's address", () => {
		const text = '\uFEFF{\n\t// how much\n\t"$schema": "x",\n\t"moe": { "maxSteps": 5, },\n}\n';
		expect(parseSettingsFile(text, FILE)).toEqual({ $schema: "x", moe: { maxSteps: 5 } });
	});

	it.each([
		['{\n\t"moe": {\n\t\t"maxStep": 5\n\t}\n}', `${FILE}:3:3: unknown key moe.maxStep, did you mean maxSteps?`],
		['{"reviews": {}}', `${FILE}:1:2: unknown key reviews, did you mean review?`],
		[
			'{"review": {"failOn": "warning"}}',
			`${FILE}:1:23: review.failOn: found "warning", wanted critical or important or minor or nit or never`,
		],
		['{\n"moe": {"enabled": "false"}}', `${FILE}:2:20: moe.enabled: found "false", wanted boolean`],
		['{"review": {"paths": ["src/**", 3]}}', `${FILE}:1:33: review.paths.1: found 3, wanted string`],
		['{"review": {"reviewers": [{"when": "never"}]}}', `${FILE}:1:27: review.reviewers.0.agent: found nothing, wanted string`],
		[
			'{"moe": {"experts": {"kotlin": {"extension": [".kt"]}}}}',
			`${FILE}:1:33: unknown key moe.experts.kotlin.extension, did you mean extensions?`,
		],
		["[]", `${FILE}:1:1: the file: found [], wanted object`],
		['{"maintenance":{"fmt":{}}}', `${FILE}:1:23: maintenance.fmt: found {}, wanted run, recipe, prompt or agent`],
		['{"maintenance":{"fmt":{"runs":["x"]}}}', `${FILE}:1:24: unknown key maintenance.fmt.runs, did you mean run?`],
		[
			'{"maintenance":{"fmt":{"run":["x"],"prompt":"y"}}}',
			`${FILE}:1:23: maintenance.fmt: found {"run":["x"],"prompt":"y"}, wanted one of run, recipe and prompt, not run and prompt`,
		],
		[
			'{"maintenance":{"f t":{"run":["x"]}}}',
			`${FILE}:1:23: maintenance.f t: found {"run":["x"]}, wanted a job's name of up to 50 letters, digits, dots, underscores and dashes that git takes as part of a branch`,
		],
		[
			'{"maintenance":{"fmt":{"run":["x"],"branch":"main"}}}',
			`${FILE}:1:45: maintenance.fmt.branch: found "main", wanted the name of a branch below rookery/`,
		],
		[
			'{"maintenance":{"fmt":{"run":["x"],"schedule":"weekly"}}}',
			`${FILE}:1:47: maintenance.fmt.schedule: found "weekly", wanted a cron line of five fields, such as 17 3 * * 1`,
		],
		[
			'{"maintenance":{"a":{"run":["x"]},"b":{"run":["x"],"branch":"rookery/a"}}}',
			`${FILE}:1:39: maintenance.b: found {"run":["x"],"branch":"rookery/a"}, wanted a branch of its own: rookery/a is that of the job a`,
		],
	])("names file, line, column, key, found and wanted value: %s", (text, wanted) => {
		expect(faultOf(text)).toBe(wanted);
	});

	it("BR-77 broken JSON is an error with line and column, never an empty set of rules", () => {
		expect(faultOf('{\n"moe": {\n')).toMatch(/^\.rookery\/settings\.json:\d+:\d+: not valid JSON/);
		expect(faultOf("")).toMatch(/not valid JSON/);
		expect(faultOf('{"moe": {}, "moe": {"enabled": false}}')).toMatch(/:1:13: the key moe stands there twice/);
		expect(parseSettingsFile("\uFEFF{}", FILE)).toEqual({});
	});

	it("S-077 201 steps are a configuration error, 200 are not", () => {
		expect(faultOf('{"moe": {"maxSteps": 201}}')).toBe(`${FILE}:1:22: moe.maxSteps: found 201, wanted a whole number from 1 to 200`);
		expect(faultOf('{"subagents": {"maxSteps": 201}}')).toContain("subagents.maxSteps");
		expect(faultOf('{"moe": {"maxSteps": 0}}')).toContain("found 0");
		expect(faultOf('{"moe": {"maxSteps": 1.5}}')).toContain("found 1.5");
		expect(mergeSettings({ rookery: parseSettingsFile('{"moe": {"maxSteps": 200}}', FILE) }).settings.moe.maxSteps).toBe(200);
		expect(() => parseGarudaFile('{"moe": {"maxSteps": 201}}', ".garuda/settings.json")).toThrow(/moe\.maxSteps/);
	});

	it("the published schema accepts and refuses the same files", async () => {
		const schema = JSON.parse(await readFile(new URL("../../schemas/settings.schema.json", import.meta.url), "utf8")) as object;
		const validate = new Ajv2020({ strict: false }).compile(schema);
		expect(validate({ moe: { maxSteps: 200 }, review: { reviewers: [{ agent: "a" }] }, hooks: [] })).toBe(true);
		expect(validate({ moe: { maxSteps: 201 } })).toBe(false);
		expect(validate({ mo: {} })).toBe(false);
	});
});

describe("mergeSettings", () => {
	it("S-077 defaults: 20 steps, 150,000 tokens, 50,000 for explore, 300 s, depth 1, 4 at once, 2 US dollars", () => {
		const { settings, notes } = mergeSettings({});
		expect(settings).toEqual(DEFAULT_SETTINGS);
		expect(settings.moe).toMatchObject({ maxSteps: 20, tokenBudget: 150_000 });
		expect(settings.subagents).toMatchObject({
			maxSteps: 20,
			tokenBudget: 150_000,
			exploreTokenBudget: 50_000,
			timeoutSeconds: 300,
			maxDepth: 1,
			maxConcurrent: 4,
		});
		expect(settings.review).toMatchObject({ minConfidence: 80, maxInline: 8, maxInlinePerPullRequest: 20, failOn: "never" });
		expect(settings.budget.runUsd).toBe(2);
		expect(notes).toEqual([]);
	});

	it("S-021 a file's 5 steps give 5; an input of 50 under a policy of 10 gives 10, with a note", () => {
		expect(mergeSettings({ rookery: { moe: { maxSteps: 5 } } }).settings.moe.maxSteps).toBe(5);
		const { settings, notes } = mergeSettings({
			overrides: { limits: { maxSteps: 50 } },
			policy: { ...NO_POLICY, limits: { maxSteps: 10 } },
		});
		expect(settings.moe.maxSteps).toBe(10);
		expect(notes).toContain("moe.maxSteps is 10 instead of 50: the team policy sets the bound");
	});

	it("an input never raises what a file says, and stands in for the default where it says nothing", () => {
		const overrides = { limits: { runUsd: 5 } };
		expect(mergeSettings({ rookery: { budget: { runUsd: 1 } }, overrides }).settings.budget.runUsd).toBe(1);
		expect(mergeSettings({ overrides }).settings.budget.runUsd).toBe(5);
		expect(mergeSettings({ rookery: { budget: { runUsd: 9 } }, overrides }).settings.budget.runUsd).toBe(5);
		expect(mergeSettings({ overrides, policy: { ...NO_POLICY, limits: { runUsd: 3 } } }).settings.budget.runUsd).toBe(3);
	});

	it("S-022 specialists are on by default, off only by moe.enabled, and custom agents have no say in it", () => {
		expect(mergeSettings({}).settings.moe.enabled).toBe(true);
		expect(mergeSettings({ rookery: { moe: { enabled: false } } }).settings.moe.enabled).toBe(false);
		expect(mergeSettings({ rookery: { subagents: { enabled: false } } }).settings.moe.enabled).toBe(true);
		expect(mergeSettings({ rookery: { moe: { enabled: false }, subagents: { enabled: true } } }).settings.moe.enabled).toBe(false);
	});

	it("the two Garuda blocks are read, and our own file goes before them", () => {
		const garuda = parseGarudaFile(
			'{"theme": "dark", "moe": {"enabled": false, "maxSteps": 7, "other": 1}, "subagents": {"tokenBudget": 90000}}',
			"x",
		);
		expect(mergeSettings({ garuda }).settings).toMatchObject({ moe: { enabled: false, maxSteps: 7 }, subagents: { tokenBudget: 90_000 } });
		expect(mergeSettings({ garuda }).settings.moe).not.toHaveProperty("other");
		expect(mergeSettings({ garuda, rookery: { moe: { enabled: true } } }).settings.moe).toMatchObject({ enabled: true, maxSteps: 7 });
	});

	it("S-045 each limit is the least of those that are given", () => {
		const maybe = fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined });
		fc.assert(
			fc.property(maybe, maybe, maybe, maybe, (agent, file, input, policy) => {
				const { settings } = mergeSettings({
					...(file === undefined ? {} : { rookery: { subagents: { maxSteps: file } } }),
					overrides: { limits: input === undefined ? {} : { maxSteps: input } },
					policy: { ...NO_POLICY, limits: policy === undefined ? {} : { maxSteps: policy } },
				});
				const given = [
					agent,
					file,
					input,
					policy,
					...(file === undefined && input === undefined ? [DEFAULT_SETTINGS.subagents.maxSteps] : []),
				];
				expect(lowest(agent, settings.subagents.maxSteps)).toBe(Math.min(...given.filter((value) => value !== undefined)));
			}),
		);
	});

	it("S-090 policy caps explore, custom agents and specialists alike", () => {
		const limits = { maxSteps: 3, tokenBudget: 20_000, timeoutSeconds: 60, maxConcurrent: 2, maxDepth: 0 };
		const { settings } = mergeSettings({
			rookery: { moe: { maxSteps: 100 }, subagents: { maxSteps: 100, tokenBudget: 200_000 } },
			policy: { ...NO_POLICY, limits },
		});
		expect(settings.moe).toMatchObject({ maxSteps: 3, tokenBudget: 20_000 });
		expect(settings.subagents).toMatchObject({
			maxSteps: 3,
			tokenBudget: 20_000,
			exploreTokenBudget: 20_000,
			timeoutSeconds: 60,
			maxConcurrent: 2,
			maxDepth: 0,
		});
	});

	it("inputs choose model and fail level; of two kinds of consent the stricter counts", () => {
		const { settings } = mergeSettings({
			rookery: { models: { specialist: "opus" }, agents: { trust: "pinned" } },
			overrides: { model: "haiku", failOn: "critical", trust: "base" },
		});
		expect(settings).toMatchObject({
			model: "haiku",
			models: { explore: "claude-haiku-5-5" },
			review: { failOn: "critical" },
			agents: { trust: "pinned" },
		});
		expect(settings.models.specialist).toBeUndefined();
		expect(mergeSettings({ overrides: { trust: "pinned" } }).settings.agents.trust).toBe("pinned");
	});
});

describe("loadSettings", () => {
	it("S-021 settings come from the trusted commit; what the head changes has no effect", async () => {
		await using repository = await createTestRepository();
		const { reader } = repository;
		const base = await repository.commit({ [FILE]: '{"moe": {"maxSteps": 5}}' });
		const head = await repository.commit({ [FILE]: '{"moe": {"maxSteps": 150}}', ".garuda/settings.json": "broken" });
		expect((await loadSettings({ reader, trusted: base })).settings.moe.maxSteps).toBe(5);
		await expect(loadSettings({ reader, trusted: head })).rejects.toThrow(/^\.garuda\/settings\.json:1:1: not valid JSON/);
		await expect(loadSettings({ reader, trusted: base, path: "other.json" })).rejects.toThrow(/input settings: found "other\.json"/);
	});

	it("a link in the settings' place is refused", async () => {
		await using repository = await createTestRepository();
		const trusted = await repository.commit({ [FILE]: { link: "/etc/passwd" } });
		await expect(loadSettings({ reader: repository.reader, trusted })).rejects.toThrow(/symbolic link/);
	});
});
