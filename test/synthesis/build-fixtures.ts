import type { ChangedFile, ChangeSet, DiffLine, FilePatch, Hunk } from "../../src/domain/change-set.ts";
import type { AgentDefinition } from "../../src/domain/agent.ts";
import type { SubagentReport } from "../../src/domain/child-run.ts";
import type { ReportedFinding } from "../../src/domain/finding.ts";
import type { ReviewPlan } from "../../src/domain/review-plan.ts";
import type { Settings } from "../../src/domain/settings.ts";
import { indexChangedPaths } from "../../src/synthesis/changed-paths.ts";
import type { AnchorContext } from "../../src/synthesis/anchor.ts";
import { synthesize, type SynthesisInput } from "../../src/synthesis/synthesize.ts";

export const BASE = "1".repeat(40);
export const HEAD = "2".repeat(40);

export const review: Settings["review"] = {
	auto: true,
	drafts: false,
	labels: [],
	paths: [],
	pathsIgnore: [],
	minConfidence: 80,
	maxInline: 8,
	maxInlinePerPullRequest: 20,
	maxRunsPerDay: 50,
	maxReviewers: 4,
	failOn: "never",
	verify: true,
	facts: "model",
	suggestions: true,
	overview: false,
	reviewers: [],
};

export function changedFile(path: string, more: Partial<ChangedFile> = {}): ChangedFile {
	return {
		path,
		status: "modified",
		oldMode: "100644",
		newMode: "100644",
		oldBlob: "a".repeat(40),
		newBlob: "b".repeat(40),
		binary: false,
		additions: 1,
		deletions: 0,
		...more,
	};
}

export function patchOf(path: string, text: string): FilePatch {
	const hunks: Hunk[] = [];
	let lines: DiffLine[] = [];
	let oldLine = 0;
	let newLine = 0;
	for (const raw of text.replace(/\n$/, "").split("\n")) {
		const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/.exec(raw);
		if (header !== null) {
			lines = [];
			oldLine = Number(header[1]);
			newLine = Number(header[3]);
			hunks.push({
				oldStart: oldLine,
				oldLines: Number(header[2] ?? 1),
				newStart: newLine,
				newLines: Number(header[4] ?? 1),
				section: header[5] ?? "",
				lines,
			});
			continue;
		}
		const body = raw.slice(1);
		if (raw.startsWith("+")) lines.push({ kind: "added", text: body, newLine: newLine++ });
		else if (raw.startsWith("-")) lines.push({ kind: "deleted", text: body, oldLine: oldLine++ });
		else lines.push({ kind: "context", text: body, oldLine: oldLine++, newLine: newLine++ });
	}
	return { path, binary: false, hunks };
}

export function reported(more: Partial<ReportedFinding> & { path: string }): ReportedFinding {
	return {
		severity: "important",
		category: "bug",
		title: "Something is wrong",
		body: "It is wrong because of this.",
		confidence: 95,
		evidence: { kind: "traced", detail: "read it" },
		...more,
	};
}

export function agent(name: string): AgentDefinition {
	return {
		name,
		description: name,
		kind: "specialist",
		tier: "built-in",
		prompt: "",
		tools: [],
		disallowedTools: [],
		memory: true,
		skills: [],
		background: false,
		oneShot: false,
	};
}

export function planFor(
	assignments: Readonly<Record<string, readonly string[]>>,
	skippedFiles: ReviewPlan["skippedFiles"] = [],
): ReviewPlan {
	return {
		assignments: Object.entries(assignments).map(([name, files]) => ({
			agent: agent(name),
			files: files.map((path) => ({ path, additions: 1, deletions: 0 })),
			task: "review",
			limits: { maxSteps: 20, tokenBudget: 150_000, timeoutMs: 300_000, answerChars: 20_000 },
			reason: `${files.length} files of ${name}`,
			access: "read",
		})),
		skippedFiles,
		languages: {},
		skippedAgents: [],
		notes: [],
	};
}

export function childReport(
	name: string,
	files: readonly string[],
	more: Partial<SubagentReport> & { findings?: readonly ReportedFinding[] } = {},
): SubagentReport {
	const { findings = [], ...rest } = more;
	return {
		agent: name,
		kind: "specialist",
		session: `moe-${name}-1`,
		model: "claude-sonnet-5-5",
		status: "completed",
		stopReason: "done",
		report: { summary: `${name} is done`, findings, open: [] },
		text: `${name} is done`,
		steps: 2,
		toolUses: 3,
		usage: { input: 1000, cacheWrite: 200, cacheRead: 3000, output: 150 },
		contextTokens: 2500,
		costUsd: 0.02,
		durationMs: 1500,
		files,
		filesRead: files,
		reason: `${files.length} files`,
		refused: [],
		...rest,
	};
}

export function anchorContext(
	files: readonly ChangedFile[],
	patches: readonly FilePatch[],
	texts: Readonly<Record<string, string>>,
): AnchorContext {
	return {
		paths: indexChangedPaths(files),
		patches: new Map(patches.map((patch) => [patch.path, patch])),
		headText: (path) => texts[path],
	};
}

export function changeSetOf(files: readonly ChangedFile[]): ChangeSet {
	return { mergeBase: BASE, head: HEAD, files };
}

/** One changed file `a.ts` with ten lines, of which 4 to 6 are in the only hunk. */
export const SAMPLE_TEXT = Array.from({ length: 10 }, (_, index) => `const line${index + 1} = ${index + 1};`).join("\n");
export const SAMPLE_PATCH = "@@ -4,2 +4,3 @@\n const line4 = 4;\n+const line5 = 5;\n const line6 = 6;\n";

export async function synthesizeSample(findings: readonly ReportedFinding[], more: Partial<SynthesisInput> = {}) {
	return synthesize({
		changeSet: changeSetOf([changedFile("a.ts")]),
		plan: planFor({ typescript: ["a.ts"] }),
		reports: [childReport("typescript", ["a.ts"], { findings })],
		patches: [patchOf("a.ts", SAMPLE_PATCH)],
		readHead: async (path) => (path === "a.ts" ? SAMPLE_TEXT : undefined),
		settings: { review },
		...more,
	});
}
