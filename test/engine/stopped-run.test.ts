import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readRunJournals } from "../../src/adapters/replay/read-run-journals.ts";
import { replayRun } from "../../src/compose/replay-command.ts";
import { callTool, say } from "../../src/demo/loopback-model/scripted-reply.ts";
import type { LoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import { startLoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import type { RunReport } from "../../src/domain/run-report.ts";
import { totalTokens } from "../../src/domain/usage.ts";
import { git, writeFiles } from "../tools/tool-fixture.ts";

interface Ended {
	readonly report: RunReport;
	readonly journals: string;
	readonly folder: string;
}

let server: LoopbackModel;
let temp: string;
beforeEach(async () => {
	server = await startLoopbackModel();
	temp = mkdtempSync(path.join(tmpdir(), "rookery-stop-"));
	symlinkSync(path.resolve("node_modules"), path.join(temp, "grammars"));
});
afterEach(async () => {
	await server.close();
	rmSync(temp, { recursive: true, force: true });
});

/** Three languages, large enough for a specialist each, under a limit of two at a time. */
function makeRepository(): string {
	const folder = path.join(temp, "repository");
	const lines = (line: (n: number) => string) => Array.from({ length: 90 }, (_, n) => line(n)).join("\n");
	writeFiles(folder, { "README.md": "x\n", ".rookery/settings.json": '{"subagents":{"maxConcurrent":2}}' });
	git(folder, "init", "-q", "-b", "main");
	git(folder, "add", "-A");
	git(folder, "commit", "-qm", "base");
	git(folder, "checkout", "-qb", "work");
	writeFiles(folder, {
		"main.go": `package main\n\n${lines((n) => `var V${n} = ${n}`)}\n`,
		"app.py": `${lines((n) => `v${n} = ${n}`)}\n`,
		"lib.rs": `${lines((n) => `pub const V${n}: u8 = ${n};`)}\n`,
	});
	git(folder, "add", "-A");
	git(folder, "commit", "-qm", "head");
	return folder;
}

async function until(condition: () => boolean): Promise<void> {
	const deadline = Date.now() + 20_000;
	while (!condition()) {
		if (Date.now() > deadline) throw new Error("it did not come to that");
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}

/** Starts the run, sends the signal when the time has come, and takes what it says at its end. */
async function stopAt(
	when: () => boolean,
	signal: NodeJS.Signals,
): Promise<Ended & { readonly tookMs: number; readonly exitCode: number | null }> {
	const script = path.join(import.meta.dirname, "stopped-run.ts");
	const child = spawn(process.execPath, [script, makeRepository(), "main", server.url, temp], { stdio: ["ignore", "pipe", "inherit"] });
	const closed = once(child, "close");
	const printed = text(child.stdout);
	await until(when);
	const sentAt = Date.now();
	child.kill(signal);
	const [exitCode] = (await closed) as [number | null];
	return { ...(JSON.parse(await printed) as Ended), tookMs: Date.now() - sentAt, exitCode };
}

describe("a run that is stopped by a signal", () => {
	it.each(["SIGTERM", "SIGINT"] as const)(
		"S-169 R36 %s in model calls: every journal has its end, the spend is in the report, and the process is gone within 5 s",
		async (signal) => {
			server.setScript(
				["Go", "Python", "Rust"].map((name) => ({
					marker: `the ${name} specialist`,
					replies: [callTool("glob", { pattern: "*" }), say("never", { latencyMs: 60_000 })],
				})),
			);
			const waiting = () => server.requests.filter((request) => request.turn === 1).length === 2;
			const ended = await stopAt(waiting, signal);
			try {
				expect(ended.tookMs).toBeLessThan(5_000);
				expect(ended.exitCode).toBe(0);
				const { report } = ended;
				expect(report.agents.map((agent) => agent.status).sort()).toEqual(["cancelled", "cancelled", "skipped"]);
				expect(report.verdict.state).not.toBe("clean");
				const journals = await readRunJournals(ended.journals);
				expect(
					[...journals.sessions.values()].map((journal) => [
						journal.interrupted,
						journal.entries.filter((entry) => entry.type === "end").length,
					]),
				).toEqual([
					[false, 1],
					[false, 1],
				]);
				for (const journal of journals.sessions.values())
					expect(journal.entries.at(-1)).toMatchObject({ type: "end", status: "cancelled" });
				const finished = journals.run.entries.filter((entry) => entry.type === "agent.finished");
				expect(finished).toHaveLength(2);
				// The two first replies and the warm-up were paid for, and that is what the report says.
				const billed = server.requests
					.filter((request) => request.turn === 0)
					.reduce((sum, request) => sum + totalTokens(request.usage), 0);
				expect(totalTokens(report.usage)).toBe(billed);
				expect(report.usage.costUsd).toBeGreaterThan(0);
				expect(report.agents.filter((agent) => agent.error?.includes(`stopped by ${signal}`))).toHaveLength(3);
				expect((await replayRun(ended.journals)).report).toEqual(report);
				const trees = git(path.join(temp, "repository"), "worktree", "list").split("\n");
				expect(trees).toHaveLength(1);
			} finally {
				rmSync(ended.folder, { recursive: true, force: true });
			}
		},
		40_000,
	);

	it("S-169 R36 in the warm-up, before any child has begun: all are skipped, nothing is lost", async () => {
		server.setScript([]);
		server.fault({ kind: "silence", after: "headers" }, { times: 9 });
		const ended = await stopAt(() => server.requests.length === 1, "SIGTERM");
		try {
			expect(ended.tookMs).toBeLessThan(5_000);
			expect(ended.report.agents.map((agent) => agent.status)).toEqual(["skipped", "skipped", "skipped"]);
			expect(ended.report.verdict.state).not.toBe("clean");
		} finally {
			rmSync(ended.folder, { recursive: true, force: true });
		}
	}, 40_000);
});
