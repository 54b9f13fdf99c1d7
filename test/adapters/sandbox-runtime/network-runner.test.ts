import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findMissingPrograms } from "../../../src/adapters/sandbox-runtime/find-sandbox-runtime.ts";
import { openNetworkWalls } from "../../../src/adapters/sandbox-runtime/open-network-walls.ts";
import { openWalledRunner } from "../../../src/stages/open-walled-runner.ts";
import { ACTION_FOLDER } from "../../e2e/start-scene.ts";
import { canSandbox } from "../sandbox/sandbox-rig.ts";

const SRT = path.join(ACTION_FOLDER, "node_modules", ".bin", "srt");
const missing = await findMissingPrograms();
const available = (await canSandbox()) && missing.length === 0;
if (!available && process.env["CI"] === "true") throw new Error(`the sandbox runtime cannot be tried: ${missing.join(", ")} missing`);

let folder: string;
let server: Server;
let hits = 0;

beforeAll(async () => {
	folder = await mkdtemp(path.join(os.homedir(), ".rookery-network-test-"));
	await mkdir(path.join(folder, "tree"));
	await mkdir(path.join(folder, "checkout"));
	await writeFile(path.join(folder, "checkout", "secret.txt"), "checkout-secret\n");
	server = createServer((_request, response) => {
		hits += 1;
		response.end("from the host\n");
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterAll(async () => {
	await new Promise((resolve) => server.close(resolve));
	await rm(folder, { recursive: true, force: true });
});

const open = async (
	hosts: readonly string[],
	more: { readonly hiddenPaths?: readonly string[]; readonly places?: readonly string[] } = {},
) => {
	const root = path.join(folder, "tree");
	const walls = { root, hosts, hiddenPaths: [], hiddenFolders: [path.join(folder, "checkout")], places: [SRT], ...more };
	return openWalledRunner(root, await openNetworkWalls(walls));
};
/** The runtime's proxy leaves loopback addresses out unless it is told not to. */
const fetchFrom = (host: string): string =>
	`curl --silent --max-time 5 --noproxy '' http://${host}:${(server.address() as AddressInfo).port}/ || echo unreachable`;

describe.runIf(available)("commands that may reach some hosts", () => {
	it("A69 reach the hosts that are named and no others, write the tree and nothing else, and see nothing of ours", async () => {
		await using runner = await open(["127.0.0.1"]);
		process.env["ROOKERY_TEST_CANARY"] = "canary-of-the-orchestrator";
		try {
			const reached = await runner.run(fetchFrom("127.0.0.1"), { timeoutMs: 30_000 });
			expect(reached).toMatchObject({ exitCode: 0, stdout: "from the host\n" });
			const before = hits;
			const refused = await runner.run(fetchFrom("localhost"), { timeoutMs: 30_000 });
			expect(refused.stdout).not.toContain("from the host");
			expect(hits).toBe(before);
			const seen = await runner.run(
				`env; cat /proc/1/environ; cat ${folder}/checkout/secret.txt; ls -a ~; echo made > made.txt; touch /usr/made ${folder}/made`,
				{ timeoutMs: 30_000 },
			);
			expect(seen.output).not.toMatch(/canary-of-the-orchestrator|checkout-secret/);
			expect(await readdir(folder)).toEqual(["checkout", "tree"]);
			expect(await readdir(path.join(folder, "tree"))).toContain("made.txt");
			expect(await runner.run("exit 7", { timeoutMs: 30_000 })).toMatchObject({ exitCode: 7 });
			expect(await runner.run("sleep 30", { timeoutMs: 1_500 })).toMatchObject({ exitCode: null, stopped: "timed out" });
		} finally {
			delete process.env["ROOKERY_TEST_CANARY"];
		}
	}, 60_000);

	it("A76 without the program, or with one that others may write, nothing is run, and the fix is named", async () => {
		await expect(open(["example.org"], { places: ["/nowhere/srt"] })).rejects.toThrow(/E_SANDBOX.*not installed\. Install it before/s);
		await writeFile(path.join(folder, "checkout", "srt"), "#!/bin/sh\n");
		await expect(open(["example.org"], { places: [path.join(folder, "checkout", "srt")] })).rejects.toThrow(/others may write/);
	});

	it("S-110 a tree with files that policy hides is not shown to commands that reach hosts", async () => {
		await expect(open(["example.org"], { hiddenPaths: ["keys/a.pem"] })).rejects.toThrow(/E_POLICY.*keys\/a\.pem/s);
	});
});
