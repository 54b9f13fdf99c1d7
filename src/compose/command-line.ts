import { writeFile } from "node:fs/promises";
import path from "node:path";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { createSecrets } from "../adapters/actions-runner/create-secrets.ts";
import { errorText, UserError } from "../domain/errors.ts";
import type { Severity } from "../domain/finding.ts";
import { FAIL_ON_CHOICES } from "../intake/input-table.ts";
import { type Provider, PROVIDERS } from "../intake/inputs.ts";
import { reachesFailLevel } from "../publish/plan-publications.ts";
import { addAuditCommand } from "./add-audit-command.ts";
import { addScoreCommand } from "./add-score-command.ts";
import { addAgentsCommands, addRunCommands, addTrustCommand } from "./add-tool-commands.ts";
import { type CommandLineOptions, createTerminalLog, EXIT } from "./command-line-options.ts";
import { renderTerminal } from "./render-terminal.ts";
import { addSetUpCommands } from "./set-up-commands.ts";
import { VERSION } from "./version.ts";

interface ReviewFlags {
	readonly repo: string;
	readonly base: string;
	readonly head?: string;
	readonly json?: true;
	readonly provider?: Provider;
	readonly baseUrl?: string;
	readonly model?: string;
	readonly failOn?: Severity | "never";
	readonly settings?: string;
	readonly verbose?: true;
	readonly html?: string;
	readonly sarif?: string;
	readonly junit?: string;
}

/** Runs one command; the exit code. Never rejects: what is wrong is one line on standard error. */
export async function runCommandLine(args: readonly string[], options: CommandLineOptions): Promise<number> {
	let exitCode: number = EXIT.below;
	const program = createProgram(options, (code) => {
		exitCode = code;
	});
	try {
		await program.parseAsync(args, { from: "user" });
	} catch (error) {
		if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.below : EXIT.bad;
		options.writeError(error instanceof UserError ? `rookery: ${error.message}` : `rookery: failed: ${errorText(error)}`);
		if (!(error instanceof UserError) && error instanceof Error) options.writeError(error.stack ?? "");
		return EXIT.bad;
	}
	return exitCode;
}

function createProgram(options: CommandLineOptions, finish: (exitCode: number) => void): Command {
	const program = new Command("rookery")
		.description("A flock of expert reviewers for every pull request.")
		.version(VERSION)
		.exitOverride()
		.configureOutput({ writeOut: (text) => options.write(text.trimEnd()), writeErr: (text) => options.writeError(text.trimEnd()) });
	program
		.command("review")
		.description("review what HEAD changes against a base, on your own clone")
		.option("--repo <folder>", "folder of the git checkout", ".")
		.requiredOption("--base <ref>", "branch, tag or commit to compare with")
		.option("--head <ref>", "branch, tag or commit to review; HEAD unless given")
		.option("--json", "print the JSON report alone on standard output")
		.addOption(
			new Option("--provider <name>", "who answers model calls; anthropic when ANTHROPIC_API_KEY is set, else offline").choices(PROVIDERS),
		)
		.option("--base-url <url>", "address of an Anthropic-compatible endpoint", parseUrl)
		.option("--model <id>", "alias (sonnet, opus, haiku) or full model id")
		.addOption(new Option("--fail-on <severity>", "least severity that makes the exit code 1").choices(FAIL_ON_CHOICES))
		.option("--settings <path>", "settings file on the base, instead of .rookery/settings.json")
		.option("--html <file>", "also write the report as one self-contained page")
		.option("--sarif <file>", "also write the findings as SARIF 2.1.0")
		.option("--junit <file>", "also write the findings as JUnit XML")
		.option("--verbose", "print each child's steps on standard error")
		.action(async (flags: ReviewFlags) => finish(await review(flags, options)));
	program
		.command("demo")
		.description("run the whole job on a sample pull request against a loopback GitHub; needs no key and no network")
		.option("--json", "print the JSON report alone on standard output")
		.action(async (flags: { readonly json?: true }) => {
			const { runDemo } = await import("./run-demo.ts");
			finish(await runDemo({ ...options, json: flags.json === true }));
		});
	addSetUpCommands(program, options, finish);
	addAgentsCommands(program, options, finish);
	addTrustCommand(program, options, finish);
	addRunCommands(program, options, finish);
	addAuditCommand(program, options, finish);
	addScoreCommand(program, options, finish);
	return program;
}

function parseUrl(value: string): string {
	if (!URL.canParse(value)) throw new InvalidArgumentError("wanted an address such as https://example.com");
	return value;
}

async function review(flags: ReviewFlags, options: CommandLineOptions): Promise<number> {
	const { reviewLocally } = await import("./local-review.ts");
	const secrets = createSecrets(() => undefined);
	const apiKey = options.environment["ANTHROPIC_API_KEY"] || undefined;
	if (apiKey !== undefined) secrets.add(apiKey);
	const provider = flags.provider ?? (apiKey === undefined ? "offline" : "anthropic");
	const wantedFiles = (["html", "sarif", "junit"] as const).flatMap((kind) =>
		flags[kind] === undefined ? [] : [[kind, flags[kind]] as const],
	);
	const { outcome, failOn, reportPath, journals, files } = await reviewLocally({
		repo: path.resolve(options.currentFolder, flags.repo),
		base: flags.base,
		provider,
		...(flags.head === undefined ? {} : { head: flags.head }),
		...(apiKey === undefined ? {} : { apiKey }),
		...(flags.baseUrl === undefined ? {} : { baseUrl: flags.baseUrl }),
		...(flags.model === undefined ? {} : { model: flags.model }),
		...(flags.failOn === undefined ? {} : { failOn: flags.failOn }),
		...(flags.settings === undefined ? {} : { settings: flags.settings }),
		log: createTerminalLog(options, flags.verbose === true),
		secrets,
		signal: options.signal,
		bundleFolder: options.bundleFolder,
		files: wantedFiles.length > 0,
		...(flags.json === true || flags.verbose === true ? {} : { terminal: options.terminal }),
	});
	for (const [kind, file] of wantedFiles) await writeReportFile(path.resolve(options.currentFolder, file), files?.[kind] ?? "");
	if (flags.json === true) options.write(JSON.stringify(outcome.report, undefined, "\t"));
	else options.write(`${renderTerminal(outcome.report)}\n\nJSON report: ${reportPath}\nJournals: ${journals}`);
	if (outcome.report.verdict.state === "failed") return EXIT.bad;
	return reachesFailLevel(outcome.report.findings, failOn) ? EXIT.reached : EXIT.below;
}

async function writeReportFile(file: string, content: string): Promise<void> {
	try {
		await writeFile(file, content);
	} catch (error) {
		throw new UserError(`${file}: cannot be written (${errorText(error)}); wanted a path in a folder that exists`, { cause: error });
	}
}
