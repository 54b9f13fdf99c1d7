/**
 * Writes `schemas/*.schema.json` from the zod schemas that check the files at run time.
 * Usage: `node scripts/build-schemas.ts` writes; with `--check`, it fails when a file differs.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { suppressionsSchema } from "../src/trust/suppressions.ts";
import { manifestSchema } from "../src/compose/manifest-command.ts";
import { outboxHeadSchema, outboxReportsSchema } from "../src/stages/outbox/outbox-schema.ts";
import { settingsFileSchema } from "../src/trust/settings-schema.ts";

/** One line a file. */
const SCHEMAS: readonly { readonly file: string; readonly title: string; readonly schema: z.ZodType }[] = [
	{ file: "settings.schema.json", title: "Rookery settings", schema: settingsFileSchema },
	{ file: "outbox.schema.json", title: "Rookery outbox: whose it is (outbox.json)", schema: outboxHeadSchema },
	{ file: "outbox-reports.schema.json", title: "Rookery outbox: what the children reported (reports.json)", schema: outboxReportsSchema },
	{ file: "manifest.schema.json", title: "Rookery manifest of a run", schema: manifestSchema },
	{ file: "suppressions.schema.json", title: "Rookery suppressions", schema: suppressionsSchema },
];

/** Where the published schemas are found; the names in `$schema`. */
const FOLDER = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), "schemas");

/** The schema's text. */
function renderSchema(title: string, schema: z.ZodType): string {
	const { $schema, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any", target: "draft-2020-12" });
	return `${JSON.stringify({ $schema, title, ...rest }, undefined, "\t")}\n`;
}

async function buildSchemas(check: boolean): Promise<void> {
	await mkdir(FOLDER, { recursive: true });
	for (const { file, title, schema } of SCHEMAS) {
		const target = path.join(FOLDER, file);
		const text = renderSchema(title, schema);
		if (!check) await writeFile(target, text);
		else if ((await readFile(target, "utf8").catch(() => "")) !== text) {
			console.error(`schemas/${file} is not up to date: run node scripts/build-schemas.ts`);
			process.exitCode = 1;
		}
	}
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildSchemas(process.argv.includes("--check"));
