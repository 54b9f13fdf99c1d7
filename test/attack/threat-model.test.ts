import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { ACTION_FOLDER } from "../e2e/start-scene.ts";

const run = promisify(execFile);
const ids = (text: string): readonly string[] => text.match(/\b(?:A\d{2,3}|R\d{2}|X-\d{2}|BR-\d{2}|S-\d{3})\b/g) ?? [];

it("every row of the threat model names tests that are there, and every attack has its row", async () => {
	const document = await readFile(path.join(ACTION_FOLDER, "docs/threat-model.md"), "utf8");
	const rows = document
		.split("\n")
		.filter((line) => /^\| \d+ \|/.test(line))
		.map((line) => line.split("|").map((cell) => cell.trim()));
	expect(rows.map((cells) => cells[1])).toEqual(Array.from({ length: 18 }, (_, index) => String(index + 1)));
	const script = path.join(ACTION_FOLDER, "scripts/spec-coverage.ts");
	const { stdout } = await run(process.execPath, [script, "--json"], { maxBuffer: 1 << 24 });
	const covered = new Set((JSON.parse(stdout) as { readonly covered: readonly string[] }).covered);
	for (const cells of rows) {
		const named = ids(cells.at(-2) ?? "");
		expect(named.length, `row ${cells[1]} names tests`).toBeGreaterThan(0);
		expect(
			named.filter((id) => !covered.has(id)),
			`row ${cells[1]}: ids without a test`,
		).toEqual([]);
	}
	const attacks = Array.from({ length: 103 }, (_, index) => `A${String(index + 1).padStart(2, "0")}`);
	const placed = new Set(rows.flatMap((cells) => ids(cells.at(-2) ?? "")));
	expect(attacks.filter((id) => !placed.has(id))).toEqual([]);
});
