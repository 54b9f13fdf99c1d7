import { access, constants, lstat, realpath } from "node:fs/promises";
import path from "node:path";

/** Where the workflow's `npm install --global` puts the program. Never looked up by PATH (A77). */
const PLACES: readonly string[] = ["/usr/local/bin/srt", "/usr/bin/srt", "/opt/homebrew/bin/srt"];

export type SandboxRuntimeSearch = { readonly ok: true; readonly script: string } | { readonly ok: false; readonly reason: string };

export const INSTALL_SANDBOX_RUNTIME =
	"Install it before this step: sudo npm install --global @anthropic-ai/sandbox-runtime@0.0.83 and sudo apt-get install --yes bubblewrap socat ripgrep.";

/**
 * The command line of @anthropic-ai/sandbox-runtime, a Node script that only root or this user could have put there.
 * @param isForeign true for paths that others may have written: the checkout, the runner's temporary folder
 */
export async function findSandboxRuntime(
	isForeign: (path: string) => boolean,
	places: readonly string[] = PLACES,
): Promise<SandboxRuntimeSearch> {
	for (const place of places) {
		const script = await realpath(place).catch(() => undefined);
		if (script === undefined) continue;
		if (isForeign(script)) return { ok: false, reason: `${place} lies in a folder that others may write` };
		for (let part = script; part !== path.dirname(part); part = path.dirname(part)) {
			const found = await lstat(part);
			if (found.uid !== 0 && found.uid !== process.getuid?.()) return { ok: false, reason: `${part} belongs to somebody else` };
			if ((found.mode & 0o002) !== 0 && (found.mode & 0o1000) === 0) return { ok: false, reason: `${part} may be written by others` };
		}
		return { ok: true, script };
	}
	return { ok: false, reason: "@anthropic-ai/sandbox-runtime is not installed" };
}

/** Programs that it starts and does not bring along. */
export async function findMissingPrograms(): Promise<readonly string[]> {
	const found = await Promise.all(
		["bwrap", "socat", "rg"].map(async (name) => {
			const places = ["/usr/bin", "/usr/local/bin", "/bin"].map((folder) => path.join(folder, name));
			const hits = await Promise.all(
				places.map((place) =>
					access(place, constants.X_OK).then(
						() => true,
						() => false,
					),
				),
			);
			return hits.includes(true) ? [] : [name];
		}),
	);
	return found.flat();
}
