import type { ReadTests } from "./read-tests.ts";

/**
 * TAP 13 and 14 (testanything.org): `ok`/`not ok` lines of the top level, with `# SKIP` and `# TODO`; a TODO that fails is
 * none. Only taken for TAP with a plan line, because "ok 1" also stands in other texts.
 */
export function readTap(text: string): ReadTests | undefined {
	if (!/^1\.\.\d+/m.test(text)) return undefined;
	let [passed, failed, skipped] = [0, 0, 0];
	const failures: { name: string; message: string }[] = [];
	for (const match of text.matchAll(/^(not )?ok\b(?:[ \t]+\d+)?[ \t]*-?[ \t]*([^#\n]*)(?:#[ \t]*(skip|todo)\b.*)?$/gim)) {
		const [, not, name = "", directive] = match;
		if (directive?.toLowerCase() === "skip") skipped += 1;
		else if (not === undefined) passed += 1;
		else if (directive !== undefined) skipped += 1;
		else {
			failed += 1;
			failures.push({ name: name.trim(), message: "" });
		}
	}
	if (passed + failed + skipped === 0) return undefined;
	return { counts: { passed, failed, skipped, format: "TAP" }, failures };
}
