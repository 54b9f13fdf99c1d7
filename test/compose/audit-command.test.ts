import { appendFileSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCommandLine } from "../../src/compose/command-line.ts";
import { auditPath, openAuditForRun } from "../../src/compose/open-audit-for-run.ts";
import type { AuditEvent } from "../../src/guard/audit-entry.ts";

let temp: string;
beforeEach(() => {
	temp = mkdtempSync(path.join(os.tmpdir(), "rookery-audit-command-"));
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

async function rookery(...args: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
	const [out, err]: [string[], string[]] = [[], []];
	const code = await runCommandLine(args, {
		environment: { RUNNER_TEMP: temp },
		write: (line) => void out.push(line),
		writeError: (line) => void err.push(line),
		signal: new AbortController().signal,
		bundleFolder: temp,
		currentFolder: temp,
		node: process.execPath,
		terminal: new PassThrough(),
	});
	return { code, out: out.join("\n"), err: err.join("\n") };
}

const call = (child: string, id: string, tool: string, target: string) => ({ child, call: id, tool, target }) as const;
const allowed = (facts: ReturnType<typeof call>): AuditEvent => ({
	...{ type: "decision", ...facts, effect: "read", decision: "allow", rule: "read inside the tree", by: "permissions" },
	...{ policyHash: "0".repeat(64), risk: "low" },
});
const denied = (facts: ReturnType<typeof call>): AuditEvent => ({
	...{ type: "decision", ...facts, effect: "execute", decision: "deny", rule: "denyCommands git push:*", by: "policy", code: "E_POLICY" },
	...{ policyHash: "0".repeat(64), risk: "critical" },
});

async function writeRun(name: string) {
	const audit = await openAuditForRun({ temp, runName: name, clock: { now: () => 1_700_000_000_000 }, redact: (text) => text });
	await audit.append({ type: "opened", run: name, policyHash: "f".repeat(64), policySources: [] });
	await audit.append(allowed(call("moe-go-1", "1", "read_file", "a.go")));
	await audit.append({
		...{ type: "outcome", child: "moe-go-1", call: "1", tool: "read_file", ok: true, durationMs: 1_500 },
		...{ outputHash: "0".repeat(64), outputChars: 3, risk: "low" },
	});
	await audit.append(denied(call("moe-rust-1", "2", "bash", "git push\u001b[2J\norigin")));
	await audit.append({ type: "closed" });
	const published = audit.head();
	await audit.close();
	return { file: auditPath(temp, name), published };
}

describe("rookery audit", () => {
	it("S-123 lists a run's decisions with risk and duration; what a terminal would obey is shown, not sent", async () => {
		const { file, published } = await writeRun("run-1-1");
		const { code, out, err } = await rookery("audit", file);
		expect({ code, err }).toEqual({ code: 0, err: "" });
		const lines = out.split("\n");
		expect(lines).toHaveLength(7);
		expect(lines[1]).toMatch(/^ {4}2 {2}2023-11-14T22:13:20\.000Z {2}low {7}moe-go-1: read_file a\.go allowed$/);
		expect(lines[2]).toMatch(/moe-go-1: read_file ended 1\.5 s$/);
		expect(lines[3]).toContain("critical  moe-rust-1: bash git push<ESC[> origin denied (E_POLICY: denyCommands git push:*)");
		expect(lines.slice(5)).toEqual(["5 of 5 entries", `${file}: 5 entries, the chain holds and ends in ${published.head}`]);
	});

	it("S-123 filters by refusal, child, tool and risk, takes the newest, and prints JSON", async () => {
		const { file } = await writeRun("run-1-1");
		const sequence = async (...flags: readonly string[]): Promise<readonly number[]> => {
			const { out } = await rookery("audit", file, "--json", ...flags);
			return (JSON.parse(out) as { seq: number }[]).map((entry) => entry.seq);
		};
		expect(await sequence()).toEqual([1, 2, 3, 4, 5]);
		expect(await sequence("--denied")).toEqual([4]);
		expect(await sequence("--child", "moe-go-1")).toEqual([2, 3]);
		expect(await sequence("--tool", "bash")).toEqual([4]);
		expect(await sequence("--risk", "medium")).toEqual([4]);
		expect(await sequence("--last", "2")).toEqual([4, 5]);
		expect(await sequence("--last", "0")).toEqual([]);
		expect(await sequence("--child", "nobody")).toEqual([]);
	});

	it("without a file it takes the newest run, also of a run of the command line", async () => {
		const old = await writeRun("run-1-1");
		const newer = await writeRun("run-2-1");
		utimesSync(old.file, new Date(1_000), new Date(1_000));
		expect((await rookery("audit")).out).toContain(newer.file);
		rmSync(path.join(temp, "rookery"), { recursive: true });
		expect(await rookery("audit")).toMatchObject({ code: 2, err: expect.stringContaining("found no file in") });
		const outer = temp;
		temp = mkdtempSync(path.join(outer, "rookery-"));
		const local = await writeRun("local-1");
		temp = outer;
		expect((await rookery("audit")).out).toContain(local.file);
	});

	it("S-122 A94 verify names the first bad line, and a removed end by the published head", async () => {
		const { file, published } = await writeRun("run-1-1");
		const lines = readFileSync(file, "utf8").split("\n");
		const verify = (...flags: readonly string[]) => rookery("audit", "verify", file, ...flags);
		expect(await verify("--head", published.head, "--entries", "5")).toMatchObject({ code: 0, err: "" });
		expect(await verify()).toMatchObject({ code: 0, err: expect.stringContaining("missing at the end") });
		writeFileSync(file, lines.with(3, (lines[3] ?? "").replace("deny", "allow")).join("\n"));
		expect(await verify()).toMatchObject({ code: 1, out: expect.stringContaining("line 4: its content does not fit its hash") });
		expect(await rookery("audit", file)).toMatchObject({ code: 1, out: expect.stringMatching(/3 of 3 entries\n.*: line 4: /) });
		writeFileSync(file, [...lines.slice(0, 4), ""].join("\n"));
		expect(await verify()).toMatchObject({ code: 0 });
		expect(await verify("--head", published.head)).toMatchObject({ code: 1, out: expect.stringContaining("line 5: the published head") });
	});

	it("R45 a line that a crash has torn is told, and is no change", async () => {
		const { file, published } = await writeRun("run-1-1");
		appendFileSync(file, '{"v":1,"seq":6,"at"');
		const torn = await rookery("audit", "verify", file, "--head", published.head);
		expect(torn).toMatchObject({ code: 0, out: expect.stringContaining("note: line 6 was torn by a crash: 19 bytes") });
	});

	it.each([
		[["audit", "missing.jsonl"], /missing\.jsonl: cannot be read/],
		[["audit", "."], /found no file; wanted the audit/],
		[["audit", "verify", "x", "--head", "abc"], /--head: found "abc"; wanted the 64 hexadecimal digits/],
		[["audit", "verify", "x", "--entries", "3"], /--entries: found no --head/],
		[["audit", "verify", "x", "--entries", "-3"], /wanted a whole number/],
		[["audit", "x", "--risk", "huge"], /Allowed choices are low/],
	])("%j is bad input, told in one line", async (args, message) => {
		expect(await rookery(...args)).toMatchObject({ code: 2, err: expect.stringMatching(message) });
	});
});
