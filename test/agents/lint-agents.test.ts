import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXPLORE_AGENT, PLAN_AGENT } from "../../src/agents/built-in.ts";
import { lintAgents, renderLintedAgents } from "../../src/agents/lint-agents.ts";
import { UserError } from "../../src/domain/errors.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures/agents");
const BUILT_IN = [EXPLORE_AGENT, PLAN_AGENT];

async function temporaryFolder(): Promise<{ readonly folder: string } & AsyncDisposable> {
	const folder = await mkdtemp(join(tmpdir(), "rookery-lint-"));
	return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

describe("lintAgents", () => {
	it("gives a row a file, loaded or refused for a stated reason", async () => {
		const rows = await lintAgents(FIXTURES, BUILT_IN);
		expect(rows.map((row) => [row.file, row.state, row.tools])).toEqual([
			["all-fields.md", "loaded", ["read_file", "bash(git diff:*)", "bash_output", "kill_shell"]],
			["all-tools.md", "loaded", "read-only"],
			["block-description.md", "loaded", ["read_file", "bash(git log:*)", "bash_output", "kill_shell"]],
			["colon-in-description.md", "loaded", ["read_file", "grep"]],
			["description-indented-with-colons.md", "loaded", ["read_file"]],
			["description-over-lines.md", "loaded", ["read_file", "grep"]],
			["docker-isolation.md", "loaded", "read-only"],
			["empty-body.md", "refused", []],
			["indented-header.md", "refused", []],
			["javascript-header.md", "refused", []],
			["json-header.md", "refused", []],
			["long-dashes.md", "refused", []],
			["lost-tools.md", "refused", []],
			["misspelled-key.md", "refused", []],
			["never-closed.md", "refused", []],
			["no-description.md", "refused", []],
			["no-known-tool.md", "refused", []],
			["no-memory.md", "loaded", "read-only"],
			["no-name.md", "refused", []],
			["notes.md", "refused", []],
			["other-dialect.md", "loaded", ["mcp__x__*"]],
			["path-name.md", "refused", []],
			["sound.md", "loaded", ["read_file", "grep"]],
			["spaced-name.md", "loaded", "read-only"],
			["star-tools.md", "loaded", "read-only"],
			["tools-unclosed-list.md", "refused", []],
			["unclosed-bracket.md", "loaded", ["read_file"]],
			["url-model.md", "refused", []],
		]);
		for (const row of rows) expect(row.reason !== undefined).toBe(row.state === "refused");
		expect(rows.find((row) => row.file === "notes.md")?.reason).toContain("taken for documentation");
		expect(rows.find((row) => row.file === "javascript-header.md")?.reason).toMatch(/^E_FRONTMATTER: /);
	});

	it("BR-53 shows a file a line with the repair to make", async () => {
		const text = renderLintedAgents(await lintAgents(FIXTURES, BUILT_IN));
		expect(text).toContain(
			"loaded   colon-in-description.md: doc-check (read_file, grep)\n         repair: line 3: the value of description",
		);
		expect(text).toContain("refused  no-description.md: E_FRONTMATTER: description: it is missing");
		expect(text.split("\n").at(-1)).toBe("28 files: 13 loaded (5 repaired), 15 refused");
	});

	it("reads only the agent folders of a repository, and follows no link", async () => {
		await using temporary = await temporaryFolder();
		const { folder } = temporary;
		await mkdir(join(folder, ".claude/agents/team"), { recursive: true });
		await writeFile(join(folder, "README.md"), "# x");
		await cp(join(FIXTURES, "sound.md"), join(folder, ".claude/agents/team/sound.md"));
		await symlink("team/sound.md", join(folder, ".claude/agents/link.md"));
		const rows = await lintAgents(folder, BUILT_IN);
		expect(rows.map((row) => [row.file, row.state])).toEqual([
			[".claude/agents/link.md", "refused"],
			[".claude/agents/team/sound.md", "loaded"],
		]);
		expect(rows[0]?.reason).toMatch(/^E_LINK: /);
	});

	it("BR-63 refuses the second file of a name, and A103 both of two look-alikes", async () => {
		await using temporary = await temporaryFolder();
		const { folder } = temporary;
		for (const [file, name] of Object.entries({ "a.md": "one", "bb.md": "one", "c.md": "two", "d.md": "Two", "e.md": "explore" })) {
			await writeFile(join(folder, file), `---\nname: ${name}\ndescription: b\n---\nBody\n`);
		}
		const rows = await lintAgents(folder, BUILT_IN);
		expect(rows.map((row) => [row.file, row.state])).toEqual([
			["a.md", "loaded"],
			["bb.md", "refused"],
			["c.md", "refused"],
			["d.md", "refused"],
			["e.md", "loaded"],
		]);
		expect(rows[0]?.warnings).toEqual([expect.stringContaining("bb.md")]);
		expect(rows[4]?.warnings).toEqual([expect.stringContaining("never used: the built-in agent explore keeps this name")]);
	});

	it("lints one file, and says when there is none", async () => {
		expect(await lintAgents(join(FIXTURES, "sound.md"), BUILT_IN)).toMatchObject([
			{ file: "sound.md", name: "sound", model: "opus", state: "loaded" },
		]);
		await expect(lintAgents(join(FIXTURES, "nowhere"), BUILT_IN)).rejects.toThrow(UserError);
	});
});
