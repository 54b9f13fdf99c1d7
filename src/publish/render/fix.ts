import type { CheckResult, LanguageChecks } from "../../domain/checks.ts";
import type { FixedFinding, FixReport } from "../../domain/fix.ts";
import type { PatchRisk, Proof } from "../../domain/patch.ts";
import { formatCost, formatDuration, plural, shortSha } from "./format.ts";
import { code, details, fence, table } from "./markdown.ts";

type CleanLine = (text: string) => string;

/** The reply to `/fix`: what was done, finding by finding, what showed it, and the patch where a person has to take over. */
export function renderFix(report: FixReport, cleanLine: CleanLine): string {
	const problems = report.problems.map((problem) => `- ${problem.code}: ${cleanLine(problem.text)}`);
	const parts = [
		renderOutcome(report, cleanLine),
		problems.join("\n"),
		renderFindings(report.findings, cleanLine),
		report.proof === undefined ? "" : renderProof(report.proof, cleanLine),
		renderRisks(report.risks ?? [], cleanLine),
		renderReview(report, cleanLine),
		report.notes.map((note) => `- ${cleanLine(note)}`).join("\n"),
		report.patch === undefined
			? ""
			: details(
					`The patch for ${shortSha(report.head)}`,
					`Apply it with \`git apply\`.\n\n${fence(report.patch.replace(/\n$/, ""), "diff")}`,
				),
		report.costUsd === 0 ? "" : `<sub>${formatCost(report.costUsd)}.</sub>`,
	];
	return parts.filter((part) => part !== "").join("\n\n");
}

/** The body of a pull request of ours. */
export function renderProposalBody(
	fix: {
		readonly findings: readonly FixedFinding[];
		readonly risks: readonly PatchRisk[];
		readonly proof: Proof;
		readonly number: number;
		readonly requestedBy: string;
	},
	cleanLine: CleanLine,
): string {
	return [
		`Fixes for pull request ${fix.number}, asked for by ${code(fix.requestedBy)}. Merging this puts them on its branch.`,
		renderFindings(fix.findings, cleanLine),
		renderProof(fix.proof, cleanLine),
		renderRisks(fix.risks, cleanLine),
	]
		.filter((part) => part !== "")
		.join("\n\n");
}

function renderOutcome(report: FixReport, cleanLine: CleanLine): string {
	const { state, branch = "", commit = "", signed, head, files } = report;
	const reason = cleanLine(report.reason ?? "");
	const what = `${plural(files.length, "file")}, +${sum(files, "additions")} −${sum(files, "deletions")}`;
	switch (state) {
		case "pushed":
			return `Pushed \`${shortSha(commit)}\`${signed === true ? ", signed," : ""} to ${code(branch)} (${what}).`;
		case "proposed": {
			const link = report.pullRequest === undefined ? "" : `: ${report.pullRequest}`;
			return `Pushed \`${shortSha(commit)}\`${signed === true ? ", signed," : ""} to the new branch ${code(branch)} (${what})${link}.`;
		}
		case "held":
			return `Nothing was pushed${report.code === undefined ? "" : ` (${report.code})`}: ${reason.replace(/[.\s]+$/, "")}.`;
		case "nothing":
			return `There is no fix for \`${shortSha(head)}\`: ${reason.replace(/[.\s]+$/, "")}.`;
	}
}

function sum(files: FixReport["files"], key: "additions" | "deletions"): number {
	return files.reduce((total, file) => total + file[key], 0);
}

function renderFindings(findings: readonly FixedFinding[], cleanLine: CleanLine): string {
	return findings
		.map(({ finding, state, note, by }) => {
			const said = note === "" ? "" : `: ${cleanLine(note)}`;
			const who = by === undefined ? "" : ` (${code(by)})`;
			return `- ${finding.id} ${state === "fixed" ? "fixed" : "not fixed"}${who}, ${cleanLine(finding.title)}, in ${code(finding.path)}${said}`;
		})
		.join("\n");
}

/** Output of the repository's own programs: fenced, so that nothing in it acts. */
function renderProof(proof: Proof, cleanLine: CleanLine): string {
	const rows = proof.after.flatMap((checks) => checks.results.map((result) => row(result, checks, proof.before)));
	const red = proof.after.flatMap((checks) =>
		checks.results.filter((result) => result.outcome === "failed" || result.outcome === "timed out"),
	);
	const outputs = red.slice(0, 2).map((result) => details(`Output of ${result.command}`, fence(tail(result.output))));
	const shown = rows.length === 0 ? "" : table(["Check", "Before", "With the patch"], rows);
	return [cleanLine(proof.sentence), shown, ...outputs].filter((part) => part !== "").join("\n\n");
}

function renderRisks(risks: readonly PatchRisk[], cleanLine: CleanLine): string {
	return risks.length === 0 ? "" : ["To look at:", ...risks.map((risk) => `- ${cleanLine(risk.text)}`)].join("\n");
}

function row(result: CheckResult, { language, folder }: LanguageChecks, before: readonly LanguageChecks[]): readonly string[] {
	const then = before
		.find((each) => each.language === language && each.folder === folder)
		?.results.find((each) => each.kind === result.kind && each.command === result.command);
	const where = folder === "" ? "" : ` in ${code(folder)}`;
	return [`${code(result.command)}${where}`, then === undefined ? "–" : describe(then), describe(result)];
}

function describe({ outcome, counts, durationMs }: CheckResult): string {
	const tests = counts === undefined ? "" : `, ${counts.passed} passed${counts.failed > 0 ? `, ${counts.failed} failed` : ""}`;
	return `${outcome}${tests}, ${formatDuration(durationMs)}`;
}

const OUTPUT_CHARS = 3_000;

function tail(text: string): string {
	return text.length <= OUTPUT_CHARS ? text : `…${text.slice(-OUTPUT_CHARS).toWellFormed()}`;
}

function renderReview({ review }: FixReport, cleanLine: CleanLine): string {
	if (review === undefined) return "";
	if (review.kind === "none") return `The new head was not reviewed: ${cleanLine(review.reason)}.`;
	return `Reviewed the new head: ${cleanLine(review.sentence)}${review.url === "" ? "" : ` [Summary](${review.url}).`}`;
}
