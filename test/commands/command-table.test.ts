import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/commands/command-table.ts";
import { renderHelp, renderUnknown } from "../../src/commands/render-help.ts";
import { COMMAND_NAMES } from "../../src/compose/command-names.ts";
import { parseComment } from "../../src/intake/parse-command.ts";

describe("the command table", () => {
	it("holds every command of the design once, each with a role that fits what it may do", () => {
		const names = COMMANDS.map((command) => command.name);
		expect(new Set(names).size).toBe(names.length);
		expect([...names].sort()).toEqual(
			[
				...["agent", "agents", "ask", "audit", "config", "continue", "cost", "describe", "dismiss", "expert", "experts", "explore", "fix"],
				...["help", "pause", "resolve", "resume", "review", "session", "stop", "trust"],
			].sort(),
		);
		for (const command of COMMANDS) if (command.spends) expect(["write", "maintain", "admin"], command.name).toContain(command.role);
	});

	it("BR-26 A90 no text of ours parses as a command, quoted or not", () => {
		const texts = [
			renderHelp(COMMANDS, "rookery"),
			renderUnknown({ word: "reveiw", nearest: "review" }),
			renderUnknown({ word: "review", quoted: true }),
		];
		for (const text of texts) {
			expect(
				parseComment(text, COMMAND_NAMES).commands.filter((command) => command.name !== "ask"),
				text,
			).toEqual([]);
			expect(text).not.toMatch(/^\s*\//m);
		}
	});

	it("BR-26 no source of a command writes a command anywhere but through its one function", async () => {
		const names = COMMANDS.map((command) => command.name).join("|");
		for (const file of await readdir("src/commands")) {
			const source = await readFile(`src/commands/${file}`, "utf8");
			const code = source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "").replace(/^import .*$/gm, "");
			expect(code, file).not.toMatch(new RegExp(`["'\`\\s]/(?:${names})\\b`));
		}
	});

	it("the documentation is generated from the table", async () => {
		const page = await readFile("docs/commands.md", "utf8");
		for (const command of COMMANDS) expect(page).toContain(command.summary);
	});
});
