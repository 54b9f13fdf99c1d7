import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { markdownTable } from "markdown-table";
import type { Ratio } from "./ratio.ts";

/*
 * npm run bench -- NAME [arguments]: runs bench/NAME.ts, which exports `run(arguments)`, and prints a table and then
 * one line a ratio: `ratio <name> <number>`.
 */

const folder = path.dirname(fileURLToPath(import.meta.url));
const [name, ...rest] = process.argv.slice(2);
const file = path.join(folder, `${name}.ts`);

if (name === undefined || !/^[a-z][a-z0-9-]*$/.test(name) || !existsSync(file)) {
	console.error(
		`bench: ${JSON.stringify(name ?? "")} is no bench; wanted: the name of a file in bench/, for example: npm run bench -- diff`,
	);
	process.exitCode = 2;
} else {
	const bench = (await import(pathToFileURL(file).href)) as { run?: (args: readonly string[]) => Promise<readonly Ratio[]> };
	if (bench.run === undefined) throw new Error(`bench/${name}.ts exports no function run`);
	report(await bench.run(rest));
}

function report(ratios: readonly Ratio[]): void {
	const rows = ratios.map((ratio) => [ratio.name, round(ratio.value), ratio.target === undefined ? "" : `≤ ${ratio.target}`, ratio.detail]);
	console.log(markdownTable([["name", "ratio", "target", "detail"], ...rows]));
	console.log();
	for (const ratio of ratios) console.log(`ratio ${ratio.name} ${round(ratio.value)}`);
}

function round(value: number): string {
	return String(Number(value.toPrecision(4)));
}
