import type { FilePatch } from "../../../src/domain/change-set.ts";
import type { JournalEntry, JournalEvent } from "../../../src/domain/journal-entry.ts";
import type { ReportFinding, RunReport } from "../../../src/domain/run-report.ts";
import type { Usage } from "../../../src/domain/usage.ts";
import type { HtmlReportInput } from "../../../src/publish/render/html/render-html-report.ts";
import { BASE, HEAD, patchOf } from "../../synthesis/build-fixtures.ts";

const START = Date.parse("2026-03-04T09:12:30.000Z");

export function reportFinding(more: Partial<ReportFinding> = {}): ReportFinding {
	return {
		id: "R7K2",
		fingerprint: "5f".repeat(16),
		path: "src/a.ts",
		side: "RIGHT",
		startLine: 5,
		endLine: 5,
		tier: "inline",
		severity: "important",
		category: "bug",
		title: "The constant is wrong",
		body: "It should be 6.",
		confidence: 92,
		evidence: { kind: "traced", detail: "read the caller" },
		sources: ["moe-typescript-1"],
		state: "new",
		...more,
	};
}

export function reportFile(path: string, more: Partial<RunReport["files"][number]> = {}): RunReport["files"][number] {
	return { path, status: "modified", additions: 3, deletions: 1, binary: false, assigned: "typescript", state: "reviewed", ...more };
}

export function reportAgent(session: string, more: Partial<RunReport["agents"][number]> = {}): RunReport["agents"][number] {
	return {
		name: session.split("-")[1] ?? session,
		kind: "specialist",
		session,
		model: "claude-sonnet-5-5",
		status: "completed",
		stopReason: "done",
		steps: 4,
		toolUses: 9,
		usage: { input: 4_200, cacheWrite: 9_100, cacheRead: 31_400, output: 2_300 },
		costUsd: 0.0731,
		durationMs: 41_200,
		reason: "2 files of this language changed",
		summary: "The change is small and the tests cover most of it.",
		open: [],
		...more,
	};
}

export function runReport(more: Partial<RunReport> = {}): RunReport {
	return {
		version: 1,
		run: {
			id: "42",
			trigger: "pull_request",
			base: BASE,
			head: HEAD,
			mergeBase: BASE,
			provider: "anthropic",
			startedAt: "2026-03-04T09:12:30.000Z",
			endedAt: "2026-03-04T09:13:41.500Z",
		},
		verdict: { state: "findings", sentence: "1 important finding in 1 of 1 changed files." },
		files: [reportFile("src/a.ts")],
		findings: [reportFinding()],
		dismissed: [],
		agents: [reportAgent("moe-typescript-1")],
		usage: { input: 4_200, cacheWrite: 9_100, cacheRead: 31_400, output: 2_300, costUsd: 0.0731 },
		refused: [],
		trustDiff: [],
		notes: [],
		audit: { entries: 3, head: null },
		...more,
	};
}

export function htmlInput(more: Partial<HtmlReportInput> = {}): HtmlReportInput {
	return { report: runReport(), patches: [], journals: [], audit: { state: "absent" }, redact: (text) => text, ...more };
}

/** Records of one child with times in seconds after the run's start. */
export function journalOf(events: readonly (readonly [seconds: number, event: JournalEvent])[]): readonly JournalEntry[] {
	return events.map(([seconds, event], index) => ({ v: 1, seq: index + 1, at: new Date(START + seconds * 1_000).toISOString(), ...event }));
}

export function sessionStarted(session: string, parent: string | null = "run-42"): JournalEvent {
	return {
		type: "session.started",
		session,
		parent,
		parentCall: null,
		agent: session,
		agentId: session,
		name: null,
		depth: parent === null ? 0 : 1,
		base: BASE,
		head: HEAD,
		definitionHash: null,
		policyHash: null,
	};
}

export function modelCall(
	step: number,
	durationMs: number,
	more: { readonly failure?: string; readonly usage?: Usage } = {},
): JournalEvent {
	const usage = more.usage ?? { input: 900, cacheWrite: 2_000, cacheRead: 8_000, output: 600 };
	return {
		type: "model.call",
		step,
		model: "claude-sonnet-5-5",
		usage,
		stop: more.failure === undefined ? "tool-use" : "error",
		durationMs,
		attempts: 1,
		...(more.failure === undefined ? {} : { failure: more.failure }),
		purpose: "step",
	};
}

/** A call with its answer: message, record and result, `seconds` after the run's start. */
export function toolCall(
	seconds: number,
	call: {
		readonly id: string;
		readonly name: string;
		readonly input: unknown;
		readonly result: string;
		readonly durationMs: number;
		readonly error?: true;
		readonly say?: string;
	},
): readonly (readonly [number, JournalEvent])[] {
	const text = call.say === undefined ? [] : [{ type: "text" as const, text: call.say }];
	const before = seconds - call.durationMs / 1_000;
	return [
		[
			before,
			{
				type: "message",
				role: "assistant",
				message: { role: "assistant", content: [...text, { type: "tool-use", id: call.id, name: call.name, input: call.input }] },
			},
		],
		[before, { type: "tool.call", call: call.id, tool: call.name, input: call.input }],
		[
			seconds,
			{
				type: "tool.result",
				call: call.id,
				tool: call.name,
				isError: call.error === true,
				chars: call.result.length,
				durationMs: call.durationMs,
			},
		],
		[
			seconds,
			{
				type: "message",
				role: "user",
				message: { role: "user", content: [{ type: "tool-result", toolUseId: call.id, content: call.result }] },
			},
		],
	];
}

export function childJournal(session: string, from: number, steps: number): readonly JournalEntry[] {
	const events: (readonly [number, JournalEvent])[] = [
		[from, sessionStarted(session)],
		[
			from,
			{ type: "run.started", run: 1, model: "claude-sonnet-5-5", task: "Review the change to the queue.", files: ["go/dispatch/queue.go"] },
		],
		[
			from,
			{
				type: "message",
				role: "user",
				message: { role: "user", content: [{ type: "text", text: "Review these files.\n\n- go/dispatch/queue.go (+6 -2)" }] },
			},
		],
	];
	let at = from;
	for (let step = 1; step <= steps; step += 1) {
		at += 3 + ((step * 7 + from) % 5);
		events.push([at, modelCall(step, 2_600 + ((step * 631) % 1_900))]);
		at += 0.4;
		events.push(
			...toolCall(at + (step % 3), {
				id: `call_${step}`,
				name: step % 3 === 0 ? "find_references" : "read_file",
				input: { path: "go/dispatch/queue.go", offset: step * 20 },
				result: "1\t// Package dispatch hands parcels to couriers.\n2\tpackage dispatch\n",
				durationMs: (step % 3) * 900 + 80,
				...(step === 3 ? { error: true as const } : {}),
				...(step === 1 ? { say: "I read the queue first, because `Pop` changed." } : {}),
			}),
		);
		at += step % 3;
	}
	events.push([
		at + 1.5,
		{ type: "end", status: "completed", stopReason: "done", steps, usage: { input: 1, cacheWrite: 1, cacheRead: 1, output: 1 } },
	]);
	return journalOf(events);
}

export const GO_PATCH: FilePatch = patchOf(
	"go/dispatch/queue.go",
	[
		"@@ -28,16 +28,20 @@ func (q *Queue) Push(p Parcel) {",
		" \tq.waiting = append(q.waiting, p)",
		" }",
		" ",
		" // Pop takes the parcel that has waited longest.",
		" func (q *Queue) Pop() (Parcel, error) {",
		"-\tq.mu.Lock()",
		"-\tdefer q.mu.Unlock()",
		" \tif len(q.waiting) == 0 {",
		" \t\treturn Parcel{}, ErrEmpty",
		" \t}",
		"+\tq.mu.Lock()",
		"+\tdefer q.mu.Unlock()",
		" \tfirst := q.waiting[0]",
		" \tq.waiting = q.waiting[1:]",
		"+\tq.handed++ // counted for the metrics endpoint",
		' \tlog.Printf("handed %s to a courier", first.ID)',
		" \treturn first, nil",
		" }",
		"",
	].join("\n"),
);

const TS_PATCH: FilePatch = patchOf(
	"typescript/src/rates.ts",
	[
		"@@ -14,7 +14,9 @@ export async function loadRates(database: Database)",
		" /** Changes the price of one zone. */",
		" export async function changeRate(database: Database, zone: string, cents: number): Promise<void> {",
		'-\tawait database.run("update rates set cents = ? where zone = ?", [cents, zone]);',
		// biome-ignore lint/suspicious/noTemplateCurlyInString: it is text that looks like a template
		"+\tconst statement = `update rates set cents = ${cents} where zone = '${zone}'`;",
		"+\tdatabase.run(statement);",
		"+\tconst changed = await loadRates(database);",
		" }",
		" ",
		" export const FREE_ABOVE = 5_000;",
		"",
	].join("\n"),
);

const PYTHON_PATCH: FilePatch = patchOf(
	"python/report/totals.py",
	[
		"@@ -9,9 +9,8 @@ def total(rows):",
		" def total(rows: list[Row]) -> Decimal:",
		'     """Adds up the rows.',
		" ",
		"     Refunds are negative and stay in.",
		'     """',
		"-    if not rows:",
		"-        return Decimal(0)",
		"+    # one pass is enough",
		"     return sum(row.amount for row in rows) / len(rows)",
		" ",
		"",
	].join("\n"),
);

/** A run as a maintainer would meet it: five languages, all severities, a failed child, a trust diff. */
export function sampleInput(): HtmlReportInput {
	const findings: readonly ReportFinding[] = [
		reportFinding({
			id: "K4QT",
			path: "typescript/src/rates.ts",
			startLine: 16,
			endLine: 17,
			severity: "critical",
			category: "security",
			title: "The zone from the request goes into the SQL text",
			body: "`changeRate` builds the statement with a template, so a zone of `x' or '1'='1` changes **every** row. The two callers in `routes.ts` pass the request's parameter as it comes:\n\n```ts\nawait changeRate(database, request.params.zone, Number(request.body.cents));\n```\n\n- the old code bound both values\n- nothing in between checks the zone",
			suggestion: '\tawait database.run("update rates set cents = ? where zone = ?", [cents, zone]);',
			confidence: 98,
			evidence: { kind: "reproduced", detail: "a test with the zone `x' or '1'='1` is red on head and green on base" },
			sources: ["moe-typescript-1", "agent-security-1"],
		}),
		reportFinding({
			id: "R7K2",
			path: GO_PATCH.path,
			startLine: 33,
			endLine: 37,
			severity: "important",
			category: "concurrency",
			title: "The length is read before the lock is taken",
			body: "Two goroutines can both see one waiting parcel; the second then reads `q.waiting[0]` of an empty slice and panics. Take the lock first, as before.",
			confidence: 95,
			evidence: { kind: "traced", detail: "Push and Pop are called from several goroutines in courier.go" },
			sources: ["moe-go-1"],
			state: "open",
		}),
		reportFinding({
			id: "M2XD",
			path: PYTHON_PATCH.path,
			side: "LEFT",
			startLine: 14,
			endLine: 15,
			severity: "important",
			category: "error-handling",
			title: "Without this check an empty day divides by zero",
			body: "The report runs each night, also when nothing was sold.",
			confidence: 90,
			sources: ["moe-python-1"],
		}),
		reportFinding({
			id: "B8WN",
			path: "typescript/src/rates.ts",
			startLine: 18,
			endLine: 18,
			severity: "minor",
			category: "performance",
			title: "All rates are loaded and thrown away",
			body: "The result is never read.",
			sources: ["moe-typescript-1"],
		}),
		reportFinding({
			id: "T5HC",
			path: "docs/rates.md",
			startLine: 0,
			endLine: 0,
			tier: "body",
			severity: "nit",
			category: "documentation",
			title: "The page still describes bound parameters",
			body: "The page still describes bound parameters",
			sources: ["generalist-1"],
		}),
		reportFinding({ id: "Z9PL", title: "The queue counted handed parcels twice", path: GO_PATCH.path, severity: "minor", state: "fixed" }),
	];
	const agents: RunReport["agents"] = [
		reportAgent("moe-go-1", { steps: 6, toolUses: 6, durationMs: 47_100 }),
		reportAgent("moe-typescript-1", {
			steps: 5,
			toolUses: 5,
			usage: { input: 6_900, cacheWrite: 0, cacheRead: 52_300, output: 4_100 },
			costUsd: 0.0982,
		}),
		reportAgent("moe-python-1", {
			steps: 3,
			toolUses: 3,
			usage: { input: 2_100, cacheWrite: 0, cacheRead: 22_000, output: 900 },
			costUsd: 0.0264,
			open: ["The fixtures of the nightly report were not read."],
		}),
		reportAgent("agent-security-1", {
			kind: "reviewer",
			status: "partial",
			stopReason: "max_steps",
			steps: 4,
			costUsd: null,
			error: "it reached 4 steps",
		}),
	];
	return {
		report: runReport({
			verdict: { state: "partial", sentence: "One critical and two important findings; 2 of 7 changed files were not read whole." },
			findings,
			agents,
			usage: { input: 17_400, cacheWrite: 18_200, cacheRead: 137_100, output: 9_600, costUsd: 0.2708 },
			files: [
				reportFile(GO_PATCH.path, { assigned: "go", additions: 3, deletions: 2 }),
				reportFile("typescript/src/rates.ts", { additions: 3 }),
				reportFile("typescript/src/routes.ts", {
					previousPath: "typescript/src/server.ts",
					status: "renamed",
					additions: 12,
					deletions: 11,
				}),
				reportFile(PYTHON_PATCH.path, { assigned: "python", additions: 1, deletions: 2 }),
				reportFile("docs/rates.md", { assigned: "generalist", state: "partial", reason: "the agent stopped at its step limit" }),
				reportFile("assets/logo.png", { assigned: null, binary: true, state: "skipped", reason: "binary" }),
				reportFile(".claude/agents/security.md", { assigned: "generalist", additions: 2, deletions: 1 }),
			],
			dismissed: [
				{
					finding: reportFinding({
						id: "Q3VV",
						severity: "minor",
						title: "`Number` may give NaN",
						body: "The body's cents are not checked.",
					}),
					reason: "refuted: the route's schema takes whole numbers only",
				},
				{
					finding: reportFinding({ id: "H6YS", severity: "nit", title: "Prefer const", body: "Style." }),
					reason: "confidence 61 is below 80",
				},
			],
			trustDiff: [
				{
					path: ".claude/agents/security.md",
					kind: "agent",
					change: "changed",
					text: "Gives the agent a shell.",
					attention: true,
					agent: {
						name: "security",
						toolsAdded: ["bash"],
						toolsRemoved: [],
						gains: ["execute"],
						fields: [{ field: "maxTurns", from: "20", to: "60" }],
						promptChanged: true,
					},
					patch: "@@ -1,5 +1,6 @@\n name: security\n-maxTurns: 20\n+maxTurns: 60\n+tools: Read, Bash\n",
				},
			],
			refused: [
				{ code: "E_POLICY", count: 2, text: "`git push` is denied by policy" },
				{ code: "E_LINK", count: 1, text: "links or images to other hosts were made inert" },
			],
			notes: ["The sandbox was used for all children."],
		}),
		patches: [GO_PATCH, TS_PATCH, PYTHON_PATCH],
		journals: [
			journalOf([
				[0, sessionStarted("run-42", null)],
				[
					0.5,
					{
						type: "agent.started",
						call: null,
						agent: "go",
						agentId: "a1",
						session: "moe-go-1",
						model: "claude-sonnet-5-5",
						background: false,
						description: "",
					},
				],
				[
					70,
					{ type: "end", status: "completed", stopReason: "done", steps: 0, usage: { input: 0, cacheWrite: 0, cacheRead: 0, output: 0 } },
				],
			]),
			childJournal("moe-go-1", 2, 6),
			childJournal("moe-typescript-1", 2.4, 5),
			childJournal("moe-python-1", 3, 3),
			childJournal("agent-security-1", 24, 4),
		],
		audit: { state: "verified", entries: 128, head: "9f2c".repeat(16) },
		redact: (text) => text,
	};
}
