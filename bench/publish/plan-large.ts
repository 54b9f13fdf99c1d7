import { createOutgoingCleaner } from "../../src/guard/clean-outgoing.ts";
import { findCredentials } from "../../src/guard/find-credentials.ts";
import { buildReport } from "../../src/publish/build-report.ts";
import { cleanSynthesis } from "../../src/publish/clean-synthesis.ts";
import { planPublications } from "../../src/publish/plan-publications.ts";
import { NOTHING_POSTED } from "../../src/publish/read-existing-state.ts";
import { renderJunit } from "../../src/publish/render/junit.ts";
import { renderSarif } from "../../src/publish/render/sarif.ts";
import { listTexts } from "../../src/stages/hide-credentials.ts";
import { synthesize } from "../../src/synthesis/synthesize.ts";
import { runContext } from "../../test/publish/build-run.ts";
import { changedFile, changeSetOf, childReport, patchOf, planFor, reported, review } from "../../test/synthesis/build-fixtures.ts";

/*
 * A process of its own, so that its memory is that of the work: FINDINGS findings over FILES files, from the children's
 * reports to everything that is posted or written. Prints one JSON line.
 */

const [findings = 5_000, files = 10_000] = process.argv.slice(2).map(Number);
const paths = Array.from({ length: files }, (_, index) => `src/part-${index % 97}/file-${index}.ts`);
const text = (path: string): string => `export const a = 1;\nexport const value = compute(${JSON.stringify(path)});\nexport const c = 3;\n`;
const patches = paths.map((path) =>
	patchOf(path, `@@ -1,2 +1,3 @@\n export const a = 1;\n+${text(path).split("\n")[1]}\n export const c = 3;`),
);
const reports = Array.from({ length: 10 }, (_, child) => {
	const own = paths.filter((_path, index) => index % 10 === child);
	return childReport(`expert-${child}`, own, {
		findings: own.slice(0, findings / 10).map((path, index) =>
			reported({
				path,
				quote: `export const value = compute(${JSON.stringify(path)});`,
				severity: (["critical", "important", "minor", "nit"] as const)[index % 4] ?? "minor",
				title: `The value of part ${index} is computed with the wrong name`,
				body: `When \`compute\` is called with **${path}**, the second call sees @the-first one's value (see https://example.org/${index}).\n\nKeep the name apart from the path.`,
			}),
		),
	});
});
const plan = planFor(
	Object.fromEntries(reports.map((report, child) => [report.agent, paths.filter((_path, index) => index % 10 === child)])),
);
const changeSet = changeSetOf(paths.map((path) => changedFile(path)));
globalThis.gc?.();
const before = process.memoryUsage().rss;
const startedAt = performance.now();
const cpuBefore = process.cpuUsage();
const synthesis = await synthesize({ changeSet, plan, reports, patches, readHead: async (path) => text(path), settings: { review } });
const synthesized = performance.now();
await findCredentials(listTexts(synthesis));
const searched = performance.now();
const context = runContext();
const cleaned = cleanSynthesis(
	synthesis,
	createOutgoingCleaner({ redact: (each) => each, allowedUrls: ["https://github.com/acme/widgets"] }),
);
const report = buildReport({
	...{ synthesis, context, provider: "anthropic", startedAt: 0, endedAt: 60_000, audit: { entries: 3, head: null } },
	redact: (each) => each,
});
const publications = planPublications({
	...{ synthesis: cleaned, changeSet, context, plan, patches, failOn: "never", report, provider: "anthropic", existing: NOTHING_POSTED },
	...{ instance: "default", banner: [], reportPath: "/tmp/report.json" },
});
const planned = performance.now();
const sizes = [renderSarif(report, { toolVersion: "0" }).length, renderJunit(report, { failOn: "never" }).length];
const ended = performance.now();
const cpu = process.cpuUsage(cpuBefore);
console.log(
	JSON.stringify({
		...{ findings: synthesis.findings.length, publications: publications.length, sizes },
		...{ synthesizeMs: synthesized - startedAt, searchMs: searched - synthesized, planMs: planned - searched, filesMs: ended - planned },
		...{
			totalMs: ended - startedAt,
			cpuMs: (cpu.user + cpu.system) / 1000,
			peakMb: process.resourceUsage().maxRSS / 1024,
			inputMb: before / 1024 ** 2,
		},
	}),
);
