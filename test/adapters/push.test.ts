import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openRepository } from "../../src/adapters/git/open-repository.ts";
import { createPatchTrees } from "../../src/adapters/git/patch-trees.ts";
import { classifyPushRefusal, createGitPusher } from "../../src/adapters/git/push-commit.ts";
import { createGitHubHost } from "../../src/adapters/github/create-github-host.ts";
import type { LanguageChecks } from "../../src/domain/checks.ts";
import type { CommitRequest } from "../../src/domain/patch.ts";
import { landPatch } from "../../src/stages/land-patch.ts";
import { makeFolder } from "./git/git-fixture.ts";
import { commit, git, type Rig, startRig, TOKENS } from "../demo/loopback-github/rig.ts";

const rigs: Rig[] = [];
afterEach(async () => {
	for (const rig of rigs.splice(0)) {
		expect(rig.hub.violations).toEqual([]);
		await rig[Symbol.asyncDispose]();
	}
});

const AUTHOR = { name: "github-actions[bot]", email: "41898282+github-actions[bot]@users.noreply.github.com" };

function checksThat(outcome: "passed" | "failed"): readonly LanguageChecks[] {
	const result = { kind: "tests", command: "make test", outcome, reason: "", failures: [], output: "", durationMs: 1 } as const;
	return [{ language: "go", folder: "", outcome, results: [result] }];
}

async function setUp(token: string = TOKENS.bot) {
	const rig = await startRig();
	rigs.push(rig);
	const temp = makeFolder();
	const folder = path.join(temp, "clone");
	await mkdir(folder);
	const url = `${rig.hub.serverUrl}/acme/widgets.git`;
	await git(temp, "clone", "-q", rig.bare, folder);
	const header = `AUTHORIZATION: basic ${Buffer.from(`x-access-token:${token}`).toString("base64")}`;
	const repository = await openRepository(folder, { authorization: { url, header } });
	const trees = createPatchTrees({ git: repository.git, temporaryFolder: temp });
	const base = await git(folder, "rev-parse", "origin/feature");
	const applied = await trees.apply(
		base,
		Buffer.from(
			"diff --git a/src/keep.ts b/src/keep.ts\n--- a/src/keep.ts\n+++ b/src/keep.ts\n@@ -1 +1 @@\n-export const keep = 1;\n+export const keep = 2;\n",
		),
	);
	if (applied.kind !== "applied") throw new Error(JSON.stringify(applied));
	const host = await createGitHubHost({
		...{ token, baseUrl: rig.hub.url, throttle: false, retryBaseMs: 1, timeoutMs: 5_000 },
		repository: { owner: "acme", name: "widgets" },
	});
	const request: CommitRequest = {
		...{ branch: "feature", expected: base, parents: [base], change: applied.change },
		...{ message: "Keep two\n", author: AUTHOR },
	};
	const ways = { git: createGitPusher({ git: repository.git, remoteUrl: url }), api: host.openPusher(trees) };
	return { rig, folder, temp, base, request, ways, repository, url, trees };
}

describe.each(["git", "api"] as const)("a commit by %s", (way) => {
	it("goes on from where the branch is, holds the checked tree and is by our own account", async () => {
		const { rig, base, request, ways } = await setUp();
		const pushed = await ways[way].push(request);
		if (!pushed.ok) throw new Error(pushed.message);
		expect((await rig.hub.refs())["refs/heads/feature"]).toBe(pushed.commit);
		expect(await ways[way].readBranch("feature")).toBe(pushed.commit);
		const shown = await git(rig.bare, "show", "-s", "--format=%T %P%n%an <%ae>%n%B", pushed.commit);
		expect(shown).toContain(`${request.change.tree} ${base}`);
		expect(shown).toContain(AUTHOR.name);
		expect(pushed.signed).toBe(way === "api");
		const other = rig.hub.requests.filter((each) => each.operation?.startsWith("git/receive") === true).length;
		expect(other > 0).toBe(way === "git");
	});

	it("A09 A55 a branch that has moved is stale and stays as it is; so is one whose history was rewritten", async () => {
		const { rig, folder, request, ways } = await setUp();
		await git(folder, "checkout", "-q", "-B", "feature", "origin/feature");
		const moved = await commit(folder, "Moved", { "b.txt": "b\n" });
		await git(folder, "push", "-q", rig.bare, "feature");
		expect(await ways[way].push(request)).toMatchObject({ ok: false, reason: "stale" });
		expect((await rig.hub.refs())["refs/heads/feature"]).toBe(moved);
		// Taken back to an older commit: a plain fast-forward would go through here and bring back what was taken away.
		const older = await git(folder, "rev-parse", "origin/feature~1");
		await git(folder, "push", "-q", "--force", rig.bare, `${older}:refs/heads/feature`);
		expect(await ways[way].push(request)).toMatchObject({ ok: false, reason: "stale" });
		expect((await rig.hub.refs())["refs/heads/feature"]).toBe(older);
	});

	it("R33 BR-51 a protected branch is final: one attempt, no force, the reason in GitHub's words", async () => {
		const { rig, base, request, ways } = await setUp();
		await rig.hub.protectBranch("acme/widgets", "feature");
		const refused = await ways[way].push(request);
		expect(refused).toMatchObject({ ok: false, reason: "protected" });
		expect((await rig.hub.refs())["refs/heads/feature"]).toBe(base);
		expect(rig.hub.requests.filter((each) => each.operation === "git/update-ref").length).toBeLessThanOrEqual(1);
	});

	it("BR-49 a new branch gets the next free name, also where other branches lie below the name", async () => {
		const { rig, folder, request, ways } = await setUp();
		await git(folder, "push", "-q", rig.bare, "origin/main:refs/heads/rookery/fix-1", "origin/main:refs/heads/rookery/fix-1-2/deep");
		const landed = await landPatch(
			{
				...{ change: request.change, destination: { kind: "new", branch: "rookery/fix-1" }, defaultBranch: "main" },
				...{ author: AUTHOR, writeMessage: () => "Keep two\n" },
			},
			ways[way],
		);
		expect(landed).toMatchObject({ kind: "pushed", branch: "rookery/fix-1-3" });
		expect(landed.kind === "pushed" && (await rig.hub.refs())["refs/heads/rookery/fix-1-3"] === landed.commit).toBe(true);
	});

	it("BR-49 where a branch has the name of our folder, the name has none", async () => {
		const { rig, folder, request, ways } = await setUp();
		await git(folder, "push", "-q", rig.bare, "origin/main:refs/heads/rookery");
		const landed = await landPatch(
			{
				...{ change: request.change, destination: { kind: "new", branch: "rookery/fix-1" }, defaultBranch: "main" },
				...{ author: AUTHOR, writeMessage: () => "Keep two\n" },
			},
			ways[way],
		);
		expect(landed).toMatchObject({ kind: "pushed", branch: "rookery-fix-1" });
	});

	it("a token that may only read is told so, and nothing is written", async () => {
		const { rig, base, request, ways } = await setUp(TOKENS.reader);
		expect(await ways[way].push(request)).toMatchObject({ ok: false, reason: "not-permitted" });
		expect((await rig.hub.refs())["refs/heads/feature"]).toBe(base);
	});

	it("A40 nothing is pushed to the default branch under any name, and no request is made for it", async () => {
		const { rig, request, ways } = await setUp();
		const before = await rig.hub.refs();
		const asked = rig.hub.requests.length;
		for (const branch of ["main", "refs/heads/main", "HEAD", "+main", "+x:main", "heads/main"]) {
			const landed = await landPatch(
				{
					...{ change: request.change, destination: { kind: "existing", branch, expected: request.change.base }, defaultBranch: "main" },
					...{ author: AUTHOR, writeMessage: () => "Keep two\n" },
				},
				ways[way],
			);
			expect(landed, branch).toMatchObject({ kind: "held", code: "E_PUSH" });
		}
		expect(rig.hub.requests.length).toBe(asked);
		expect(await rig.hub.refs()).toEqual(before);
	});
});

describe("pushes", () => {
	it("X-12 red checks end it before anything leaves", async () => {
		const { rig, request, ways } = await setUp();
		const before = await rig.hub.refs();
		const asked = rig.hub.requests.length;
		const landed = await landPatch(
			{
				...{
					change: request.change,
					destination: { kind: "existing", branch: "feature", expected: request.change.base },
					defaultBranch: "main",
				},
				...{ author: AUTHOR, writeMessage: () => "Keep two\n" },
				checks: { before: async () => checksThat("passed"), after: async () => checksThat("failed") },
			},
			ways.git,
		);
		expect(landed).toMatchObject({ kind: "held", code: "E_PUSH", proof: { verdict: "red" } });
		expect(rig.hub.requests.length).toBe(asked);
		expect(await rig.hub.refs()).toEqual(before);
	});

	it("a push whose answer is lost is looked up and not taken for a failure (BR-45)", async () => {
		const { rig, request, ways } = await setUp();
		rig.hub.faults.add({ path: /git-receive-pack$/, method: "POST", action: { kind: "applied-then-cut" } });
		const pushed = await ways.git.push(request);
		expect(pushed, JSON.stringify(pushed)).toMatchObject({ ok: true });
		expect(pushed.ok && (await rig.hub.refs())["refs/heads/feature"] === pushed.commit).toBe(true);
	});

	it("ssh signs with the given key, which verifies", async () => {
		const { rig, folder, temp, request, repository, url } = await setUp();
		const key = path.join(temp, "key");
		execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "bot", "-f", key]);
		const pushed = await createGitPusher({ git: repository.git, remoteUrl: url, signingKey: key }).push(request);
		if (!pushed.ok) throw new Error(pushed.message);
		expect(pushed.signed).toBe(true);
		await git(folder, "fetch", "-q", rig.bare, "feature");
		const allowed = path.join(temp, "allowed");
		await writeFile(allowed, `${AUTHOR.email} ${await readFile(`${key}.pub`, "utf8")}`);
		await git(folder, "-c", `gpg.ssh.allowedSignersFile=${allowed}`, "verify-commit", pushed.commit);
		expect(await git(rig.bare, "cat-file", "commit", pushed.commit)).toContain("BEGIN SSH SIGNATURE");
		// A key that is none is an answer: the patch is not lost for it.
		await writeFile(path.join(temp, "none"), "no key\n", { mode: 0o600 });
		const unsigned = createGitPusher({ git: repository.git, remoteUrl: url, signingKey: path.join(temp, "none") });
		const refused = await unsigned.push({ ...request, expected: pushed.commit, parents: [pushed.commit] });
		expect(refused).toMatchObject({ ok: false, reason: "refused", message: expect.stringContaining("could not be signed") });
		expect((await rig.hub.refs())["refs/heads/feature"]).toBe(pushed.commit);
	});

	it("a push that could take something away is misuse", async () => {
		const { request, ways } = await setUp();
		await expect(ways.git.push({ ...request, expected: "1".repeat(40) })).rejects.toThrow("must go on from where it is");
		await expect(ways.api.push({ ...request, branch: "--upload-pack=touch" })).rejects.toThrow("not a branch");
	});

	it("BR-50 BR-51 R32 what a push says is read as what it means", () => {
		const says = (text: string): string => {
			const outcome = classifyPushRefusal(text);
			return outcome.ok ? "ok" : outcome.reason;
		};
		expect(
			says(
				'! [remote rejected] bot/fix -> bot/fix (refusing to allow a GitHub App to create or update workflow ".github/workflows/ci.yml" without "workflows" permission)',
			),
		).toBe("workflow");
		expect(
			says(
				"remote: error: GH006: Protected branch update failed for refs/heads/main.\n! [remote rejected] HEAD -> main (protected branch hook declined)",
			),
		).toBe("protected");
		expect(
			says("remote: error: GH013: Repository rule violations found for refs/heads/x.\nremote: - Commits must have verified signatures."),
		).toBe("protected");
		expect(says("!\tabc:refs/heads/x\t[rejected] (stale info)")).toBe("stale");
		expect(says("! [rejected] HEAD -> x (fetch first)")).toBe("stale");
		expect(
			says("remote: Permission to o/r.git denied to x.\nfatal: unable to access 'http://h/': The requested URL returned error: 403"),
		).toBe("not-permitted");
		expect(says("! [remote rejected] x -> x (cannot lock ref 'refs/heads/a': 'refs/heads/a/b' exists; cannot create 'refs/heads/a')")).toBe(
			"taken",
		);
		expect(says("! [remote rejected] x -> x (pre-receive hook declined)")).toBe("refused");
		expect(says("fatal: unable to access 'http://h/': Could not resolve host: h")).toBe("uncertain");
	});
});
