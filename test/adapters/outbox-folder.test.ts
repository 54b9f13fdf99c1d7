import { link, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readOutboxFolder, writeOutbox } from "../../src/adapters/outbox/outbox-folder.ts";

const LIMITS = { head: 100, reports: 1_000 };
const RAW = { source: "shard-1", head: Buffer.from("{}"), reports: Buffer.from("[]") };
let folder: string;

beforeEach(async () => {
	folder = await mkdtemp(path.join(os.tmpdir(), "rookery-outbox-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const read = () => readOutboxFolder(folder, LIMITS);

describe("a folder of outboxes", () => {
	it("X-05 is one outbox, or one in each folder of it, as they were written", async () => {
		await writeOutbox(path.join(folder, "shard-1"), RAW);
		await writeOutbox(path.join(folder, "shard-2"), { ...RAW, reports: Buffer.from("[1]") });
		expect(await read()).toEqual([RAW, { ...RAW, source: "shard-2", reports: Buffer.from("[1]") }]);
		expect(await readOutboxFolder(path.join(folder, "shard-1"), LIMITS)).toEqual([RAW]);
	});

	it.each<[what: string, put: (shard: string) => Promise<unknown>, code: string, reason: string]>([
		["a further file", (shard) => writeFile(path.join(shard, "more.json"), "{}"), "E_PATH", "more.json: found something else"],
		["a folder within", (shard) => mkdir(path.join(shard, "deep")), "E_PATH", "deep: found something else"],
		["a file beside the folders", () => writeFile(path.join(folder, "stray.json"), "{}"), "E_PATH", "stray.json: found a file"],
		["a link beside the folders", () => symlink(os.tmpdir(), path.join(folder, "elsewhere")), "E_PATH", "elsewhere: found a link"],
		["no reports", (shard) => rm(path.join(shard, "reports.json")), "E_OUTBOX", "reports.json cannot be read"],
		[
			"a head that is too large",
			(shard) => writeFile(path.join(shard, "outbox.json"), "x".repeat(101)),
			"E_LIMIT",
			"found 101 bytes, wanted at most 100",
		],
		[
			"a link in place of a file",
			async (shard) => {
				await rm(path.join(shard, "reports.json"));
				await symlink("/etc/passwd", path.join(shard, "reports.json"));
			},
			"E_PATH",
			"found a link",
		],
		[
			"a second name of another file",
			async (shard) => {
				await link(path.join(shard, "reports.json"), path.join(os.tmpdir(), `${path.basename(folder)}-twin`));
			},
			"E_PATH",
			"found no plain file",
		],
		[
			"a folder in place of a file",
			async (shard) => {
				await rm(path.join(shard, "reports.json"));
				await mkdir(path.join(shard, "reports.json"));
			},
			"E_PATH",
			"found no plain file",
		],
	])("X-05 with %s is refused", async (_what, put, code, reason) => {
		const shard = await writeOutbox(path.join(folder, "shard-1"), RAW);
		await put(shard);
		await expect(read()).rejects.toMatchObject({ code, message: expect.stringContaining(reason) });
		await rm(path.join(os.tmpdir(), `${path.basename(folder)}-twin`), { force: true });
	});

	it("X-05 that is not there names the input", async () => {
		await expect(readOutboxFolder(path.join(folder, "none"), LIMITS)).rejects.toThrow(/^input outbox: .* cannot be read/);
	});
});
