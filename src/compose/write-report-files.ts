import { readFile } from "node:fs/promises";
import path from "node:path";
import { readJournal } from "../adapters/journal-file/read-journal.ts";
import { errorText } from "../domain/errors.ts";
import type { Severity } from "../domain/finding.ts";
import type { JournalEntry } from "../domain/journal-entry.ts";
import type { RunReport } from "../domain/run-report.ts";
import { verifyAudit } from "../guard/verify-audit.ts";
import type { AuditStatus } from "../publish/render/html/remarks.ts";
import { renderHtmlReport } from "../publish/render/html/render-html-report.ts";
import { renderJunit } from "../publish/render/junit.ts";
import { renderSarif } from "../publish/render/sarif.ts";
import type { PipelineSeams } from "../stages/pipeline-seams.ts";
import { VERSION } from "./version.ts";

export interface ReportFilesInput {
	readonly report: RunReport;
	readonly failOn: Severity | "never";
	readonly seams: Pick<PipelineSeams, "reader" | "loadChangeSet" | "redact" | "auditFile">;
	/** Page of the repository, for SARIF. */
	readonly repositoryUrl?: string;
}

/** The report in the forms other programs and people read. */
export interface ReportFiles {
	readonly html: string;
	readonly sarif: string;
	readonly junit: string;
}

/** The journals of the children, as far as they can be read: the report must not fail for one of them. */
async function readJournals(report: RunReport): Promise<readonly (readonly JournalEntry[])[]> {
	const files = report.agents.flatMap((agent) => agent.journal ?? []);
	const read = await Promise.all(files.map((file) => readJournal(path.resolve(file))));
	return read.flatMap((journal) => (journal.state === "read" ? [journal.entries] : []));
}

/** Whether the chain on disk is whole and ends where the report says it does (S-122). */
async function readAuditStatus(report: RunReport, file: string | undefined): Promise<AuditStatus> {
	const { head, entries } = report.audit;
	if (file === undefined || head === null) return { state: "absent" };
	let text: string;
	try {
		text = await readFile(file, "utf8");
	} catch (error) {
		return { state: "broken", line: 1, reason: `the file cannot be read: ${errorText(error)}`, entries: 0 };
	}
	const verified = verifyAudit(text, { head, entries });
	if (!verified.ok) return { state: "broken", line: verified.line, reason: verified.reason, entries: verified.entries.length };
	return { state: "verified", entries: verified.entries.length, head: verified.head, notes: verified.notes };
}

/** Renders all three. Loaded only after a run: highlighting and Markdown cost start-up time. Rejects when git fails. */
export async function renderReportFiles({ report, failOn, seams, repositoryUrl }: ReportFilesInput): Promise<ReportFiles> {
	const wanted = new Set(report.findings.map((finding) => finding.path));
	const changeSet = wanted.size === 0 ? { files: [] } : await seams.loadChangeSet(report.run.mergeBase, report.run.head);
	const files = changeSet.files.filter((file) => wanted.has(file.path));
	const [patches, journals, audit] = await Promise.all([
		seams.reader.patches(report.run.mergeBase, report.run.head, files),
		readJournals(report),
		readAuditStatus(report, seams.auditFile),
	]);
	return {
		html: renderHtmlReport({ report, patches, journals, audit, redact: seams.redact }),
		sarif: renderSarif(report, { toolVersion: VERSION, ...(repositoryUrl === undefined ? {} : { repositoryUrl }) }),
		junit: renderJunit(report, { failOn }),
	};
}

/** Writes all three beside the JSON report. A form that cannot be rendered is a warning: the review itself is out by then. */
export async function saveReportFiles(input: ReportFilesInput, seams: Pick<PipelineSeams, "artifacts" | "log">): Promise<void> {
	try {
		const { html, sarif, junit } = await renderReportFiles(input);
		await Promise.all([
			seams.artifacts.write("report.html", html),
			seams.artifacts.write("report.sarif", sarif),
			seams.artifacts.write("report.junit.xml", junit),
		]);
	} catch (error) {
		seams.log.warning(`the HTML, SARIF and JUnit reports could not be written: ${errorText(error)}`);
	}
}
