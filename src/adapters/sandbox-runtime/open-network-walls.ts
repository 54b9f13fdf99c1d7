import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { UserError } from "../../domain/errors.ts";
import type { CommandWalls } from "../../seams.ts";
import { findMissingPrograms, findSandboxRuntime, INSTALL_SANDBOX_RUNTIME } from "./find-sandbox-runtime.ts";

export interface NetworkOptions {
	/** The tree that commands work in: the one place they may write. */
	readonly root: string;
	/** Hosts they may reach, through the runtime's proxy; `*.` and a domain for all hosts below it. */
	readonly hosts: readonly string[];
	/** Files of the tree that no command may read. There must be none: the runtime cannot hide what lies in a folder it shows. */
	readonly hiddenPaths: readonly string[];
	/** Folders that hold other people's things or the runner's: the checkout with its git directory, the temporary folder. */
	readonly hiddenFolders: readonly string[];
	/** Only tests give other places of the program. */
	readonly places?: readonly string[];
}

/** Below these, other users keep their files, credentials among them. */
const HOMES: readonly string[] = ["/root", "/home", "/Users"];

/**
 * Walls for commands that may reach some hosts (SECURITY.md 3.4): @anthropic-ai/sandbox-runtime, which cuts the
 * network but for its proxy. It would let the environment and most files through, so it gets an environment of ours and
 * a list of what to hide; git's own directory is among that, so git commands find no repository. About ten times slower
 * to start than our own sandbox, hence only where hosts are named. Rejects with `E_SANDBOX` when the program or
 * what it needs is not there: never without walls.
 */
export async function openNetworkWalls(options: NetworkOptions): Promise<CommandWalls & AsyncDisposable> {
	const foreign = [...options.hiddenFolders, options.root].map((folder) => `${path.resolve(folder)}/`);
	const found = await findSandboxRuntime((script) => foreign.some((folder) => script.startsWith(folder)), options.places);
	const missing = found.ok ? await findMissingPrograms() : [];
	if (!found.ok || missing.length > 0) {
		const reason = found.ok ? `${missing.join(", ")} is not installed` : found.reason;
		throw new UserError(`E_SANDBOX: settings name hosts in sandbox.allowHosts, and ${reason}. ${INSTALL_SANDBOX_RUNTIME}`, {
			code: "E_SANDBOX",
		});
	}
	const [hidden] = options.hiddenPaths;
	if (hidden !== undefined) {
		const reason = `commands that reach hosts can read every file of the tree, and policy hides ${options.hiddenPaths.length} (${hidden})`;
		throw new UserError(`E_POLICY: ${reason}; take the job's commands off the network or the file out of the repository`, {
			code: "E_POLICY",
		});
	}
	const folder = await mkdtemp(path.join(os.tmpdir(), "rookery-network-"));
	const settings = path.join(folder, "settings.json");
	const home = path.join(options.root, ".rookery-home");
	await writeFile(settings, JSON.stringify(describeWalls(options, folder)), { mode: 0o600 });
	return {
		environment: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, LANG: "C.UTF-8", CI: "true" },
		program: [process.execPath, found.script, "--settings", settings, "-c"],
		async [Symbol.asyncDispose]() {
			await Promise.all([rm(folder, { recursive: true, force: true }), rm(home, { recursive: true, force: true })]);
		},
	};
}

function describeWalls({ root, hosts, hiddenFolders }: NetworkOptions, own: string): unknown {
	const literal = (place: string) => ({ path: path.resolve(root, place), literal: true });
	return {
		network: { allowedDomains: hosts, deniedDomains: [], allowLocalBinding: false },
		filesystem: {
			denyRead: [...HOMES, ...hiddenFolders, own].map(literal),
			// The tree may lie below a folder that is hidden.
			allowRead: [literal(root)],
			allowWrite: [root],
			denyWrite: [],
		},
	};
}
