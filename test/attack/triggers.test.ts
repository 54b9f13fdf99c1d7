import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/demo/loopback-github/loopback-types.ts";
import { obedient } from "./attackers.ts";
import { type Attack, type AttackOptions, startAttack } from "./start-attack.ts";

const FILES = { base: { "a.go": "package a\n" }, head: { "a.go": "package a\n\nfunc Add(a, b int) int { return a + b }\n" } };

function start(scene: Partial<Extract<AttackOptions["scene"], object>> = {}): ReturnType<typeof startAttack> {
	return startAttack({ scene: { ...FILES, ...scene }, decide: () => obedient() });
}

async function payload(attack: Attack, action: string, change: JsonObject = {}): Promise<JsonObject> {
	return { ...(await attack.scene.github.pullRequestPayload(attack.scene.number, action)), ...change };
}

/** SKIP: exit 0, a notice, no call to the model, nothing posted. */
async function expectSkip(attack: Attack, event: { readonly name: string; readonly payload: unknown }, code: string, actor = "author") {
	const result = await attack.run({ event, actor });
	expect(result.exitCode, result.stdout).toBe(0);
	expect(attack.model.requests).toEqual([]);
	expect(result.stdout + result.summary).toContain(code);
	expect(attack.scene.github.reviews(attack.scene.number)).toEqual([]);
	return result;
}

describe("who may start what, from the event file on", () => {
	it("A01 a fork's pull request without secrets and without a model is skipped, with a way out for a maintainer", async () => {
		await using attack = await start({ fork: true, role: "none" });
		const result = await attack.run({
			event: { name: "pull_request", payload: await payload(attack, "opened") },
			inputs: { "anthropic-api-key": "", provider: "anthropic" },
		});
		expect(result.exitCode, result.stdout).toBe(0);
		expect(attack.model.requests).toEqual([]);
		expect(result.stdout + result.summary).toMatch(/E_FORK[\s\S]*\/review/);
	});

	it("A04 an app that is in no list cannot start anything, whatever its name ends in", async () => {
		await using attack = await start();
		const { github } = attack.scene;
		github.addUser("evil-app[bot]", { type: "Bot" });
		const event = await payload(attack, "synchronize", { sender: { login: "evil-app[bot]", id: 4242, type: "Bot" } });
		await expectSkip(attack, { name: "pull_request", payload: event }, "E_ACTOR", "evil-app[bot]");
	});

	it("A05 a bot that is allowed does not lift a stranger's pull request", async () => {
		await using attack = await start({ fork: true, role: "none" });
		attack.scene.github.addUser("dependabot[bot]", { type: "Bot" });
		const event = await payload(attack, "synchronize", { sender: { login: "dependabot[bot]", id: 49699333, type: "Bot" } });
		const result = await attack.run({
			event: { name: "pull_request_target", payload: event },
			actor: "dependabot[bot]",
			inputs: { "allowed-bots": "dependabot" },
		});
		expect(result.exitCode, result.stdout).toBe(0);
		const offered = attack.model.requests.flatMap((request) => request.request?.tools.map((tool) => tool["name"]) ?? []);
		expect(offered).not.toContain("bash");
	});

	it("A12 a job's reference with a line end and a command in it stops the run before anything, and prints no command", async () => {
		await using attack = await start();
		const dispatch = attack.scene.github.workflowDispatchPayload({
			sender: "maintainer",
			ref: "main\n::add-mask::x",
			inputs: { ref: "main\n::add-mask::x", job: "tidy" },
		});
		const result = await attack.run({ event: { name: "workflow_dispatch", payload: dispatch }, ref: "main\n::add-mask::x" });
		expect(result.stdout).not.toMatch(/^::add-mask::x/m);
		expect(attack.model.requests).toEqual([]);
		expect(result.stdout + result.stderr).toContain("E_REF");
	});

	it.each([500, 403, 404])("A13 the permission's question answered with %i means no rights, never trust", async (status) => {
		await using attack = await start();
		attack.scene.github.faults.add({ path: /\/permission$/, times: 20, action: { kind: "answer", status } });
		const result = await attack.run({ event: { name: "pull_request", payload: await payload(attack, "opened") } });
		expect(result.exitCode, result.stdout).toBe(0);
		const offered = attack.model.requests.flatMap((request) => request.request?.tools.map((tool) => tool["name"]) ?? []);
		expect(offered).not.toContain("bash");
	});

	it("A14 a fork of somebody who can write is still a fork: nothing of its code runs", async () => {
		await using attack = await start({ fork: true, role: "write" });
		const result = await attack.run({ event: { name: "pull_request_target", payload: await payload(attack, "opened") } });
		expect(result.exitCode, result.stdout).toBe(0);
		const offered = attack.model.requests.flatMap((request) => request.request?.tools.map((tool) => tool["name"]) ?? []);
		expect(offered).toContain("read_file");
		expect(offered).not.toContain("bash");
		expect(attack.scene.sticky()).toContain("E_FORK");
	});

	it("benign twin: a bot in the list, on a branch of the repository, gets its review", async () => {
		await using attack = await start();
		attack.scene.github.addUser("dependabot[bot]", { type: "Bot" });
		const event = await payload(attack, "synchronize", { sender: { login: "dependabot[bot]", id: 49699333, type: "Bot" } });
		const result = await attack.run({
			event: { name: "pull_request", payload: event },
			actor: "dependabot[bot]",
			inputs: { "allowed-bots": "dependabot" },
		});
		expect(result.exitCode, result.stdout).toBe(0);
		expect(attack.model.requests.length).toBeGreaterThan(0);
		expect(attack.scene.sticky()).toContain("Rookery review");
	});
});
