import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fetchRunFiles } from "../../src/adapters/earlier-run/fetch-run-files.ts";
import { readZip } from "../../src/adapters/earlier-run/read-zip.ts";
import type { GitHostActivity } from "../../src/seams.ts";
import { makeZip } from "../rig/make-zip.ts";

let temp: string;
beforeEach(async () => {
	temp = await mkdtemp(path.join(os.tmpdir(), "rookery-earlier-"));
});
afterEach(() => rm(temp, { recursive: true, force: true }));

function activityWith(zip: Buffer, artifact: Partial<Awaited<ReturnType<GitHostActivity["artifacts"]>>[number]> = {}): GitHostActivity {
	const unused = () => Promise.reject(new Error("not asked"));
	return {
		reactions: unused,
		commitSeenAt: unused,
		proposeFile: unused,
		jobsOf: unused,
		jobLog: unused,
		runsOn: unused,
		artifacts: async () => [{ id: 1, name: "rookery-run-7-1", bytes: zip.length, expired: false, ...artifact }],
		downloadArtifact: async () => zip,
	};
}

describe("the files of an earlier run", () => {
	const fetch = (activity: GitHostActivity) => fetchRunFiles({ temp, runName: "run-7-1", runId: "7", activity });

	it("S-163 come from the artifact by base name alone, whatever its paths say", async () => {
		const zip = makeZip({
			"sessions/run-7-1.jsonl": "run\n",
			"sessions/run-7-1/agent-sec-1.jsonl": "session\n",
			"audit/run-7-1.jsonl": "audit\n",
			"../../../evil.jsonl": "evil\n",
			"reports/run-7-1/report.json": "{}",
		});
		const fetched = await fetch(activityWith(zip));
		if (!fetched.ok) throw new Error(fetched.reason);
		expect(await readFile(fetched.files.runJournal, "utf8")).toBe("run\n");
		expect(await readFile(path.join(fetched.files.sessions, "agent-sec-1.jsonl"), "utf8")).toBe("session\n");
		expect(await readFile(fetched.files.audit, "utf8")).toBe("audit\n");
		expect(fetched.files.sessions.startsWith(temp)).toBe(true);
		expect(existsSync(path.join(temp, "..", "evil.jsonl"))).toBe(false);
		expect(existsSync(path.join(fetched.files.sessions, "report.json"))).toBe(false);
	});

	it("S-163 X-05 of a run that was spread over machines, each shard's newest journals are there, and nothing of a part replaces the run's", async () => {
		const zips: Readonly<Record<string, Buffer>> = {
			"rookery-run-7-2": makeZip({
				"sessions/run-7-2.jsonl": "run\n",
				"audit/run-7-2.jsonl": "audit\n",
				"sessions/run-7-2/main-1.jsonl": "main\n",
			}),
			"rookery-run-7-1-shard-1": makeZip({
				"sessions/run-7-1.jsonl": "part\n",
				"sessions/run-7-1/moe-go-1.jsonl": "go\n",
				"sessions/run-7-1/main-1.jsonl": "evil\n",
			}),
			"rookery-run-7-1-shard-2": makeZip({ "sessions/run-7-1/moe-rust-1.jsonl": "old\n" }),
			"rookery-run-7-2-shard-2": makeZip({ "sessions/run-7-2/moe-rust-1.jsonl": "new\n", "audit/run-7-2.jsonl": "part\n" }),
			"rookery-run-8-1-shard-3": makeZip({ "sessions/run-8-1/moe-java-1.jsonl": "other\n" }),
		};
		const names = Object.keys(zips);
		const activity: GitHostActivity = {
			...activityWith(Buffer.alloc(0)),
			artifacts: async () => names.map((name, id) => ({ id, name, bytes: 100, expired: false })),
			downloadArtifact: async (id) => zips[names[id] ?? ""] ?? Buffer.alloc(0),
		};
		const fetched = await fetchRunFiles({ temp, runName: "run-7-2", runId: "7", activity });
		if (!fetched.ok) throw new Error(fetched.reason);
		const read = (name: string) => readFile(path.join(fetched.files.sessions, name), "utf8");
		expect(await Promise.all(["main-1.jsonl", "moe-go-1.jsonl", "moe-rust-1.jsonl"].map(read))).toEqual(["main\n", "go\n", "new\n"]);
		expect(existsSync(path.join(fetched.files.sessions, "moe-java-1.jsonl"))).toBe(false);
		expect(await readFile(fetched.files.runJournal, "utf8")).toBe("run\n");
		expect(await readFile(fetched.files.audit, "utf8")).toBe("audit\n");
	});

	it("S-164 what cannot be had is a reason: no artifact, expired, no archive", async () => {
		expect(await fetch(activityWith(makeZip({}), { name: "other" }))).toMatchObject({
			ok: false,
			reason: expect.stringContaining("left no artifact"),
		});
		expect(await fetch(activityWith(makeZip({}), { expired: true }))).toMatchObject({
			ok: false,
			reason: expect.stringContaining("expired"),
		});
		expect(await fetch(activityWith(Buffer.from("not a zip at all, only some text"))).then((each) => each.ok)).toBe(false);
	});
});

describe("readZip", () => {
	it("bounds sizes before and while it unpacks", () => {
		const bomb = makeZip({ "a.jsonl": "x".repeat(100_000) });
		expect(() => readZip(bomb)[0]?.read(1_000)).toThrow(/100000 bytes, more than 1000/);
		expect(() => readZip(makeZip({ "a.jsonl": "x".repeat(100_000) }, { size: 10 }))[0]?.read(1_000)).toThrow();
		expect(
			readZip(makeZip({ "a.jsonl": "text" }))[0]
				?.read(10)
				.toString(),
		).toBe("text");
	});
});
