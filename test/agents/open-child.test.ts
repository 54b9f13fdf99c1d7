import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openRepository } from "../../src/adapters/git/open-repository.ts";
import { createWorkspaceProvider } from "../../src/adapters/worktree/create-workspace-provider.ts";
import { callTool, callTools } from "../../src/demo/loopback-model/scripted-reply.ts";
import { type LoopbackModel, startLoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import type { AgentDefinition } from "../../src/domain/agent.ts";
import type { Assignment } from "../../src/domain/child-run.ts";
import { createChildOpener } from "../../src/stages/open-child.ts";
import { createChildTrees } from "../../src/stages/open-child-tree.ts";
import { commit, git, makeFolder, makeRepository, writeFiles } from "../adapters/git/git-fixture.ts";
import { agentFile, openReview, runForReal } from "./review-rig.ts";

let server: LoopbackModel;
beforeEach(async () => {
	server = await startLoopbackModel();
});
afterEach(() => server.close());

const DONE = callTool("submit_report", { summary: "All sound.", findings: [], open: [] });
const reviewersOnly = {
	plan: (plan: Parameters<NonNullable<Parameters<typeof openReview>[1]["plan"]>>[0]) => ({
		...plan,
		assignments: plan.assignments.filter(({ agent }) => agent.kind === "reviewer"),
	}),
};
const identity = (session: string, parent: string | null = null) => ({
	session,
	agentId: "agent_1",
	name: null,
	parent,
	parentCall: null,
	depth: 1,
});

function assignmentOf(change: Partial<AgentDefinition>, access: Assignment["access"] = "read"): Assignment {
	const agent: AgentDefinition = {
		...{ name: "x", description: "d", kind: "reviewer", tier: "repository", prompt: "p", tools: ["read_file"] },
		...{ disallowedTools: [], memory: true, skills: [], background: false, oneShot: false },
		...change,
	};
	return { agent, files: [], task: "t", limits: { maxSteps: 5, tokenBudget: 1e5, timeoutMs: 6e4, answerChars: 1e4 }, reason: "r", access };
}

async function makeTrees() {
	const folder = makeRepository();
	const head = commit(folder, { "a.txt": "one\n" });
	const written = makeFolder();
	const provider = createWorkspaceProvider({ repository: await openRepository(folder), head, run: "run", temporaryFolder: makeFolder() });
	const artifacts = {
		folder: written,
		write: async (name: string, content: string | Buffer) => {
			writeFileSync(path.join(written, name), content);
			return path.join(written, name);
		},
	};
	const log = { info: () => undefined, notice: () => undefined, warning: () => undefined, error: () => undefined, group: () => undefined };
	return { folder, provider, trees: createChildTrees(provider, { artifacts, log, hideSecret: () => undefined, redact: (text) => text }) };
}

describe("trees of children", () => {
	const isolated = assignmentOf({ isolation: "worktree" });
	const reading = assignmentOf({});

	it("S-197 a child of an isolated child works in that one's tree unless it is isolated itself", async () => {
		const { provider, trees } = await makeTrees();
		await using _provider = provider;
		const parent = trees.open({ assignment: isolated, session: "p-1", parent: null });
		const root = (await parent.workspace).root;
		const child = trees.open({ assignment: reading, session: "c-1", parent: "p-1" });
		const grandchild = trees.open({ assignment: reading, session: "g-1", parent: "c-1" });
		const own = trees.open({ assignment: isolated, session: "c-2", parent: "p-1" });
		const stranger = trees.open({ assignment: reading, session: "s-1", parent: null });
		expect((await child.workspace).root).toBe(root);
		expect((await grandchild.workspace).root).toBe(root);
		expect((await own.workspace).root).not.toBe(root);
		expect((await stranger.workspace).kind).toBe("shared");
		for (const tree of [grandchild, child, own, stranger]) await tree.close({ session: "x" });
		// The child's end leaves its parent's tree where it is.
		expect(existsSync(root)).toBe(true);
		await parent.close({ session: "p-1" });
		expect(existsSync(root)).toBe(false);
	});

	it("S-196 a continued child finds its work again; one that left none has the head", async () => {
		const { provider, trees } = await makeTrees();
		await using _provider = provider;
		const first = trees.open({ assignment: isolated, session: "a-1", parent: null });
		const before = await first.workspace;
		writeFiles(before.root, { "a.txt": "two\n", "new.txt": "n\n" });
		expect(await first.close({ session: "a-1" })).toMatchObject({ kept: true });
		expect(existsSync(before.root)).toBe(false);
		const again = trees.open({ assignment: isolated, session: "a-1", parent: null });
		const now = await again.workspace;
		expect(readFileSync(path.join(now.root, "a.txt"), "utf8")).toBe("two\n");
		expect(existsSync(path.join(now.root, "new.txt"))).toBe(true);
		await again.close({ session: "a-1" });
		const other = trees.open({ assignment: isolated, session: "b-1", parent: null });
		expect(readFileSync(path.join((await other.workspace).root, "a.txt"), "utf8")).toBe("one\n");
		expect(await other.close({ session: "b-1" })).toBeUndefined();
	});

	it("S-181 a writer has a tree of its own whatever its file says", async () => {
		const { folder, provider, trees } = await makeTrees();
		await using _provider = provider;
		const writer = trees.open({ assignment: assignmentOf({}, "write"), session: "w-1", parent: null });
		const { kind, root } = await writer.workspace;
		expect(kind).toBe("own");
		expect(git(folder, "worktree", "list", "--porcelain")).toContain(root);
		await writer.close({ session: "w-1" });
	});
});

describe("opening a child", () => {
	it("S-168 a continued run asks no SubagentStart hook", async () => {
		const log = path.join(makeFolder(), "log");
		const hooks = { SubagentStart: [{ hooks: [{ type: "command", command: `echo started >>${log}` }] }] };
		await using rig = await openReview(server, {
			base: { "src/a.ts": "1\n", ".claude/agents/sec.md": agentFile("sec"), ".claude/settings.json": JSON.stringify({ hooks }) },
			seams: { hookRunner: runForReal },
			...reviewersOnly,
		});
		await using workspaces = rig.seams.openWorkspaces(rig.context.head);
		const journal = rig.seams.journals.openRun();
		const pack = { blocks: [], complete: new Set<string>(), shown: new Map(), leftOut: [], excerpts: [] };
		const opener = createChildOpener({ ...rig, pack }, rig.seams, { workspaces, journal });
		const [assignment] = rig.plan.assignments;
		if (assignment === undefined) throw new Error("no reviewer");
		for (const resumed of [false, true]) {
			const opened = await opener.open(assignment, identity("agent-sec-1"), resumed);
			await opened.close({ session: "agent-sec-1" } as never);
		}
		await journal.close();
		expect(readFileSync(log, "utf8")).toBe("started\n");
	});

	it("S-179 S-067 a blocked completion leaves the item open, and the tool says why; the list is the reviewer's own", async () => {
		server.setScript([
			{
				marker: "You are sec.",
				replies: [
					callTool("task_create", { subject: "read it" }),
					callTool("task_update", { id: "1", state: "completed" }),
					callTool("task_list", {}),
					DONE,
				],
			},
		]);
		const block = { TaskCompleted: [{ hooks: [{ type: "command", command: 'grep -q "read it" && { echo "no proof" >&2; exit 2; }' }] }] };
		await using rig = await openReview(server, {
			base: {
				"src/a.ts": "1\n",
				".claude/agents/sec.md": agentFile("sec", { tools: "Read, TodoWrite" }),
				".claude/settings.json": JSON.stringify({ hooks: block }),
			},
			seams: { hookRunner: runForReal },
			...reviewersOnly,
		});
		const [report] = (await rig.run()).reports;
		expect(report?.status).toBe("completed");
		const last = server.requests.at(-1)?.rawBody ?? "";
		expect(last).toContain("The list was not changed: no proof");
		expect(last).toContain("- [ ] 1. read it");
	});

	it("S-190 A57 the main checkout and other trees are out of reach for a reviewer's tools", async () => {
		const places: string[] = [];
		server.setScript([
			{
				marker: "You are sec.",
				replies: [
					() =>
						callTools(["/etc/passwd", ...places, "../x", "src/../../x"].map((place) => ({ name: "read_file", input: { path: place } }))),
					DONE,
				],
			},
		]);
		await using rig = await openReview(server, {
			base: { "src/a.ts": "1\n", ".claude/agents/sec.md": agentFile("sec") },
			...reviewersOnly,
		});
		places.push(path.join(rig.folder, "src/a.ts"), path.join(rig.temp, "runner/other"));
		const [report] = (await rig.run()).reports;
		expect(report?.refused.map((row) => row.code)).toEqual(["E_PATH", "E_PATH", "E_PATH", "E_PATH", "E_PATH"]);
		expect(report?.filesRead).not.toContain(path.join(rig.folder, "src/a.ts"));
	});

	it("submodules and large-file pointers are said plainly", async () => {
		await using rig = await openReview(server, {
			base: { "src/a.ts": "1\n", ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n" },
			prepare: (folder) => void git(folder, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},lib`),
		});
		// `git add -A` of the rig takes a gitlink without a folder out again; the index is asked for the truth.
		const modules = git(rig.folder, "ls-tree", "-r", rig.context.head).includes("160000");
		expect(rig.plan.notes.some((note) => note.includes("Submodules are not checked out") && note.includes("lib"))).toBe(modules);
		expect(rig.plan.notes.join("\n")).toContain("Git LFS");
	});
});
