import path from "node:path";
import { type Command, Option } from "commander";
import { createSecrets } from "../adapters/actions-runner/create-secrets.ts";
import { type Provider, PROVIDERS } from "../intake/inputs.ts";
import { type CommandLineOptions, createTerminalLog, EXIT } from "./command-line-options.ts";

interface ScoreFlags {
	readonly provider?: Provider;
	readonly baseUrl?: string;
	readonly model?: string;
	readonly clones?: string;
	readonly only?: string;
	readonly rejected?: true;
	readonly json?: true;
	readonly verbose?: true;
}

/** `score`: how much of what is known to be wrong the reviewers find. */
export function addScoreCommand(program: Command, options: CommandLineOptions, finish: (exitCode: number) => void): void {
	program
		.command("score")
		.description("review pull requests with known defects and print precision, recall, cost and time of each agent")
		.argument("<dataset>", "folder of seeded cases, or the JSON file of a public set")
		.addOption(
			new Option("--provider <name>", "who answers model calls; anthropic when ANTHROPIC_API_KEY is set, else offline").choices(PROVIDERS),
		)
		.option("--base-url <url>", "address of an Anthropic-compatible endpoint")
		.option("--model <id>", "alias or full model id")
		.option("--clones <folder>", "folder of the clones that a public set speaks of")
		.option("--only <text>", "only cases whose id holds this text")
		.option("--rejected", "the comments of the set are ones that people rejected")
		.option("--json", "print the scorecard as JSON")
		.option("--verbose", "name each case on standard error")
		.action(async (dataset: string, flags: ScoreFlags) => finish(await score(dataset, flags, options)));
}

async function score(dataset: string, flags: ScoreFlags, options: CommandLineOptions): Promise<number> {
	const [{ scoreDataset }, { renderScorecard }] = await Promise.all([import("./score-command.ts"), import("../score/render-scorecard.ts")]);
	const secrets = createSecrets(() => undefined);
	const apiKey = options.environment["ANTHROPIC_API_KEY"] || undefined;
	if (apiKey !== undefined) secrets.add(apiKey);
	const { json, verbose, provider, clones, ...rest } = flags;
	const card = await scoreDataset({
		...rest,
		dataset: path.resolve(options.currentFolder, dataset),
		provider: provider ?? (apiKey === undefined ? "offline" : "anthropic"),
		...(clones === undefined ? {} : { clones: path.resolve(options.currentFolder, clones) }),
		...(apiKey === undefined ? {} : { apiKey }),
		log: createTerminalLog(options, verbose === true),
		secrets,
		signal: options.signal,
		bundleFolder: options.bundleFolder,
	});
	options.write(json === true ? JSON.stringify(card, undefined, 2) : renderScorecard(card));
	return card.cases.length === 0 ? EXIT.bad : EXIT.below;
}
