import path from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { MAX_JOBS } from "../plan/split-shards.ts";
import type { CommandLineOptions } from "./command-line-options.ts";

/** `init` and `doctor`: from nothing to a set-up that works. */
export function addSetUpCommands(program: Command, options: CommandLineOptions, finish: (exitCode: number) => void): void {
	program
		.command("init")
		.description("write pinned workflows for reviews, comment commands, maintenance and forks, and a first settings file")
		.option("--dir <folder>", "top folder of the repository", ".")
		.option("--force", "overwrite files that differ")
		.option("--shards <number>", "spread reviews over up to so many machines (docs/matrix.md)", parseShards)
		.option("--action <reference>", "owner/name@<full commit SHA> to pin; found from this program's own clone unless given")
		.action(async (flags: { readonly dir: string; readonly force?: true; readonly action?: string; readonly shards?: number }) => {
			const { runInit } = await import("./init-command.ts");
			const action = flags.action === undefined ? {} : { action: flags.action };
			const shards = flags.shards === undefined ? {} : { shards: flags.shards };
			const folder = path.resolve(options.currentFolder, flags.dir);
			finish(await runInit({ ...options, ...action, ...shards, folder, force: flags.force === true }));
		});
	program
		.command("doctor")
		.description("check node, git, token, permissions, settings, agents, sandbox and workflows, and print the lines to add")
		.option("--repo <folder>", "folder of the git checkout", ".")
		.option("--json", "print an array of checks")
		.action(async (flags: { readonly repo: string; readonly json?: true }) => {
			const { examine, renderChecks } = await import("./doctor-command.ts");
			const checks = await examine({
				...options,
				folder: path.resolve(options.currentFolder, flags.repo),
				nodeVersion: process.versions.node,
			});
			options.write(flags.json === true ? JSON.stringify(checks, undefined, 2) : renderChecks(checks));
			finish(checks.some((check) => check.state === "fail") ? 1 : 0);
		});
}

function parseShards(value: string): number {
	if (!/^[1-9]\d?$/.test(value) || Number(value) > MAX_JOBS) throw new InvalidArgumentError(`wanted a whole number from 1 to ${MAX_JOBS}`);
	return Number(value);
}
