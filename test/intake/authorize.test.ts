import { describe, expect, it } from "vitest";
import type { Actor } from "../../src/domain/ids.ts";
import { readRole, ROLES } from "../../src/domain/role.ts";
import type { CommandTrigger, MaintainTrigger, PullRequestFacts, PullRequestTrigger } from "../../src/domain/trigger.ts";
import { authorize, type AuthorizationInput } from "../../src/intake/authorize.ts";
import { explainMissingKey } from "../../src/intake/explain-missing-key.ts";
import { pinHead } from "../../src/intake/pin-head.ts";
import { isAllowedBot } from "../../src/intake/same-login.ts";

const repository = { owner: "octo-org", name: "flock" };
const user = (login: string): Actor => ({ login, id: login.length, type: "User" });
const bot = (login: string): Actor => ({ login, id: 99, type: "Bot" });
const HEAD = "2".repeat(40);

function pull(more: Partial<PullRequestFacts> = {}): PullRequestFacts {
	return {
		number: 12,
		title: "",
		body: "",
		author: user("user-a"),
		state: "open",
		merged: false,
		draft: false,
		base: { ref: "main", sha: "1".repeat(40), repository: "octo-org/flock" },
		head: { ref: "x", sha: HEAD, repository: "octo-org/flock" },
		fork: false,
		labels: [],
		...more,
	};
}

const fork = (owner: string | null): Partial<PullRequestFacts> => ({
	fork: true,
	head: { ref: "x", sha: HEAD, repository: owner === null ? null : `${owner}/flock` },
});

function review(pullRequest: PullRequestFacts, actor = pullRequest.author, action = "opened", event = "pull_request"): PullRequestTrigger {
	return { kind: "pull-request", event, repository, actor, action, pullRequest, attempt: 1 };
}

function command(name: string, actor: Actor): CommandTrigger {
	return {
		kind: "command",
		event: "issue_comment",
		repository,
		actor,
		number: 12,
		isPullRequest: true,
		comment: { id: 1, kind: "issue", author: actor, createdAt: "", body: `/${name}` },
		commands: [{ name, text: "" }],
	};
}

function job(event: string, ref = "refs/heads/main", actor = user("user-a")): MaintainTrigger {
	return { kind: "maintain", event, repository, actor, job: "tidy", ref, sha: HEAD };
}

function decide(trigger: AuthorizationInput["trigger"], more: Partial<AuthorizationInput> = {}) {
	return authorize({
		trigger,
		...(trigger.kind === "pull-request" ? { pullRequest: trigger.pullRequest } : {}),
		actorRole: "write",
		authorRole: "write",
		allowedBots: [],
		self: null,
		defaultBranch: "main",
		modelReady: true,
		sandbox: true,
		...more,
	});
}

describe("authorize", () => {
	it("A01 a pull request from a fork without secrets and without a model is skipped with a way out", () => {
		const result = decide(review(pull({ ...fork("user-b"), author: user("user-b") })), {
			authorRole: "none",
			actorRole: "none",
			modelReady: false,
		});
		expect(result).toMatchObject({ kind: "refused", code: "E_FORK", reason: expect.stringContaining("/review") });
	});

	it("A02 pull_request_target with a fork's head is T0", () => {
		const pullRequest = pull({ ...fork("user-b"), author: user("user-b") });
		expect(
			decide(review(pullRequest, user("user-b"), "opened", "pull_request_target"), { authorRole: "none", actorRole: "none" }),
		).toMatchObject({
			kind: "allowed",
			tier: "T0",
			code: "E_FORK",
		});
	});

	it("A03 /fix by somebody with read is refused", () => {
		expect(decide(command("fix", user("user-r")), { actorRole: "read", pullRequest: pull() })).toMatchObject({
			kind: "refused",
			code: "E_ACTOR",
		});
		expect(decide(command("help", user("user-r")), { actorRole: "read", minimumRole: "read", pullRequest: pull() })).toMatchObject({
			kind: "allowed",
			tier: "T0",
		});
	});

	it("A04 a bot that nobody allowed is refused", () => {
		const pullRequest = pull({ author: bot("evil-app[bot]") });
		expect(decide(review(pullRequest))).toMatchObject({
			kind: "refused",
			code: "E_ACTOR",
			reason: expect.stringContaining("evil-app[bot]"),
		});
		expect(decide(command("fix", bot("evil-app[bot]")), { pullRequest: pull() })).toMatchObject({ kind: "refused" });
	});

	it("A05 an allowed bot's push to a stranger's pull request is judged by author and head owner", () => {
		const stranger = pull({ ...fork("user-b"), author: user("user-b") });
		const options = { allowedBots: ["dependabot"], authorRole: "none", actorRole: "none" } as const;
		expect(decide(review(stranger, bot("dependabot[bot]"), "synchronize"), options)).toMatchObject({ kind: "refused", code: "E_ACTOR" });
		const own = pull({ author: bot("dependabot[bot]") });
		expect(decide(review(own, bot("dependabot[bot]"), "synchronize"), options)).toMatchObject({ kind: "allowed", tier: "T0" });
	});

	it("A05 a person with a bot's name is not that bot", () => {
		const impostor = pull({ ...fork("dependabot"), author: user("dependabot") });
		const options = { allowedBots: ["dependabot"], authorRole: "none", actorRole: "none" } as const;
		expect(decide(review(impostor, bot("dependabot[bot]"), "synchronize"), options)).toMatchObject({ kind: "refused", code: "E_ACTOR" });
	});

	it("A06 a failed workflow starts a job only for a head of this repository and two people who may write", () => {
		const failure = {
			...{ id: 1, name: "CI", branch: "main", head: HEAD, conclusion: "failure" },
			headRepository: `${repository.owner}/${repository.name}`,
			startedBy: user("user-b"),
		};
		const failed = (change: Partial<typeof failure>): MaintainTrigger => ({ ...job("workflow_run"), failure: { ...failure, ...change } });
		const roles = { actorRole: "write", starterRole: "write" } as const;
		expect(decide(failed({}), roles)).toMatchObject({ kind: "allowed", tier: "T1" });
		expect(decide(failed({}), { ...roles, starterRole: "read" })).toMatchObject({ kind: "refused", code: "E_ACTOR" });
		expect(decide(failed({ startedBy: user("user-a") }), { actorRole: "write" })).toMatchObject({ kind: "allowed" });
		expect(decide(failed({ headRepository: "other/fork" }), roles)).toMatchObject({ kind: "refused", code: "E_FORK" });
	});

	it("A06 a workflow_run of somebody with read starts no job", () => {
		expect(decide(job("workflow_run"), { actorRole: "read" })).toMatchObject({ kind: "refused", code: "E_ACTOR" });
	});

	it("A10 an abbreviated SHA is refused and the full one asked for", () => {
		const at = { head: HEAD, commentedAt: "2025-05-01T10:00:00Z" };
		expect(pinHead({ ...at, text: "abc1234" })).toMatchObject({ kind: "refused", reason: expect.stringContaining("40 hex") });
		expect(pinHead({ ...at, text: HEAD })).toMatchObject({ kind: "pinned", head: HEAD });
		expect(pinHead({ ...at, text: "3".repeat(40) })).toMatchObject({ kind: "refused", code: "E_STALE" });
	});

	it("A13 no answer of the permission endpoint is no right", () => {
		const answers: readonly object[] = [{ status: 500 }, { status: 403 }, { status: 404 }, {}];
		for (const answer of answers) {
			const role = readRole(answer);
			expect(decide(command("fix", user("user-a")), { actorRole: role, pullRequest: pull() })).toMatchObject({
				kind: "refused",
				code: "E_ACTOR",
			});
			expect(decide(review(pull()), { actorRole: role, authorRole: role })).toMatchObject({ kind: "allowed", tier: "T0" });
		}
	});

	it("A14 the author can write, but the head is a fork of the same owner: T0", () => {
		expect(decide(review(pull({ fork: true, head: { ref: "x", sha: HEAD, repository: "octo-org/flock-fork" } })))).toMatchObject({
			tier: "T0",
			code: "E_FORK",
		});
	});

	it("BR-33 a deleted fork is T0", () => {
		expect(decide(review(pull(fork(null))))).toMatchObject({ kind: "allowed", tier: "T0", code: "E_FORK" });
	});

	it("author and actor with write and a head in the repository are T1; one without is T0", () => {
		expect(decide(review(pull()))).toMatchObject({ tier: "T1" });
		expect(decide(review(pull()), { authorRole: "read" })).toMatchObject({ tier: "T0" });
		expect(decide(review(pull()), { actorRole: "triage" })).toMatchObject({ tier: "T0" });
		expect(decide(command("fix", user("user-w")), { pullRequest: pull(), authorRole: "none" })).toMatchObject({ tier: "T0" });
		expect(decide(command("fix", user("user-w")), { pullRequest: pull(fork("user-b")) })).toMatchObject({ tier: "T0", code: "E_FORK" });
	});

	it("BR-39 a schedule has no person to check; on the default branch it is T2", () => {
		expect(decide(job("schedule"), { actorRole: "none", authorRole: "none" })).toMatchObject({ kind: "allowed", tier: "T2" });
		expect(decide(job("workflow_dispatch"))).toMatchObject({ tier: "T2" });
		expect(decide(job("workflow_dispatch", "refs/heads/other"))).toMatchObject({ tier: "T1" });
		expect(decide(job("workflow_dispatch"), { actorRole: "read" })).toMatchObject({ kind: "refused" });
	});

	it("without a sandbox everybody is T0", () => {
		expect(decide(review(pull()), { sandbox: false })).toMatchObject({ tier: "T0", code: "E_SANDBOX" });
		expect(decide(job("schedule"), { sandbox: false })).toMatchObject({ tier: "T0" });
	});

	it("BR-26 we never start ourselves, even when allow-listed", () => {
		expect(
			decide(command("fix", bot("rookery[bot]")), { self: bot("rookery[bot]"), allowedBots: ["rookery"], pullRequest: pull() }),
		).toMatchObject({ kind: "refused" });
	});

	it("BR-29 bots are compared without case and [bot]; one that is not allowed ends neutrally with a reason", () => {
		const allowed = ["Dependabot", "renovate[bot]"];
		expect(isAllowedBot("dependabot[bot]", allowed)).toBe(true);
		expect(isAllowedBot("Renovate", allowed)).toBe(true);
		expect(isAllowedBot("renovate-two[bot]", allowed)).toBe(false);
		expect(isAllowedBot("", [""])).toBe(false);
		const pullRequest = pull({ author: bot("dependabot[bot]") });
		expect(decide(review(pullRequest), { allowedBots: allowed, authorRole: "none", actorRole: "none" })).toMatchObject({ kind: "allowed" });
		expect(decide(review(pullRequest))).toMatchObject({ kind: "refused", reason: expect.stringContaining("allowed-bots") });
	});

	it("BR-29 an empty key names the store it must be in", () => {
		const facts = { provider: "anthropic", event: "pull_request", fork: false };
		expect(explainMissingKey({ ...facts, actor: "dependabot[bot]" })).toContain("Dependabot secrets");
		expect(explainMissingKey({ ...facts, actor: "user-a" })).toContain("Actions secrets");
		expect(explainMissingKey({ ...facts, actor: "user-b", fork: true })).toContain("forks get no secrets");
	});

	it.each<[answer: object, mayWrite: boolean]>([
		[{ permission: "write", role_name: "maintain" }, true],
		[{ permission: "read", role_name: "triage" }, false],
		[{ permission: "read", role_name: "read" }, false],
		[{ status: 404 }, false],
		[{ permission: "write", role_name: "release-crew" }, true],
	])("BR-31 %j may use a write command: %s", (answer, mayWrite) => {
		const result = decide(command("fix", user("user-a")), { actorRole: readRole(answer), pullRequest: pull() });
		expect(result.kind === "allowed").toBe(mayWrite);
	});

	it("BR-32 the head must be older than the command by the server's own time", () => {
		const facts = { text: "", head: HEAD, commentedAt: "2025-05-01T10:00:00Z" };
		expect(pinHead({ ...facts, headSeenAt: "2025-05-01T10:00:09Z" })).toMatchObject({ kind: "refused", code: "E_STALE" });
		expect(pinHead({ ...facts, headSeenAt: "2025-05-01T09:59:00Z" })).toMatchObject({ kind: "pinned" });
		expect(pinHead(facts)).toMatchObject({ kind: "refused" });
	});

	it("no combination of facts gives a fork's head more than T0", () => {
		for (const actorRole of ROLES)
			for (const authorRole of ROLES)
				for (const owner of ["user-b", "octo-org", null]) {
					const result = decide(review(pull(fork(owner))), { actorRole, authorRole });
					expect(result.kind === "refused" || result.tier === "T0").toBe(true);
				}
	});
});
