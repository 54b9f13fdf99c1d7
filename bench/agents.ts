import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import pLimit from "p-limit";
import { parse } from "yaml";
import { listFolderAgentFiles } from "../src/agents/agent-folders.ts";
import { readAgentEntries } from "../src/agents/catalogue.ts";
import { settleNames } from "../src/agents/settle-names.ts";
import type { Ratio } from "./ratio.ts";

/*
 * npm run bench -- agents [FILES] [ROUNDS]: loading agent files against reading the same bytes and parsing the same
 * YAML, nothing else. Both sides in one process, in turns, the median of the rounds.
 */

export async function run(args: readonly string[]): Promise<readonly Ratio[]> {
	const count = Number(args[0] ?? 2_000);
	const rounds = Number(args[1] ?? 9);
	const folder = await mkdtemp(path.join(os.tmpdir(), "rookery-bench-"));
	try {
		await writeAgents(folder, count);
		const ours: number[] = [];
		const plain: number[] = [];
		for (let round = -1; round < rounds; round += 1) {
			const [plainTime, headers] = await time(() => readPlainly(folder));
			const [ourTime, agents] = await time(() => loadAgents(folder));
			if (headers !== count || agents !== count) throw new Error(`${headers} headers and ${agents} agents of ${count} files were read`);
			if (round < 0) continue;
			plain.push(plainTime);
			ours.push(ourTime);
		}
		const [our, other] = [median(ours), median(plain)];
		return [
			{
				name: "agents-load",
				value: our / other,
				target: 1.5,
				detail: `${count} files: ${our.toFixed(0)} ms against ${other.toFixed(0)} ms for reading and parsing alone, median of ${rounds}`,
			},
		];
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

async function loadAgents(folder: string): Promise<number> {
	const files = await readAgentEntries(await listFolderAgentFiles(folder), "repository");
	const agents = files.flatMap((file) => (file.state === "loaded" ? [file.agent] : []));
	return settleNames(agents, []).kept.length;
}

async function readPlainly(folder: string): Promise<number> {
	let headers = 0;
	// As many files at the same time as ours: the comparison is about the work, not about waiting for the disk.
	const limit = pLimit(16);
	const items = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((item) => item.isFile());
	await Promise.all(
		items.map((item) =>
			limit(async () => {
				const text = (await readFile(path.join(item.parentPath, item.name))).toString("utf8");
				const end = text.indexOf("\n---\n", 4);
				if (typeof parse(text.slice(4, end)) === "object") headers += 1;
			}),
		),
	);
	return headers;
}

/** Shapes that real files have: one-line and long descriptions, lists as text and as YAML, most of the fields. */
async function writeAgents(folder: string, count: number): Promise<void> {
	const body = `${"You review changes. Look for faults that reach users, and name the line.\n".repeat(60)}`;
	for (let index = 0; index < count; index += 1) {
		const below = path.join(folder, `group-${index % 20}`);
		if (index < 20) await mkdir(below);
		const header = [
			`name: reviewer-${index}`,
			index % 3 === 0
				? `description: "Use this agent when a change touches area ${index}. Examples: <example>Context: a pull request. user: 'look at it' assistant: 'I use reviewer-${index}'</example>"`
				: `description: Reviews area ${index} for mistakes that tests do not show`,
			index % 2 === 0 ? "tools: Read, Grep, Glob, Bash(git diff:*)" : "tools:\n  - Read\n  - Grep",
			...(index % 4 === 0 ? ["model: sonnet", "color: blue"] : []),
			...(index % 5 === 0 ? ["maxTurns: 12", "effort: high", "skills: [api, style]"] : []),
		];
		await writeFile(path.join(below, `reviewer-${index}.md`), `---\n${header.join("\n")}\n---\n\n${body}`);
	}
}

async function time<T>(work: () => Promise<T>): Promise<readonly [number, T]> {
	const startedAt = performance.now();
	const result = await work();
	return [performance.now() - startedAt, result];
}

function median(values: readonly number[]): number {
	return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
