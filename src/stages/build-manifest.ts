import { createHash } from "node:crypto";
import type { ReviewPlan } from "../domain/review-plan.ts";
import type { PublishedAgent } from "../domain/review-state.ts";
import type { RunContext } from "../domain/run-context.ts";
import { type ManifestPart, RUN_MANIFEST_VERSION, type RunManifest } from "../domain/run-manifest.ts";
import type { RunReport } from "../domain/run-report.ts";
import { hashPolicy, hashValue } from "../guard/policy-hash.ts";
import type { Trusted } from "./load-trusted.ts";
import { printReport } from "./record-run.ts";

export interface ManifestInput {
	readonly context: RunContext;
	readonly trusted: Pick<Trusted, "settings" | "policy" | "instructions">;
	readonly plan: ReviewPlan;
	readonly report: RunReport;
	/** Children of this job, with the hashes of their journals. */
	readonly agents: readonly PublishedAgent[];
	readonly parts: readonly ManifestPart[];
	/** Version of the action. */
	readonly version: string;
	/** What is written of the report goes through it once more. */
	readonly redact: (text: string) => string;
}

/** The manifest of a run that is about to be published. Pure: nothing in it but hashes, names and commits. */
export function buildManifest(input: ManifestInput): RunManifest {
	const { context, trusted, plan, report, parts } = input;
	const { owner, name } = context.repository;
	const elsewhere = new Set(parts.flatMap((part) => part.journals.map((journal) => journal.session)));
	return {
		version: RUN_MANIFEST_VERSION,
		action: input.version,
		run: { id: context.runId, attempt: context.attempt, trigger: context.event },
		repository: `${owner}/${name}`,
		pullRequest: context.pullRequest?.number ?? null,
		...{ base: context.base, head: context.head, mergeBase: context.mergeBase, provider: report.run.provider },
		models: [...new Set(report.agents.filter((agent) => agent.steps > 0).map((agent) => agent.model))].sort(),
		definitions: listDefinitions(plan),
		settings: hashValue(trusted.settings),
		policy: hashPolicy(trusted.policy),
		instructions: hashText(trusted.instructions),
		audit: report.audit,
		journals: input.agents.filter((agent) => !elsewhere.has(agent.session)).map(({ session, sha256 }) => ({ session, sha256 })),
		parts,
		report: hashText(input.redact(printReport(report))),
	};
}

/** As `manifest.json` holds it. */
export function printManifest(manifest: RunManifest): string {
	return `${JSON.stringify(manifest, undefined, "\t")}\n`;
}

export function hashText(text: string | Buffer): string {
	return createHash("sha256").update(text).digest("hex");
}

/** Each definition once; what a built-in one is told depends on the change, so two of a name may differ. */
function listDefinitions(plan: ReviewPlan): RunManifest["definitions"] {
	const rows = plan.assignments.map(({ agent }) => ({
		name: agent.name,
		path: agent.source?.path ?? null,
		sha256: agent.source?.sha256 ?? hashValue({ prompt: agent.prompt, tools: agent.tools }),
	}));
	const byKey = new Map(rows.map((row) => [`${row.name}\n${row.sha256}`, row]));
	return [...byKey.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
