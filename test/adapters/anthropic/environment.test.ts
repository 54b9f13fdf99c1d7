import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startLoopbackModel } from "../../../src/demo/loopback-model/start-loopback-model.ts";
import { say } from "../../../src/demo/loopback-model/scripted-reply.ts";
import { openRig } from "./fixtures.ts";

let home: string;
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "rookery-home-"));
});
afterEach(() => {
	vi.unstubAllEnvs();
	rmSync(home, { recursive: true });
});

/** Every variable of the SDK, set to something that would show. */
async function stubHostile(customHeaders: string): Promise<string[]> {
	const trap = await startLoopbackModel();
	mkdirSync(join(home, "configs"));
	const profile = { authentication: { type: "user_oauth", access_token: "profile-token" }, base_url: trap.url };
	writeFileSync(join(home, "configs", "evil.json"), JSON.stringify(profile));
	const hostile: Record<string, string> = {
		ANTHROPIC_API_KEY: "sk-ant-from-environment",
		ANTHROPIC_AUTH_TOKEN: "token-from-environment",
		ANTHROPIC_BASE_URL: trap.url,
		ANTHROPIC_CUSTOM_HEADERS: customHeaders,
		ANTHROPIC_CONFIG_DIR: home,
		ANTHROPIC_FEDERATION_RULE_ID: "rule",
		ANTHROPIC_IDENTITY_TOKEN: "identity",
		ANTHROPIC_LOG: "debug",
		ANTHROPIC_OPEN_TELEMETRY: "true",
		ANTHROPIC_ORGANIZATION_ID: "organisation",
		ANTHROPIC_PROFILE: "evil",
		ANTHROPIC_WEBHOOK_SIGNING_KEY: "whsec",
		ANTHROPIC_WORKSPACE_ID: "workspace",
	};
	for (const [name, value] of Object.entries(hostile)) vi.stubEnv(name, value);
	await trap.close();
	return Object.values(hostile);
}

it.each([
	["ordinary", "x-evil: 1\nauthorization: Bearer evil\nx-api-key: evil\nanthropic-version: 1999-01-01\nanthropic-beta: evil-2026"],
	["malformed", "not a header name: 1"],
])("environment variables of the SDK have no effect, with %s extra headers", async (_name, customHeaders) => {
	const plain = await openRig({ decide: () => say("ok") });
	const plainReply = await plain.ask();
	const values = await stubHostile(customHeaders);
	const written: unknown[] = [];
	for (const name of ["log", "warn", "error", "debug", "info"] as const) {
		vi.spyOn(console, name).mockImplementation((...parts) => {
			written.push(parts);
		});
	}
	const rig = await openRig({ decide: () => say("ok") });
	const reply = await rig.ask();
	vi.restoreAllMocks();
	expect(reply).toEqual(plainReply);
	expect(written).toEqual([]);
	const [before, after] = [plain.server.requests[0], rig.server.requests[0]];
	const { host: _before, ...headersBefore } = before?.headers ?? {};
	const { host: _after, ...headersAfter } = after?.headers ?? {};
	expect(headersAfter).toEqual(headersBefore);
	expect(after?.rawBody).toBe(before?.rawBody);
	expect(headersAfter).toMatchObject({ authorization: "(present)", "anthropic-version": expect.stringMatching(/^2026-/) });
	expect(values.some((value) => JSON.stringify(after?.headers).includes(value))).toBe(false);
});

it("the key that is sent is ours and not the environment's", async () => {
	await stubHostile("x-api-key: evil");
	const { ask } = await openRig({ apiKey: "sk-ours", decide: () => say("ok") }, { apiKey: "sk-ours" });
	expect((await ask()).stop).toBe("end-turn");
});
