import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAgentFile } from "../../src/agents/agent-file.ts";
import { EXPLORE_AGENT, PLAN_AGENT } from "../../src/agents/built-in.ts";
import { type AgentFile, type AgentTier, READ_ONLY_TOOLS } from "../../src/domain/agent.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures/agents");

function parseFixture(name: string, tier: AgentTier = "repository"): AgentFile {
	return parseAgentFile({ path: `.claude/agents/${name}`, bytes: readFileSync(join(FIXTURES, name)), tier });
}

function parseText(text: string | Uint8Array, tier: AgentTier = "repository"): AgentFile {
	return parseAgentFile({ path: ".claude/agents/x.md", bytes: Buffer.from(text), tier });
}

/** An agent whose header has one more line. */
function parseLine(line: string, tier: AgentTier = "repository") {
	return loaded(parseText(`---\nname: a\ndescription: b\n${line}\n---\nBody.`, tier));
}

function loaded(file: AgentFile) {
	if (file.state !== "loaded") throw new Error(`${file.state}: ${file.reason}`);
	return file;
}

describe("parseAgentFile", () => {
	it("S-042 reads every official field", () => {
		const { agent } = loaded(parseFixture("all-fields.md", "organisation"));
		expect(agent).toMatchObject({
			name: "all-fields",
			description: "Has every official key",
			tools: ["read_file", "grep", "bash", "bash_output", "kill_shell"],
			toolPatterns: { bash: ["git diff:*"] },
			disallowedTools: ["grep"],
			model: "haiku",
			permissionMode: "acceptEdits",
			maxTurns: 7,
			skills: ["house-style", "api/errors"],
			mcpServers: ["tracker"],
			memory: true,
			memoryKind: "project",
			background: true,
			effort: "high",
			isolation: "worktree",
			color: "#12ab34",
			initialPrompt: "Begin with the tests.",
			prompt: "You have every field.",
			tier: "organisation",
		});
		expect(agent.hooks).toMatchObject({ Stop: [{ hooks: [{ type: "command" }] }] });
		expect(agent.source?.sha256).toBe(
			createHash("sha256")
				.update(readFileSync(join(FIXTURES, "all-fields.md")))
				.digest("hex"),
		);
	});

	it("S-042 gives each fault its own text and never throws", () => {
		const faults: readonly (readonly [string | Uint8Array, string, string])[] = [
			["---\ndescription: b\n---\nBody", "documentation", "no name"],
			["---\nname: a\n---\nBody", "refused", "description"],
			["---\nname: a\ndescription: b\n---\n\n", "refused", "no instructions"],
			["---\nname: -a\ndescription: b\n---\nBody", "refused", "dash"],
			["---js\n{}\n---\nBody", "refused", "---js"],
			[`---\nname: a\ndescription: b\n---\n${"x".repeat(1_048_577)}`, "refused", "at most 1048576"],
			[new Uint8Array([0xff, 0xfe, 0x00]), "refused", "UTF-8"],
			["---\nname: a\ndescription: b\n---\nBody\u0000", "refused", "zero bytes"],
			["---\n- a\n- b\n---\nBody", "refused", "key: value"],
		];
		const reasons = faults.map(([bytes, state, part]) => {
			const file = parseText(bytes);
			expect(file.state).toBe(state);
			if (file.state === "loaded") return "";
			expect(file.reason).toContain(part);
			return file.reason;
		});
		expect(new Set(reasons).size).toBe(faults.length);
	});

	it("S-042 survives any bytes", () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 300 }), fc.string({ maxLength: 200 }), (bytes, text) => {
				parseText(bytes);
				parseText(`---\nname: a\n${text}\n---\nBody`);
			}),
			{ numRuns: 300 },
		);
	});

	it("S-044 gives exactly the read-only set when the file names no tools, or all of them", () => {
		for (const file of [parseLine("color: red"), parseLine("tools:"), parseLine("tools: '*'"), loaded(parseFixture("all-tools.md"))]) {
			expect(file.agent.tools).toEqual(READ_ONLY_TOOLS);
			expect(file.readOnlyByDefault).toBe(true);
		}
		for (const tool of ["bash", "edit_file", "multi_edit", "write_file", "web_fetch", "web_search"] as const)
			expect(READ_ONLY_TOOLS).not.toContain(tool);
	});

	it("S-044 gives no tools for an empty list", () => {
		expect(parseLine("tools: []")).toMatchObject({ agent: { tools: [] }, readOnlyByDefault: false });
	});

	it("S-062 keeps the wish for no memory, which the built-in readers have", () => {
		expect(loaded(parseFixture("no-memory.md")).agent.memory).toBe(false);
		expect(parseLine("memory: user").agent).toMatchObject({ memory: true, memoryKind: "user" });
		expect(parseLine("color: red").agent.memory).toBe(true);
		expect([EXPLORE_AGENT.memory, PLAN_AGENT.memory]).toEqual([false, false]);
	});

	it("S-117 lets permissionMode change nothing but a warning", () => {
		const plain = parseLine("tools: Read, Edit");
		const bypass = parseLine("tools: Read, Edit\npermissionMode: bypassPermissions");
		expect(bypass.agent.tools).toEqual(plain.agent.tools);
		expect(bypass.warnings).toEqual([expect.stringContaining("permissionMode: bypassPermissions has no effect")]);
		expect(parseLine("tools: Read, Edit\npermissionMode: plan").agent.tools).toEqual(["read_file"]);
		expect(parseLine("mcpServers: [tracker]")).toMatchObject({ warnings: [expect.stringContaining("mcpServers")] });
		expect(parseLine("mcpServers: [tracker]").agent.mcpServers).toBeUndefined();
		expect(parseLine("mcpServers: [tracker]", "organisation").agent.mcpServers).toEqual(["tracker"]);
	});

	it("S-182 keeps another isolation than worktree, so that the spawn can name it", () => {
		const { agent, warnings } = loaded(parseFixture("docker-isolation.md"));
		expect(agent).toMatchObject({ unsupportedIsolation: "docker" });
		expect(agent.isolation).toBeUndefined();
		expect(warnings).toEqual([expect.stringMatching(/isolation: found docker, wanted worktree/)]);
	});

	it("BR-55 goes on without unknown tools, and refuses when none is known", () => {
		const some = loaded(parseFixture("unclosed-bracket.md"));
		expect(some.agent).toMatchObject({ description: "bad: [unclosed", tools: ["read_file"] });
		expect(some.warnings).toEqual([expect.stringContaining("Grpe (unknown, did you mean Grep?)")]);
		expect(parseFixture("no-known-tool.md")).toMatchObject({
			state: "refused",
			reason: expect.stringMatching(/raed \(unknown, did you mean Read\?\), Florp \(unknown\), githubRepo \(unknown\)/),
		});
		expect(parseFixture("misspelled-key.md")).toMatchObject({ state: "refused", reason: expect.stringContaining("disallowed-tools") });
		expect(parseText("---\nname: a\ndescription: b\ntools: { Read: true }\n---\nBody")).toMatchObject({ state: "refused" });
	});

	it("BR-55 takes a slip in the deny list for the tool that was meant", () => {
		expect(parseLine("tools: Read, Bash, Edit\ndisallowedTools: bsh, edit").agent.disallowedTools).toEqual([
			"bash",
			"bash_output",
			"kill_shell",
			"edit_file",
			"multi_edit",
		]);
		expect(parseLine("tools: Read, Bash\ndisallowedTools: '*'").agent.disallowedTools).toEqual([
			"read_file",
			"bash",
			"bash_output",
			"kill_shell",
		]);
	});

	it("BR-58 takes files without header or name for documentation", () => {
		expect(parseFixture("notes.md")).toEqual({ state: "documentation", reason: "no header, so it is taken for documentation" });
		expect(parseFixture("no-name.md").state).toBe("documentation");
	});

	it("BR-59 names a file that has a name and no description, with the repair", () => {
		expect(parseFixture("no-description.md")).toMatchObject({
			state: "refused",
			name: "lonely",
			reason: expect.stringMatching(/description: it is missing; say/),
		});
	});

	it("BR-63 refuses names with a colon or a leading dash, and takes names that are only unusual", () => {
		for (const name of ["team:rev", "-rev", "..", "a/b", "a\\b", ".hidden", "a\u200Bb", "a\u202Eb", "x".repeat(101), "---"]) {
			expect(parseText(`---\nname: ${JSON.stringify(name)}\ndescription: b\n---\nBody`)).toMatchObject({
				state: "refused",
				code: "E_POLICY",
			});
		}
		expect(loaded(parseFixture("spaced-name.md")).agent.name).toBe("Load Balancing Coordinator");
		expect(loaded(parseText("---\nname: 404\ndescription: b\n---\nBody")).agent.name).toBe("404");
	});

	it("BR-64 keeps aliases and full ids, and warns of anything else", () => {
		const seen = ["inherit", "Sonnet", "claude-sonnet-4-20250514", '"Claude Sonnet 4.5 (copilot)"', "gpt-5", '""', "null", '"opus "'].map(
			(model) => {
				const { agent, warnings } = parseLine(`model: ${model}`);
				return [agent.model, warnings.length];
			},
		);
		expect(seen).toEqual([
			[undefined, 0],
			["Sonnet", 0],
			["claude-sonnet-4-20250514", 0],
			["Claude Sonnet 4.5 (copilot)", 1],
			["gpt-5", 1],
			[undefined, 0],
			[undefined, 0],
			["opus", 0],
		]);
	});

	it("BR-65 keeps foreign keys as names in one note, and runs nothing of them", () => {
		const { agent, warnings } = loaded(parseFixture("other-dialect.md"));
		expect(agent.tools).toEqual([]);
		expect(agent.serverTools).toEqual({ allowed: ["mcp__x__*"], denied: [] });
		expect(agent.unknownKeys).toEqual(["type", "capabilities", "allowedTools"]);
		expect(warnings.filter((warning) => warning.includes("unknown keys"))).toHaveLength(1);
		expect(warnings).toContainEqual(expect.stringContaining("hooks: kept as data and not run"));
		expect(agent.hooks).toEqual({ pre: "echo start\n" });
	});

	it("A35 refuses a path as name, an address as model and only unknown tools with E_POLICY", () => {
		for (const name of ["path-name.md", "url-model.md", "no-known-tool.md"])
			expect(parseFixture(name)).toMatchObject({ state: "refused", code: "E_POLICY" });
	});

	it("reads odd values of plain fields as their default, with a warning", () => {
		for (const line of [
			"maxTurns: 0",
			"maxTurns: many",
			"maxTurns: 2.5",
			"effort: huge",
			"background: often",
			"memory: cloud",
			"skills: { a: b }",
			"model: 5",
		]) {
			const { warnings } = parseLine(line);
			expect(warnings).toEqual([expect.stringContaining(line.split(":")[0] ?? "")]);
		}
		expect(parseLine('maxTurns: "12"').agent.maxTurns).toBe(12);
		expect(parseLine("skills: one, two").agent.skills).toEqual(["one", "two"]);
		expect(parseLine("effort: HIGH").agent.effort).toBe("high");
	});
});
