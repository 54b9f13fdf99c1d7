import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { listCommittedAgentFiles } from "../../src/agents/agent-folders.ts";
import { EXPLORE_AGENT } from "../../src/agents/built-in.ts";
import { buildCatalogue } from "../../src/agents/catalogue.ts";
import type { AgentDefinition } from "../../src/domain/agent.ts";
import type { Sha } from "../../src/domain/ids.ts";
import { computeClosures } from "../../src/trust/closure-hash.ts";
import { applyConsent, decideConsent } from "../../src/trust/consent.ts";
import { addPin, EMPTY_TRUST_LOCK, loadTrustLock, parseTrustLock, trustLockSchema } from "../../src/trust/trust-lock.ts";
import { createTestRepository, type TestRepository, type TreeChange } from "../agents/git-repository.ts";

const PATH = ".claude/agents/sec.md";
const AGENT = "---\nname: sec\ndescription: Looks for holes\ntools: Read, Bash\nskills: [house-style]\n---\nYou look for holes.\n";
const BASE: Readonly<Record<string, TreeChange>> = {
	[PATH]: AGENT,
	".claude/skills/house-style/SKILL.md": "Short names.\n",
	".claude/skills/house-style/extra.md": "More.\n",
	".claude/skills/unrelated/SKILL.md": "Else.\n",
	".claude/settings.json": '{"model":"opus","hooks":{"Stop":[]}}',
	".claude/hooks/check.sh": "exit 0\n",
	".worktreeinclude": ".env.example\n",
	".rookery/policy.json": "{}",
	"src/main.ts": "1",
};

async function agentsAt(repository: TestRepository, commit: Sha): Promise<readonly AgentDefinition[]> {
	return (await buildCatalogue({ builtIn: [EXPLORE_AGENT], repository: await listCommittedAgentFiles(repository.reader, commit) })).agents;
}

async function closureAt(repository: TestRepository, commit: Sha) {
	const closure = (await computeClosures(repository.reader, commit, await agentsAt(repository, commit))).get(PATH);
	if (closure === undefined) throw new Error("no closure");
	return closure;
}

/** What the pinned mode decides at a commit. */
async function decideAt(repository: TestRepository, commit: Sha) {
	const agents = await agentsAt(repository, commit);
	return applyConsent(agents, {
		mode: "pinned",
		closures: await computeClosures(repository.reader, commit, agents),
		lock: await loadTrustLock(repository.reader, commit),
	});
}

describe("computeClosures", () => {
	it("X-07 holds the agent file, its skills, hooks, include file and policy, and nothing else", async () => {
		await using repository = await createTestRepository();
		const closure = await closureAt(repository, await repository.commit(BASE));
		expect(closure.hash).toMatch(/^[0-9a-f]{64}$/);
		expect(closure.parts.map((part) => part.path)).toEqual([
			PATH,
			".claude/hooks/check.sh",
			".claude/settings.json",
			".claude/skills/house-style/SKILL.md",
			".claude/skills/house-style/extra.md",
			".rookery/policy.json",
			".worktreeinclude",
		]);
	});

	it.each([
		[PATH, `${AGENT}.`],
		[".claude/skills/house-style/SKILL.md", "Short names!\n"],
		[".claude/skills/house-style/added.md", "x"],
		[".claude/settings.json", '{"model":"opus","hooks":{"Stop":[{}]}}'],
		[".claude/hooks/check.sh", "exit 1\n"],
		[".claude/hooks/check.sh", { link: "../../src/main.ts" }],
		[".worktreeinclude", ".env\n"],
		[".rookery/policy.json", null],
	] as const)("X-07 changes with %s", async (path, change) => {
		await using repository = await createTestRepository();
		const before = await closureAt(repository, await repository.commit(BASE));
		const after = await closureAt(repository, await repository.commit({ [path]: change }));
		expect(after.hash).not.toBe(before.hash);
	});

	it("X-07 stays when only other things change", async () => {
		await using repository = await createTestRepository();
		const before = await closureAt(repository, await repository.commit(BASE));
		const after = await closureAt(
			repository,
			await repository.commit({
				"src/main.ts": "2",
				".claude/skills/unrelated/SKILL.md": "x",
				".claude/settings.json": '{ "hooks": { "Stop": [] }, "model": "haiku" }',
				".claude/agents/other.md": AGENT.replace("sec", "other"),
			}),
		);
		expect(after.hash).toBe(before.hash);
	});
});

describe("consent", () => {
	it("S-039 refuses an unlisted agent in the strict mode, runs it once the base lists it, and refuses a changed byte", async () => {
		await using repository = await createTestRepository();
		const first = await repository.commit(BASE);
		const unlisted = await decideAt(repository, first);
		const closure = await closureAt(repository, first);
		expect(unlisted.consented.map((agent) => agent.name)).toEqual(["explore"]);
		expect(unlisted.refused).toMatchObject([{ agent: { name: "sec" }, code: "E_CONSENT" }]);
		expect(unlisted.refused[0]?.reason).toContain(`hash ${closure.hash.slice(0, 12)}, tools: read_file, bash`);
		expect(unlisted.refused[0]?.reason).toContain("does not list it");

		const lock = addPin(EMPTY_TRUST_LOCK, { path: PATH, name: "sec", closure: closure.hash });
		const pinned = await repository.commit({ ".rookery/trust.json": lock });
		expect((await decideAt(repository, pinned)).consented.map((agent) => agent.name)).toEqual(["explore", "sec"]);

		const changed = await repository.commit({ [PATH]: AGENT.replace("holes.", "holes!") });
		expect((await decideAt(repository, changed)).refused).toMatchObject([{ agent: { name: "sec" }, code: "E_CONSENT" }]);
	});

	it("S-039 takes what is merged for consented in the default mode", async () => {
		await using repository = await createTestRepository();
		const commit = await repository.commit(BASE);
		const agents = await agentsAt(repository, commit);
		const { consented, refused } = applyConsent(agents, { mode: "base", closures: new Map(), lock: EMPTY_TRUST_LOCK });
		expect([consented.length, refused.length]).toEqual([agents.length, 0]);
	});

	it("A28 refuses an agent of the default branch that changed without its pin, with both short hashes", async () => {
		await using repository = await createTestRepository();
		const first = await closureAt(repository, await repository.commit(BASE));
		await repository.commit({ ".rookery/trust.json": addPin(EMPTY_TRUST_LOCK, { path: PATH, name: "sec", closure: first.hash }) });
		const changed = await repository.commit({ [PATH]: `${AGENT}.` });
		const { refused } = await decideAt(repository, changed);
		const now = await closureAt(repository, changed);
		expect(refused[0]?.code).toBe("E_CONSENT");
		expect(refused[0]?.reason).toContain(first.hash.slice(0, 12));
		expect(refused[0]?.reason).toContain(now.hash.slice(0, 12));
	});

	it("S-038 asks for no pin of built-in and organisation agents", () => {
		for (const tier of ["built-in", "organisation"] as const) {
			const agent: AgentDefinition = { ...EXPLORE_AGENT, tier };
			expect(decideConsent({ mode: "pinned", agent, closure: undefined, lock: EMPTY_TRUST_LOCK })).toEqual({ ok: true, why: "tier" });
		}
	});

	it("A103 keys consent by path and hash, not by name", async () => {
		await using repository = await createTestRepository();
		const closure = await closureAt(repository, await repository.commit(BASE));
		const lock = addPin(EMPTY_TRUST_LOCK, { path: ".claude/agents/other.md", name: "sec", closure: closure.hash });
		const commit = await repository.commit({ ".rookery/trust.json": lock });
		expect((await decideAt(repository, commit)).refused).toMatchObject([{ code: "E_CONSENT" }]);
	});
});

describe("the lock file", () => {
	it("X-07 proposes a lock file that reads back, sorted and with the other pins kept", () => {
		const hash = "a".repeat(64);
		const one = parseTrustLock(addPin(EMPTY_TRUST_LOCK, { path: "z.md", name: "z", closure: hash, by: "octocat" }));
		const text = addPin(one, { path: "a.md", name: "a", closure: "b".repeat(64) });
		expect(Object.keys(parseTrustLock(text).agents)).toEqual(["a.md", "z.md"]);
		expect(text.endsWith("}\n")).toBe(true);
		expect(parseTrustLock(addPin(parseTrustLock(text), { path: "z.md", name: "z", closure: "c".repeat(64) })).agents["z.md"]).toEqual({
			name: "z",
			closure: "c".repeat(64),
		});
	});

	it("S-039 never takes a broken lock file for consent", async () => {
		for (const text of ["", "{}", '{"version":2,"agents":{}}', '{"version":1,"agents":{"a.md":{"name":"a","closure":"abc"}}}']) {
			expect(() => parseTrustLock(text)).toThrow(expect.objectContaining({ name: "UserError", code: "E_CONSENT" }));
		}
		await using repository = await createTestRepository();
		const commit = await repository.commit({ ".rookery/trust.json": { link: "../other.json" } });
		await expect(loadTrustLock(repository.reader, commit)).rejects.toMatchObject({ code: "E_CONSENT" });
	});

	it("X-07 publishes the schema it checks with", () => {
		const published: unknown = JSON.parse(readFileSync(join(import.meta.dirname, "../../schemas/trust.schema.json"), "utf8"));
		expect(published).toEqual(z.toJSONSchema(trustLockSchema, { io: "input" }));
	});
});
