import { parseDocument } from "yaml";
import * as z from "zod";
import type { MaintenanceJob } from "../domain/maintenance.ts";
import type { DoctorCheck } from "./doctor-check.ts";

const workflowSchema = z.looseObject({
	on: z.looseObject({
		schedule: z.array(z.looseObject({ cron: z.string() })).optional(),
		workflow_run: z.unknown().optional(),
	}),
	jobs: z.record(
		z.string(),
		z.looseObject({ steps: z.array(z.looseObject({ with: z.record(z.string(), z.unknown()).optional() })).optional() }),
	),
});

/** What a workflow that starts jobs does by itself. */
interface JobWorkflow {
	readonly crons: readonly string[];
	readonly afterFailure: boolean;
}

/** Maintenance jobs that nothing starts, each with the lines to add. Empty where the settings name none. */
export function checkJobs(jobs: Readonly<Record<string, MaintenanceJob>>, workflows: readonly string[]): readonly DoctorCheck[] {
	const enabled = Object.entries(jobs).filter(([, job]) => job.enabled);
	if (enabled.length === 0) return [];
	const starting = workflows.flatMap((text) => readJobWorkflow(text) ?? []);
	if (starting.length === 0) {
		const names = enabled.map(([name]) => name).join(", ");
		return [warn(`the settings name jobs (${names}), and no workflow here hands over the input job`, ["rookery init"])];
	}
	const crons = new Set(starting.flatMap((workflow) => workflow.crons));
	const problems = enabled.flatMap(([name, job]) => {
		if (job.schedule !== undefined && !crons.has(oneBlank(job.schedule))) {
			return [warn(`job ${name}: no workflow has its schedule`, ["on:", "  schedule:", `    - cron: "${oneBlank(job.schedule)}"`])];
		}
		if (job.recipe === "ci-doctor" && !starting.some((workflow) => workflow.afterFailure)) {
			const lines = ["on:", "  workflow_run:", "    workflows: [<name of the workflow to watch>]", "    types: [completed]"];
			return [warn(`job ${name}: no workflow starts it after another one has failed`, lines)];
		}
		return [];
	});
	if (problems.length > 0) return problems;
	return [
		{
			name: "maintenance",
			state: "ok",
			text: `${enabled.length} ${enabled.length === 1 ? "job" : "jobs"} and a workflow that starts them`,
		},
	];
}

function warn(text: string, fix: readonly string[]): DoctorCheck {
	return { name: "maintenance", state: "warn", text, fix };
}

/** Undefined for a workflow that hands over no job; broken files are another check's. */
function readJobWorkflow(text: string): JobWorkflow | undefined {
	const parsed = workflowSchema.safeParse(parseDocument(text).toJS());
	if (!parsed.success) return undefined;
	const { on, jobs } = parsed.data;
	const steps = Object.values(jobs).flatMap((job) => job.steps ?? []);
	if (!steps.some((step) => step.with?.["job"] !== undefined)) return undefined;
	return { crons: (on.schedule ?? []).map(({ cron }) => oneBlank(cron)), afterFailure: on.workflow_run !== undefined };
}

function oneBlank(cron: string): string {
	return cron.trim().split(/\s+/).join(" ");
}
