import { cutText } from "../../domain/cut-text.ts";
import { SEVERITIES, type Severity } from "../../domain/finding.ts";
import { revealHidden } from "../../domain/hidden-text.ts";
import type { ReportFinding, RunReport } from "../../domain/run-report.ts";
import { lineText } from "./permalink.ts";

export interface JunitOptions {
	/** Least severity that makes a file's test case fail; `never` lists all findings without failing one. */
	readonly failOn: Severity | "never";
}

/** Some programs read an attribute into a column of fixed width. */
const MAX_ATTRIBUTE_CHARS = 500;

interface Case {
	readonly name: string;
	readonly classname: string;
	readonly failures: readonly ReportFinding[];
	readonly remarks: readonly ReportFinding[];
	readonly skipped?: string;
	readonly error?: string;
}

/**
 * The review as JUnit XML: a test case a changed file, ordered by path. Findings at or above the fail level are its
 * failures, the others stand in its output; a file that was not read whole is skipped, never passed. A run that
 * could not review has a test case of its own with an error, so that it is never green (1c-8).
 */
export function renderJunit(report: RunReport, options: JunitOptions): string {
	const cases = buildCases(report, options);
	const counts = [
		`tests="${cases.length}"`,
		`failures="${cases.filter((each) => each.failures.length > 0).length}"`,
		`errors="${cases.filter((each) => each.error !== undefined).length}"`,
		`skipped="${cases.filter((each) => each.skipped !== undefined).length}"`,
		`time="${secondsBetween(report.run.startedAt, report.run.endedAt)}"`,
	].join(" ");
	// The format has no time zone; the value is UTC.
	const timestamp = report.run.startedAt.replace(/(?:\.\d+)?Z$/, "");
	return [
		'<?xml version="1.0" encoding="UTF-8"?>',
		`<testsuites name="Rookery" ${counts}>`,
		`<testsuite name="Rookery review" timestamp="${attribute(timestamp)}" ${counts}>`,
		"<properties>",
		...propertiesOf(report).map(([name, value]) => `<property name="${name}" value="${attribute(value)}"/>`),
		"</properties>",
		...cases.map(renderCase),
		"</testsuite>",
		"</testsuites>",
		"",
	].join("\n");
}

function propertiesOf(report: RunReport): readonly (readonly [string, string])[] {
	const { run, verdict } = report;
	return [
		["run", run.id],
		["head", run.head],
		["mergeBase", run.mergeBase],
		["provider", run.provider],
		["verdict", verdict.sentence],
	];
}

function buildCases(report: RunReport, options: JunitOptions): readonly Case[] {
	const live = report.findings.filter((finding) => finding.state !== "fixed");
	const byPath = groupByPath(live);
	const listed = new Set(report.files.map((file) => file.path));
	const fromFiles = report.files.map((file) => {
		const split = splitFindings(byPath.get(file.path) ?? [], options.failOn);
		const reason = file.reason === undefined ? "" : `: ${file.reason}`;
		const unread = file.state === "partial" ? `read in part${reason}` : `not read${reason}`;
		// A case has one result, and a failure says more than that something was skipped.
		const skipped = file.state === "reviewed" || split.failures.length > 0 ? {} : { skipped: unread };
		return { name: file.path, classname: `rookery.${file.assigned ?? "review"}`, ...split, ...skipped };
	});
	const elsewhere = [...byPath]
		.filter(([path]) => !listed.has(path))
		.map(([path, findings]) => ({ name: path, classname: "rookery.review", ...splitFindings(findings, options.failOn) }));
	const broken: Case = { name: "review", classname: "rookery", failures: [], remarks: [], error: report.verdict.sentence };
	return [...(report.verdict.state === "failed" ? [broken] : []), ...[...fromFiles, ...elsewhere].sort(byName)];
}

function groupByPath(findings: readonly ReportFinding[]): ReadonlyMap<string, readonly ReportFinding[]> {
	const groups = new Map<string, ReportFinding[]>();
	for (const finding of findings) {
		const group = groups.get(finding.path);
		if (group === undefined) groups.set(finding.path, [finding]);
		else group.push(finding);
	}
	return groups;
}

/** By code unit, the same on every machine. */
function byName(a: Case, b: Case): number {
	if (a.name === b.name) return 0;
	return a.name < b.name ? -1 : 1;
}

function splitFindings(findings: readonly ReportFinding[], failOn: Severity | "never"): Pick<Case, "failures" | "remarks"> {
	const level = failOn === "never" ? -1 : SEVERITIES.indexOf(failOn);
	const fails = (finding: ReportFinding): boolean => SEVERITIES.indexOf(finding.severity) <= level;
	return { failures: findings.filter(fails), remarks: findings.filter((finding) => !fails(finding)) };
}

function renderCase(each: Case): string {
	// Cut names could become equal.
	const path = attribute(each.name, Number.POSITIVE_INFINITY);
	const head = `<testcase name="${path}" classname="${attribute(each.classname)}" file="${path}"`;
	const parts = [
		...each.failures.map(
			(finding) =>
				`<failure type="${finding.severity}" message="${attribute(`${finding.title} (${finding.id})`)}">${xmlText(describeFinding(finding))}</failure>`,
		),
		...(each.error === undefined ? [] : [`<error type="failed" message="${attribute(each.error)}"/>`]),
		...(each.skipped === undefined ? [] : [`<skipped message="${attribute(each.skipped)}"/>`]),
		...(each.remarks.length === 0 ? [] : [`<system-out>${xmlText(each.remarks.map(describeFinding).join("\n\n"))}</system-out>`]),
	];
	return parts.length === 0 ? `${head}/>` : `${head}>\n${parts.join("\n")}\n</testcase>`;
}

function describeFinding(finding: ReportFinding): string {
	const lines = lineText(finding);
	const place = `${finding.path}${lines === "" ? "" : `:${lines}`}${finding.side === "LEFT" ? " (before)" : ""}`;
	const parts = [
		`${finding.severity}, ${finding.category}: ${finding.title} (${finding.id})`,
		place,
		finding.body === finding.title ? "" : finding.body,
		finding.suggestion === undefined ? "" : `Proposed code:\n${finding.suggestion}`,
		`Confidence ${finding.confidence} of 100, ${finding.evidence.kind}. Seen by ${finding.sources.join(", ")}.`,
	];
	return parts.filter((part) => part !== "").join("\n");
}

/**
 * What XML 1.0 can hold: control and hidden characters become visible escapes, half surrogate pairs and the two
 * non-characters their replacement character.
 */
function xmlText(text: string): string {
	return revealHidden(text.toWellFormed().replace(/\r\n?/g, "\n"))
		.replace(/[\uFFFE\uFFFF]/g, "\uFFFD")
		.replaceAll("&", "&amp;")
		.replaceAll("<", "&lt;")
		.replaceAll(">", "&gt;");
}

/** A tab or line feed as it stands would be read back as a blank. */
function attribute(text: string, limit = MAX_ATTRIBUTE_CHARS): string {
	return xmlText(cutText(text, limit)).replaceAll('"', "&quot;").replaceAll("\t", "&#9;").replaceAll("\n", "&#10;");
}

function secondsBetween(from: string, to: string): string {
	const milliseconds = Date.parse(to) - Date.parse(from);
	return (Number.isFinite(milliseconds) ? Math.max(0, milliseconds) / 1_000 : 0).toFixed(3);
}
