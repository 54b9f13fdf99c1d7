import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buildCatalogue } from "../../src/agents/catalogue.ts";
import { readFurtherAgents } from "../../src/compose/read-further-agents.ts";

const never = (): never => {
	throw new Error("no repository was asked for");
};
const agent = (name: string, text: string): string => `---\nname: ${name}\ndescription: ${text}\n---\n${text}\n`;
let home: string;

beforeEach(async () => {
	home = await mkdtemp(path.join(os.tmpdir(), "rookery-home-"));
	await mkdir(path.join(home, ".claude/agents/team"), { recursive: true });
	await writeFile(path.join(home, ".claude/agents/tidy.md"), agent("tidy", "From .claude"));
	await writeFile(path.join(home, ".claude/agents/team/deep.md"), agent("deep", "Further down"));
	await symlink("tidy.md", path.join(home, ".claude/agents/link.md"));
});

afterEach(() => rm(home, { recursive: true, force: true }));

describe("agents of the runner", () => {
	it("S-037 the home folder is not read unless user-agents is true", async () => {
		expect(await readFurtherAgents({ userAgents: false }, never, home)).toEqual({ entries: [] });
	});

	it("S-037 S-041 with user-agents both folders are read, .rookery first, before the repository's; links are refused", async () => {
		await mkdir(path.join(home, ".rookery/agents"), { recursive: true });
		await writeFile(path.join(home, ".rookery/agents/tidy.md"), agent("tidy", "From .rookery"));
		const { entries, skills } = await readFurtherAgents({ userAgents: true }, never, home);
		expect(skills).toBeUndefined();
		const catalogue = await buildCatalogue({ builtIn: [], organisation: entries, repository: [] });
		expect(catalogue.agents.map(({ name, tier, source }) => [name, tier, source?.path])).toEqual([
			["tidy", "organisation", "~/.rookery/agents/tidy.md"],
			["deep", "organisation", "~/.claude/agents/team/deep.md"],
		]);
		expect(catalogue.problems.map(({ path: file, code }) => [file, code])).toEqual([
			["~/.claude/agents/link.md", "E_LINK"],
			["~/.claude/agents/tidy.md", expect.any(String)],
		]);
	});

	it("a folder that is a file ends the run with the input's name", async () => {
		await writeFile(path.join(home, ".rookery"), "");
		await expect(readFurtherAgents({ userAgents: true }, never, home)).rejects.toThrow(
			/input user-agents: ~\/\.rookery\/agents cannot be read/,
		);
	});
});
