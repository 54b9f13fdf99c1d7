import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";

/** How large the generated change is. */
export interface DiffSize {
	readonly files: number;
	/** Bytes of the three-line-context diff that are aimed at; met within a few percent. */
	readonly megabytes: number;
}

const ENVIRONMENT = {
	PATH: process.env["PATH"] ?? "/usr/bin:/bin",
	HOME: "/nonexistent",
	LC_ALL: "C",
	GIT_CONFIG_NOSYSTEM: "1",
	GIT_CONFIG_GLOBAL: "/dev/null",
};
const LINE_BYTES = 37;
/** Old, new and context of a file in which every other line changes, next to the file itself, with prefixes. */
const DIFF_PER_FILE_BYTE = 1.56;

/** Options that INDEX.md 7 gives for a diff that no configuration can change. */
export const DIFF_ARGUMENTS: readonly string[] = [
	"-c",
	"core.quotePath=false",
	"diff",
	"--no-ext-diff",
	"--no-textconv",
	"--no-color",
	"--src-prefix=a/",
	"--dst-prefix=b/",
	"--full-index",
	"--find-renames=50%",
	"-l0",
];

/** Makes a repository of two commits in which every other line of every file changes. Deterministic. */
export async function makeDiffRepository(folder: string, size: DiffSize): Promise<void> {
	await runGit(folder, ["init", "-q", "-b", "main", "."]);
	await runGit(folder, ["config", "core.compression", "0"]);
	const child = spawn("git", ["fast-import", "--quiet"], { cwd: folder, env: ENVIRONMENT, stdio: ["pipe", "inherit", "inherit"] });
	const done = once(child, "close");
	const lines = Math.max(4, Math.round((size.megabytes * 1e6) / size.files / DIFF_PER_FILE_BYTE / LINE_BYTES));
	for (const commit of [1, 2]) {
		await write(
			child.stdin,
			`commit refs/heads/main\ncommitter Bench <bench@example.invalid> 170000000${commit} +0000\ndata 1\n${commit}\n`,
		);
		for (let file = 0; file < size.files; file++) {
			const content = makeContent(file, lines, commit);
			await write(child.stdin, `M 100644 inline ${nameOf(file)}\ndata ${Buffer.byteLength(content)}\n${content}\n`);
		}
		await write(child.stdin, "\n");
	}
	child.stdin.end();
	const [code] = (await done) as [number];
	if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
}

/** Writes the diff of the two last commits into a file. */
export async function writeDiff(folder: string, file: string, options: readonly string[]): Promise<void> {
	const child = spawn("git", [...DIFF_ARGUMENTS, ...options, "HEAD~1", "HEAD", "--"], {
		cwd: folder,
		env: ENVIRONMENT,
		stdio: ["ignore", "pipe", "inherit"],
	});
	await pipeline(child.stdout, createWriteStream(file));
}

/** One git call of the bench itself; output as bytes. */
export async function runGit(folder: string, args: readonly string[]): Promise<Buffer> {
	const child = spawn("git", [...args], { cwd: folder, env: ENVIRONMENT, stdio: ["ignore", "pipe", "inherit"] });
	const chunks: Buffer[] = [];
	child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
	const [code] = (await once(child, "close")) as [number];
	if (code !== 0) throw new Error(`git ${args[0]} ended with ${code}`);
	return Buffer.concat(chunks);
}

async function write(stream: NodeJS.WritableStream, text: string): Promise<void> {
	if (!stream.write(text)) await once(stream, "drain");
}

function nameOf(file: number): string {
	return path.posix.join("src", `part-${file % 97}`, `module-${file}.ts`);
}

/** Lines that look like code, of which the odd ones carry the commit. */
function makeContent(file: number, lines: number, commit: number): string {
	let content = "";
	let seed = file * 2654435761 + 1;
	for (let line = 0; line < lines; line++) {
		seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
		const version = line % 2 === 1 ? commit : 0;
		content += `\tconst v${(seed % 1e6).toString().padStart(6, "0")} = call${version}(${(seed % 9973).toString().padStart(6, "0")}, ${line % 10});\n`;
	}
	return content;
}
