import type { Finding } from "../../domain/finding.ts";
import type { ReviewPlan } from "../../domain/review-plan.ts";
import type { RunContext } from "../../domain/run-context.ts";
import type { RunReport } from "../../domain/run-report.ts";
import type { CoverageRow, Synthesis } from "../../domain/synthesis.ts";
import { packSections, type Section } from "../size-packing.ts";
import { renderChildReport } from "./child-report.ts";
import { renderFindingEntry } from "./finding.ts";
import { capitalise, formatCount, plural, shortSha } from "./format.ts";
import { code, details, escapeHtml, table } from "./markdown.ts";
import { renderPlace } from "./permalink.ts";
import { renderUsageTable, usageHeadline } from "./usage-table.ts";

export interface SummaryInput {
	/** Already cleaned (`cleanSynthesis`). */
	readonly synthesis: Synthesis;
	readonly context: Pick<RunContext, "runId" | "attempt" | "head" | "mergeBase" | "links" | "notes" | "tierReason" | "tierCode" | "tier">;
	readonly plan?: Pick<ReviewPlan, "skippedAgents"> & Partial<Pick<ReviewPlan, "assignments">>;
	/** `anthropic`, `offline`, …: who the findings come from. */
	readonly provider: string;
	/** Where the audit's chain ends; published so that a later change of the file can be found (S-122). */
	readonly audit?: RunReport["audit"];
	/** SHA-256 of the run's manifest, by which its files can be checked later (X-14). */
	readonly manifest?: string;
	/** Ids of findings that have a comment of their own; all others are told here in full. */
	readonly commented: ReadonlySet<string>;
}

/** The sticky body: what a maintainer wants to know first stands first, everything else is collapsed. */
export function renderSummary(input: SummaryInput, options: { readonly marker: string; readonly limit: number }): string {
	const sections = [{ name: "marker", priority: 0, head: options.marker }, ...summarySections(input)];
	return packSections(sections, { limit: options.limit, elsewhere: "in the job summary" });
}

/** The parts in reading order; shared by the sticky comment, the check run and the step summary. */
export function summarySections(input: SummaryInput): readonly Section[] {
	const { synthesis } = input;
	const live = synthesis.findings.filter((finding) => finding.state !== "fixed");
	const nits = live.filter((finding) => finding.severity === "nit");
	const main = live.filter((finding) => finding.severity !== "nit");
	const told = main.filter((finding) => !input.commented.has(finding.id));
	const parts = renderOnce(input, main);
	return [
		{ name: "head", priority: 0, head: renderHead(input) },
		...parts.table,
		...itemSection(
			"details of findings",
			2,
			"### Findings without a comment of their own",
			told.map((finding) => parts.entry(finding)),
			"\n\n---\n\n",
		),
		...itemSection(
			"fixed findings",
			3,
			"### Fixed since the last review",
			synthesis.findings
				.filter((finding) => finding.state === "fixed")
				.map((finding) => `- ${finding.title} (${finding.id}) in ${code(finding.path)}`),
		),
		...collapsed(
			"nits",
			6,
			plural(nits.length, "nit"),
			nits.map((finding) => `- ${finding.title} (${finding.id}), ${renderPlace(finding, input.context)}: ${oneParagraph(finding)}`),
		),
		{ name: "usage", priority: 1, head: details(usageHeadline(synthesis), renderUsageTable(synthesis)) },
		...parts.reports,
		...parts.coverage,
		...collapsed("remarks", 4, "Remarks", remarks(input)),
		{ name: "foot", priority: 0, head: renderFoot(input) },
	];
}

interface RenderedParts {
	readonly context: SummaryInput["context"];
	readonly table: readonly Section[];
	readonly reports: readonly Section[];
	readonly coverage: readonly Section[];
	readonly entry: (finding: Finding) => string;
}

/** The long parts of a synthesis, which comment, check and job summary all show: rendered for the first of them only. */
const RENDERED = new WeakMap<Synthesis, RenderedParts>();

function renderOnce(input: SummaryInput, main: readonly Finding[]): RenderedParts {
	const { synthesis, context } = input;
	const known = RENDERED.get(synthesis);
	if (known?.context === context) return known;
	const entries = new Map<Finding, string>();
	const parts: RenderedParts = {
		context,
		table: findingsTable(main, input),
		reports: collapsed("reports", 7, "Reports of the agents", synthesis.agents.map(renderChildReport), "\n\n---\n\n"),
		coverage: coverageSection(synthesis.coverage),
		entry(finding) {
			const text = entries.get(finding) ?? renderFindingEntry(finding, context);
			entries.set(finding, text);
			return text;
		},
	};
	RENDERED.set(synthesis, parts);
	return parts;
}

function renderHead(input: SummaryInput): string {
	const { synthesis, context } = input;
	const parts = [
		"## Rookery review",
		`**${synthesis.verdict.sentence}**`,
		synthesis.overview ?? "",
		`Reviewed ${code(shortSha(context.head))} against ${code(shortSha(context.mergeBase))}.${changesOfRounds(synthesis)}`,
		input.provider === "offline" ? OFFLINE : "",
	];
	return parts.filter((part) => part !== "").join("\n\n");
}

const OFFLINE =
	"No model key was given, so no model was asked. Checked by rule: syntax errors that the change brings in, references to removed or renamed definitions, callers of changed signatures, conflict markers, secrets, focused or skipped tests, and the tests where they may run.";

function changesOfRounds(synthesis: Synthesis): string {
	const number = (state: Finding["state"]): number => synthesis.findings.filter((finding) => finding.state === state).length;
	if (number("open") === 0 && number("fixed") === 0) return "";
	return ` Since the last review: ${number("new")} new, ${number("open")} still open, ${number("fixed")} fixed.`;
}

function findingsTable(findings: readonly Finding[], input: SummaryInput): readonly Section[] {
	if (findings.length === 0) return [];
	const rows = findings.map((finding) => [
		capitalise(finding.severity),
		finding.state === "open" ? `${finding.title} (still open)` : finding.title,
		renderPlace(finding, input.context),
		finding.id,
	]);
	const lines = table(["Severity", "Finding", "Where", "Id"], rows).split("\n");
	return [{ name: "findings", priority: 5, head: lines.slice(0, 2).join("\n"), items: lines.slice(2) }];
}

function coverageSection(coverage: readonly CoverageRow[]): readonly Section[] {
	if (coverage.length === 0) return [];
	const read = coverage.filter((row) => row.state === "reviewed").length;
	const rows = coverage.map((row) => [
		code(row.previousPath === undefined ? row.path : `${row.previousPath} → ${row.path}`),
		row.status,
		`+${row.additions} −${row.deletions}`,
		row.assigned ?? "–",
		row.reason === undefined ? row.state : `${row.state}: ${row.reason}`,
	]);
	const lines = table(["File", "Change", "Lines", "Agent", "State"], rows).split("\n");
	const title = `Coverage: ${read} of ${plural(coverage.length, "changed file")} read`;
	return collapsed("files", 6, title, lines.slice(2), "\n", lines.slice(0, 2).join("\n"));
}

function remarks(input: SummaryInput): readonly string[] {
	const { synthesis, context, plan } = input;
	return [
		...synthesis.refused.map((row) => `- Refused: ${code(row.code)} × ${row.count}: ${row.text}`),
		...synthesis.trustDiff.map(
			(row) => `- This pull request ${row.change} reviewer configuration (${row.kind}) in ${code(row.path)}: ${row.text}`,
		),
		...(plan?.assignments ?? []).map((each) => `- ${each.agent.displayName ?? each.agent.name}: ${each.reason}`),
		...(plan?.skippedAgents ?? []).map((agent) => `- Agent ${code(agent.name)} did not run: ${agent.reason}`),
		...synthesis.open.map((each) => `- Open (${each.session}): ${each.text}`),
		...(context.tier === "T0" && context.tierReason !== ""
			? [
					`- Read-only run${context.tierCode === undefined ? "" : ` (${code(context.tierCode)})`}: ${context.tierReason}; nothing of the change was run`,
				]
			: []),
		...(synthesis.dismissed.length === 0
			? []
			: [`- ${plural(synthesis.dismissed.length, "finding")} dismissed (${dismissals(synthesis)}); listed in the JSON report`]),
		...[...new Set([...context.notes, ...synthesis.notes])].map((note) => `- ${note}`),
	];
}

/** The reasons without their numbers, each once. */
function dismissals(synthesis: Synthesis): string {
	const reasons = new Map<string, number>();
	for (const { reason } of synthesis.dismissed) {
		const kind = reason.replace(/^confidence \d+ is/, "confidence");
		reasons.set(kind, (reasons.get(kind) ?? 0) + 1);
	}
	return [...reasons].map(([reason, number]) => `${number} ${reason}`).join(", ");
}

function renderFoot(input: SummaryInput): string {
	const { context } = input;
	const run = context.links === undefined ? `Run ${context.runId}` : `[Run ${context.runId}](${context.links.run})`;
	const attempt = context.attempt > 1 ? `, attempt ${context.attempt}` : "";
	return `${run}${attempt}. Provider: ${input.provider}. Head: ${code(context.head)}.${renderAudit(input.audit)}${input.manifest === undefined ? "" : ` Manifest: ${code(input.manifest)}.`}`;
}

function renderAudit(audit: SummaryInput["audit"]): string {
	return audit === undefined || audit.head === null
		? ""
		: ` Audit: ${formatCount(audit.entries)} ${audit.entries === 1 ? "entry" : "entries"}, head ${code(audit.head)}.`;
}

function itemSection(name: string, priority: number, head: string, items: readonly string[], itemSeparator = "\n"): readonly Section[] {
	return items.length === 0 ? [] : [{ name, priority, head: `${head}\n`, items, itemSeparator }];
}

function collapsed(
	name: string,
	priority: number,
	title: string,
	items: readonly string[],
	itemSeparator = "\n",
	before = "",
): readonly Section[] {
	if (items.length === 0) return [];
	const opening = `<details>\n<summary>${escapeHtml(title)}</summary>\n`;
	return [{ name, priority, head: before === "" ? opening : `${opening}\n${before}`, items, itemSeparator, foot: "\n</details>" }];
}

/** One line of a body for a list; a body that starts with a fence has none, since half a fence is not code. */
function oneParagraph(finding: Finding): string {
	const text = finding.body.split(/\n\s*\n/, 1)[0]?.replace(/\s*\n\s*/g, " ") ?? "";
	return text === "" || /`{3}|~{3}/.test(text) ? finding.title : text;
}
