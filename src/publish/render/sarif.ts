import { gzipSync } from "node:zlib";
import { cutText } from "../../domain/cut-text.ts";
import { CATEGORIES, SEVERITIES, type Category, type Severity } from "../../domain/finding.ts";
import { revealHidden } from "../../domain/hidden-text.ts";
import type { ReportFinding, RunReport } from "../../domain/run-report.ts";

/** GitHub takes no more results of one run; it shows the first 5,000 by severity. */
export const MAX_SARIF_RESULTS = 25_000;
/** GitHub takes no bigger file, measured after gzip. */
export const MAX_SARIF_GZIP_BYTES = 10 * 1024 * 1024;
/** More of a message helps nobody in an alert; the whole text stands in the other reports. */
const MAX_MESSAGE_CHARS = 4_000;
const MAX_TITLE_CHARS = 1_024;

export interface SarifOptions {
	/** Semantic version of Rookery. */
	readonly toolVersion: string;
	/** The repository's page, for example `https://github.com/acme/widgets`; left out on a clone without one. */
	readonly repositoryUrl?: string;
}

const LEVELS: Readonly<Record<Severity, "error" | "warning" | "note">> = {
	critical: "error",
	important: "warning",
	minor: "note",
	nit: "note",
};

/** GitHub reads over 9 as critical, 7 to 8.9 as high, 4 to 6.9 as medium, below as low; only from rules tagged `security`. */
const SECURITY_SEVERITY: Readonly<Record<Severity, string>> = { critical: "9.5", important: "8.0", minor: "5.0", nit: "2.0" };

const CATEGORY_WORDS: Readonly<Record<Category, readonly [name: string, text: string]>> = {
	bug: ["Bug", "Code that does not do what it is meant to do"],
	security: ["Security", "Code that lets somebody do or see what they must not"],
	concurrency: ["Concurrency", "Code that breaks when it runs at the same time as other code"],
	"error-handling": ["ErrorHandling", "A failure that is lost, hidden or answered wrongly"],
	performance: ["Performance", "Code that takes far more time or memory than its task needs"],
	compatibility: ["Compatibility", "A change that breaks callers, data or platforms"],
	test: ["Test", "A test that is missing, skipped, or cannot fail"],
	documentation: ["Documentation", "Text that no longer says what the code does"],
	style: ["Style", "Code that departs from the conventions around it"],
	maintainability: ["Maintainability", "Code that will be hard to change safely"],
	other: ["Other", "A remark of another kind"],
};

interface Rule {
	readonly id: string;
	readonly category: Category;
	readonly severity: Severity;
}

/**
 * The findings that are not fixed as SARIF 2.1.0, ready to be uploaded to code scanning, as one line of JSON. Dismissed
 * findings are not in it. Keeps GitHub's limits by leaving out the last ranked results and saying how many.
 */
export function renderSarif(report: RunReport, options: SarifOptions): string {
	const live = report.findings.filter((finding) => finding.state !== "fixed");
	// Ranked already, but the order within a severity must not decide what GitHub leaves out.
	const ranked = [...live].sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
	let kept = ranked.slice(0, MAX_SARIF_RESULTS);
	for (;;) {
		const text = JSON.stringify(buildLog(report, kept, live.length - kept.length, options));
		// Compression never makes it bigger by more than a few bytes, so small files need no measuring.
		const size = text.length * 3 < MAX_SARIF_GZIP_BYTES ? 0 : gzipSync(text).length;
		if (size <= MAX_SARIF_GZIP_BYTES || kept.length === 0) return text;
		kept = kept.slice(0, Math.floor(kept.length * Math.min(0.9, (0.95 * MAX_SARIF_GZIP_BYTES) / size)));
	}
}

function buildLog(report: RunReport, findings: readonly ReportFinding[], left: number, options: SarifOptions): object {
	const rules = rulesOf(findings);
	const indexes = new Map(rules.map((rule, index) => [rule.id, index]));
	const { run } = report;
	return {
		$schema: "https://json.schemastore.org/sarif-2.1.0.json",
		version: "2.1.0",
		runs: [
			{
				tool: {
					driver: {
						name: "Rookery",
						version: options.toolVersion,
						...(isSemantic(options.toolVersion) ? { semanticVersion: options.toolVersion } : {}),
						rules: rules.map(buildRule),
					},
				},
				// Ends in a slash: this is the category, and GitHub replaces the alerts of the one before.
				automationDetails: { id: "rookery/" },
				invocations: [
					{
						executionSuccessful: report.verdict.state !== "failed",
						startTimeUtc: run.startedAt,
						endTimeUtc: run.endedAt,
						toolExecutionNotifications: notificationsOf(report, left),
					},
				],
				...(options.repositoryUrl === undefined
					? {}
					: { versionControlProvenance: [{ repositoryUri: encodeURI(options.repositoryUrl), revisionId: run.head }] }),
				columnKind: "utf16CodeUnits",
				results: findings.map((finding) => buildResult(finding, indexes)),
				properties: { runId: run.id, verdict: report.verdict.state, base: run.base, mergeBase: run.mergeBase },
			},
		],
	};
}

/** A run that could not read everything must not look like a clean one. */
function notificationsOf(report: RunReport, left: number): readonly object[] {
	const unread = report.files.filter((file) => file.state !== "reviewed").length;
	return [
		...(report.verdict.state === "clean" || report.verdict.state === "findings"
			? []
			: [{ level: report.verdict.state === "failed" ? "error" : "warning", message: { text: plainMessage(report.verdict.sentence) } }]),
		...(unread === 0
			? []
			: [{ level: "note", message: { text: `${unread} of ${report.files.length} changed files were not read whole.` } }]),
		...(left === 0
			? []
			: [{ level: "warning", message: { text: `${left} findings are left out to keep the size; the JSON report has all.` } }]),
	];
}

/** A security alert's score belongs to its rule, so each severity of it is a rule of its own. */
function ruleIdOf(finding: Pick<ReportFinding, "category" | "severity">): string {
	return finding.category === "security" ? `rookery/security/${finding.severity}` : `rookery/${finding.category}`;
}

/** Only the rules that are used, in one fixed order. A rule's default is its worst result's severity. */
function rulesOf(findings: readonly ReportFinding[]): readonly Rule[] {
	const rules = new Map<string, Rule>();
	for (const finding of findings) {
		const id = ruleIdOf(finding);
		const before = rules.get(id);
		if (before === undefined || SEVERITIES.indexOf(finding.severity) < SEVERITIES.indexOf(before.severity)) {
			rules.set(id, { id, category: finding.category, severity: finding.severity });
		}
	}
	return [...rules.values()].sort(
		(a, b) =>
			CATEGORIES.indexOf(a.category) - CATEGORIES.indexOf(b.category) || SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity),
	);
}

function buildRule({ id, category, severity }: Rule): object {
	const [name, text] = CATEGORY_WORDS[category];
	const isSecurity = category === "security";
	return {
		id,
		name: isSecurity ? `${name}${severity.charAt(0).toUpperCase()}${severity.slice(1)}` : name,
		shortDescription: { text: `${text}.` },
		fullDescription: { text: `${text}, seen by a reviewer in the changed lines or in what they affect.` },
		help: { text: `${text}. Each result says what was seen, how it was checked and how sure the reviewer is.` },
		defaultConfiguration: { level: LEVELS[severity] },
		properties: {
			tags: isSecurity ? ["security", "review"] : [category, "review"],
			...(isSecurity ? { "security-severity": SECURITY_SEVERITY[severity] } : {}),
		},
	};
}

function buildResult(finding: ReportFinding, indexes: ReadonlyMap<string, number>): object {
	const ruleId = ruleIdOf(finding);
	const fixes = buildFixes(finding);
	return {
		ruleId,
		ruleIndex: indexes.get(ruleId) ?? -1,
		level: LEVELS[finding.severity],
		message: { text: messageOf(finding) },
		locations: [buildLocation(finding)],
		partialFingerprints: {
			// The only one that code scanning reads; ours holds no line number, so that moved code keeps its alert.
			primaryLocationLineHash: finding.fingerprint,
			"rookeryFinding/v1": finding.fingerprint,
		},
		...(fixes.length === 0 ? {} : { fixes }),
		properties: {
			id: finding.id,
			severity: finding.severity,
			side: finding.side,
			confidence: finding.confidence,
			evidence: finding.evidence.kind,
			sources: finding.sources.slice(0, 20),
			state: finding.state,
		},
	};
}

/** True when the finding's lines are lines of the head file. */
function hasHeadLines(finding: ReportFinding): boolean {
	return finding.side === "RIGHT" && finding.startLine > 0;
}

/**
 * GitHub refuses a result without a line. A finding about a removed line or a whole file is put on line 1, and its
 * message says where it belongs.
 */
function buildLocation(finding: ReportFinding): object {
	const region = hasHeadLines(finding)
		? { startLine: finding.startLine, endLine: Math.max(finding.startLine, finding.endLine) }
		: { startLine: 1 };
	return { physicalLocation: { artifactLocation: artifactOf(finding), region } };
}

function artifactOf(finding: ReportFinding): object {
	return { uri: encodePath(finding.path), uriBaseId: "%SRCROOT%" };
}

/** A relative URI for any file name git knows: blanks, `#`, `?`, `%`, a colon in front, line feeds. */
function encodePath(path: string): string {
	return path
		.toWellFormed()
		.split("/")
		.map((part) => encodeURIComponent(part))
		.join("/");
}

function messageOf(finding: ReportFinding): string {
	const place = hasHeadLines(finding) ? "" : `${placeInWords(finding)} `;
	const title = cutText(plainMessage(finding.title), MAX_TITLE_CHARS);
	const body = finding.body === finding.title ? "" : `\n\n${plainMessage(finding.body)}`;
	return cutText(`${place}${title}${body}`, MAX_MESSAGE_CHARS);
}

function placeInWords(finding: ReportFinding): string {
	if (finding.startLine === 0) return "(On the whole file.)";
	const lines = finding.endLine > finding.startLine ? `lines ${finding.startLine} to ${finding.endLine}` : `line ${finding.startLine}`;
	return `(Before the change, ${lines}.)`;
}

/**
 * Text for a SARIF message, in which `[words](target)` is a live link and `{0}` a place for an argument: both lose
 * their power, since a finding may quote what a stranger wrote (A88). Never empty, as the schema wants it.
 */
function plainMessage(text: string): string {
	const plain = revealHidden(text.toWellFormed().replace(/\r\n?/g, "\n"))
		.replace(/\](?=\()/g, "] ")
		.replace(/\{(?=\d+\})/g, "{ ");
	return plain.trim() === "" ? "(no text)" : plain;
}

/** Whole lines are replaced: a region without columns ends before the line feed of its last line. */
function buildFixes(finding: ReportFinding): readonly object[] {
	const { suggestion, startLine } = finding;
	if (suggestion === undefined || !hasHeadLines(finding) || finding.tier !== "inline") return [];
	const endLine = Math.max(startLine, finding.endLine);
	// Nothing in their place means the lines go, with their line feeds.
	const replacement =
		suggestion === ""
			? { deletedRegion: { startLine, startColumn: 1, endLine: endLine + 1, endColumn: 1 } }
			: { deletedRegion: { startLine, endLine }, insertedContent: { text: suggestion.toWellFormed().replace(/\r?\n$/, "") } };
	return [
		{
			description: { text: cutText(`Suggested change for ${finding.id}`, MAX_TITLE_CHARS) },
			artifactChanges: [{ artifactLocation: artifactOf(finding), replacements: [replacement] }],
		},
	];
}

function isSemantic(version: string): boolean {
	return /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/.test(version);
}
