import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** One language of the script: the file that is changed and read, and what is searched for. */
export interface BenchLanguage {
	readonly id: string;
	/** As our specialist's role names it. */
	readonly displayName: string;
	readonly file: string;
	readonly pattern: string;
	line(number: number): string;
}

export const BENCH_LANGUAGES: readonly BenchLanguage[] = [
	{
		id: "go",
		displayName: "Go",
		file: "go/orders.go",
		pattern: "total7",
		line: (n) => `func total${n}(items []int) int { return len(items) + ${n} }`,
	},
	{
		id: "rust",
		displayName: "Rust",
		file: "rust/src/orders.rs",
		pattern: "total7",
		line: (n) => `pub fn total${n}(items: &[u32]) -> usize { items.len() + ${n} }`,
	},
	{
		id: "python",
		displayName: "Python",
		file: "python/orders.py",
		pattern: "total7",
		line: (n) => `def total${n}(items): return len(items) + ${n}`,
	},
	{
		id: "java",
		displayName: "Java",
		file: "java/src/Orders.java",
		pattern: "total7",
		line: (n) => `  static int total${n}(int[] items) { return items.length + ${n}; }`,
	},
	{
		id: "typescript",
		displayName: "TypeScript",
		file: "web/orders.ts",
		pattern: "total7",
		line: (n) => `export function total${n}(items: number[]): number { return items.length + ${n}; }`,
	},
];

const LINES = 110;
const FIRST_CHANGED = 40;

export interface EngineRepository {
	readonly folder: string;
	readonly base: "main";
}

export interface EngineRepositoryOptions {
	/** Lines that the change replaces in each language's file, in one block. */
	readonly changedLines: number;
	/** Names of the other side's reviewer files. */
	readonly reviewers?: readonly string[];
}

/**
 * A repository with one file of about 7 kB a language, a changed block in each, and a reviewer file a language for the
 * other side. On ours those files are switched off: the built-in specialists take the part.
 */
export function makeEngineRepository(folder: string, options: EngineRepositoryOptions): EngineRepository {
	const reviewers = options.reviewers ?? BENCH_LANGUAGES.map((language) => language.id);
	const isChanged = (n: number): boolean => n >= FIRST_CHANGED && n < FIRST_CHANGED + options.changedLines;
	mkdirSync(folder, { recursive: true });
	const write = (file: string, text: string): void => {
		const target = path.join(folder, file);
		mkdirSync(path.dirname(target), { recursive: true });
		writeFileSync(target, text);
	};
	for (const language of BENCH_LANGUAGES)
		write(
			language.file,
			renderFile(language, (n) => n),
		);
	for (const name of reviewers) write(`.claude/agents/${name}-reviewer.md`, renderReviewer(name));
	write(".rookery/settings.json", JSON.stringify({ subagents: { enabled: false, maxConcurrent: 5 } }));
	git(folder, "init", "-q", "-b", "main");
	git(folder, "add", "-A");
	git(folder, "commit", "-qm", "base");
	git(folder, "checkout", "-qb", "work");
	for (const language of BENCH_LANGUAGES)
		write(
			language.file,
			renderFile(language, (n) => (isChanged(n) ? n + 1_000 : n)),
		);
	git(folder, "add", "-A");
	git(folder, "commit", "-qm", "change");
	return { folder, base: "main" };
}

function renderFile(language: BenchLanguage, number: (index: number) => number): string {
	const lines = Array.from({ length: LINES }, (_, index) => language.line(number(index)));
	if (language.id === "java") return ["class Orders {", ...lines, "}", ""].join("\n");
	return [...(language.id === "go" ? ["package orders", ""] : []), ...lines, ""].join("\n");
}

function renderReviewer(name: string): string {
	return `---\nname: ${name}-reviewer\ndescription: Reviews ${name}.\ntools: Read, Grep, Bash\n---\nBENCH-CHILD ${name}. You review changes in ${name}. Report what is wrong, in short.\n`;
}

function git(folder: string, ...args: string[]): void {
	execFileSync("git", args, {
		cwd: folder,
		stdio: ["ignore", "ignore", "pipe"],
		env: {
			PATH: process.env["PATH"],
			HOME: "/nonexistent",
			GIT_CONFIG_GLOBAL: "/dev/null",
			GIT_CONFIG_NOSYSTEM: "1",
			GIT_AUTHOR_NAME: "bench",
			GIT_AUTHOR_EMAIL: "bench@example.org",
			GIT_COMMITTER_NAME: "bench",
			GIT_COMMITTER_EMAIL: "bench@example.org",
			GIT_AUTHOR_DATE: "2026-01-05T09:00:00Z",
			GIT_COMMITTER_DATE: "2026-01-05T09:00:00Z",
		},
	});
}
