import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commit, git, gitFailure, type Rig, startRig, TOKENS, temporaryFolder } from "./rig.ts";

describe("git over HTTP", () => {
	let rig: Rig;
	let folder: string;
	let copies = 0;
	beforeAll(async () => {
		rig = await startRig();
		folder = await temporaryFolder();
		await rig.hub.createRepository({ owner: "acme", name: "secret", from: rig.work, private: true });
	});
	afterAll(async () => {
		await rm(folder, { recursive: true, force: true });
		await rig[Symbol.asyncDispose]();
	});

	const address = (token: string | null, name = "widgets"): string =>
		`${rig.hub.serverUrl.replace("://", token === null ? "://" : `://x-access-token:${token}@`)}/acme/${name}.git`;
	const clone = async (token: string | null, ...args: readonly string[]): Promise<string> => {
		copies += 1;
		await git(folder, "clone", "--quiet", ...args, address(token), `copy-${copies}`);
		return `${folder}/copy-${copies}`;
	};
	const pushed = async (token: string, branch: string): Promise<{ copy: string; sha: string }> => {
		const copy = await clone(token);
		await git(copy, "switch", "--quiet", "--create", branch, "origin/main");
		return { copy, sha: await commit(copy, `On ${branch}`, { [`${branch.replaceAll("/", "-")}.txt`]: "x\n" }) };
	};

	it("clones with a token in the URL, in a basic header as checkout sends it, and in a bearer header", async () => {
		const copy = await clone(TOKENS.bot);
		expect(await git(copy, "rev-parse", "origin/feature")).toBe(rig.hub.pull(rig.number).head.sha);
		const basic = Buffer.from(`x-access-token:${TOKENS.bot}`).toString("base64");
		const url = address(null, "secret");
		for (const header of [`AUTHORIZATION: basic ${basic}`, `Authorization: Bearer ${TOKENS.bot}`]) {
			expect(await git(folder, "-c", `http.extraheader=${header}`, "ls-remote", url, "refs/heads/main")).toContain("refs/heads/main");
		}
	});

	it("lets anybody clone what is public, nobody without a token what is private, and no unknown token anything", async () => {
		expect(await git(folder, "ls-remote", address(null), "HEAD")).toContain("HEAD");
		expect(await gitFailure(folder, "ls-remote", address(null, "secret"))).toMatch(/could not read Username|Authentication failed/);
		expect(await gitFailure(folder, "ls-remote", address("stolen", "secret"))).toMatch(/Authentication failed|could not read/);
		expect(await gitFailure(folder, "-c", "http.extraheader=Authorization: Bearer stolen", "ls-remote", address(null))).toMatch(
			/Authentication failed|could not read/,
		);
		expect(rig.hub.requests.filter((request) => request.operation === "git/upload-pack" && request.status === 401).length).toBeGreaterThan(
			0,
		);
	});

	it("serves shallow clones, deepening, partial clones, fetches by SHA and refs/pull", async () => {
		const copy = await clone(TOKENS.bot, "--depth=1", "--branch=feature");
		expect(await git(copy, "rev-list", "--count", "HEAD")).toBe("1");
		await git(copy, "fetch", "--quiet", "--deepen=1");
		expect(await git(copy, "rev-list", "--count", "HEAD")).toBe("2");
		const base = await git(rig.work, "rev-parse", "feature~1");
		const bySha = await clone(TOKENS.bot, "--depth=1");
		await git(bySha, "fetch", "--quiet", "--depth=1", "origin", base);
		expect(await git(bySha, "rev-parse", "FETCH_HEAD")).toBe(base);
		await git(bySha, "fetch", "--quiet", "origin", `refs/pull/${rig.number}/head`);
		expect(await git(bySha, "rev-parse", "FETCH_HEAD")).toBe(rig.hub.pull(rig.number).head.sha);
		const partial = await clone(TOKENS.bot, "--filter=blob:none", "--no-checkout");
		expect(await git(partial, "rev-list", "--objects", "--missing=print", "HEAD")).toMatch(/^\?/m);
	});

	it("shows a push to REST at once and moves the pull request's head", async () => {
		const { copy, sha } = await pushed(TOKENS.ada, "rookery/one");
		await git(copy, "push", "--quiet", "origin", "HEAD");
		const { data } = await rig.client().git.getRef({ ...rig.repository, ref: "heads/rookery/one" });
		expect(data.object.sha).toBe(sha);
		const feature = await clone(TOKENS.ada, "--branch=feature");
		const head = await commit(feature, "Next", { "src/new.ts": "export const fresh = 2;\n" });
		await git(feature, "push", "--quiet", "origin", "HEAD");
		expect((await rig.client().pulls.get({ ...rig.repository, pull_number: rig.number })).data.head.sha).toBe(head);
		expect((await rig.hub.refs())[`refs/pull/${rig.number}/head`]).toBe(head);
	});

	it("takes a push of several megabytes", async () => {
		const copy = await clone(TOKENS.ada);
		const noise = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 2_654_435_761) % 251));
		const sha = await commit(copy, "Noise", { "noise.bin": noise });
		await git(copy, "push", "--quiet", "origin", "HEAD:refs/heads/noise");
		expect((await rig.hub.refs())["refs/heads/noise"]).toBe(sha);
	});

	it("refuses the push of a read-only token with 403", async () => {
		const { copy } = await pushed(TOKENS.reader, "rookery/read");
		expect(await gitFailure(copy, "push", "origin", "HEAD")).toMatch(/403|Permission to acme\/widgets.git denied/);
		expect((await rig.hub.refs())["refs/heads/rookery/read"]).toBeUndefined();
	});

	it("R33 refuses pushes to a protected branch with GH006", async () => {
		await rig.hub.protectBranch("acme/widgets", "main");
		const { copy } = await pushed(TOKENS.ada, "rookery/main");
		const text = await gitFailure(copy, "push", "origin", "HEAD:main");
		expect(text).toContain("error: GH006: Protected branch update failed for refs/heads/main.");
		expect(text).toContain("Changes must be made through a pull request.");
		expect(text).toMatch(/! \[remote rejected\] HEAD -> main/);
	});

	it("R32 rejects what is not a fast-forward, and pushes into refs/pull", async () => {
		const { copy } = await pushed(TOKENS.ada, "rookery/late");
		await git(copy, "push", "--quiet", "origin", "HEAD");
		await git(copy, "commit", "--quiet", "--amend", "--message", "Other");
		expect(await gitFailure(copy, "push", "origin", "HEAD")).toContain("[rejected]");
		expect(await gitFailure(copy, "push", "origin", "HEAD:refs/pull/99/head")).toContain("remote rejected");
	});

	it("BR-50 refuses a workflow file from a token without the workflows permission", async () => {
		const { copy } = await pushed(TOKENS.bot, "rookery/ci");
		await commit(copy, "CI", { ".github/workflows/ci.yml": "on: push\n" });
		expect(await gitFailure(copy, "push", "origin", "HEAD")).toContain(
			"refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission",
		);
		await git(copy, "push", "--quiet", address(TOKENS.admin), "HEAD");
		expect((await rig.hub.refs())["refs/heads/rookery/ci"]).toMatch(/^[0-9a-f]{40}$/);
	});

	it("keeps the token's value out of the journal", () => {
		expect(JSON.stringify(rig.hub.requests)).not.toMatch(/t-ada|t-bot|t-admin/);
		expect(new Set(rig.hub.requests.map((request) => request.headers["authorization"]?.toLowerCase()))).toContain("basic");
	});
});
