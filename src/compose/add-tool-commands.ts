import path from "node:path";
import { type Command, Option } from "commander";
import { createSecrets } from "../adapters/actions-runner/create-secrets.ts";
import { type Provider, PROVIDERS } from "../intake/inputs.ts";
import { createTerminalLog, type CommandLineOptions, EXIT } from "./command-line-options.ts";

type Finish = (exitCode: number) => void;

/** Commands that look at a finished run's journals. */
export function addRunCommands(program: Command, options: CommandLineOptions, finish: Finish): void {
	program
		.command("replay")
		.description("build a finished run's JSON report again from its journals, without a model and without the repository")
		.argument("<journals>", "the run's journal file, or the folder beside it")
		.action(async (location: string) => {
			const { replayRun } = await import("./replay-command.ts");
			const { text } = await replayRun(path.resolve(options.currentFolder, location));
			options.write(text.trimEnd());
			finish(EXIT.below);
		});
	program
		.command("session")
		.description("show a run's tree of agents with steps, tokens, cost and ends")
		.argument("<journals>", "the run's journal file, or the folder beside it")
		.option("--json", "print the tree as JSON")
		.action(async (location: string, flags: { readonly json?: true }) => {
			const { readSessionTree, renderSessionTree } = await import("./session-command.ts");
			const tree = await readSessionTree(path.resolve(options.currentFolder, location));
			options.write(flags.json === true ? JSON.stringify(tree, undefined, 2) : renderSessionTree(tree));
			finish(EXIT.below);
		});
}

interface AgentsTestFlags {
	readonly repo: string;
	readonly base: string;
	readonly head?: string;
	readonly baseVersion?: string;
	readonly headVersion?: string;
	readonly provider?: Provider;
	readonly baseUrl?: string;
	readonly model?: string;
	readonly json?: true;
}

/** `agents lint` and `agents test`. */
export function addAgentsCommands(program: Command, options: CommandLineOptions, finish: Finish): void {
	const agents = program.command("agents").description("work with agent files");
	agents
		.command("lint")
		.description("read every agent file of a folder and say what becomes of it")
		.argument("[folder]", "folder with agent files", ".claude/agents")
		.option("--json", "print an array, one entry a file")
		.action(async (folder: string, flags: { readonly json?: true }) => {
			const [{ lintAgents, renderLintedAgents }, { EXPLORE_AGENT, PLAN_AGENT }] = await Promise.all([
				import("../agents/lint-agents.ts"),
				import("../agents/built-in.ts"),
			]);
			const rows = await lintAgents(path.resolve(options.currentFolder, folder), [EXPLORE_AGENT, PLAN_AGENT]);
			options.write(flags.json === true ? JSON.stringify(rows, undefined, 2) : renderLintedAgents(rows));
			finish(EXIT.below);
		});
	agents
		.command("test")
		.description("run two versions of one reviewer on the same change and show the difference in findings")
		.argument("<name>", "name of the agent")
		.option("--repo <folder>", "folder of the git checkout", ".")
		.requiredOption("--base <ref>", "what the change is compared with; also where the base version is read")
		.option("--head <ref>", "what is reviewed; HEAD unless given")
		.option("--base-version <ref>", "where the first version is read, instead of the base")
		.option("--head-version <ref>", "where the second version is read, instead of the head")
		.addOption(new Option("--provider <name>", "who answers model calls").choices(PROVIDERS))
		.option("--base-url <url>", "address of an Anthropic-compatible endpoint")
		.option("--model <id>", "alias or full model id")
		.option("--json", "print the result as JSON")
		.action(async (name: string, flags: AgentsTestFlags) => finish(await testAgent(name, flags, options)));
}

async function testAgent(name: string, flags: AgentsTestFlags, options: CommandLineOptions): Promise<number> {
	const { renderAgentsTest, testAgentVersions } = await import("./agents-test-command.ts");
	const secrets = createSecrets(() => undefined);
	const apiKey = options.environment["ANTHROPIC_API_KEY"] || undefined;
	if (apiKey !== undefined) secrets.add(apiKey);
	const { json, repo, provider, ...rest } = flags;
	const result = await testAgentVersions({
		...rest,
		repo: path.resolve(options.currentFolder, repo),
		name,
		provider: provider ?? (apiKey === undefined ? "offline" : "anthropic"),
		...(apiKey === undefined ? {} : { apiKey }),
		log: createTerminalLog(options, false),
		secrets,
		signal: options.signal,
		bundleFolder: options.bundleFolder,
	});
	options.write(json === true ? JSON.stringify(result, undefined, 2) : renderAgentsTest(result));
	return EXIT.below;
}

/** `trust`: writes the lock file of the working tree. */
export function addTrustCommand(program: Command, options: CommandLineOptions, finish: Finish): void {
	program
		.command("trust")
		.description("pin agents by the hash of their file and all it refers to, in .rookery/trust.json")
		.argument("[names...]", "agents to pin; all of them unless named")
		.option("--repo <folder>", "folder of the git checkout", ".")
		.option("--ref <ref>", "commit whose agents are pinned; HEAD unless given")
		.action(async (names: string[], flags: { readonly repo: string; readonly ref?: string }) => {
			const { renderTrustResult, runTrustCommand } = await import("./trust-command.ts");
			const result = await runTrustCommand({
				repo: path.resolve(options.currentFolder, flags.repo),
				names,
				...(flags.ref === undefined ? {} : { ref: flags.ref }),
			});
			options.write(renderTrustResult(result));
			finish(EXIT.below);
		});
}
