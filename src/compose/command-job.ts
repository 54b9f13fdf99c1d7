import type { Inputs } from "../intake/inputs.ts";
import type { JobTools } from "./action-parts.ts";
import type { RunnerEnvironment } from "./runner-environment.ts";

/** A comment's commands; the exit code. */
export async function runCommandJob(_inputs: Inputs, _runner: RunnerEnvironment, tools: JobTools, _startedAt: number): Promise<number> {
	tools.log.notice("Nothing to do: commands are not available");
	return 0;
}
