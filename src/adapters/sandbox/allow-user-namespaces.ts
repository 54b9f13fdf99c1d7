import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { errorText } from "../../domain/errors.ts";

/** One command of the set-up, argv only. `runAsRoot` resolves with the error text, or undefined when it went well. */
export interface SetUpRunner {
	runAsRoot(command: readonly string[]): Promise<string | undefined>;
	fileExists(path: string): boolean;
}

export interface SetUpResult {
	readonly steps: readonly { readonly what: string; readonly problem?: string }[];
}

const PROFILE = "bwrap-userns-restrict";
const EXTRA_PROFILE = `/usr/share/apparmor/extra-profiles/${PROFILE}`;
const LOADED_PROFILE = `/etc/apparmor.d/${PROFILE}`;

/**
 * Makes bubblewrap work on Ubuntu 24.04, where AppArmor keeps user namespaces from unknown programs: installs it, loads
 * the narrow profile for it alone, and only if the sandbox still does not work lifts the restriction for the machine
 * (SECURITY.md 3.5). Only called when the user asked for it. Changes the runner, so never on a self-hosted one unasked.
 * @param works probes again after each step; the first success ends the set-up
 */
export async function allowUserNamespaces(works: () => Promise<boolean>, runner: SetUpRunner = sudoRunner()): Promise<SetUpResult> {
	const steps: { what: string; problem?: string }[] = [];
	const step = async (what: string, command: readonly string[]): Promise<boolean> => {
		const problem = await runner.runAsRoot(command);
		steps.push({ what, ...(problem === undefined ? {} : { problem }) });
		return problem === undefined;
	};
	if (!runner.fileExists("/usr/bin/bwrap")) await step("install bubblewrap", aptInstall("bubblewrap"));
	if (await works()) return { steps };
	if (!runner.fileExists(EXTRA_PROFILE)) await step("install apparmor-profiles", aptInstall("apparmor-profiles"));
	const copied = await step("copy the profile", ["install", "-m", "0644", EXTRA_PROFILE, LOADED_PROFILE]);
	if (copied) await step("load the profile", ["apparmor_parser", "-r", LOADED_PROFILE]);
	if (await works()) return { steps };
	await step("lift the restriction for this machine", ["sysctl", "-w", "kernel.apparmor_restrict_unprivileged_userns=0"]);
	return { steps };
}

function aptInstall(name: string): readonly string[] {
	return ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "--yes", "--no-install-recommends", name];
}

/** Never asks for a password: without passwordless sudo each step is a problem and nothing else. */
function sudoRunner(): SetUpRunner {
	return {
		fileExists: existsSync,
		runAsRoot: async (command) => {
			try {
				await promisify(execFile)("/usr/bin/sudo", ["-n", "--", ...command], {
					env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
					timeout: 120_000,
				});
				return undefined;
			} catch (error) {
				return errorText(error).trim().split("\n").at(-1) ?? "failed";
			}
		},
	};
}
