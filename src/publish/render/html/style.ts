/** The page's one style sheet. Fonts are those of the reader's system; nothing is loaded. */
export const STYLE = `
:root {
	color-scheme: light dark;
	--paper: light-dark(#fcfbf9, #15171a);
	--panel: light-dark(#ffffff, #1b1e22);
	--sunk: light-dark(#f5f3ef, #101214);
	--ink: light-dark(#1d1c1a, #e7e5e1);
	--soft: light-dark(#625d56, #a3a6ab);
	--line: light-dark(#e3dfd8, #2d3137);
	--accent: light-dark(#1d5c86, #7cb8e0);
	--critical: light-dark(#b0221b, #ff8a80);
	--important: light-dark(#9a5200, #f5b25c);
	--minor: light-dark(#2a5fa8, #8cb8f5);
	--nit: light-dark(#625d56, #a3a6ab);
	--good: light-dark(#1b7345, #74cf9b);
	--added: light-dark(#e6f4ea, #15301f);
	--deleted: light-dark(#fdeceb, #3a1a1b);
	--marked: light-dark(#fff3d1, #3b3015);
	--sans: ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif;
	--serif: "Iowan Old Style", Charter, "Bitstream Charter", "Source Serif 4", "Palatino Linotype", Georgia, "Liberation Serif", serif;
	--mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace;
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-padding-top: 1.5rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 400 1rem/1.55 var(--sans); text-rendering: optimizeLegibility; }
a { color: var(--accent); text-underline-offset: 0.18em; text-decoration-thickness: 0.06em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
code, pre { font-family: var(--mono); font-size: 0.875em; font-variant-ligatures: none; }
code { overflow-wrap: anywhere; }
small { font-size: 0.8125rem; color: var(--soft); }
.skip { position: absolute; left: 1rem; top: -4rem; padding: 0.5rem 1rem; background: var(--ink); color: var(--paper); border-radius: 0 0 6px 6px; z-index: 2; }
.skip:focus { top: 0; }

.page { max-width: 78rem; margin: 0 auto; padding: 0 2rem 5rem; display: grid; grid-template-columns: minmax(0, 1fr); }
header.top { display: flex; align-items: center; gap: 0.625rem; padding: 1.25rem 0; font-size: 0.9375rem; }
header.top .bird { width: 1.5rem; height: 1.5rem; fill: var(--ink); flex: none; }
header.top strong { font-weight: 650; letter-spacing: -0.01em; }
header.top .run { color: var(--soft); margin-right: auto; }
nav { font-size: 0.875rem; }
nav ol { list-style: none; margin: 0; padding: 0; display: flex; gap: 0.25rem 1.25rem; flex-wrap: wrap; }
nav a { color: var(--soft); text-decoration: none; display: flex; gap: 0.5rem; justify-content: space-between; padding: 0.2rem 0; }
nav a:hover { color: var(--ink); text-decoration: underline; }
nav b { font-weight: 450; font-variant-numeric: tabular-nums; color: var(--soft); }
@media (min-width: 68rem) {
	.page { grid-template-columns: 11.5rem minmax(0, 1fr); column-gap: 3.5rem; }
	header.top { grid-column: 1 / -1; }
	nav { position: sticky; top: 1.5rem; align-self: start; margin-top: 2.25rem; padding-top: 0.75rem; border-top: 1px solid var(--line); }
	nav ol { display: block; }
}

.verdict { padding: 1.75rem 0 0; }
.verdict .state-line { margin: 0 0 0.75rem; font-size: 0.875rem; font-weight: 600; }
.verdict h1 { font: 400 clamp(1.625rem, 1.1rem + 2vw, 2.375rem)/1.2 var(--serif); letter-spacing: -0.012em; margin: 0; max-width: 34ch; text-wrap: balance; overflow-wrap: anywhere; }
.verdict .range { color: var(--soft); margin: 0.875rem 0 0; font-size: 0.9375rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); margin: 1.75rem 0 0; border-top: 1px solid var(--line); }
.figures div { padding: 0.875rem 1rem 0.875rem 0; }
.figures dt { font-size: 0.8125rem; color: var(--soft); }
.figures dd { margin: 0.125rem 0 0; font-size: 1.375rem; line-height: 1.25; letter-spacing: -0.015em; font-variant-numeric: tabular-nums; }
.figures dd small { display: block; letter-spacing: 0; margin-top: 0.125rem; }
.severity-bar { display: block; margin-top: 1.25rem; border-radius: 3px; }
.severity-bar rect.critical { fill: var(--critical); } .severity-bar rect.important { fill: var(--important); }
.severity-bar rect.minor { fill: var(--minor); } .severity-bar rect.nit { fill: var(--nit); opacity: 0.55; }
.severity-key { margin: 0.5rem 0 0; font-size: 0.875rem; display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; list-style: none; padding: 0; }

main > section { padding: 2.25rem 0 0.5rem; border-top: 1px solid var(--line); margin-top: 1.75rem; }
main > .verdict + section { margin-top: 1rem; }
h2 { font-size: 1.25rem; line-height: 1.3; font-weight: 650; letter-spacing: -0.014em; margin: 0 0 1rem; display: flex; align-items: baseline; gap: 0.625rem; }
h2 b { font-weight: 400; color: var(--soft); font-size: 1rem; font-variant-numeric: tabular-nums; letter-spacing: 0; }
h3 { font-size: 1rem; font-weight: 650; margin: 2rem 0 0.5rem; }
h3.small { font-size: 0.875rem; font-weight: 600; margin: 1.25rem 0 0.5rem; }
h4 { font-size: 0.8125rem; font-weight: 600; color: var(--soft); margin: 0.75rem 0 0.25rem; }
.lead { color: var(--soft); max-width: 68ch; margin: 0 0 1rem; font-size: 0.9375rem; overflow-wrap: anywhere; }
.none { color: var(--soft); margin: 0.5rem 0; }
.more { color: var(--soft); font-size: 0.8125rem; margin: 0.375rem 0 0; overflow-wrap: anywhere; }
.bad { color: var(--critical); }

.tools { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1rem; margin: 0 0 1rem; font-size: 0.875rem; }
.tools label { display: inline-flex; align-items: center; gap: 0.375rem; }
.tools output { color: var(--soft); margin-left: auto; font-variant-numeric: tabular-nums; }
input, select, button { font: inherit; color: inherit; }
input[type="search"], select, button { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: 0.25rem 0.625rem; min-height: 2rem; }
input[type="search"] { width: 13rem; max-width: 100%; }
button { cursor: pointer; } button:hover { border-color: var(--soft); }
input[type="checkbox"] { accent-color: var(--accent); margin: 0; width: 1rem; height: 1rem; }
.box b { font-weight: 400; color: var(--soft); }

.findings { list-style: none; margin: 0; padding: 0; border-top: 1px solid var(--line); }
.findings > li { border-bottom: 1px solid var(--line); content-visibility: auto; contain-intrinsic-size: auto 4.5rem; }
summary { cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
.finding .marks::after, .words .marks::after, .journal .marks::after { content: "▸"; color: var(--soft); width: 0.875rem; text-align: right; }
[open].finding > summary .marks::after, [open].words > summary .marks::after, [open].journal > summary .marks::after { content: "▾"; }
.finding > summary { display: grid; grid-template-columns: 7.5rem minmax(0, 1fr) auto; gap: 0.125rem 1rem; padding: 0.875rem 0; align-items: baseline; }
.finding > summary:hover .title { text-decoration: underline; text-underline-offset: 0.18em; text-decoration-thickness: 0.06em; }
.finding .title { font-weight: 600; overflow-wrap: anywhere; }
.finding .where { grid-column: 2 / -1; grid-row: 2; color: var(--soft); font-size: 0.875rem; }
.finding .severity { grid-row: 1; } .finding .marks { grid-column: 3; grid-row: 1; }
.marks { display: inline-flex; gap: 0.5rem; align-items: baseline; flex-wrap: wrap; justify-content: flex-end; }
.severity { font-size: 0.875rem; font-weight: 600; white-space: nowrap; }
.severity.critical, .box.critical b { color: var(--critical); } .severity.important { color: var(--important); }
.severity.minor { color: var(--minor); } .severity.nit { color: var(--nit); }
.tag { font-size: 0.8125rem; color: var(--soft); }
.tag.alert { color: var(--critical); font-weight: 600; }
.id { font: 400 0.8125rem var(--mono); color: var(--soft); }
.finding-body { padding: 0 0 1.75rem 8.5rem; }
.prose { max-width: 70ch; overflow-wrap: anywhere; }
.prose > :first-child { margin-top: 0; } .prose > :last-child { margin-bottom: 0; }
.prose p, .prose ul, .prose ol, .prose blockquote { margin: 0 0 0.75rem; }
.prose ul, .prose ol { padding-left: 1.25rem; } .prose ul { list-style: disc; }
.prose blockquote { padding-left: 1rem; border-left: 2px solid var(--line); margin-left: 0; color: var(--soft); }
.prose code { background: var(--sunk); padding: 0.1em 0.3em; border-radius: 4px; }
.prose pre, .raw { background: var(--sunk); border-radius: 6px; padding: 0.75rem 1rem; overflow: auto; margin: 0 0 0.75rem; line-height: 1.5; }
.prose pre code { background: none; padding: 0; overflow-wrap: normal; }
.prose table { margin: 0 0 0.75rem; }
.finding-body > .prose + .code, .finding-body > .prose + .none { margin-top: 1rem; }

.code { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; overflow: auto; }
.code-head { margin: 0; padding: 0.375rem 1rem; font: 400 0.75rem/1.5 var(--mono); color: var(--soft); border-bottom: 1px solid var(--line); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; position: sticky; left: 0; }
.code pre { margin: 0; padding: 0.375rem 0; min-width: max-content; font-size: 0.8125rem; line-height: 1.6; tab-size: 4; }
.code .l { display: flex; border-left: 3px solid transparent; padding-right: 1rem; }
.code .n { flex: none; width: 3.25rem; padding-right: 0.75rem; text-align: right; color: var(--soft); user-select: none; font-variant-numeric: tabular-nums; }
.code .n + .n { width: 2.75rem; }
.code .n::before { content: attr(data-n); }
.code .s { flex: none; width: 1.25rem; color: var(--soft); user-select: none; }
.code .s::before { content: attr(data-s); }
.code .t { flex: 1; white-space: pre; padding-left: 0.125rem; }
.code .l.a { background: var(--added); } .code .l.d { background: var(--deleted); }
.code .l.h { color: var(--soft); }
.code .l.m { border-left-color: var(--important); }
.code .l.m .n { font-weight: 700; color: var(--ink); }
.code .l.c.m { background: var(--marked); }
.hljs-keyword, .hljs-literal, .hljs-built_in { color: light-dark(#8a2f86, #d6a3e6); }
.hljs-string, .hljs-char, .hljs-regexp { color: light-dark(#24663f, #9fd3a0); }
.hljs-comment, .hljs-quote { color: light-dark(#6f6a62, #8d9299); font-style: italic; }
.hljs-number, .hljs-symbol { color: light-dark(#9a4600, #e9b380); }
.hljs-title, .hljs-section { color: light-dark(#1d5c86, #8cc2ea); }
.hljs-type, .hljs-class { color: light-dark(#6a4b00, #e3cd8a); }
.hljs-meta, .hljs-attr, .hljs-property { color: light-dark(#5a4a8a, #b9b0ea); }

.facts { margin: 1.25rem 0 0; font-size: 0.875rem; display: grid; gap: 0.25rem; }
.facts div { display: grid; grid-template-columns: 7rem minmax(0, 1fr); gap: 0.75rem; }
.facts dt { color: var(--soft); } .facts dd { margin: 0; overflow-wrap: anywhere; max-width: 70ch; }

.legend { font-size: 0.8125rem; color: var(--soft); display: flex; flex-wrap: wrap; gap: 0.25rem 0.5rem; align-items: center; margin-bottom: 0.75rem; }
.key { width: 0.875rem; height: 0.625rem; border-radius: 2px; margin-left: 0.5rem; } .key:first-child { margin-left: 0; }
.key.model { background: var(--accent); } .key.tool { background: var(--important); } .key.failed { background: var(--critical); } .key.idle { background: var(--line); }
.gantt { list-style: none; margin: 0; padding: 0; }
.gantt a { display: grid; grid-template-columns: 11rem minmax(0, 1fr) 4.5rem; gap: 1rem; align-items: center; color: inherit; text-decoration: none; padding: 0.125rem 0; }
.gantt a:hover .lane-name { text-decoration: underline; }
.lane-name { font: 400 0.8125rem var(--mono); overflow-wrap: anywhere; }
.lane-time { font-size: 0.8125rem; color: var(--soft); text-align: right; font-variant-numeric: tabular-nums; }
.lane { display: block; overflow: visible; }
.lane .idle { fill: var(--line); } .lane .model { fill: var(--accent); } .lane .tool { fill: var(--important); } .lane .failed { fill: var(--critical); }
.lane rect:hover { opacity: 0.7; }
.axis { margin: 0 5.5rem 0 12rem; }
.axis svg { display: block; overflow: visible; } .axis line { stroke: var(--line); } .axis text { fill: var(--soft); font: 400 0.75rem var(--sans); }

.table { overflow: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.875rem; }
th, td { text-align: left; vertical-align: baseline; padding: 0.5rem 1rem 0.5rem 0; border-bottom: 1px solid var(--line); font-weight: 400; }
th:last-child, td:last-child { padding-right: 0; }
thead th { color: var(--soft); font-size: 0.8125rem; white-space: nowrap; }
tfoot th, tfoot td { font-weight: 600; border-bottom: 0; }
th small, td small { display: block; overflow-wrap: anywhere; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.tokens { margin-right: 0.5rem; vertical-align: 0.06em; background: var(--sunk); border-radius: 2px; }
.tokens .cached { fill: var(--good); } .tokens .input { fill: var(--accent); } .tokens .output { fill: var(--important); }
.words:last-child, .journal:last-child, .rows > li:last-child { border-bottom: 0; }
tbody:last-child > tr:last-child > :is(th, td) { border-bottom: 0; }
.folder { color: var(--soft); }
.plus { color: var(--good); } .minus { color: var(--critical); }
.state, .status { white-space: nowrap; }
.state.reviewed { color: var(--good); } .state.partial, .status.partial { color: var(--important); }
.state.skipped, .status.failed, .status.cancelled, .status.refused { color: var(--critical); }

.words, .journal { border-bottom: 1px solid var(--line); }
.words > summary, .journal > summary { display: flex; flex-wrap: wrap; gap: 0.125rem 1rem; align-items: baseline; padding: 0.625rem 0; }
.words > summary .title, .journal > summary .title { font: 600 0.8125rem var(--mono); overflow-wrap: anywhere; }
#dismissed .words > summary .title { font: 600 0.9375rem var(--sans); }
.words .where { color: var(--soft); font-size: 0.875rem; overflow-wrap: anywhere; min-width: 0; flex: 1 1 12rem; }
.words .reason { flex-basis: 100%; font-size: 0.875rem; color: var(--soft); overflow-wrap: anywhere; }
.words > .prose { padding: 0.25rem 0 1.25rem; }
.marks { margin-left: auto; }
.journal-body { padding: 0.25rem 0 1.5rem 1rem; border-left: 2px solid var(--line); margin: 0 0 1rem 0.25rem; }
.item { margin: 0 0 0.75rem; }
.item.note { font-size: 0.875rem; color: var(--soft); overflow-wrap: anywhere; max-width: 80ch; white-space: pre-line; }
.item.note.bad, .item.bad > h3, .tool.bad > summary { color: var(--critical); }
.item > summary, .tool > summary { font-size: 0.875rem; color: var(--soft); padding: 0.125rem 0; }
.item > summary::before, .tool > summary::before { content: "▸"; display: inline-block; width: 1rem; color: var(--soft); }
[open].item > summary::before, [open].tool > summary::before { content: "▾"; }
.step > h3 small { font-weight: 400; margin-left: 0.375rem; }
.tool { margin: 0.125rem 0; }
.tool > summary { display: flex; gap: 0.5rem; align-items: baseline; min-width: 0; }
.tool > summary::before { flex: none; width: 0.5rem; }
.tool .tool-name { color: var(--ink); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; flex: 0 0 auto; max-width: 40%; }
.tool .peek { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; min-width: 0; flex: 0 1 auto; }
.tool small { margin-left: auto; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; flex: 0 1 auto; min-width: 4rem; max-width: 60%; }
.raw { max-height: 24rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 0.8125rem; }
.rows, .plain { margin: 0; padding: 0; list-style: none; }
.rows > li { padding: 0.75rem 0; border-bottom: 1px solid var(--line); } .rows p { margin: 0 0 0.25rem; overflow-wrap: anywhere; }
.plain > li { padding: 0.25rem 0; overflow-wrap: anywhere; max-width: 80ch; }
.hash { overflow-wrap: anywhere; }
footer { margin-top: 3rem; color: var(--soft); font-size: 0.8125rem; overflow-wrap: anywhere; }

@media (max-width: 44rem) {
	.page { padding: 0 1.125rem 3rem; }
	.finding > summary { grid-template-columns: minmax(0, 1fr) auto; }
	.finding > summary .title, .finding > summary .where { grid-column: 1 / -1; grid-row: auto; }
	.finding > summary .marks { grid-column: 2; }
	.finding-body { padding-left: 0; }
	.facts div { grid-template-columns: minmax(0, 1fr); gap: 0; margin-bottom: 0.375rem; }
	.figures { grid-template-columns: repeat(2, minmax(0, 1fr)); }
	.tools output { margin-left: 0; flex-basis: 100%; }
	.find { flex-basis: 100%; } .find input { flex: 1; }
	.gantt a { grid-template-columns: minmax(0, 1fr) auto; gap: 0 1rem; padding: 0.375rem 0; }
	.gantt .lane { grid-column: 1 / -1; grid-row: 2; }
	.axis { margin: 0; }
	nav { border-bottom: 1px solid var(--line); padding-bottom: 0.5rem; }
	.cards, .cards tbody, .cards tfoot, .cards tr, .cards th, .cards td { display: block; }
	.cards thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
	.cards tr { padding: 0.625rem 0; border-bottom: 1px solid var(--line); }
	.cards th, .cards td { border: 0; padding: 0.0625rem 0; }
	.cards td { display: grid; grid-template-columns: 5.5rem minmax(0, 1fr); gap: 0.75rem; text-align: left; white-space: normal; }
	.cards td:not([data-label]) { display: none; }
	.cards td[data-label]::before { content: attr(data-label); color: var(--soft); font-weight: 400; }
	.cards td > small { grid-column: 2; }
	.cards td.number { display: flex; align-items: center; } .cards td.number::before { flex: none; width: 5.5rem; }
	.tool > summary { flex-wrap: wrap; } .tool .peek { flex-basis: 100%; order: 3; } .code .n:first-child { display: none; }
}
@media print {
	:root { color-scheme: light; }
	nav, .tools, .skip, [data-theme-switch] { display: none !important; }
	.page { display: block; padding: 0; max-width: none; }
	body { font-size: 10pt; } .code, .raw { overflow: visible; max-height: none; }
	.code pre { min-width: 0; } .code .t { white-space: pre-wrap; overflow-wrap: anywhere; }
	.findings > li { content-visibility: visible; break-inside: avoid-page; }
	#journals { display: none; }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
`;
