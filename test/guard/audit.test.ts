import { appendFile, lstat, mkdtemp, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openAuditFile } from "../../src/adapters/audit-file/open-audit-file.ts";
import { createAuditWriter } from "../../src/guard/audit.ts";
import { verifyAudit } from "../../src/guard/verify-audit.ts";

let folder: string;
let file: string;
beforeEach(async () => {
	folder = await mkdtemp(path.join(os.tmpdir(), "rookery-audit-"));
	file = path.join(folder, "audit.jsonl");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function writer(now: () => number = () => Date.now()) {
	return createAuditWriter({ file: await openAuditFile(file), clock: { now }, redact: (text) => text.replaceAll("hunter2", "***") });
}

async function writeFive(): Promise<{ readonly text: string; readonly published: { readonly head: string; readonly entries: number } }> {
	const audit = await writer();
	for (const call of ["a", "b", "c", "d", "e"]) {
		await audit.append({
			type: "outcome",
			child: "x",
			call,
			tool: "bash",
			ok: true,
			durationMs: 1,
			outputHash: "",
			outputChars: 0,
			risk: "low",
		});
	}
	const published = audit.head();
	await audit.close();
	return { text: await readFile(file, "utf8"), published };
}

describe("the audit chain", () => {
	it("S-122 a whole file verifies, with its published head", async () => {
		const { text, published } = await writeFive();
		expect(verifyAudit(text, published)).toMatchObject({ ok: true, head: published.head, torn: false, notes: [] });
		expect(published.entries).toBe(5);
	});

	it("S-122 A94 a changed, removed, inserted or moved line is named", async () => {
		const { text } = await writeFive();
		const lines = text.split("\n");
		const edit = (change: (copy: string[]) => void): unknown => {
			const copy = [...lines];
			change(copy);
			return verifyAudit(copy.join("\n"));
		};
		expect(edit((copy) => copy.splice(2, 1, (copy[2] ?? "").replace('"call":"c"', '"call":"z"')))).toMatchObject({ ok: false, line: 3 });
		expect(edit((copy) => copy.splice(2, 1, (copy[2] ?? "").replace('"risk"', ' "risk"')))).toMatchObject({ ok: false, line: 3 });
		expect(edit((copy) => copy.splice(1, 1))).toMatchObject({ ok: false, line: 2 });
		expect(edit((copy) => copy.splice(0, 1))).toMatchObject({ ok: false, line: 1 });
		expect(edit((copy) => copy.splice(3, 0, copy[0] ?? ""))).toMatchObject({ ok: false, line: 4 });
		expect(edit((copy) => copy.splice(3, 0, ""))).toMatchObject({ ok: false, line: 4 });
		expect(edit((copy) => copy.splice(1, 2, copy[2] ?? "", copy[1] ?? ""))).toMatchObject({ ok: false, line: 2 });
	});

	it("S-122 A94 a removed tail is found by the published head alone, and so is an added one", async () => {
		const { text, published } = await writeFive();
		const shorter = `${text.split("\n").slice(0, 4).join("\n")}\n`;
		expect(verifyAudit(shorter)).toMatchObject({ ok: true });
		expect(verifyAudit(shorter, published)).toMatchObject({ ok: false, line: 5, reason: expect.stringContaining("lines are missing") });
		expect(verifyAudit(shorter, { head: published.head })).toMatchObject({ ok: false, line: 5 });
		expect(verifyAudit("", published)).toMatchObject({ ok: false, line: 1 });
		const longer = await writer();
		await longer.append({ type: "closed" });
		await longer.close();
		expect(verifyAudit(await readFile(file, "utf8"), published)).toMatchObject({ ok: false, line: 6 });
	});

	it("S-122 a chain rewritten from its first line on is found by the published head", async () => {
		const { published } = await writeFive();
		await rm(file);
		const forged = await writer();
		for (let index = 0; index < 5; index++) await forged.append({ type: "closed" });
		await forged.close();
		const text = await readFile(file, "utf8");
		expect(verifyAudit(text)).toMatchObject({ ok: true });
		expect(verifyAudit(text, published)).toMatchObject({ ok: false });
	});

	it("R45 a torn last line is kept aside, the chain goes on with a marker, and verify says so", async () => {
		const { text } = await writeFive();
		await truncate(file, text.length - 40);
		expect(verifyAudit(await readFile(file, "utf8"))).toMatchObject({
			ok: true,
			torn: true,
			entries: { length: 4 },
			notes: [expect.stringContaining("torn by a crash")],
		});
		const audit = await writer();
		await audit.append({ type: "closed" });
		await audit.close();
		const after = verifyAudit(await readFile(file, "utf8"), audit.head());
		expect(after).toMatchObject({ ok: true, torn: false, notes: [expect.stringContaining("before line 5 a half line")] });
		expect(after.entries.map((entry) => entry.type)).toEqual([...Array(4).fill("outcome"), "recovered", "closed"]);
		expect((await readFile(`${file}.torn`, "utf8")).length).toBeGreaterThan(0);
	});

	it("R45 a changed file is not gone on with", async () => {
		const { text } = await writeFive();
		await writeFile(file, text.replace('"call":"b"', '"call":"q"'));
		await expect(writer()).rejects.toMatchObject({ code: "E_AUDIT", message: expect.stringContaining("line 2") });
	});

	it("R42 a clock that jumps back changes nothing about the order", async () => {
		const times = [1_700_000_000_000, 1_600_000_000_000, 1_700_000_000_001];
		const audit = await writer(() => times.shift() ?? 0);
		for (let index = 0; index < 3; index++) await audit.append({ type: "closed" });
		await audit.close();
		const verified = verifyAudit(await readFile(file, "utf8"), audit.head());
		expect(verified.ok && verified.entries.map((entry) => entry.seq)).toEqual([1, 2, 3]);
	});

	it("appends of several children at the same time make one chain", async () => {
		const audit = await writer();
		await Promise.all(Array.from({ length: 50 }, () => audit.append({ type: "closed" })));
		await audit.close();
		expect(verifyAudit(await readFile(file, "utf8"), audit.head())).toMatchObject({ ok: true, entries: { length: 50 } });
	});

	it("S-120 secrets are taken out before a line is hashed and written", async () => {
		const audit = await writer();
		await audit.append({ type: "opened", run: "hunter2", policyHash: "", policySources: ["hunter2"] });
		await audit.close();
		const text = await readFile(file, "utf8");
		expect(text).not.toContain("hunter2");
		expect(verifyAudit(text)).toMatchObject({ ok: true });
	});

	it("R38 a line that cannot be written is E_AUDIT, now and from then on", async () => {
		const inner = await openAuditFile(file);
		let full = true;
		const audit = createAuditWriter({
			file: {
				...inner,
				append: async (line) => {
					if (full) throw new Error("ENOSPC: no space left on device");
					await inner.append(line);
				},
			},
			clock: { now: () => 0 },
			redact: (text) => text,
		});
		await expect(audit.append({ type: "closed" })).rejects.toMatchObject({ code: "E_AUDIT" });
		full = false;
		await expect(audit.append({ type: "closed" })).rejects.toMatchObject({ code: "E_AUDIT" });
		await audit.close();
		expect(await readFile(file, "utf8")).toBe("");
	});

	it("the file is for this user alone, and a link at its place is refused", async () => {
		await (await writer()).close();
		expect((await lstat(file)).mode & 0o077).toBe(0);
		const target = path.join(folder, "target");
		await appendFile(target, "");
		const link = path.join(folder, "link.jsonl");
		await symlink(target, link);
		await expect(openAuditFile(link)).rejects.toMatchObject({ code: "E_AUDIT" });
	});
});
