import { parseDocument } from "yaml";
import * as z from "zod";
import { errorText } from "../domain/errors.ts";
import type { DoctorCheck } from "./doctor-check.ts";

export interface CheckedWorkflow {
	/** True when a step uses this action. */
	readonly uses: boolean;
	readonly problems: readonly DoctorCheck[];
}

const stepSchema = z.looseObject({ uses: z.string().optional(), with: z.record(z.string(), z.unknown()).optional() });
const jobSchema = z.looseObject({
	permissions: z.union([z.string(), z.record(z.string(), z.string())]).nullish(),
	"timeout-minutes": z.unknown().optional(),
	concurrency: z.unknown().optional(),
	steps: z.array(stepSchema).default([]),
});
const workflowSchema = z.looseObject({
	permissions: z.union([z.string(), z.record(z.string(), z.string())]).nullish(),
	concurrency: z.unknown().optional(),
	on: z.unknown(),
	jobs: z.record(z.string(), jobSchema),
});

type Job = z.output<typeof jobSchema>;
type Workflow = z.output<typeof workflowSchema>;

/** Any owner may have a copy under its own name; a workflow of the action's own repository names a path. */
const OURS = /(?:^|\/)rookery(?:@|$)/i;
const PINNED = /@[0-9a-f]{40}$/;

/** What a workflow with this action lacks, each with the lines to add. A file that is no workflow uses nothing. */
export function checkWorkflow(text: string, file: string): CheckedWorkflow {
	let workflow: Workflow;
	try {
		const document = parseDocument(text);
		if (document.errors[0] !== undefined) throw document.errors[0];
		const parsed = workflowSchema.safeParse(document.toJS());
		if (!parsed.success) return { uses: false, problems: [] };
		workflow = parsed.data;
	} catch (error) {
		return { uses: OURS.test(text), problems: [problem("fail", `${file} is no sound YAML: ${errorText(error).split("\n", 1)[0]}`)] };
	}
	const jobs = Object.entries(workflow.jobs).filter(([, job]) => job.steps.some((step) => OURS.test(step.uses ?? "")));
	return { uses: jobs.length > 0, problems: jobs.flatMap(([name, job]) => checkJob(workflow, job, `${file}, job ${name}`)) };
}

function problem(state: "warn" | "fail", text: string, fix: readonly string[] = []): DoctorCheck {
	return { name: "workflow", state, text, ...(fix.length === 0 ? {} : { fix }) };
}

function checkJob(workflow: Workflow, job: Job, where: string): readonly DoctorCheck[] {
	const problems: DoctorCheck[] = [];
	for (const step of job.steps) {
		const uses = step.uses ?? "";
		if (uses !== "" && !uses.startsWith("./") && !PINNED.test(uses)) {
			problems.push(problem("warn", `${where}: ${uses} can be moved to other code`, [`uses: ${uses.split("@", 1)[0]}@<full commit SHA>`]));
		}
	}
	const checkout = job.steps.find((step) => step.uses?.startsWith("actions/checkout@") === true);
	if (checkout === undefined) problems.push(problem("fail", `${where}: the repository is not checked out`, CHECKOUT_LINES));
	else problems.push(...checkCheckout(checkout.with ?? {}, where));
	problems.push(...checkPermissions(workflow, job, where));
	if (workflow.concurrency === undefined && job.concurrency === undefined) {
		problems.push(problem("warn", `${where}: two runs for the same pull request may overtake each other`, CONCURRENCY_LINES));
	}
	if (job["timeout-minutes"] === undefined)
		problems.push(problem("warn", `${where}: a run that hangs goes on for six hours`, ["timeout-minutes: 20"]));
	return problems;
}

const CHECKOUT_LINES = ["- uses: actions/checkout@<full commit SHA>", "  with:", "    fetch-depth: 0", "    persist-credentials: false"];
const CONCURRENCY_LINES = [
	"concurrency:",
	`  group: rookery-\${{ github.event.pull_request.number || github.run_id }}`,
	"  cancel-in-progress: true",
];

function checkCheckout(given: Readonly<Record<string, unknown>>, where: string): readonly DoctorCheck[] {
	const problems: DoctorCheck[] = [];
	if (String(given["fetch-depth"] ?? "1") !== "0") {
		problems.push(problem("warn", `${where}: the clone is shallow, so the merge base has to be fetched`, ["with:", "  fetch-depth: 0"]));
	}
	if (String(given["persist-credentials"] ?? "true") !== "false") {
		problems.push(problem("warn", `${where}: the token stays in the clone's configuration`, ["with:", "  persist-credentials: false"]));
	}
	return problems;
}

/** What each trigger needs; a job that only writes the step summary needs less, and says so with `publish`. */
function checkPermissions(workflow: Workflow, job: Job, where: string): readonly DoctorCheck[] {
	const granted = job.permissions ?? workflow.permissions;
	if (granted === undefined || granted === null) {
		return [
			problem(
				"warn",
				`${where}: no permissions are named, so the token has the repository's default`,
				permissionLines(neededFor(workflow, job)),
			),
		];
	}
	if (granted === "write-all")
		return [problem("warn", `${where}: write-all is more than is needed`, permissionLines(neededFor(workflow, job)))];
	if (typeof granted === "string") return [];
	const missing = Object.entries(neededFor(workflow, job)).filter(([scope, access]) => !covers(granted[scope], access));
	if (missing.length === 0) return [];
	const essential = missing.some(([scope]) => scope === "contents");
	const names = missing.map(([scope, access]) => `${scope}: ${access}`).join(", ");
	return [problem(essential ? "fail" : "warn", `${where}: the token lacks ${names}`, permissionLines(Object.fromEntries(missing)))];
}

function permissionLines(needed: Readonly<Record<string, string>>): readonly string[] {
	return ["permissions:", ...Object.entries(needed).map(([scope, access]) => `  ${scope}: ${access}`)];
}

function covers(granted: string | undefined, needed: string): boolean {
	return granted === "write" || granted === needed;
}

function neededFor(workflow: Workflow, job: Job): Readonly<Record<string, string>> {
	const step = job.steps.find((each) => OURS.test(each.uses ?? ""));
	const given = step?.with ?? {};
	if (given["publish"] === "summary" || given["publish"] === "none") return { contents: "read", "pull-requests": "read" };
	// A job that plans or works writes nothing; one that publishes fetches what they have left.
	if (given["mode"] === "plan" || given["mode"] === "work") return { contents: "read", "pull-requests": "read" };
	if (given["mode"] === "publish") return { contents: "read", "pull-requests": "write", checks: "write", actions: "read" };
	if (given["job"] !== undefined) return { contents: "write", "pull-requests": "write", actions: "read" };
	const events = eventsOf(workflow.on);
	return {
		contents: "read",
		"pull-requests": "write",
		checks: "write",
		...(events.includes("issue_comment") ? { issues: "write", actions: "read" } : {}),
	};
}

function eventsOf(on: unknown): readonly string[] {
	if (typeof on === "string") return [on];
	if (Array.isArray(on)) return on.map(String);
	return typeof on === "object" && on !== null ? Object.keys(on) : [];
}
