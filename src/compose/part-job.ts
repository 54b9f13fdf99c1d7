import type { Inputs } from "../intake/inputs.ts";
import type { JobTools } from "./action-parts.ts";
import type { RunnerEnvironment } from "./runner-environment.ts";

/** A job that does a part of a review: plans it, works on a shard of it, or publishes it (DESIGN.md 12). Gives the exit code. */
export async function runPartJob(inputs: Inputs, runner: RunnerEnvironment, tools: JobTools, startedAt: number): Promise<number> {
	switch (inputs.mode) {
		case "plan": {
			const { runPlanJob } = await import("./plan-job.ts");
			return runPlanJob(inputs, runner, tools, startedAt);
		}
		case "work": {
			const { runWorkJob } = await import("./work-job.ts");
			return runWorkJob(inputs, runner, tools, startedAt);
		}
		case "publish": {
			const { runPublishJob } = await import("./publish-job.ts");
			return runPublishJob(inputs, runner, tools, startedAt);
		}
		case "run":
			throw new Error("mode run is no part of a review");
	}
}
