import path from "node:path";
import { fileURLToPath } from "node:url";

/*
 * The composition root: the only file that reads the environment, the arguments and the streams of the process.
 * Each entry loads only its own part, so that a run of the action does not pay for the command line.
 */

function writeLine(line: string): void {
	process.stdout.write(`${line}\n`);
}

/** Folder of the running bundle; chunks lie one level below it. */
function findBundleFolder(): string {
	const folder = path.dirname(fileURLToPath(import.meta.url));
	return path.basename(folder) === "chunks" ? path.dirname(folder) : folder;
}

/** A signal that both of the runner's and a person's ways of stopping abort. */
function listenForStop(): AbortSignal {
	const controller = new AbortController();
	for (const name of ["SIGINT", "SIGTERM"] as const) {
		process.once(name, () => controller.abort(new Error(`stopped by ${name}`)));
	}
	return controller.signal;
}

/** The action's main step; the exit code. */
export async function runAction(): Promise<number> {
	const { runActionJob } = await import("./compose/action-job.ts");
	return runActionJob({ environment: process.env, write: writeLine, signal: listenForStop(), bundleFolder: findBundleFolder() });
}

/** The action's post step; the exit code. */
export async function runPost(): Promise<number> {
	const { runPostStep } = await import("./compose/post-step.ts");
	return runPostStep({ environment: process.env, write: writeLine });
}

/** The command line; the exit code. */
export async function runCli(args: readonly string[]): Promise<number> {
	const { runCommandLine } = await import("./compose/command-line.ts");
	return runCommandLine(args, {
		environment: process.env,
		write: writeLine,
		writeError: (line) => process.stderr.write(`${line}\n`),
		signal: listenForStop(),
		bundleFolder: findBundleFolder(),
		currentFolder: process.cwd(),
		node: process.execPath,
		terminal: process.stderr,
	});
}
