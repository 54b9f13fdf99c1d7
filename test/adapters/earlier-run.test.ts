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
