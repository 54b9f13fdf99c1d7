import * as z from "zod";
import { isAcceptableRef } from "../domain/git-ref.ts";
import { branchOfJob, OWN_BRANCH_PREFIX, RECIPE_NAMES } from "../domain/maintenance.ts";

const MOST_COMMANDS = 20;
const MOST_FILES = 200;
const MOST_LINES = 20_000;
const MOST_ATTEMPTS = 10;

const text = z.string().min(1, "a text that is not empty");
const command = text.max(2_000, "at most 2,000 characters").regex(/^[^\0\r\n]+$/, "one command line");
const globs = z.array(text).max(100, "at most 100 globs");

/** A job's name is the last part of its branch and an input of workflows. */
const JOB_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,49}$/;
const jobName = z
	.string()
	.refine(
		(name) => JOB_NAME.test(name) && isAcceptableRef(name),
		"a job's name of up to 50 letters, digits, dots, underscores and dashes that git takes as part of a branch",
	);

/** Five fields of a cron line as GitHub takes them. */
const CRON = /^\S+(?: +\S+){4}$/;

const limits = z
	.strictObject({
		files: z
			.int()
			.min(1, "at least 1")
			.max(MOST_FILES, `at most ${MOST_FILES}`)
			.default(20)
			.describe("Most files of one change. Default 20."),
		lines: z
			.int()
			.min(1, "at least 1")
			.max(MOST_LINES, `at most ${MOST_LINES}`)
			.default(800)
			.describe("Most added and deleted lines. Default 800."),
		usd: z.number().positive("a number above 0").optional().describe("US dollars of one run of the job. Default: budget.runUsd."),
		attempts: z
			.int()
			.min(1, "at least 1")
			.max(MOST_ATTEMPTS, `at most ${MOST_ATTEMPTS}`)
			.default(2)
			.describe("Times the job is tried on the same commit. Default 2."),
	})
	.describe("Bounds of the job. A change above them is not pushed.");

const jobSchema = z
	.strictObject({
		run: z
			.array(command)
			.min(1, "at least one command")
			.max(MOST_COMMANDS, `at most ${MOST_COMMANDS} commands`)
			.optional()
			.describe("Commands that make the change, one after the other in the sandbox. No model is asked."),
		recipe: z.enum(RECIPE_NAMES).optional().describe("A built-in job."),
		prompt: text.max(20_000, "at most 20,000 characters").optional().describe("What a writing child is asked to do."),
		agent: text.max(100, "at most 100 characters").optional().describe("Custom agent that does it, with recipe or prompt or alone."),
		paths: globs.default([]).describe("Globs of files the job may change. Default: all that are not protected."),
		pathsIgnore: globs.default([]).describe("Globs of files it must not change."),
		checks: z
			.array(command)
			.max(MOST_COMMANDS, `at most ${MOST_COMMANDS} commands`)
			.optional()
			.describe(
				"Commands that prove the change, before and after. Default: the tests of the languages it touches. An empty list runs none.",
			),
		lockFiles: z.boolean().default(false).describe("Whether it may change lock files, which decide what is installed. Default false."),
		branch: z
			.string()
			.max(100, "at most 100 characters")
			.refine((name) => name.startsWith(OWN_BRANCH_PREFIX) && isAcceptableRef(name), `the name of a branch below ${OWN_BRANCH_PREFIX}`)
			.optional()
			.describe("Branch of the job, below rookery/. Default: rookery/ and the job's name."),
		title: text.max(120, "at most 120 characters").optional().describe("Title of the pull request and of its commit."),
		labels: z.array(text.max(50, "at most 50 characters")).max(20, "at most 20 labels").default([]).describe("Labels of the pull request."),
		draft: z.boolean().default(true).describe("Open the pull request as a draft. Default true."),
		limits: limits.default({ files: 20, lines: 800, attempts: 2 }),
		schedule: z
			.string()
			.regex(CRON, "a cron line of five fields, such as 17 3 * * 1")
			.optional()
			.describe("Cron line of the workflow that runs it: a scheduled run without the input job takes the jobs with its line."),
		enabled: z.boolean().default(true).describe("false: it is not run. Default true."),
	})
	.superRefine((job, context) => {
		const given = (["run", "recipe", "prompt"] as const).filter((key) => job[key] !== undefined);
		if (given.length > 1) context.addIssue({ code: "custom", message: `one of run, recipe and prompt, not ${given.join(" and ")}` });
		else if (given.length === 0 && job.agent === undefined) context.addIssue({ code: "custom", message: "run, recipe, prompt or agent" });
		if (job.agent !== undefined && job.run !== undefined) {
			context.addIssue({ code: "custom", path: ["agent"], message: "no agent beside run, which asks no model" });
		}
	})
	.describe("One job: run, recipe, prompt or agent says what is done.");

/** The block `maintenance` of the settings. */
export const maintenanceSchema = z
	.record(jobName, jobSchema)
	.superRefine((jobs, context) => {
		const owners = new Map<string, string>();
		for (const [name, job] of Object.entries(jobs)) {
			const branch = branchOfJob(name, job);
			const owner = owners.get(branch);
			if (owner === undefined) owners.set(branch, name);
			else context.addIssue({ code: "custom", path: [name], message: `a branch of its own: ${branch} is that of the job ${owner}` });
		}
	})
	.describe("Maintenance jobs by name.");
