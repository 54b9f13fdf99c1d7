import { LineCounter, parseDocument } from "yaml";
import * as z from "zod";
import { UserError } from "../domain/errors.ts";
import { CATEGORIES, SEVERITIES, type Severity } from "../domain/finding.ts";
import type { KnownDefect, ScoreCase } from "./score-case.ts";

const seed = z.strictObject({
	/** A line of the new text, or a part of it that stands on no other line of the file. */
	on: z.string().min(1),
	/** Last line, when the defect spans several. */
	to: z.string().min(1).optional(),
	category: z.enum(CATEGORIES),
	severity: z.enum(SEVERITIES as [Severity, ...Severity[]]),
	why: z.string().min(1),
});

const change = z.union([
	z.strictObject({ path: z.string().min(1), find: z.string().min(1), replace: z.string(), defects: z.array(seed).default([]) }),
	z.strictObject({ path: z.string().min(1), add: z.string(), defects: z.array(seed).default([]) }),
	z.strictObject({ path: z.string().min(1), delete: z.literal(true) }),
]);

const caseSchema = z.strictObject({
	title: z.string().min(1),
	language: z.string().min(1),
	base: z.record(z.string(), z.string()),
	changes: z.array(change).min(1),
});

/**
 * One case of a seeded data set: files of the base, and edits that make the head of them. Each edit names the defects it
 * brings in; one that names none is a decoy, in which every remark is wrong. Throws a UserError with file, key, found and
 * wanted; also when an edit or a defect does not stand on exactly one place.
 */
export function readSeededCase(text: string, file: string, id: string): ScoreCase {
	const lines = new LineCounter();
	const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, schema: "core" });
	const [problem] = document.errors;
	if (problem !== undefined) throw new UserError(`${file}:${lines.linePos(problem.pos[0]).line}: not valid YAML (${problem.message})`);
	const parsed = caseSchema.safeParse(document.toJS({ maxAliasCount: 0 }));
	if (!parsed.success) {
		const issue = parsed.error.issues[0];
		throw new UserError(`${file}: ${issue?.path.join(".") || "the file"}: ${issue?.message ?? "it does not fit the schema"}`);
	}
	const { title, language, base, changes } = parsed.data;
	const head: Record<string, string | null> = { ...base };
	for (const each of changes) head[each.path] = apply(each, head[each.path], file);
	const seeds = changes.flatMap((each) => ("defects" in each ? each.defects.map((defect) => ({ path: each.path, defect })) : []));
	return {
		id,
		title,
		language,
		source: { kind: "files", base, head: changedOnly(base, head) },
		defects: seeds.map(({ path, defect }) => locate(path, defect, head[path] ?? "", file)),
		decoys: [],
		complete: true,
	};
}

function apply(each: z.output<typeof change>, before: string | null | undefined, file: string): string | null {
	if ("delete" in each) return null;
	if ("add" in each) return each.add;
	const at = (before ?? "").indexOf(each.find);
	if (at === -1 || (before ?? "").indexOf(each.find, at + 1) !== -1) {
		throw new UserError(
			`${file}: changes of ${each.path}: found ${JSON.stringify(each.find.slice(0, 60))} ${at === -1 ? "nowhere" : "twice"}, wanted it once`,
		);
	}
	return `${(before ?? "").slice(0, at)}${each.replace}${(before ?? "").slice(at + each.find.length)}`;
}

function changedOnly(base: Readonly<Record<string, string>>, head: Readonly<Record<string, string | null>>): Record<string, string | null> {
	return Object.fromEntries(Object.entries(head).filter(([path, content]) => base[path] !== content));
}

function locate(path: string, defect: z.output<typeof seed>, text: string, file: string): KnownDefect {
	const startLine = lineOf(defect.on, text, path, file);
	const endLine = defect.to === undefined ? startLine : lineOf(defect.to, text, path, file);
	const { category, severity, why } = defect;
	return { path, startLine, endLine: Math.max(startLine, endLine), side: "RIGHT", text: why, severity, category };
}

/** The one line that is the text, or else the one line that holds it. */
function lineOf(part: string, text: string, path: string, file: string): number {
	const lines = text.split("\n").map((line, index) => ({ line: line.trim(), number: index + 1 }));
	const whole = lines.filter(({ line }) => line === part.trim());
	const found = whole.length > 0 ? whole : lines.filter(({ line }) => line.includes(part.trim()));
	if (found.length === 1 && found[0] !== undefined) return found[0].number;
	throw new UserError(`${file}: defects of ${path}: found ${JSON.stringify(part)} on ${found.length} lines of the head, wanted it on one`);
}
