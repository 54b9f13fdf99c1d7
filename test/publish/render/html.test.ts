import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JournalEvent } from "../../../src/domain/journal-entry.ts";
import { renderExcerpt } from "../../../src/publish/render/html/excerpt.ts";
import { createHighlighter } from "../../../src/publish/render/html/highlight.ts";
import { groupSteps } from "../../../src/publish/render/html/journal-steps.ts";
import { html } from "../../../src/publish/render/html/markup.ts";
import { createProseRenderer } from "../../../src/publish/render/html/prose.ts";
import { renderHtmlReport } from "../../../src/publish/render/html/render-html-report.ts";
import { buildLanes } from "../../../src/publish/render/html/timeline.ts";
import { patchOf } from "../../synthesis/build-fixtures.ts";
import { attackInput } from "./attack-report.ts";
import {
	childJournal,
	GO_PATCH,
	htmlInput,
	journalOf,
	modelCall,
	reportAgent,
	reportFile,
	reportFinding,
	runReport,
	sampleInput,
	sessionStarted,
	toolCall,
} from "./build-report-fixtures.ts";

const CANARY = "ghp_canary000000000000000000000000000000";
const tools = { highlighter: createHighlighter(), redact: (text: string) => text };

/** What a reader sees of markup. */
function textOf(markup: string): string {
	return markup
		.replace(/<[^>]*>/g, "")
		.replace(
			/&(lt|gt|quot|#39|#x27|amp);/g,
			(_all, name: string) => ({ lt: "<", gt: ">", quot: '"', "#39": "'", "#x27": "'", amp: "&" })[name] ?? "",
		);
}

describe("HTML report", () => {
	it("is one file whose policy allows its own style and script alone", () => {
		const page = renderHtmlReport(sampleInput());
		const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1]?.replaceAll("&#39;", "'") ?? "";
		const hashOf = (tag: string): string => {
			const found = [...page.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, "g"))];
			expect(found).toHaveLength(1);
			return `'sha256-${createHash("sha256")
				.update(found[0]?.[1] ?? "")
				.digest("base64")}'`;
		};
		expect(policy).toBe(
			`default-src 'none'; style-src ${hashOf("style")}; script-src ${hashOf("script")}; img-src data:; base-uri 'none'; form-action 'none'`,
		);
		expect(page).not.toMatch(/\s(?:src|srcset|action|style)=/);
		expect(
			[...page.matchAll(/\shref="([^"]*)"/g)].map((match) => match[1]).filter((href) => !/^(?:#[\w-]+|data:,)$/.test(href ?? "")),
		).toEqual([]);
	});

	it("gives the same bytes for the same run", () => {
		expect(renderHtmlReport(sampleInput())).toBe(renderHtmlReport(sampleInput()));
	});

	it("A91 no text can become markup: the attacks add not one tag or attribute of their own", () => {
		const page = renderHtmlReport(attackInput());
		const body = page.slice(page.indexOf("<body>"), page.lastIndexOf("<script>"));
		const tags = new Set([...body.matchAll(/<\/?([a-zA-Z][^\s/>]*)/g)].map((match) => match[1]));
		for (const tag of ["script", "img", "iframe", "base", "link", "form", "style", "object", "embed"]) expect(tags).not.toContain(tag);
		const attributes = [...body.matchAll(/<[a-zA-Z][^\s>]*((?:\s+[^\s=>"]+(?:="[^"]*")?)*)\s*\/?>/g)].flatMap((match) =>
			[...(match[1] ?? "").matchAll(/\s+([^\s=>"]+)(?:="[^"]*")?/g)].map((each) => each[1] ?? ""),
		);
		expect(attributes.length).toBeGreaterThan(1_000);
		expect(attributes.filter((name) => /^on|^style$|^src$|^action$/.test(name))).toEqual([]);
	});

	it("A91 any text in a template is read back as itself", () => {
		fc.assert(
			fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), (text) => {
				const { markup } = html`<p title="${text}">${text}</p>`;
				expect(markup).toMatch(/^<p title="[^"<>]*">[^<>]*<\/p>$/);
			}),
		);
	});

	it("A88 links, images, addresses and HTML of a finding's body are shown as text, code is kept", () => {
		const prose = createProseRenderer(createHighlighter());
		const body =
			"See [this](https://evil.example/) ![i](https://evil.example/i.png) <https://evil.example> <b>x</b>\n\n# Head\n\n- `code`\n\n```go\nfunc a() {}\n```";
		const { markup } = prose.blocks(body);
		expect(markup).not.toMatch(/<(?:a|img|b|h1)\b/);
		expect(textOf(markup)).toContain("See [this](https://evil.example/) ![i](https://evil.example/i.png) <https://evil.example> <b>x</b>");
		expect(markup).toContain('<span class="hljs-keyword">func</span>');
		expect(prose.line("a `b` <i>\n# c").markup).toBe("a <code>b</code> &lt;i&gt; # c");
	});

	it("A17 hidden characters in code and prose are seen", () => {
		const patch = patchOf("a.go", "@@ -1,1 +1,2 @@\n line\n+if isAdmin\u202E { // \u2066begin\n");
		const shown = renderExcerpt(reportFinding({ path: "a.go", startLine: 2, endLine: 2 }), patch, tools)?.markup ?? "";
		expect(textOf(shown)).toContain("if isAdmin<U+202E> { // <U+2066>begin");
		expect(shown).not.toMatch(/[\u202E\u2066]/);
	});

	it("A87 secrets in the diff and in a journal are taken out, also on the border of a cut text", () => {
		const patch = patchOf("a.go", `@@ -1,1 +1,2 @@ ${CANARY}\n line\n+key := "${CANARY}"\n`);
		const long = `${"x".repeat(3_990)}${CANARY}`;
		const page = renderHtmlReport(
			htmlInput({
				report: runReport({ findings: [reportFinding({ path: "a.go", startLine: 2, endLine: 2 })] }),
				patches: [patch],
				journals: [
					journalOf([
						[0, sessionStarted("moe-typescript-1")],
						[1, modelCall(1, 10)],
						...toolCall(2, { id: "a", name: "bash", input: CANARY, result: long, durationMs: 1, say: CANARY }),
					]),
				],
				redact: (text) => text.replaceAll(CANARY, "[redacted]"),
			}),
		);
		expect(page).not.toContain("ghp_");
		expect(page).toContain("[redacted]");
	});

	it("shows the diff around the finding's lines on both sides, coloured, and marks them", () => {
		const right = renderExcerpt(reportFinding({ path: GO_PATCH.path, startLine: 33, endLine: 34 }), GO_PATCH, tools)?.markup ?? "";
		const marked = [...right.matchAll(/<span class="l (\w) m">[\s\S]*?<span class="t">([\s\S]*?)\n<\/span><\/span>/g)].map((match) =>
			textOf(match[2] ?? ""),
		);
		expect(marked).toEqual(["\tif len(q.waiting) == 0 {", "\t\treturn Parcel{}, ErrEmpty"]);
		expect(right).toContain('<span class="hljs-keyword">defer</span>');
		const left =
			renderExcerpt(reportFinding({ path: GO_PATCH.path, side: "LEFT", startLine: 33, endLine: 34 }), GO_PATCH, tools)?.markup ?? "";
		expect([...left.matchAll(/class="l d m"/g)]).toHaveLength(2);
		expect(renderExcerpt(reportFinding({ path: GO_PATCH.path, startLine: 900, endLine: 900 }), GO_PATCH, tools)).toBeUndefined();
	});

	it("colours code without changing a character, and closes on each line what it opens there", () => {
		const highlighter = createHighlighter();
		const code = fc.string({
			unit: fc.constantFrom("`", '"', "'", "/*", "*/", "//", "\n", "${", "}", "<", "&", "fn ", "x", '"""', "r#"),
			maxLength: 60,
		});
		fc.assert(
			fc.property(code, fc.constantFrom("go", "java", "javascript", "python", "rust", "typescript"), (text, language) => {
				const lines = highlighter.lines(text, language);
				expect(lines.map(textOf).join("\n")).toBe(text);
				for (const line of lines) expect([...line.matchAll(/<span /g)].length).toBe([...line.matchAll(/<\/span>/g)].length);
			}),
			{ numRuns: 300 },
		);
	});

	it("draws a lane a child with its calls in time, from the journals alone", () => {
		const lanes = buildLanes(sampleInput().report, sampleInput().journals);
		expect(lanes.map((lane) => lane.session)).toEqual(["moe-go-1", "moe-typescript-1", "moe-python-1", "agent-security-1"]);
		expect(lanes.map((lane) => lane.segments.length)).toEqual([12, 10, 6, 8]);
		for (const lane of lanes) for (const segment of lane.segments) expect(segment.end).toBeLessThanOrEqual(lane.end);
		const page = renderHtmlReport(sampleInput());
		expect([...page.matchAll(/<svg class="lane"/g)]).toHaveLength(4);
		const without = renderHtmlReport(htmlInput());
		expect(without).toContain("there is no timeline");
	});

	it("groups a journal by step with each call's input, result and denial; a torn one gives what is there", () => {
		const denied: JournalEvent = { type: "permission.denied", call: "b", tool: "bash", code: "E_POLICY", by: "policy", reason: "git push" };
		const entries = journalOf([
			[0, sessionStarted("a")],
			[1, modelCall(1, 10)],
			...toolCall(2, { id: "a", name: "grep", input: { pattern: "x" }, result: "none", durationMs: 5, say: "I look." }),
			[3, modelCall(2, 10)],
			[3, { type: "tool.call", call: "b", tool: "bash", input: { command: "git push" } }],
			[3, denied],
		]);
		const steps = groupSteps(entries).filter((item) => item.kind === "step");
		expect(steps.map((step) => [step.title, step.texts, step.tools.map((tool) => [tool.name, tool.result, tool.failed])])).toEqual([
			["Step 1", ["I look."], [["grep", "none", false]]],
			["Step 2", [], [["bash", undefined, true]]],
		]);
		expect(steps[1]?.tools[0]?.about).toBe("denied by policy (E_POLICY): git push");
		expect(groupSteps(entries.slice(3, 4))).toHaveLength(1);
		expect(groupSteps([])).toEqual([]);
	});

	it("says what is missing: dismissed with reasons, refused, trust diff, remarks, a broken audit", () => {
		const page = textOf(
			renderHtmlReport({ ...sampleInput(), audit: { state: "broken", line: 7, reason: "the hash does not fit", entries: 6 } }),
		);
		for (const words of [
			"refuted: the route's schema takes whole numbers only",
			"git push is denied by policy",
			"Gives the agent a shell.",
			"needs a look",
			"maxTurns",
			"The sandbox was used for all children.",
			"The chain breaks at line 7: the hash does not fit. 6 entries before it can be believed.",
			"the agent stopped at its step limit",
			"Fixed since the last review",
			"n/a",
		]) {
			expect(page.toLowerCase()).toContain(words.toLowerCase());
		}
	});

	it("an empty run says so in every section", () => {
		const page = textOf(
			renderHtmlReport(
				htmlInput({
					report: runReport({ verdict: { state: "clean", sentence: "No issues found." }, files: [], findings: [], agents: [] }),
				}),
			),
		);
		for (const words of ["Nothing to report.", "No file changed.", "No agent ran.", "No journals were given", "kept no audit file"])
			expect(page).toContain(words);
	});

	it("big journals are cut with a note, and the page keeps its size", () => {
		const big = childJournal("moe-go-1", 0, 400);
		const events = Array.from({ length: 60 }, (_each, index) =>
			toolCall(index, { id: `c${index}`, name: "read_file", input: {}, result: "y".repeat(200_000), durationMs: 1 }),
		).flat();
		const journals = [big, ...Array.from({ length: 40 }, (_each, index) => journalOf([[0, sessionStarted(`child-${index}`)], ...events]))];
		const page = renderHtmlReport(htmlInput({ journals }));
		expect(page).toContain("more in the journal file.");
		expect(page).toContain("196,000 more characters in the journal file.");
		expect(page.length).toBeLessThan(6_000_000);
	});

	it("5,000 findings over 10,000 files are rendered within a second; the page shows the worst and counts the rest", () => {
		const files = Array.from({ length: 10_000 }, (_each, index) =>
			reportFile(`src/folder${index % 100}/file${index}.go`, index === 9_999 ? { state: "skipped", reason: "too late" } : {}),
		);
		const severities = ["critical", "important", "minor", "nit"] as const;
		const findings = Array.from({ length: 5_000 }, (_each, index) =>
			reportFinding({
				id: `F${index}`,
				path: files[index * 2]?.path ?? "",
				startLine: 33,
				endLine: 35,
				severity: severities[Math.floor(index / 1_250)] ?? "nit",
				title: `Finding ${index} of \`Pop\``,
				body: "Two see one.\n\n```go\nq.mu.Lock()\n```",
			}),
		);
		const patches = files.map((file) => ({ ...GO_PATCH, path: file.path }));
		const input = htmlInput({
			report: runReport({ files, findings, agents: [reportAgent("moe-go-1")] }),
			patches,
			journals: [childJournal("moe-go-1", 0, 60)],
		});
		const started = performance.now();
		const page = renderHtmlReport(input);
		expect(performance.now() - started).toBeLessThan(1_000);
		expect(page).toContain("4,500 more in the JSON report.");
		expect(page).toContain("8,500 more in the JSON report.");
		expect(page).toContain("too late");
		expect(page.length).toBeLessThan(5_000_000);
	});
});
