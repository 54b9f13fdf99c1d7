import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { build } from "../../scripts/build.ts";
import { obedient } from "./attackers.ts";
import { startAttack } from "./start-attack.ts";

async function temporary(): Promise<string> {
	const folder = await mkdtemp(path.join(os.tmpdir(), "rookery-supply-"));
	onTestFinished(() => rm(folder, { recursive: true, force: true }));
	return folder;
}

async function bytesOf(folder: string): Promise<Readonly<Record<string, string>>> {
	const entries = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
	const files = await Promise.all(
		entries.map(async (entry) => {
			const file = path.join(entry.parentPath, entry.name);
			return [path.relative(folder, file), (await readFile(file)).toString("base64")] as const;
		}),
	);
	return Object.fromEntries(files);
}

/** Writes each address that a node process connects to into a file of its own. */
const COUNTER = `
const net = require("node:net");
const fs = require("node:fs");
const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...args) {
	const [first] = Array.isArray(args[0]) ? args[0] : args;
	const target = typeof first === "object" && first !== null ? (first.path ?? \`\${first.host ?? "localhost"}:\${first.port}\`) : String(first);
	fs.appendFileSync(process.env.CONNECTIONS, target + "\\n");
	return connect.apply(this, args);
};
`;

describe("the supply chain", () => {
	it("A102 two builds of the same sources are equal, byte for byte", async () => {
		const [one, two] = [await temporary(), await temporary()];
		await build(one);
		await build(two);
		const [first, second] = [await bytesOf(one), await bytesOf(two)];
		expect(Object.keys(first).length).toBeGreaterThan(10);
		expect(second).toEqual(first);
	}, 120_000);

	it("A102 a run speaks with GitHub and with the model's provider and with nobody else", async () => {
		const folder = await temporary();
		const [preload, connections] = [path.join(folder, "counter.cjs"), path.join(folder, "connections.txt")];
		await writeFile(preload, COUNTER);
		await writeFile(connections, "");
		await using attack = await startAttack({
			scene: {
				base: { "a.go": "package a\n", "b.py": "x = 1\n" },
				head: { "a.go": "package a\n\nfunc A() {}\n", "b.py": "def f():\n    return 1\n" },
			},
			decide: () => obedient(),
		});
		const result = await attack.run({ env: { NODE_OPTIONS: `--require ${preload}`, CONNECTIONS: connections } });
		expect(result.exitCode, result.stdout).toBe(0);
		const targets = new Set((await readFile(connections, "utf8")).split("\n").filter((line) => line !== ""));
		expect([...targets].sort()).toEqual([attack.scene.github.serverUrl, attack.model.url].map((url) => new URL(url).host).sort());
	});
});
