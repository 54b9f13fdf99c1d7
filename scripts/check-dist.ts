/** Fails when the committed `dist/` is not what the sources build, or when a bundle does not start. */
import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "./build.ts";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

async function listFiles(folder: string): Promise<string[]> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	return entries
		.filter((entry) => entry.isFile())
		.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
		.sort();
}

const fresh = await mkdtemp(path.join(os.tmpdir(), "rookery-dist-"));
try {
	await build(fresh);
	const committed = path.join(root, "dist");
	const names = new Set([...(await listFiles(fresh)), ...(await listFiles(committed))]);
	const different: string[] = [];
	for (const name of names) {
		const [a, b] = await Promise.all([fresh, committed].map((folder) => readFile(path.join(folder, name)).catch(() => undefined)));
		if (a === undefined || b === undefined || !a.equals(b)) different.push(name);
	}
	if (different.length > 0) {
		console.error(
			`dist differs from a fresh build in ${different.length} file(s): ${different.join(", ")}; run "npm run build" and commit dist`,
		);
		process.exitCode = 1;
	}
	const version = execFileSync(process.execPath, [path.join(committed, "cli.js"), "--version"], { encoding: "utf8" }).trim();
	console.log(`dist: ${names.size} files, ${different.length} different; cli.js starts and says ${version}`);
} finally {
	await rm(fresh, { recursive: true, force: true });
}
