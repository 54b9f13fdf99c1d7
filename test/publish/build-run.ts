import type { Publication } from "../../src/domain/publication.ts";
import type { ReportedFinding } from "../../src/domain/finding.ts";
import type { RunContext } from "../../src/domain/run-context.ts";
import type { Synthesis } from "../../src/domain/synthesis.ts";
import { createOutgoingCleaner } from "../../src/guard/clean-outgoing.ts";
import { cleanSynthesis } from "../../src/publish/clean-synthesis.ts";
import { buildReport } from "../../src/publish/build-report.ts";
import { planPublications, type PublicationsInput } from "../../src/publish/plan-publications.ts";
import { NOTHING_POSTED } from "../../src/publish/read-existing-state.ts";
import type { OutgoingCleaner } from "../../src/seams.ts";
import type { SynthesisInput } from "../../src/synthesis/synthesize.ts";
import { changedFile, changeSetOf, HEAD, reported, synthesizeSample } from "../synthesis/build-fixtures.ts";

export const CANARY = "ghp_canary000000000000000000000000000000";

export function cleanerFor(repository = "https://github.com/acme/widgets") {
	return createOutgoingCleaner({ redact: (text) => text.replaceAll(CANARY, "[redacted]"), allowedUrls: [repository] });
}

export function runContext(more: Partial<RunContext> = {}): RunContext {
	return {
		runId: "42",
		attempt: 1,
		event: "pull_request",
		repository: { owner: "acme", name: "widgets" },
		actor: { login: "ada", id: 5, type: "User" },
		tier: "T1",
		tierReason: "",
		trusted: "1".repeat(40),
		base: "1".repeat(40),
		head: HEAD,
		mergeBase: "1".repeat(40),
		pullRequest: {
			number: 7,
			title: "Two lines",
			body: "",
			author: { login: "ada", id: 5, type: "User" },
			state: "open",
			merged: false,
			draft: false,
			base: { ref: "main", sha: "1".repeat(40), repository: "acme/widgets" },
			head: { ref: "feature", sha: HEAD, repository: "acme/widgets" },
			fork: false,
			labels: [],
		},
		notes: [],
		links: { repository: "https://github.com/acme/widgets", run: "https://github.com/acme/widgets/actions/runs/42" },
		...more,
	};
}

export function planFrom(
	synthesis: Synthesis,
	more: Omit<Partial<PublicationsInput>, "synthesis"> & { readonly cleaner?: OutgoingCleaner } = {},
): readonly Publication[] {
	const context = more.context ?? runContext();
	const cleaner = more.cleaner ?? cleanerFor();
	return planPublications({
		synthesis: cleanSynthesis(synthesis, cleaner),
		changeSet: changeSetOf([changedFile("a.ts")]),
		context,
		failOn: "never",
		report: reportOf(synthesis, context),
		provider: "anthropic",
		existing: NOTHING_POSTED,
		instance: "default",
		banner: [
			{ label: "version", value: "0.1.0" },
			{ label: "subagents", value: "explore, go" },
		],
		reportPath: "/runner/temp/report.json",
		...more,
	});
}

export function reportOf(synthesis: Synthesis, context: RunContext = runContext()) {
	const { redact } = cleanerFor();
	return buildReport({
		synthesis,
		context,
		provider: "anthropic",
		startedAt: 0,
		endedAt: 61_000,
		audit: { entries: 3, head: null },
		redact,
	});
}

export function pick<K extends Publication["kind"]>(publications: readonly Publication[], kind: K): Extract<Publication, { kind: K }> {
	const found = publications.find((publication): publication is Extract<Publication, { kind: K }> => publication.kind === kind);
	if (found === undefined) throw new Error(`no ${kind} was planned`);
	return found;
}

export const onLine5: ReportedFinding = reported({
	path: "a.ts",
	quote: "const line5 = 5;",
	title: "The constant is wrong",
	body: "It should be 6.",
});

export async function sampleSynthesis(
	findings: readonly ReportedFinding[] = [onLine5],
	more: Partial<SynthesisInput> = {},
): Promise<Synthesis> {
	return synthesizeSample(findings, more);
}
