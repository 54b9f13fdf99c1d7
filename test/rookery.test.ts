import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DELEGATE_HANDLE_KEY, type DelegateRunner, provisionToolDeck, renderDelegates, type TaskDetails } from "../src/rookery.ts";

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(path.join(tmpdir(), "rookery-deck-"));
	writeFileSync(path.join(folder, "a.txt"), "hello\n");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const never = new AbortController().signal;

/** All that a consumer has to write (S-051). */
const runner: DelegateRunner = {
	async run(request) {
		return { ok: true, report: `did: ${request.objective}` };
	},
};

describe("the module", () => {
	it("S-052 the key is exported; with a runner under it the deck delegates, without one it says so", async () => {
		expect(DELEGATE_HANDLE_KEY).toBe("delegate");
		const decks = [await provisionToolDeck({ cwd: folder, [DELEGATE_HANDLE_KEY]: runner }), await provisionToolDeck({ cwd: folder })];
		const outputs = await Promise.all(
			decks.map(async (deck) => deck.find((tool) => tool.spec.name === "task")?.run({ objective: "Count the files." }, never)),
		);
		expect(outputs[0]?.content).toBe("did: Count the files.");
		expect(outputs.map((output) => (output?.data as TaskDetails | undefined)?.delegated)).toEqual([true, false]);
	});

	it("S-049 the deck is whole and in one order whether or not there is a runner, and its tools work in its folder", async () => {
		const deck = await provisionToolDeck({ cwd: folder, delegateUnavailable: "policy turns delegation off" });
		const names = ["read_file", "glob", "grep", "todo_write", "task_create", "task_update", "task_list", "task_get", "task"];
		expect(deck.map((tool) => tool.spec.name)).toEqual(names);
		const task = deck.at(-1);
		expect((await task?.run({ objective: "Count the files." }, never))?.content).toContain("policy turns delegation off");
		expect((await deck[0]?.run({ path: "a.txt" }, never))?.content).toContain("hello");
		expect((await deck[1]?.run({ pattern: "*.txt" }, never))?.content).toContain("a.txt");
		expect((await deck[0]?.run({ path: "../outside" }, never))?.isError).toBe(true);
	});

	it("S-056 S-057 the section has an entry a brief and the tool's name, and is empty without briefs", () => {
		const section = renderDelegates(
			[
				{ name: "scout", purpose: "finds things." },
				{ name: "builder", purpose: "builds.", when: "src/**" },
			],
			"task",
		);
		expect(section).toBe(
			"# Delegates\n\nHand well-scoped work to these roles with the task tool. Each starts fresh and sees nothing but what you write.\n\n- scout: finds things.\n- builder: builds. When: src/**",
		);
		expect(renderDelegates([], "task")).toBe("");
	});
});
