import { describe, expect, it } from "vitest";
import { createGitHubHost } from "../../src/adapters/github/create-github-host.ts";
import type { Publication } from "../../src/domain/publication.ts";
import { applyPublications } from "../../src/publish/apply-publications.ts";
import { parseMarker, printMarker } from "../../src/publish/marker.ts";
import { commit, git, startRig, TOKENS, type Rig } from "../demo/loopback-github/rig.ts";

const BRANCH = "rookery/format";

async function hostOf(rig: Rig, token: string) {
	return createGitHubHost({
		token,
		baseUrl: rig.hub.url,
		repository: { owner: "acme", name: "widgets" },
		throttle: false,
		retryBaseMs: 1,
		timeoutMs: 5_000,
	});
}

function proposal(run: string, more: Partial<Extract<Publication, { kind: "pull-request" }>> = {}): Publication {
	const head = "b".repeat(40);
	const marker = printMarker("job", {
		...{ instance: "rookery", run, attempt: 1, name: "format", base: "a".repeat(40), head, change: "0123456789abcdef", usd: 0 },
	});
	return {
		...{ kind: "pull-request", branch: BRANCH, base: "main", title: "Format", marker, body: `Change of run ${run}.` },
		...{ draft: true, labels: ["maintenance"] },
		...more,
	};
}

/** Applies one proposal as a run would, with the token's own identity. */
async function propose(rig: Rig, publication: Publication, token: string = TOKENS.bot) {
	const host = await hostOf(rig, token);
	const nothing = async (): Promise<void> => undefined;
	const line = (): void => undefined;
	const [result] = await applyPublications([publication], {
		reader: host.reader,
		writer: host.writer,
		clock: { now: () => 0, sleep: nothing },
		log: { info: line, notice: line, warning: line, error: line, group: line },
		budget: { left: 0 },
		identity: await host.reader.viewer(),
		instance: "rookery",
		...{ run: "1", attempt: 1, head: "a".repeat(40) },
		redact: (text) => text,
		sinks: { stepSummary: nothing, outputs: nothing, artifacts: { folder: "/x", write: async (name) => `/x/${name}` } },
	});
	expect(rig.hub.violations).toEqual([]);
	return result;
}

async function startWithBranch(): Promise<Rig> {
	const rig = await startRig();
	await git(rig.work, "switch", "--quiet", "--create", BRANCH, "main");
	await commit(rig.work, "Format", { "a.txt": "formatted\n" });
	await git(rig.work, "push", "--quiet", rig.bare, BRANCH);
	return rig;
}

describe("the pull request of a branch of ours", () => {
	it("is opened once as a draft with its labels, then brought up to date in place, and an equal one is not written", async () => {
		await using rig = await startWithBranch();
		expect(await propose(rig, proposal("7"))).toMatchObject({ state: "created", detail: "" });
		const { reader } = await hostOf(rig, TOKENS.bot);
		const [opened] = await reader.pullRequestsOf(BRANCH);
		expect(opened).toMatchObject({ state: "open", base: "main", title: "Format", labels: ["maintenance"], merged: false });
		expect(parseMarker("job", opened?.body ?? "")).toMatchObject({ name: "format", run: "7" });
		expect(rig.hub.pull(opened?.number ?? 0)).toMatchObject({ draft: true });
		expect(await propose(rig, proposal("8"))).toMatchObject({ state: "updated" });
		const before = rig.hub.requests.length;
		expect(await propose(rig, proposal("8"))).toMatchObject({ state: "unchanged" });
		expect(rig.hub.requests.slice(before).filter((request) => request.method !== "GET" && request.operation?.startsWith("pulls"))).toEqual(
			[],
		);
		expect(await reader.pullRequestsOf(BRANCH)).toHaveLength(1);
	});

	it("leaves a pull request alone that a person has opened from the branch", async () => {
		await using rig = await startWithBranch();
		await propose(rig, proposal("7", { title: "Mine" }), TOKENS.ada);
		expect(await propose(rig, proposal("8"))).toMatchObject({ state: "skipped", detail: expect.stringContaining("ada") });
		expect((await (await hostOf(rig, TOKENS.bot)).reader.pullRequestsOf(BRANCH))[0]).toMatchObject({ title: "Mine" });
	});

	it("BR-45 looks for it after a 502 before it is opened again", async () => {
		await using rig = await startWithBranch();
		rig.hub.faults.add({ method: "POST", path: /\/pulls$/, action: { kind: "applied-then-502" } });
		expect(await propose(rig, proposal("7"))).toMatchObject({ state: "created" });
		expect(await (await hostOf(rig, TOKENS.bot)).reader.pullRequestsOf(BRANCH)).toHaveLength(1);
	});

	it("says which right is missing when the token may not open one", async () => {
		await using rig = await startWithBranch();
		expect(await propose(rig, proposal("7"), TOKENS.reader)).toMatchObject({
			state: "degraded",
			detail: expect.stringContaining("pull-requests: write"),
		});
	});

	it("tells a branch's head and what it has that the base has not", async () => {
		await using rig = await startWithBranch();
		const { reader } = await hostOf(rig, TOKENS.bot);
		const head = await git(rig.work, "rev-parse", BRANCH);
		expect(await reader.branchHead(BRANCH)).toBe(head);
		expect(await reader.branchHead("rookery/form")).toBeUndefined();
		const commits = await reader.commitsBetween(await git(rig.work, "rev-parse", "main"), head);
		expect(commits).toEqual([
			{
				sha: head,
				tree: await git(rig.work, "rev-parse", `${BRANCH}^{tree}`),
				message: "Format",
				authorEmail: "ada@users.noreply.github.com",
				committerEmail: "ada@users.noreply.github.com",
			},
		]);
	});
});
