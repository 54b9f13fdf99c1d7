import { errorText } from "../../domain/errors.ts";
import type { Workspace } from "../../seams.ts";
import type { Sandbox } from "./open-sandbox.ts";
import type { SandboxedProcess } from "./start-sandboxed.ts";

/** How a hook's process ended; the guard's type of the same shape. */
export type HookCommandExit =
	| { readonly kind: "exited"; readonly code: number; readonly stdout: string; readonly stderr: string }
	| { readonly kind: "timed-out"; readonly seconds: number }
	| { readonly kind: "failed"; readonly reason: string };

const MAX_OUTPUT = 256 * 1024;

/**
 * Runs one hook of the trusted ref behind the same walls as a child's commands: its tree, no network, no variable of ours.
 * The tree is writable only where it is the child's own. Never rejects.
 */
export async function runHookCommand(
	sandbox: Sandbox,
	workspace: Pick<Workspace, "root" | "kind" | "git">,
	hook: { readonly command: string; readonly input: string; readonly timeoutMs: number },
	signal: AbortSignal,
): Promise<HookCommandExit> {
	let started: SandboxedProcess;
	try {
		const spec = {
			root: workspace.root,
			writable: workspace.kind === "own",
			...(workspace.git === undefined ? {} : { git: workspace.git }),
		};
		started = await sandbox.startCommand(spec, ["/bin/sh", "-c", hook.command]);
	} catch (error) {
		return { kind: "failed", reason: errorText(error) };
	}
	let stdout = "";
	let isOverdue = false;
	started.output.on("data", (chunk: Buffer) => {
		if (stdout.length < MAX_OUTPUT) stdout += chunk.toString("utf8");
	});
	// A hook may end without reading what it was given.
	started.input.on("error", () => undefined);
	started.input.end(hook.input);
	const timer = setTimeout(() => {
		isOverdue = true;
		started.kill();
	}, hook.timeoutMs);
	const stop = (): void => started.kill();
	if (signal.aborted) stop();
	signal.addEventListener("abort", stop, { once: true });
	const { code, startError } = await started.ended;
	clearTimeout(timer);
	signal.removeEventListener("abort", stop);
	if (isOverdue) return { kind: "timed-out", seconds: Math.round(hook.timeoutMs / 100) / 10 };
	if (startError !== undefined || code === null) return { kind: "failed", reason: startError ?? "it was stopped" };
	return { kind: "exited", code, stdout, stderr: started.errorTail() };
}
