import { LineCounter, parseDocument } from "yaml";
import * as z from "zod";
import { UserError } from "../domain/errors.ts";
import { CATEGORIES } from "../domain/finding.ts";
import type { Sha } from "../domain/ids.ts";
import type { Suppression } from "../domain/suppression.ts";
import type { RepositoryReader } from "../seams.ts";
import { explainSchemaIssue } from "./explain-schema-issue.ts";
import { readTrustedFile } from "./read-trusted-file.ts";

export const SUPPRESSIONS_PATH = ".rookery/suppressions.yml";

const MAX_CHARACTERS = 1_048_576;
const MAX_ENTRIES = 2_000;

const KEYS = ["fingerprint", "rule", "directory", "who", "why", "until"] as const;

const entrySchema = z
	.strictObject({
		fingerprint: z
			.string()
			.regex(/^[0-9a-f]{32}$/, "32 hex digits in lower case, as in the JSON report")
			.optional()
			.describe("One finding: its fingerprint in the JSON report."),
		rule: z.enum(CATEGORIES).optional().describe("A class of findings; stands together with directory."),
		directory: z
			.string()
			.min(1, "A glob such as src/generated/**")
			.optional()
			.describe("Glob of files; a plain folder stands for everything below it."),
		who: z.string().min(1, "The name of who decided it").max(100).describe("Who decided it."),
		why: z.string().min(1, "The reason").max(300).describe("The reason, shown in the report."),
		until: z.string().refine(isDay, "A day such as 2027-01-31").optional().describe("Last day on which it counts, UTC."),
	})
	.superRefine((entry, context) => {
		const rule = entry.rule !== undefined || entry.directory !== undefined;
		if (entry.fingerprint !== undefined && rule) {
			context.addIssue({ code: "custom", message: "Either fingerprint, or rule and directory" });
		} else if (entry.fingerprint === undefined && (entry.rule === undefined || entry.directory === undefined)) {
			context.addIssue({ code: "custom", message: "Fingerprint, or rule and directory" });
		}
	});

/** `.rookery/suppressions.yml`: findings that a team has said no to (X-19, PEERS 1c-4). */
export const suppressionsSchema = z
	.strictObject({
		$schema: z.string().optional(),
		suppressions: z.array(entrySchema).max(MAX_ENTRIES, `At most ${MAX_ENTRIES} entries`),
	})
	.describe("Findings that Rookery does not show again.");

/** Whole days only; a day that no calendar has is none. */
function isDay(text: string): boolean {
	if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
	const time = Date.parse(`${text}T00:00:00Z`);
	return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/**
 * Parses a suppressions file; an empty one holds none. Throws a UserError (`E_POLICY`) that names file, line, key, found
 * and wanted for anything else: an entry that is misread would hide a finding or bring a closed one back.
 */
export function parseSuppressions(text: string, file: string = SUPPRESSIONS_PATH): readonly Suppression[] {
	const value = parseYaml(text, file);
	if (value === null || value === undefined) return [];
	const parsed = suppressionsSchema.safeParse(value);
	if (!parsed.success) {
		const path = parsed.error.issues[0]?.path.map(String) ?? [];
		const known = { "": ["suppressions"], [path.slice(0, 2).join(".")]: path.length === 0 ? ["suppressions"] : KEYS };
		throw new UserError(explainSchemaIssue(file, parsed.error, value, known), { code: "E_POLICY" });
	}
	return parsed.data.suppressions.map(({ fingerprint, rule, directory, who, why, until }) => ({
		covers: fingerprint === undefined ? { rule: rule ?? "other", directory: directory ?? "" } : { fingerprint },
		who,
		why,
		...(until === undefined ? {} : { until }),
	}));
}

function parseYaml(text: string, file: string): unknown {
	if (text.length > MAX_CHARACTERS) {
		throw new UserError(`${file}: it has ${text.length} characters, at most ${MAX_CHARACTERS} are read`, { code: "E_POLICY" });
	}
	const lines = new LineCounter();
	const document = parseDocument(text.replace(/^\uFEFF/, ""), {
		lineCounter: lines,
		prettyErrors: false,
		schema: "core",
		uniqueKeys: true,
	});
	const [problem] = document.errors;
	if (problem !== undefined) {
		const { line, col } = lines.linePos(problem.pos[0]);
		throw new UserError(
			`${file}:${line}:${col}: not valid YAML (${problem.message.split("\n", 1)[0] ?? ""}), wanted suppressions with a list`,
			{
				code: "E_POLICY",
			},
		);
	}
	try {
		return document.toJS({ maxAliasCount: 0 });
	} catch {
		throw new UserError(`${file}: found an alias, wanted plain entries`, { code: "E_POLICY" });
	}
}

/** The suppressions of the trusted ref; none without the file. Throws as `parseSuppressions` does, and for a link. */
export async function loadSuppressions(reader: RepositoryReader, trusted: Sha): Promise<readonly Suppression[]> {
	const found = await readTrustedFile(reader, trusted, SUPPRESSIONS_PATH);
	if (found.kind === "link") throw new UserError(`${SUPPRESSIONS_PATH}: found a symbolic link, wanted a file`, { code: "E_LINK" });
	return found.kind === "absent" ? [] : parseSuppressions(found.bytes.toString("utf8"));
}
