import os from "node:os";
import path from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Risk } from "../guard/audit-entry.ts";
import { type CommandLineOptions, EXIT } from "./command-line-options.ts";

interface ListFlags {
	readonly denied?: true;
	readonly child?: string;
	readonly tool?: string;
	readonly risk?: Risk;
	readonly last?: number;
	readonly json?: true;
}

interface VerifyFlags {
	readonly head?: string;
	readonly entries?: number;
}

/** `audit` and `audit verify`: what a run's children were allowed and refused, and whether that record is whole (S-122, S-123). */
export function addAuditCommand(program: Command, options: CommandLineOptions, finish: (exitCode: number) => void): void {
	const temp = options.environment["RUNNER_TEMP"] ?? os.tmpdir();
	const audit = program
		.command("audit")
		.description("list the decisions of a run, and say whether their chain of hashes holds; exit code 1 when it does not")
		.argument("[file]", "the run's audit file; the newest one unless given")
		.option("--denied", "refused calls alone")
		.option("--child <session>", "calls of one child, for example moe-go-1")
		.option("--tool <name>", "calls of one tool, for example bash")
		.addOption(new Option("--risk <level>", "calls of this risk and above").choices(["low", "medium", "high", "critical"]))
		.option("--last <number>", "the newest entries alone", parseCount)
		.option("--json", "print the entries as an array")
		.action(async (file: string | undefined, flags: ListFlags) => {
			const { readAuditFile, renderAuditListing, renderVerification } = await import("./audit-command.ts");
			const { json, ...filter } = flags;
			const location = file === undefined ? undefined : path.resolve(options.currentFolder, file);
			const read = await readAuditFile(location, temp, filter);
			if (json === true) {
				options.write(JSON.stringify(read.shown, undefined, 2));
				if (!read.checked.ok) for (const line of renderVerification(read.file, read.checked)) options.writeError(line);
			} else options.write(renderAuditListing(read));
			finish(read.checked.ok ? EXIT.below : EXIT.reached);
		});
	audit
		.command("verify")
		.description("check the chain of hashes; names the first bad line. Exit code 1 when there is one")
		.argument("<file>", "the run's audit file")
		.option("--head <hash>", "the head that the summary or the comment names; finds lines that are missing at the end")
		.option("--entries <number>", "the number of entries that stands beside it", parseCount)
		.action(async (file: string, flags: VerifyFlags) => {
			const { renderVerification, verifyAuditFile } = await import("./audit-command.ts");
			const checked = await verifyAuditFile(path.resolve(options.currentFolder, file), flags);
			options.write(renderVerification(file, checked).join("\n"));
			if (checked.ok && flags.head === undefined)
				options.writeError("warning: without --head nothing says whether lines are missing at the end");
			finish(checked.ok ? EXIT.below : EXIT.reached);
		});
	audit
		.command("manifest")
		.description("check a run's files against its manifest, and the manifest against the hash in the comment. Exit code 1 when one differs")
		.argument("<file>", "the run's manifest.json, with report, audit and journals where the artifact has them")
		.option("--sha256 <hash>", "the manifest's hash from the summary or the comment; without it, nothing says whose the manifest is")
		.option("--files <folder...>", "further artifacts of the run, of jobs that ran a part of it")
		.action(async (file: string, flags: { readonly sha256?: string; readonly files?: readonly string[] }) => {
			const { checkManifest, renderManifestCheck } = await import("./manifest-command.ts");
			const at = (name: string): string => path.resolve(options.currentFolder, name);
			const checked = await checkManifest(at(file), { ...flags, files: (flags.files ?? []).map(at) });
			options.write(renderManifestCheck(checked));
			if (flags.sha256 === undefined)
				options.writeError("warning: without --sha256 nothing says that this is the manifest which was published");
			finish(checked.some((row) => row.state === "differs") ? EXIT.reached : EXIT.below);
		});
}

function parseCount(value: string): number {
	if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError("wanted a whole number");
	return Number(value);
}
