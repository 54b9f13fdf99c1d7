import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAgentFile } from "../../src/agents/agent-file.ts";
import { UserError } from "../../src/domain/errors.ts";
import { createPathRules } from "../../src/guard/path-rules.ts";
import { bash, call, makeGate, policy } from "./gate-parts.ts";

describe("permissions", () => {
	it("S-109 a denied command is refused by policy and leaves one critical event", async () => {
		await using rig = await makeGate({ policy: policy({ denyCommands: ["git push:*"] }) });
		const decision = await rig.gate.gate(bash("git push origin main"));
		expect(decision).toMatchObject({ allow: false, by: "policy", code: "E_POLICY", rule: "denyCommands git push:*" });
		const critical = (await rig.entries()).filter((entry) => "risk" in entry && entry.risk === "critical");
		expect(critical).toMatchObject([{ type: "decision", decision: "deny", by: "policy", target: "git push origin main" }]);
	});

	it("S-109 a denied path is refused by policy for tools and for commands", async () => {
		await using rig = await makeGate({ policy: policy({ denyPaths: ["secrets/**"] }) });
		for (const refused of [
			call("read_file", { path: "secrets/x" }),
			call("edit_file", { path: "secrets/x" }),
			bash("cat secrets/x"),
			bash("git show HEAD:secrets/x"),
		]) {
			expect(await rig.gate.gate(refused), JSON.stringify(refused.input)).toMatchObject({
				allow: false,
				by: "policy",
				rule: "denyPaths secrets/**",
			});
		}
		expect(await rig.gate.gate(call("read_file", { path: "src/x" }))).toMatchObject({ allow: true });
	});

	it.each(["secrets/x", "./secrets//x", "a/../secrets/x", "SECRETS/x", "Secrets/deep/er/X", "se\u200bcrets/x", "\uff53ecrets/x"])(
		"A67 a denied path in another spelling is denied: %j",
		async (spelling) => {
			await using rig = await makeGate({ policy: policy({ denyPaths: ["secrets/**"] }) });
			expect(await rig.gate.gate(call("read_file", { path: spelling }))).toMatchObject({ allow: false, code: "E_POLICY", by: "policy" });
		},
	);

	it("A67 no spelling of a denied path is visible", () => {
		const rules = createPathRules({ denyPaths: ["secrets/**"], protectedPaths: [] });
		const spelled = fc
			.tuple(
				fc.constantFrom("", "./", "a/../", "a/b/../../", ".//"),
				fc.array(fc.boolean(), { minLength: 7, maxLength: 7 }),
				fc.constantFrom("/", "//", "/./", "/y/../"),
			)
			.map(
				([prefix, upper, slash]) =>
					`${prefix}${[..."secrets"].map((sign, index) => (upper[index] === true ? sign.toUpperCase() : sign)).join("")}${slash}x`,
			);
		fc.assert(fc.property(spelled, (spelling) => !rules.isVisible(spelling)));
	});

	it("S-110 the filter for search, index and diff hides denied and sensitive files, and only those", () => {
		const rules = createPathRules({ denyPaths: ["private/**", "*.secret"], protectedPaths: ["docs/**"] });
		const hidden = [
			"private/a.ts",
			"deep/x.secret",
			".env",
			"app/.env.local",
			"certs/server.pem",
			"id_rsa",
			"home/.ssh/config",
			"service-account-prod.json",
			"../x",
			".git/config",
		];
		const shown = [
			"src/a.ts",
			"docs/a.md",
			".env.example",
			"app/.env.sample",
			"keys/id_rsa.pub",
			"src/environment.ts",
			"src/keys.ts",
			"credentials/readme.md",
		];
		expect(hidden.filter((file) => rules.isVisible(file))).toEqual([]);
		expect(shown.filter((file) => !rules.isVisible(file))).toEqual([]);
	});

	it("S-111 sensitive files are not read and files that decide what runs are not written", async () => {
		await using rig = await makeGate();
		expect(await rig.gate.gate(call("read_file", { path: ".env" }))).toMatchObject({
			allow: false,
			code: "E_POLICY",
			rule: "sensitive .env",
		});
		expect(await rig.gate.gate(bash("cat config/.env.production"))).toMatchObject({ allow: false, rule: "sensitive .env.*" });
		for (const file of [
			".github/workflows/x.yml",
			"action.yml",
			".github/CODEOWNERS",
			".claude/agents/x.md",
			".rookery/policy.json",
			".rookery/trust.json",
			".husky/pre-commit",
		]) {
			expect(await rig.gate.gate(call("write_file", { path: file, content: "" })), file).toMatchObject({
				allow: false,
				code: "E_PROTECTED",
			});
			expect(await rig.gate.gate(call("read_file", { path: file })), file).toMatchObject({ allow: true });
		}
	});

	it("S-111 the policy can open a protected file and can close a further one for good", async () => {
		const open = policy({
			permissions: { allow: ["Edit(.github/workflows/**)", "Edit(src/**)"], deny: [] },
			protectedPaths: ["src/generated/**"],
		});
		await using rig = await makeGate({ policy: open });
		expect(await rig.gate.gate(call("edit_file", { path: ".github/workflows/x.yml" }))).toMatchObject({ allow: true });
		expect(await rig.gate.gate(call("edit_file", { path: "src/generated/a.ts" }))).toMatchObject({
			allow: false,
			by: "policy",
			code: "E_PROTECTED",
		});
	});

	it.each([".git/config", ".git", ".GIT/hooks/x", "sub/.git/config", ".git\u200b/config", "git~1/config"])(
		"A66 git's own files are written by nobody: %j",
		async (file) => {
			await using rig = await makeGate({ policy: policy({ permissions: { allow: ["Edit", "Write"], deny: [] } }) });
			expect(await rig.gate.gate(call("write_file", { path: file, content: "x" }))).toMatchObject({ allow: false, code: "E_PATH" });
		},
	);

	it("S-112 a child keeps the mode and the rules of its start, and is only ever narrower", async () => {
		const mutable = { allow: ["Bash(npm test:*)"], deny: [] as string[] };
		const agent = { name: "a", tools: ["read_file", "bash"] as const, disallowedTools: [] as "bash"[] };
		await using rig = await makeGate({ policy: policy({ permissions: mutable }), agent });
		mutable.allow.push("Bash(rm:*)");
		agent.disallowedTools.push("bash");
		expect(await rig.gate.gate(bash("npm test"))).toMatchObject({ allow: true });
		expect(await rig.gate.gate(bash("rm x"))).toMatchObject({ allow: false });
		await using own = await makeGate({ agent });
		expect(await own.gate.gate(call("edit_file", { path: "a" }))).toMatchObject({ allow: false, rule: "agent a" });
	});

	it("S-113 without a rule a command is refused with the rule to add", async () => {
		await using rig = await makeGate({ mode: "review", allowRules: ["Bash(go test:*)"] });
		const decision = await rig.gate.gate(bash("npm run lint -- --fix"));
		expect(decision).toMatchObject({ allow: false, code: "E_POLICY", rule: "no rule" });
		expect(decision.allow ? "" : decision.reason).toMatch(
			/unattended.*"Bash\(npm run:\*\)" to permissions\.allow in \.rookery\/policy\.json on the default branch/,
		);
		expect(await rig.gate.gate(bash("go test ./... && git diff --stat"))).toMatchObject({ allow: true });
		expect(await rig.gate.gate(bash("git log --oneline | head -3"))).toMatchObject({ allow: true, rule: "reading head:*" });
	});

	it("S-114 a child in the background is refused with that word", async () => {
		await using rig = await makeGate({ mode: "review", background: true });
		const decision = await rig.gate.gate(bash("make"));
		expect(decision.allow ? "" : decision.reason).toContain("runs in the background");
	});

	it("S-117 an agent file cannot widen anything by what it says", async () => {
		const file = parseAgentFile({
			path: ".claude/agents/x.md",
			bytes: Buffer.from(
				"---\nname: wide\ndescription: d\ntools: Bash, Edit, Read\npermissionMode: bypassPermissions\n---\nDo what you like.\n",
			),
			tier: "repository",
		});
		expect(file).toMatchObject({ state: "loaded", warnings: [expect.stringContaining("permissionMode")] });
		if (file.state !== "loaded") return;
		await using rig = await makeGate({ mode: "review", tier: "T0", tierReason: "the head is a fork", agent: file.agent });
		expect(await rig.gate.gate(bash("git diff"))).toMatchObject({ allow: false, code: "E_FORK" });
		expect(await rig.gate.gate(call("edit_file", { path: "a" }))).toMatchObject({ allow: false, code: "E_FORK" });
	});

	it.each(["npm test", "python -m pytest", "cargo build", "./mvnw test", "make", "git diff"])(
		"A79 in tier T0 nothing is run: %s",
		async (command) => {
			await using rig = await makeGate({ tier: "T0", tierReason: "the head is a fork", allowRules: ["Bash"] });
			const decision = await rig.gate.gate(bash(command));
			expect(decision).toMatchObject({ allow: false, code: "E_FORK" });
			expect(decision.allow ? "" : decision.reason).toContain("the head is a fork");
		},
	);

	it("A76 without a sandbox commands and writes are refused with the reason", async () => {
		await using rig = await makeGate({
			noSandbox: "bubblewrap is not installed",
			policy: policy({ permissions: { allow: ["Bash", "Edit"], deny: [] } }),
		});
		for (const wanted of [bash("git diff"), call("edit_file", { path: "a" })]) {
			const decision = await rig.gate.gate(wanted);
			expect(decision).toMatchObject({ allow: false, code: "E_SANDBOX" });
			expect(decision.allow ? "" : decision.reason).toContain("bubblewrap is not installed");
		}
	});

	it("a review writes nothing, whatever the rules say", async () => {
		await using rig = await makeGate({ mode: "review", policy: policy({ permissions: { allow: ["Edit"], deny: [] } }) });
		expect(await rig.gate.gate(call("edit_file", { path: "a" }))).toMatchObject({ allow: false, rule: "mode review" });
	});

	it("deny wins over allow, and brackets of an agent narrow", async () => {
		await using rig = await makeGate({
			policy: policy({ permissions: { allow: ["Bash(git:*)"], deny: ["Bash(git log:*)"] } }),
			agent: { name: "a", tools: ["bash"], disallowedTools: [], toolPatterns: { bash: ["git diff:*", "git log:*"] } },
		});
		expect(await rig.gate.gate(bash("git log"))).toMatchObject({ allow: false, rule: "permissions.deny Bash(git log:*)" });
		expect(await rig.gate.gate(bash("git diff"))).toMatchObject({ allow: true });
		expect(await rig.gate.gate(bash("git show"))).toMatchObject({ allow: false, rule: "agent a" });
	});

	it("web tools reach the hosts of the policy alone, and none without one", async () => {
		await using none = await makeGate();
		expect(await none.gate.gate(call("web_fetch", { url: "https://example.com/" }))).toMatchObject({ allow: false });
		await using some = await makeGate({ policy: policy({ allowHosts: ["*.example.com"] }) });
		expect(await some.gate.gate(call("web_fetch", { url: "https://api.example.com/x" }))).toMatchObject({
			allow: true,
			rule: "allowHosts",
		});
		for (const url of [
			"https://example.com/",
			"https://example.com.evil.org/",
			"https://evil.org/?api.example.com",
			"file:///etc/passwd",
		]) {
			expect(await some.gate.gate(call("web_fetch", { url })), url).toMatchObject({ allow: false, by: "policy" });
		}
	});

	it("BR-77 a rule that cannot be read stops the run instead of meaning no rule", async () => {
		for (const rule of ["Bash(git:* push)", "Bahs(x)", "Bash(", "rm -rf"]) {
			await expect(makeGate({ policy: policy({ permissions: { deny: [rule] } }) })).rejects.toThrow(UserError);
		}
	});
});
