import * as z from "zod";
import { CATEGORIES, type ChildReport, SEVERITIES, type Severity } from "../domain/finding.ts";
import type { Tool, ToolOutput } from "../seams.ts";
import { defineTool } from "./define-tool.ts";
import { mendReport } from "./mend-report.ts";

const line = z.int().min(1).optional();

const finding = z
	.object({
		path: z.string().min(1).max(4096),
		quote: z.string().max(4_000).optional(),
		startLine: line,
		endLine: line,
		side: z.enum(["LEFT", "RIGHT"]).optional().meta({ unlisted: true }),
		severity: z.enum(SEVERITIES as [Severity, ...Severity[]]),
		category: z.enum(CATEGORIES),
		title: z.string().min(1).max(300),
		body: z.string().min(1).max(20_000),
		suggestion: z.string().max(20_000).optional(),
		confidence: z.int().min(0).max(100),
		evidence: z.object({ kind: z.enum(["reproduced", "traced", "stated"]), detail: z.string().max(10_000) }),
	})
	.refine((value) => value.endLine === undefined || value.startLine === undefined || value.endLine >= value.startLine, {
		message: "endLine lies before startLine",
	});

const schema = z.object({
	summary: z.string().min(1).max(20_000),
	findings: z.array(finding).max(100),
	open: z.array(z.string().max(2_000)).max(100).default([]),
});

/**
 * Ends a child's work with a report of fixed shape (X-01). `data` is the `ChildReport`. Nothing is checked against the
 * code here; that is done when reports are joined.
 */
export function createSubmitReport(): Tool {
	return defineTool({
		name: "submit_report",
		description: "Ends your work.",
		schema,
		effect: "none",
		timeoutMs: 5_000,
		mend: mendReport,
		async run(input): Promise<ToolOutput> {
			const report: ChildReport = {
				summary: input.summary,
				open: input.open,
				findings: input.findings.map(({ quote, startLine, endLine, side, suggestion, ...rest }) => ({
					...rest,
					...(quote === undefined || quote === "" ? {} : { quote }),
					...(startLine === undefined ? {} : { startLine }),
					...(endLine === undefined ? {} : { endLine }),
					...(side === undefined ? {} : { side }),
					...(suggestion === undefined ? {} : { suggestion }),
				})),
			};
			const count = report.findings.length;
			return { content: `Report taken: ${count === 1 ? "1 finding" : `${count} findings`}.`, data: report };
		},
	});
}
