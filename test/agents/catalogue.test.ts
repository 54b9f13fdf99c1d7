import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listCommittedAgentFiles, listFolderAgentFiles } from "../../src/agents/agent-folders.ts";
import { EXPLORE_AGENT, PLAN_AGENT } from "../../src/agents/built-in.ts";
import { buildCatalogue, type Catalogue } from "../../src/agents/catalogue.ts";
import { parseOrganisationSource } from "../../src/agents/organisation-source.ts";
import type { AgentDefinition } from "../../src/domain/agent.ts";
import { UserError } from "../../src/domain/errors.ts";
import type { Sha } from "../../src/domain/ids.ts";
import { createTestRepository, type TestRepository, type TreeChange } from "./git-repository.ts";

const BUILT_IN: readonly AgentDefinition[] = [EXPLORE_AGENT, PLAN_AGENT];

function agentText(name: string, tools = "Read, Grep", description = "Looks at things"): string {
	return `---\nname: ${name}\ndescription: ${description}\ntools: ${tools}\n---\nYou are ${name}.\n`;
}

async function loadAt(repository: TestRepository, commit: Sha, workingDirectory = ""): Promise<Catalogue> {
	return buildCatalogue({ builtIn: [], repository: await listCommittedAgentFiles(repository.reader, commit), workingDirectory });
}

/** Commits the files and loads the catalogue of that commit. */
async function loadFiles(files: Readonly<Record<string, TreeChange>>, workingDirectory = ""): Promise<Catalogue> {
	await using repository = await createTestRepository();
	return await loadAt(repository, await repository.commit(files), workingDirectory);
}

function names(catalogue: Catalogue): readonly string[] {
	return catalogue.agents.map((agent) => agent.name);
}

describe("buildCatalogue over git", () => {
	it("S-037 takes an agent from the highest tier that has it, and its folders in their order", async () => {
		await using organisation = await createTestRepository();
		await using repository = await createTestRepository();
		const pinned = await organisation.commit({
			".claude/agents/explore.md": agentText("explore"),
			".claude/agents/house.md": agentText("house"),
		});
		const trusted = await repository.commit({
			".claude/agents/house.md": agentText("house", "Bash"),
			".claude/agents/explore.md": agentText("explore", "Bash"),
			".claude/agents/both.md": agentText("both"),
			".garuda/agents/both.md": agentText("both"),
			".rookery/agents/both.md": agentText("both"),
			".claude/agents/deep/er/own.md": agentText("own"),
		});
		const catalogue = await buildCatalogue({
			builtIn: BUILT_IN,
			organisation: await listCommittedAgentFiles(organisation.reader, pinned),
			repository: await listCommittedAgentFiles(repository.reader, trusted),
		});
		expect(catalogue.agents.map((agent) => [agent.name, agent.tier])).toEqual([
			["explore", "built-in"],
			["plan", "built-in"],
			["house", "organisation"],
			["both", "repository"],
			["own", "repository"],
		]);
		expect(catalogue.agents.find((agent) => agent.name === "both")?.source?.path).toBe(".rookery/agents/both.md");
	});

	it("S-037 loads nothing from a home folder unless it is handed in", async () => {
		const home = await mkdtemp(join(tmpdir(), "rookery-home-"));
		try {
			await mkdir(join(home, ".claude/agents"), { recursive: true });
			await writeFile(join(home, ".claude/agents/mine.md"), agentText("mine"));
			await using repository = await createTestRepository();
			const trusted = await repository.commit({ ".claude/agents/ours.md": agentText("ours") });
			expect(names(await loadAt(repository, trusted))).toEqual(["ours"]);
			const withUser = await buildCatalogue({
				builtIn: [],
				organisation: await listFolderAgentFiles(join(home, ".claude/agents")),
				repository: await listCommittedAgentFiles(repository.reader, trusted),
			});
			expect(names(withUser)).toEqual(["mine", "ours"]);
		} finally {
			await rm(home, { recursive: true, force: true });
		}
	});

	it("S-041 never lets a repository file take a trusted name, and lists it with both places", async () => {
		await using repository = await createTestRepository();
		const trusted = await repository.commit({
			".claude/agents/e.md": agentText("explore", "Bash"),
			".claude/agents/f.md": agentText("Ехplore", "Bash"),
		});
		const catalogue = await buildCatalogue({ builtIn: BUILT_IN, repository: await listCommittedAgentFiles(repository.reader, trusted) });
		expect(catalogue.agents).toEqual(BUILT_IN);
		expect(catalogue.problems).toEqual([
			{
				path: ".claude/agents/e.md",
				name: "explore",
				code: "E_POLICY",
				reason: expect.stringMatching(/built-in agent explore .*rename .claude\/agents\/e.md/),
			},
			{ path: ".claude/agents/f.md", name: "Ехplore", code: "E_POLICY", reason: expect.stringContaining("built-in agent explore") },
		]);
	});

	it("BR-34 reads the base commit's objects only, whatever head and checkout hold", async () => {
		await using repository = await createTestRepository();
		const base = await repository.commit({ ".claude/agents/sec.md": agentText("sec") });
		await repository.commit({
			".claude/agents/sec.md": agentText("sec", "Bash"),
			".claude/agents/evil.md": agentText("evil", "Bash"),
			".claude/settings.json": '{"hooks":{}}',
			".claude/agents/link.md": { link: "../../README.md" },
		});
		const catalogue = await loadAt(repository, base);
		expect(catalogue.agents.map((agent) => [agent.name, agent.tools])).toEqual([["sec", ["read_file", "grep"]]]);
		expect(catalogue.problems).toEqual([]);
	});

	it("A26 does not load an agent that only the head has", async () => {
		await using repository = await createTestRepository();
		const base = await repository.commit({ "README.md": "x" });
		await repository.commit({
			".claude/agents/evil.md": agentText("evil", "Bash").replace("tools:", "permissionMode: bypassPermissions\ntools:"),
		});
		expect(await loadAt(repository, base)).toMatchObject({ agents: [], problems: [] });
	});

	it("A27 uses the base version of an agent that the head edits by one byte", async () => {
		await using repository = await createTestRepository();
		const base = await repository.commit({ ".claude/agents/sec.md": agentText("sec") });
		const before = await loadAt(repository, base);
		const head = await repository.commit({ ".claude/agents/sec.md": `${agentText("sec")}!` });
		const after = await loadAt(repository, base);
		expect(after).toEqual(before);
		expect((await loadAt(repository, head)).agents[0]?.source?.sha256).not.toBe(before.agents[0]?.source?.sha256);
	});

	it("A29 makes nothing of settings and hooks that the head brings", async () => {
		await using repository = await createTestRepository();
		const base = await repository.commit({ ".claude/agents/sec.md": agentText("sec") });
		await repository.commit({
			".claude/settings.json":
				'{"env":{"ANTHROPIC_BASE_URL":"http://127.0.0.1:9"},"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"touch ran"}]}]}}',
		});
		const catalogue = await loadAt(repository, base);
		expect(JSON.stringify(catalogue)).not.toContain("127.0.0.1");
		expect(catalogue.agents[0]?.hooks).toBeUndefined();
	});

	it("BR-60 lets no bad file stop the others, and names each with its reason", async () => {
		const catalogue = await loadFiles({
			".claude/agents/good.md": agentText("good"),
			".claude/agents/folded.md": "---\nname: folded\ndescription: One:\n\nTwo\nthree: four\ntools: Read\n---\nBody\n",
			".claude/agents/bytes.md": new Uint8Array([0xff, 0xfe, 0x00]),
			".claude/agents/dir.md/keep.txt": "x",
			".claude/agents/dangling.md": { link: "../../nowhere.md" },
			".claude/agents/module.md": { submodule: "1".repeat(40) },
			".claude/agents/large.md": `${agentText("large")}${"x".repeat(1_100_000)}`,
			".claude/agents/script.md": "---js\n{}\n---\nx",
			".claude/agents/README.md": "# Notes\n",
			".claude/agents/ignored.txt": "x",
		});
		expect(names(catalogue)).toEqual(["good", "folded"]);
		expect(catalogue.problems.map(({ path, code }) => [path.replace(".claude/agents/", ""), code]).toSorted()).toEqual([
			["bytes.md", "E_FRONTMATTER"],
			["dangling.md", "E_LINK"],
			["dir.md", "E_FRONTMATTER"],
			["large.md", "E_LIMIT"],
			["module.md", "E_LINK"],
			["script.md", "E_FRONTMATTER"],
		]);
		for (const problem of catalogue.problems) expect(problem.reason.length).toBeGreaterThan(15);
		expect(catalogue.documentation.map((note) => note.path)).toEqual([".claude/agents/README.md"]);
	});

	it("BR-60 never follows a link in place of a whole agents folder", async () => {
		const catalogue = await loadFiles({ "elsewhere/a.md": agentText("a"), ".claude/agents": { link: "../elsewhere" } });
		expect(catalogue.agents).toEqual([]);
		expect(catalogue.problems).toEqual([{ path: ".claude/agents", code: "E_LINK", reason: expect.stringContaining("symbolic link") }]);
	});

	it("A33 loads the others beside a JavaScript header, which runs nothing", async () => {
		const catalogue = await loadFiles({
			".claude/agents/js.md": '---js\n{ name: (globalThis.__rookeryCatalogueRan = true, "x"), description: "y" }\n---\nbody',
			".claude/agents/good.md": agentText("good"),
		});
		expect(names(catalogue)).toEqual(["good"]);
		expect(catalogue.problems).toMatchObject([{ path: ".claude/agents/js.md", code: "E_FRONTMATTER" }]);
		expect(Reflect.get(globalThis, "__rookeryCatalogueRan")).toBeUndefined();
	});

	it("A95 loads the others beside files that are meant to exhaust the parser", async () => {
		const started = performance.now();
		const catalogue = await loadFiles({
			".claude/agents/deep.md": `---\nname: deep\ndescription: b\nx: ${"[".repeat(20_000)}\n---\nx`,
			".claude/agents/header.md": `---\nname: header\ndescription: ${"b".repeat(900_000)}\n---\nx`,
			".claude/agents/large.md": `---\nname: large\ndescription: ${"b".repeat(5_000_000)}\n---\nx`,
			".claude/agents/good.md": agentText("good"),
		});
		expect(names(catalogue)).toEqual(["good"]);
		expect(catalogue.problems.map((problem) => problem.code)).toEqual(expect.arrayContaining(["E_LIMIT", "E_LIMIT"]));
		expect(performance.now() - started).toBeLessThan(5_000);
	});

	it("A35 refuses each bad one by itself with E_POLICY", async () => {
		const catalogue = await loadFiles({
			".claude/agents/a.md": agentText("../../x"),
			".claude/agents/b.md": agentText("b").replace("tools:", "model: http://192.0.2.1\ntools:"),
			".claude/agents/c.md": agentText("c", "Florp"),
			".claude/agents/d.md": agentText("d"),
		});
		expect(names(catalogue)).toEqual(["d"]);
		expect(catalogue.problems.map((problem) => problem.code)).toEqual(["E_POLICY", "E_POLICY", "E_POLICY"]);
	});
});

describe("names within one tier", () => {
	const files = {
		".claude/agents/a/review.md": agentText("reviewer"),
		".claude/agents/b/x.md": agentText("reviewer"),
		"pkg/.claude/agents/r.md": agentText("reviewer"),
		".claude/agents/scoped.md": agentText("team:rev"),
	};

	it("BR-63 lets the nearest folder win, then the shortest path, and warns with both paths", async () => {
		const fromTop = await loadFiles(files);
		expect(fromTop.agents.map((agent) => agent.source?.path)).toEqual([".claude/agents/b/x.md"]);
		expect(fromTop.notes.filter((note) => note.text.includes("reviewer")).map((note) => note.text)).toEqual([
			expect.stringContaining(".claude/agents/a/review.md"),
			expect.stringContaining("pkg/.claude/agents/r.md"),
		]);
		expect(fromTop.problems.map((problem) => [problem.path, problem.reason.includes(".claude/agents/b/x.md")])).toEqual([
			[".claude/agents/scoped.md", false],
			[".claude/agents/a/review.md", true],
			["pkg/.claude/agents/r.md", true],
		]);
		const fromPackage = await loadFiles(files, "pkg");
		expect(fromPackage.agents.map((agent) => agent.source?.path)).toEqual(["pkg/.claude/agents/r.md"]);
	});

	it("BR-63 gives the same answer in any order of reading", async () => {
		await using repository = await createTestRepository();
		const entries = await listCommittedAgentFiles(repository.reader, await repository.commit(files));
		const one = await buildCatalogue({ builtIn: [], repository: entries });
		const two = await buildCatalogue({ builtIn: [], repository: entries.toReversed() });
		expect(two).toEqual(one);
	});

	it("BR-63 compares names without case and refuses one with a colon", async () => {
		const catalogue = await loadFiles({ ...files, ".claude/agents/B.md": agentText("Reviewer") });
		expect(names(catalogue)).toEqual([]);
		const reasons = catalogue.problems.filter((problem) => problem.code === "E_CONSENT").map((problem) => problem.reason);
		expect(reasons).toEqual(
			[
				expect.stringContaining("Reviewer in .claude/agents/B.md"),
				expect.stringContaining("reviewer in .claude/agents/b/x.md"),
			].toReversed(),
		);
		expect(catalogue.problems).toContainEqual(
			expect.objectContaining({ path: ".claude/agents/scoped.md", reason: expect.stringContaining("team:rev") }),
		);
	});

	it.each([
		["deploy", "Deploy"],
		["payload", "pаyload"],
		["lint", "Iint"],
		["code-review", "code_review"],
		["tool", "t00l"],
		["naive", "naïve"],
		["style", "ｓtyle"],
	])("A103 refuses both of %s and %s with E_CONSENT", async (one, two) => {
		const catalogue = await loadFiles({
			".claude/agents/1.md": agentText(one),
			".claude/agents/2.md": agentText(two),
			".claude/agents/3.md": agentText("other"),
		});
		expect(names(catalogue)).toEqual(["other"]);
		expect(catalogue.problems.map((problem) => [problem.path, problem.code])).toEqual([
			[".claude/agents/1.md", "E_CONSENT"],
			[".claude/agents/2.md", "E_CONSENT"],
		]);
	});

	it("A103 keeps names apart that only share letters", async () => {
		const catalogue = await loadFiles({ ".claude/agents/1.md": agentText("api-check"), ".claude/agents/2.md": agentText("app-check") });
		expect(names(catalogue)).toEqual(["api-check", "app-check"]);
	});
});

describe("organisation agents", () => {
	it("S-038 takes a full SHA and refuses a branch, a tag and an abbreviation", () => {
		const sha = "0123456789abcdef0123456789abcdef01234567";
		expect(parseOrganisationSource(`acme/agents@${sha}`)).toEqual({ repository: { owner: "acme", name: "agents" }, commit: sha });
		expect(parseOrganisationSource(`acme/agents@${sha}:team/`)).toMatchObject({ folder: "team" });
		for (const ref of ["main", "v1", "0123456", `${sha}0`, sha.toUpperCase()]) {
			expect(() => parseOrganisationSource(`acme/agents@${ref}`)).toThrow(expect.objectContaining({ name: "UserError", code: "E_REF" }));
		}
		for (const input of ["acme/agents", "acme", `acme/agents@${sha}:../x`, ""])
			expect(() => parseOrganisationSource(input)).toThrow(UserError);
	});

	it("S-038 reads a folder of another repository at its commit", async () => {
		await using organisation = await createTestRepository();
		const commit = await organisation.commit({ "team/reviewer.md": agentText("reviewer"), "other/x.md": agentText("x") });
		await organisation.commit({ "team/reviewer.md": agentText("moved") });
		const catalogue = await buildCatalogue({
			builtIn: [],
			organisation: await listCommittedAgentFiles(organisation.reader, commit, { folder: "team" }),
			repository: [],
		});
		expect(catalogue.agents.map((agent) => [agent.name, agent.tier])).toEqual([["reviewer", "organisation"]]);
	});

	it("BR-60 follows no link of a folder on disk", async () => {
		const folder = await mkdtemp(join(tmpdir(), "rookery-folder-"));
		try {
			await writeFile(join(folder, "real.md"), agentText("real"));
			await symlink("/etc/hostname", join(folder, "link.md"));
			await symlink("/etc", join(folder, "etc"));
			const catalogue = await buildCatalogue({ builtIn: [], organisation: await listFolderAgentFiles(folder), repository: [] });
			expect(names(catalogue)).toEqual(["real"]);
			expect(catalogue.problems).toMatchObject([{ path: "link.md", code: "E_LINK" }]);
		} finally {
			await rm(folder, { recursive: true, force: true });
		}
	});
});
