import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { NO_POLICY } from "../../src/domain/team-policy.ts";
import { loadPolicy } from "../../src/trust/load-policy.ts";
import { mergePolicies } from "../../src/trust/merge-policies.ts";
import { type PolicyFile, parsePolicyFile, policyFileSchema } from "../../src/trust/policy-file.ts";
import { createTestRepository } from "../agents/git-repository.ts";

function merge(...files: readonly PolicyFile[]) {
	return mergePolicies(files.map((file, index) => ({ source: `p${index}`, file })));
}

describe("parsePolicyFile", () => {
	it("S-108 reads comments, trailing commas and a byte order mark", () => {
		expect(parsePolicyFile('\uFEFF{\n  // why\n  "denyCommands": ["git push:*",],\n}', "p.json")).toEqual({ denyCommands: ["git push:*"] });
	});

	it.each([
		["", "p.json:1:1: not valid JSON"],
		['{"denyPaths": ["a"', "p.json:1:19: not valid JSON (CloseBracketExpected)"],
		["[]", "the file: found [], wanted object"],
		['{"denyPath": []}', "unknown key denyPath, did you mean denyPaths?"],
		['{"limits": {"maxStep": 1}}', "unknown key limits.maxStep, did you mean maxSteps?"],
		['{"zzz": 1}', "unknown key zzz; known: denyCommands"],
		['{"denyPaths": "a"}', 'denyPaths: found "a", wanted a list'],
		['{"limits": {"maxSteps": 0}}', "limits.maxSteps: found 0"],
		['{"requireSandbox": "yes"}', 'requireSandbox: found "yes", wanted boolean'],
		['{"allowHosts": ["https://x/"]}', 'allowHosts.0: found "https://x/", wanted a host name'],
		['{"denyCommands": ["git:* push"]}', "denyCommands.0"],
		['{"permissions": {"deny": ["Bash(git:* push)"]}}', "permissions.deny.0"],
		['{"denyCommands": ["a"],\n"denyCommands": []}', "p.json:2:1: the key denyCommands stands there twice"],
		["[".repeat(30_000), "p.json"],
	])("S-108 stops at a broken policy with file, key, found and wanted: %s", (text, part) => {
		expect(() => parsePolicyFile(text, "p.json")).toThrow(
			expect.objectContaining({ name: "UserError", code: "E_POLICY", message: expect.stringContaining(part) }),
		);
	});

	it("S-108 publishes the schema it checks with", () => {
		const published: unknown = JSON.parse(readFileSync(join(import.meta.dirname, "../../schemas/policy.schema.json"), "utf8"));
		expect(published).toEqual(z.toJSONSchema(policyFileSchema, { io: "input" }));
	});
});

describe("mergePolicies", () => {
	it("A36 lets the stricter value of each key win", () => {
		const merged = merge(
			{
				denyCommands: ["git push:*"],
				allowHosts: ["*.example.com", "api.other.com"],
				allowedModels: ["claude-*"],
				limits: { maxSteps: 30, runUsd: 1 },
				permissions: { allow: ["Bash(npm test:*)", "Read"], deny: ["WebFetch"] },
			},
			{
				denyCommands: ["curl:*"],
				protectedPaths: ["infra/**"],
				allowHosts: ["docs.example.com", "evil.com"],
				allowedModels: ["claude-sonnet-5-5", "gpt-5"],
				limits: { maxSteps: 10, tokenBudget: 9 },
				requireSandbox: true,
				permissions: { allow: ["Read"] },
			},
		);
		expect(merged).toEqual({
			denyCommands: ["git push:*", "curl:*"],
			denyPaths: [],
			protectedPaths: ["infra/**"],
			allowHosts: ["docs.example.com"],
			allowedModels: ["claude-sonnet-5-5"],
			limits: { maxSteps: 10, tokenBudget: 9, runUsd: 1 },
			requireSandbox: true,
			permissions: { allow: ["Read"], deny: ["WebFetch"] },
			sources: ["p0", "p1"],
		});
	});

	it("A36 is never looser than any of the policies, in any order", () => {
		const hosts = fc.option(fc.subarray(["a.com", "*.a.com", "b.a.com", "c.com"]), { nil: undefined });
		const steps = fc.option(fc.integer({ min: 1, max: 99 }), { nil: undefined });
		const file = fc.record({ hosts, steps, deny: fc.subarray(["x", "y"]), sandbox: fc.boolean() }).map(
			({ hosts: allowHosts, steps: maxSteps, deny, sandbox }): PolicyFile => ({
				...(allowHosts === undefined ? {} : { allowHosts }),
				...(maxSteps === undefined ? {} : { limits: { maxSteps } }),
				denyPaths: deny,
				requireSandbox: sandbox,
			}),
		);
		fc.assert(
			fc.property(file, file, (a, b) => {
				const merged = merge(a, b);
				for (const one of [a, b]) {
					expect(merged.denyPaths).toEqual(expect.arrayContaining([...(one.denyPaths ?? [])]));
					expect(merged.limits.maxSteps ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(one.limits?.maxSteps ?? Number.POSITIVE_INFINITY);
					expect(merged.requireSandbox || one.requireSandbox !== true).toBe(true);
					if (one.allowHosts !== undefined) expect(merged.allowHosts).toBeDefined();
				}
				expect(new Set(merge(b, a).allowHosts)).toEqual(new Set(merged.allowHosts));
			}),
		);
	});

	it("says nothing where no policy speaks", () => {
		expect(merge()).toEqual(NO_POLICY);
	});
});

describe("loadPolicy", () => {
	it("S-108 merges the managed policy with the one of the trusted ref", async () => {
		await using repository = await createTestRepository();
		const trusted = await repository.commit({ ".rookery/policy.json": '{"denyPaths":["secrets/**"]}' });
		const policy = await loadPolicy({
			reader: repository.reader,
			trusted,
			managed: [{ source: "input policy", text: '{"denyPaths":["keys/**"]}' }],
		});
		expect(policy).toMatchObject({ denyPaths: ["keys/**", "secrets/**"], sources: ["input policy", ".rookery/policy.json"] });
		await expect(
			loadPolicy({ reader: repository.reader, trusted, managed: [{ source: "input policy", text: "{" }] }),
		).rejects.toMatchObject({
			code: "E_POLICY",
			message: expect.stringContaining("input policy"),
		});
	});

	it("A32 keeps the base policy in force when the head empties or loosens the file", async () => {
		await using repository = await createTestRepository();
		const base = await repository.commit({ ".rookery/policy.json": '{"denyCommands":["git push:*"]}' });
		const emptied = await repository.commit({ ".rookery/policy.json": "" });
		expect((await loadPolicy({ reader: repository.reader, trusted: base })).denyCommands).toEqual(["git push:*"]);
		await expect(loadPolicy({ reader: repository.reader, trusted: emptied })).rejects.toMatchObject({
			name: "UserError",
			code: "E_POLICY",
		});
	});

	it("S-108 takes no link for a policy and no file for no policy", async () => {
		await using repository = await createTestRepository();
		const none = await repository.commit({ "README.md": "x" });
		expect(await loadPolicy({ reader: repository.reader, trusted: none })).toEqual(NO_POLICY);
		const link = await repository.commit({ "loose.json": "{}", ".rookery/policy.json": { link: "../loose.json" } });
		await expect(loadPolicy({ reader: repository.reader, trusted: link })).rejects.toMatchObject({
			code: "E_POLICY",
			message: expect.stringContaining("symbolic link"),
		});
	});
});
