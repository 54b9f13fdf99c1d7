import type { Fact, FactKind, ParsedDiagnosis } from "../../domain/diagnosis.ts";
import type { Category, ChildReport, Evidence, ReportedFinding } from "../../domain/finding.ts";

/** What a kind of fact becomes. One line a kind; the words are for the person who has to fix it. */
interface FindingForm {
	readonly category: Category;
	readonly confidence: number;
	readonly title: (fact: Fact) => string;
	readonly advice: string;
	readonly evidence: (fact: Fact) => Evidence;
}

const FORMS: Readonly<Record<FactKind, FindingForm>> = {
	"syntax-error": {
		category: "bug",
		confidence: 97,
		title: (fact) => (/^syntax\/(json|yaml)$/.test(fact.rule) ? "File can no longer be read" : "File no longer parses"),
		advice: "Everything that builds, imports or reads this file fails until it is fixed.",
		evidence: (fact) => ({
			kind: "reproduced",
			detail: `${fact.rule}: parsed the version before and after; the error is only in the new one, at line ${fact.line}.`,
		}),
	},
	"conflict-marker": {
		category: "bug",
		confidence: 99,
		title: () => "Unresolved merge conflict",
		advice: "Keep the lines that are wanted and delete the markers.",
		evidence: (fact) => ({
			kind: "traced",
			detail: `Conflict markers stand at the start of lines ${fact.line} and ${fact.endLine}, added by this change.`,
		}),
	},
	secret: {
		category: "security",
		confidence: 92,
		title: () => "Credential in the source",
		advice: "Revoke it first: it is in the branch's history even after it is removed. Then read it from the environment or a secret store.",
		evidence: (fact) => ({ kind: "traced", detail: `${fact.rule} matched on line ${fact.line}, which this change adds.` }),
	},
	"focused-test": {
		category: "test",
		confidence: 97,
		title: () => "Only this test runs",
		advice: "Remove the focus before merging.",
		evidence: (fact) => ({
			kind: "traced",
			detail: `${fact.rule}: the call is in the syntax tree at line ${fact.line}, and not in the version before.`,
		}),
	},
	"skipped-test": {
		category: "test",
		confidence: 85,
		title: () => "Test switched off",
		advice: "If that is meant to be, say why and until when; otherwise let it run again and fix what it shows.",
		evidence: (fact) => ({
			kind: "traced",
			detail: `${fact.rule}: the mark is in the syntax tree at line ${fact.line}, and not in the version before.`,
		}),
	},
	"removed-use": {
		category: "bug",
		confidence: 92,
		title: () => "Still used after this change removed it",
		advice: "Keep the old name, or change this use with it.",
		evidence: (fact) => ({ kind: "traced", detail: `${fact.rule}: ${fact.trace ?? "followed from the use to the definition"}` }),
	},
	"stale-call": {
		category: "bug",
		confidence: 90,
		title: () => "Call does not fit the changed parameters",
		advice: "Change this call with them, or give the new parameters defaults.",
		evidence: (fact) => ({ kind: "traced", detail: `${fact.rule}: ${fact.trace ?? "followed from the call to the definition"}` }),
	},
};

/** The report of a diagnosis: a finding a fact, and in words what was and what was not looked at. */
export function buildReport(diagnosis: ParsedDiagnosis): ChildReport {
	const findings = diagnosis.facts.map(toFinding);
	const ran = Object.keys(diagnosis.checks ?? {});
	const summary = [
		`Fixed checks without a language model: ${ran.join(", ") || "none fitted the files"}.`,
		`${diagnosis.checked === 1 ? "1 file was" : `${diagnosis.checked} files were`} checked, with ${findings.length === 1 ? "1 finding" : `${findings.length} findings`}.`,
		"What the code means was not judged.",
	].join(" ");
	const open = [
		...diagnosis.notChecked.map((row) => `${row.path} was not checked: ${row.reason}`),
		...diagnosis.notes,
		...(diagnosis.shortened ? ["The list of facts was cut for length; more may be there."] : []),
	];
	return { summary, findings, open: open.slice(0, 100).map((text) => text.slice(0, 1_000).toWellFormed()) };
}

/** The report of a child whose checks could not run: no findings, and never "no issues". */
export function buildReportWithoutChecks(reason: string | undefined): ChildReport {
	const why = reason === undefined ? "the diagnose tool is not available to this agent" : reason.slice(0, 500).toWellFormed();
	return {
		summary: "No language model is configured and the fixed checks did not run, so nothing was reviewed.",
		findings: [],
		open: [`The checks did not run: ${why}`],
	};
}

/** A fact in the words of a report. */
export function toFinding(fact: Fact): ReportedFinding {
	const form = FORMS[fact.kind];
	return {
		path: fact.path,
		...(fact.quote === "" ? {} : { quote: fact.quote }),
		startLine: fact.line,
		endLine: fact.endLine,
		side: "RIGHT",
		severity: fact.severity,
		category: form.category,
		title: form.title(fact),
		body: `${fact.message} ${form.advice}`,
		...(fact.replacement === undefined ? {} : { suggestion: fact.replacement }),
		confidence: form.confidence,
		evidence: form.evidence(fact),
	};
}
