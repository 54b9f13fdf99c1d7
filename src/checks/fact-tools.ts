import { parseCargo } from "./parse-cargo.ts";
import { parseEslint, parseRuff } from "./parse-lint-json.ts";
import { parseGoVet, parseJavac, parsePyflakes, parseTsc } from "./parse-text.ts";
import { quoteForShell } from "../domain/quote-for-shell.ts";

/** A diagnostic as a tool prints it; the path as the tool spells it. */
export interface RawFact {
	readonly path: string;
	readonly line: number;
	readonly rule: string;
	readonly message: string;
	readonly level: "error" | "warning";
}

/** What is known of a folder before a tool is run in it. */
export interface ToolPlace {
	/** Names and paths below the folder, relative to it. */
	readonly files: ReadonlySet<string>;
	/** Changed files of the language that exist there, relative to the folder. */
	readonly changed: readonly string[];
}

/** A tool that needs no model and no network, and says what is wrong in a form that can be read. */
export interface FactTool {
	readonly name: string;
	/** Id of the language whose changed files make it worth running. */
	readonly language: string;
	/** The command line for a POSIX shell; undefined where it has nothing to do. */
	command(place: ToolPlace): string | undefined;
	/** @param stdout the tool's standard output; @param output beginning and end of both streams */
	parse(stdout: string, output: string): readonly RawFact[];
	/** Why what it said says nothing about the code, for example because its dependencies are not there. */
	unusable?(facts: readonly RawFact[], output: string): string | undefined;
	/** Another tool that is run only where this one is not installed. */
	readonly insteadOf?: string;
}

/** Enough for a change that people review; longer command lines would not start. */
const MAX_FILES = 200;

function listFiles(files: readonly string[]): string {
	return files
		.slice(0, MAX_FILES)
		.map((file) => quoteForShell(`./${file}`))
		.join(" ");
}

function foldersOf(files: readonly string[]): readonly string[] {
	return [...new Set(files.map((file) => (file.includes("/") ? file.slice(0, file.lastIndexOf("/")) : "")))].sort();
}

const ESLINT_FILES = /^(?:eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\.\w+)?)$/;
const JAVA_SOURCES = ["src/main/java", "src/test/java", "src"];

/** The tools, one row each. What a repository does not have set up is not run. */
export const FACT_TOOLS: readonly FactTool[] = [
	{
		name: "go vet",
		language: "go",
		command: ({ files, changed }) =>
			files.has("go.mod") || files.has("go.work")
				? `go vet ${foldersOf(changed)
						.map((folder) => quoteForShell(folder === "" ? "." : `./${folder}`))
						.join(" ")}`
				: undefined,
		parse: (_stdout, output) => parseGoVet(output),
		unusable: (facts) => missingModule(facts),
	},
	{
		name: "cargo check",
		language: "rust",
		command: ({ files }) => (files.has("Cargo.toml") ? "cargo check --all-targets --message-format=json" : undefined),
		parse: (stdout) => parseCargo(stdout),
	},
	{
		name: "ruff",
		language: "python",
		// Without rules of the repository only those that find faults; the tool's own choice is about style, too.
		command: ({ files, changed }) => {
			const configured = files.has("ruff.toml") || files.has(".ruff.toml");
			const rules = configured ? "" : "grep -qs '^\\[tool\\.ruff' pyproject.toml || set -- --select E9,F\n";
			return `${rules}ruff check "$@" --output-format json --no-cache -- ${listFiles(changed)}`;
		},
		parse: (stdout) => parseRuff(stdout),
	},
	{
		name: "pyflakes",
		language: "python",
		insteadOf: "ruff",
		command: ({ changed }) => `python3 -m pyflakes ${listFiles(changed)}`,
		parse: (_stdout, output) => parsePyflakes(output),
	},
	{
		name: "javac",
		language: "java",
		command({ files, changed }) {
			const sources = JAVA_SOURCES.filter((folder) => [...files].some((file) => file.startsWith(`${folder}/`)));
			const own = changed.filter((file) => file.endsWith(".java"));
			const path = [...sources, "."].join(":");
			return own.length === 0
				? undefined
				: `javac -Xlint:all -Xmaxerrs 200 -Xmaxwarns 200 -proc:none -implicit:none -d /tmp/javac -sourcepath ${quoteForShell(path)} ${listFiles(own)}`;
		},
		parse: (_stdout, output) => parseJavac(output),
		unusable: (facts) => {
			const missing = facts.map((fact) => /^package ([\w.]+) does not exist/.exec(fact.message)?.[1]).find((name) => name !== undefined);
			return missing === undefined ? undefined : `dependencies are not installed (${missing})`;
		},
	},
	{
		name: "tsc",
		language: "typescript",
		command: ({ files }) => (files.has("tsconfig.json") ? "npx --no-install tsc --noEmit --pretty false" : undefined),
		parse: (stdout) => parseTsc(stdout),
		unusable: (facts) => {
			const missing = facts.map((fact) => /^Cannot find module '([^'.][^']*)'/.exec(fact.message)?.[1]).find((name) => name !== undefined);
			return missing === undefined ? undefined : `dependencies are not installed (${missing})`;
		},
	},
	{
		name: "eslint",
		language: "typescript",
		command: ({ files, changed }) =>
			[...files].some((file) => ESLINT_FILES.test(file))
				? `npx --no-install eslint -f json --no-error-on-unmatched-pattern ${listFiles(changed.filter((file) => /\.[cm]?[jt]sx?$/.test(file)))}`
				: undefined,
		parse: (stdout) => parseEslint(stdout),
	},
];

function missingModule(facts: readonly RawFact[]): string | undefined {
	const missing = facts.map(
		(fact) =>
			/no required module provides package (\S+?);?(?: |$)/.exec(fact.message)?.[1] ??
			/cannot find module providing package (\S+?):?(?: |$)/.exec(fact.message)?.[1],
	);
	const found = missing.find((name) => name !== undefined);
	return found === undefined ? undefined : `dependencies are not installed (${found})`;
}
