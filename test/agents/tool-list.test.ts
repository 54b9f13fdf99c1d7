import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAgentFile } from "../../src/agents/agent-file.ts";
import { parseToolList } from "../../src/agents/parse-tool-list.ts";
import { resolveAgentTools } from "../../src/agents/resolve-agent-tools.ts";
import { toolFamily } from "../../src/agents/tool-names.ts";
import { type AgentDefinition, READ_ONLY_TOOLS, type ToolName } from "../../src/domain/agent.ts";

function list(value: unknown, purpose: "allow" | "deny" = "allow") {
	const read = parseToolList(value, purpose);
	if (read.kind !== "list") throw new Error(read.kind);
	return read;
}

function agent(tools: string, disallowed?: string): AgentDefinition {
	const deny = disallowed === undefined ? "" : `disallowedTools: ${disallowed}\n`;
	const file = parseAgentFile({
		path: "a.md",
		bytes: Buffer.from(`---\nname: a\ndescription: b\ntools: ${tools}\n${deny}---\nBody`),
		tier: "repository",
	});
	if (file.state !== "loaded") throw new Error(file.reason);
	return file.agent;
}

const EVERYTHING: readonly ToolName[] = [
	...READ_ONLY_TOOLS,
	"edit_file",
	"multi_edit",
	"write_file",
	"bash",
	"bash_output",
	"kill_shell",
	"web_fetch",
	"web_search",
];

describe("parseToolList", () => {
	it("BR-56 reads every shape that real files use", () => {
		const mixed = list("Read, Bash(git diff:*), Bash(npm run lint:*), Agent(a, b), mcp__gh__get_issue");
		expect(mixed.entries).toHaveLength(5);
		expect(mixed.patterns).toEqual({ bash: ["git diff:*", "npm run lint:*"], agent: ["a", "b"] });
		expect(mixed.serverTools).toEqual(["mcp__gh__get_issue"]);
		expect(list(["Read", "Bash(git log:*)"]).entries).toHaveLength(2);
		expect(list('["Read", "Write"]').tools).toEqual(["read_file", "write_file"]);
		expect(list("[Read, Grep]").tools).toEqual(["read_file", "grep"]);
		expect(list("Read,,Grep , Read").entries).toEqual(["Read", "Grep"]);
		expect(list([]).entries).toEqual([]);
		expect(list("mcp__s, mcp__s__*, mcp__s__t").serverTools).toEqual(["mcp__s", "mcp__s__*", "mcp__s__t"]);
		for (const all of ["*", "All tools", null, undefined, ["*"]]) expect(parseToolList(all, "allow")).toEqual({ kind: "all" });
		for (const wrong of [5, { Read: true }, ["Read", 5]]) expect(parseToolList(wrong, "allow").kind).toBe("invalid");
	});

	it("BR-56 takes Task for Agent, keeps several bracketed ones, and hints at a wrong case", () => {
		expect(list("Task").tools).toEqual(list("Agent").tools);
		expect(list("Agent(a), Agent(b)").patterns).toEqual({ agent: ["a", "b"] });
		expect(list("Read, BASH").dropped).toEqual([{ entry: "BASH", reason: "unknown, did you mean Bash?" }]);
		expect(list("Read, read").tools).toEqual(["read_file"]);
		expect(list("Read, Workflow").dropped).toEqual([{ entry: "Workflow", reason: "not offered here" }]);
	});

	it("S-043 maps both spellings and keeps bracketed patterns as restrictions", () => {
		expect(list("Read, Edit, Glob, Grep, LS").tools).toEqual(["read_file", "edit_file", "multi_edit", "glob", "grep"]);
		expect(list("read_file, edit_file, glob, grep").tools).toEqual(["read_file", "edit_file", "multi_edit", "glob", "grep"]);
		expect(list("Read, Bash(git diff:*)")).toMatchObject({
			tools: ["read_file", "bash", "bash_output", "kill_shell"],
			patterns: { bash: ["git diff:*"] },
		});
	});

	it("S-043 drops a tool whose brackets cannot be read, never the brackets alone", () => {
		for (const entry of ["Bash(git:* push)", "Bash()", "Bash(git diff", "Bash(a\nb)"]) {
			const read = list(["Read", entry]);
			expect(read.tools).toEqual(["read_file"]);
			expect(read.dropped).toEqual([{ entry, reason: expect.stringContaining("brackets") }]);
			expect(list([entry], "deny").tools).toContain("bash");
			expect(list([entry], "deny").patterns).toEqual({});
		}
	});

	it("S-043 lets the narrower of two entries count in an allow list and the wider one in a deny list", () => {
		expect(list("Bash, Bash(git diff:*)")).toMatchObject({
			patterns: { bash: ["git diff:*"] },
			warnings: [expect.stringContaining("bash stands with and without")],
		});
		expect(list("Bash, Bash(git push:*)", "deny").patterns).toEqual({});
		expect(list("Bash(*)").patterns).toEqual({});
	});

	it("S-069 lets a name stand for its family, but a shell's companion brings no shell", () => {
		expect(list("Edit").tools).toEqual(["edit_file", "multi_edit"]);
		expect(list("MultiEdit").tools).toEqual(["edit_file", "multi_edit"]);
		expect(list("TaskGet").tools).toEqual(["todo_write", "task_create", "task_update", "task_list", "task_get"]);
		expect(list("WebSearch").tools).toEqual(["web_fetch", "web_search"]);
		expect(list("find_callers").tools).toEqual([
			"find_symbol",
			"find_references",
			"find_callers",
			"impact_analysis",
			"ast_query",
			"repo_map",
		]);
		expect(list("Bash").tools).toEqual(["bash", "bash_output", "kill_shell"]);
		expect(list("BashOutput, KillBash").tools).toEqual(["bash_output", "kill_shell"]);
		for (const tool of EVERYTHING) expect(toolFamily(tool)).toContain(tool);
	});

	it("S-069 removes the whole shell family by one name in the deny list", () => {
		const granted = resolveAgentTools(agent("Read, Bash", "Bash"), EVERYTHING);
		expect(granted.tools).toEqual(["read_file"]);
	});
});

describe("resolveAgentTools", () => {
	it("S-068 never gives what the caller lacks, and takes the deny list off", () => {
		const caller: readonly ToolName[] = ["read_file", "glob", "grep", "bash"];
		const granted = resolveAgentTools(agent("Read, Grep, Bash, Edit", "Grep"), caller);
		expect(granted.tools).toEqual(["read_file", "bash"]);
		expect(granted.withheld.map((row) => row.tool)).toEqual(["bash_output", "kill_shell", "edit_file", "multi_edit"]);
		expect(granted.withheld.every((row) => row.code === "E_POLICY")).toBe(true);
	});

	it("S-068 is a subset of the caller's set for any pair of sets", () => {
		const tools = fc.subarray([...EVERYTHING]);
		fc.assert(
			fc.property(tools, tools, tools, (allowed, denied, caller) => {
				const granted = resolveAgentTools({ ...agent("Read"), tools: allowed, disallowedTools: denied }, caller);
				for (const tool of granted.tools) {
					expect(caller).toContain(tool);
					expect(allowed).toContain(tool);
					expect(denied).not.toContain(tool);
				}
			}),
		);
	});

	it("S-043 hands the restrictions on with the tools that are really given", () => {
		const restricted = agent("Read, Bash(git diff:*)");
		expect(resolveAgentTools(restricted, EVERYTHING).patterns).toEqual({ bash: ["git diff:*"] });
		expect(resolveAgentTools(restricted, READ_ONLY_TOOLS).patterns).toEqual({});
		expect(resolveAgentTools(agent("Bash", "Bash(git push:*)"), EVERYTHING).deniedPatterns).toEqual({ bash: ["git push:*"] });
	});

	it("A35 withholds bash from an agent in an untrusted run with E_POLICY and runs the rest", () => {
		const granted = resolveAgentTools(agent("Read, Bash"), READ_ONLY_TOOLS);
		expect(granted.tools).toEqual(["read_file"]);
		expect(granted.withheld[0]).toMatchObject({ tool: "bash", code: "E_POLICY", reason: expect.stringContaining("agent a asks for bash") });
	});

	it("A36 names everything an agent asks for beyond what the run gives", () => {
		const granted = resolveAgentTools(agent("Read, Write, WebFetch"), ["read_file"]);
		expect(granted.withheld.map((row) => row.tool)).toEqual(["write_file", "web_fetch", "web_search"]);
	});
});
