import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runTrustCommand, renderTrustResult } from "../../src/compose/trust-command.ts";
import { type LoopbackModel, startLoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import { UserError } from "../../src/domain/errors.ts";
import { parseTrustLock } from "../../src/trust/trust-lock.ts";
import { commit, git, makeFolder, makeRepository, writeFiles } from "../adapters/git/git-fixture.ts";
import { agentFile, openReview } from "../agents/review-rig.ts";

const PINNED = '{"agents":{"trust":"pinned"}}';
const lockOf = (folder: string) => readFileSync(path.join(folder, ".rookery/trust.json"), "utf8");

let server: LoopbackModel;
beforeEach(async () => {
	server = await startLoopbackModel();
});
afterEach(() => server.close());

/** Names of the reviewers that a review of this base would start, and why the others are not. */
async function plannedFrom(folder: string) {
	const files = Object.fromEntries(
		git(folder, "ls-files")
			.split("\n")
			.filter(Boolean)
			.map((name) => [name, readFileSync(path.join(folder, name), "utf8")]),
	);
	await using rig = await openReview(server, { base: files, head: { "src/a.ts": "export const a = 2;\n" } });
	return {
		running: rig.plan.assignments.filter(({ agent }) => agent.kind === "reviewer").map(({ agent }) => agent.name),
		refused: rig.plan.skippedAgents.map(({ name, reason }) => `${name}: ${reason}`).join("\n"),
	};
}

describe("rookery trust", () => {
	it("X-07 S-039 the pin it writes lets the agent run once it is merged; one more byte of agent, skill or hook is refused again", async () => {
		const folder = makeRepository();
		commit(folder, {
			"src/a.ts": "export const a = 1;\n",
			".rookery/settings.json": PINNED,
			".claude/skills/s/SKILL.md": "skill\n",
			".claude/agents/sec.md": agentFile("sec", { skills: "s" }),
			".claude/agents/api.md": agentFile("api"),
		});
		expect((await plannedFrom(folder)).running).toEqual([]);
		const result = await runTrustCommand({ repo: folder, names: ["sec"], by: "mona" });
		expect(result.pins).toMatchObject([
			{
				name: "sec",
				path: ".claude/agents/sec.md",
				change: "added",
				parts: [".claude/agents/sec.md", ".claude/skills/s/SKILL.md", ".rookery/settings.json"],
			},
		]);
		expect(parseTrustLock(lockOf(folder)).agents[".claude/agents/sec.md"]).toMatchObject({
			name: "sec",
			by: "mona",
			closure: result.pins[0]?.closure,
		});
		commit(folder, {});
		expect((await plannedFrom(folder)).running).toEqual(["sec"]);
		for (const change of [
			{ ".claude/agents/sec.md": `${agentFile("sec", { skills: "s" })} ` },
			{ ".claude/skills/s/SKILL.md": "skill.\n" },
			{ ".claude/settings.json": '{"hooks":{"PreToolUse":[]}}' },
			{ ".worktreeinclude": "x\n" },
			{ ".rookery/policy.json": "{}" },
		]) {
			git(folder, "checkout", "-q", "-b", `try-${Object.keys(change)[0]?.replaceAll(/\W/g, "-")}`);
			commit(folder, change);
			const planned = await plannedFrom(folder);
			expect(planned.running, Object.keys(change)[0]).toEqual([]);
			expect(planned.refused).toMatch(/sec: E_CONSENT: .*lists [0-9a-f]{12}/);
			git(folder, "checkout", "-q", "main");
		}
		// A colour in the settings needs no new consent.
		commit(folder, { ".claude/settings.json": '{"theme":"dark"}' });
	});

	it("without names it pins all, tells what changed, and writes nothing when nothing did", async () => {
		const folder = makeRepository();
		commit(folder, {
			".claude/agents/a.md": agentFile("a"),
			".rookery/agents/b.md": agentFile("b"),
			".claude/agents/bad.md": "---\nname: x\n---\nbody\n",
		});
		const first = await runTrustCommand({ repo: path.join(folder, ".claude"), names: [] });
		expect(first.pins.map((pin) => [pin.name, pin.change])).toEqual([
			["b", "added"],
			["a", "added"],
		]);
		expect(first.notes.join("\n")).toContain("bad.md is no usable agent");
		const text = lockOf(folder);
		const again = await runTrustCommand({ repo: folder, names: [] });
		expect(again.pins.every((pin) => pin.change === "unchanged")).toBe(true);
		expect(lockOf(folder)).toBe(text);
		commit(folder, { ".claude/agents/a.md": agentFile("a", { tools: "Read, Bash" }) });
		const changed = await runTrustCommand({ repo: folder, names: ["a"] });
		expect(renderTrustResult(changed)).toMatch(/changed +a \(\.claude\/agents\/a\.md\) [0-9a-f]{12}, tools: read_file, bash/);
		commit(folder, { ".claude/agents/a.md": null });
		expect((await runTrustCommand({ repo: folder, names: ["b"] })).notes.join()).toContain(".claude/agents/a.md is pinned and is no agent");
	});

	it("the committed version is pinned, not what lies in the working tree", async () => {
		const folder = makeRepository();
		commit(folder, { ".claude/agents/a.md": agentFile("a") });
		const [clean] = (await runTrustCommand({ repo: folder, names: ["a"] })).pins;
		writeFiles(folder, { ".claude/agents/a.md": agentFile("a", { tools: "Bash" }) });
		const [dirty] = (await runTrustCommand({ repo: folder, names: ["a"] })).pins;
		expect(dirty).toMatchObject({ closure: clean?.closure, change: "unchanged" });
	});

	it("E_CONSENT E_LINK an unknown name, a broken lock file and links are refused, and nothing is written through them", async () => {
		const folder = makeRepository();
		commit(folder, { ".claude/agents/a.md": agentFile("a") });
		const fail = async (names: readonly string[]) => {
			const error = await runTrustCommand({ repo: folder, names }).catch((caught: unknown) => caught);
			expect(error).toBeInstanceOf(UserError);
			return String(error);
		};
		expect(await fail(["nobody"])).toContain("wanted an agent of the repository at HEAD: a");
		mkdirSync(path.join(folder, ".rookery"));
		writeFileSync(path.join(folder, ".rookery/trust.json"), "{");
		expect(await fail(["a"])).toContain(".rookery/trust.json");
		const outside = makeFolder();
		const other = makeRepository();
		commit(other, { ".claude/agents/a.md": agentFile("a") });
		symlinkSync(outside, path.join(other, ".rookery"));
		const error = await runTrustCommand({ repo: other, names: ["a"] }).catch((caught: unknown) => caught);
		expect(String(error)).toContain("found a link");
		expect(() => readFileSync(path.join(outside, "trust.json"))).toThrow();
	});
});
