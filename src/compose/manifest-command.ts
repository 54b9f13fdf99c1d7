import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { errorText, UserError } from "../domain/errors.ts";
import { MANIFEST_FILE, RUN_MANIFEST_VERSION, type RunManifest } from "../domain/run-manifest.ts";
import { verifyAudit } from "../guard/verify-audit.ts";
import { hashText } from "../stages/build-manifest.ts";

/** One file of a run, compared with what the manifest says of it. */
export interface ManifestRow {
	readonly what: string;
	/** absent: it is not here, so nothing can be said of it. */
	readonly state: "same" | "differs" | "absent";
	/** One line: where it was found, or what differs. */
	readonly detail: string;
}

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const sha = z.string().regex(/^[0-9a-f]{40}$/);
const audit = z.strictObject({ entries: z.int().min(0), head: sha256.nullable() });
const journals = z.array(z.strictObject({ session: z.string().regex(/^[a-z0-9-]{1,80}$/), sha256 }));

/** The form of `manifest.json`; `schemas/manifest.schema.json` is made of it. */
export const manifestSchema: z.ZodType<RunManifest> = z.strictObject({
	version: z.literal(RUN_MANIFEST_VERSION),
	action: z.string(),
	run: z.strictObject({ id: z.string(), attempt: z.int().min(1), trigger: z.string() }),
	repository: z.string(),
	pullRequest: z.int().nullable(),
	...{ base: sha, head: sha, mergeBase: sha },
	provider: z.string(),
	models: z.array(z.string()),
	definitions: z.array(z.strictObject({ name: z.string(), path: z.string().nullable(), sha256 })),
	...{ settings: sha256, policy: sha256, instructions: sha256 },
	...{ audit, journals },
	parts: z.array(z.strictObject({ shard: z.int().min(1), outbox: sha256, audit, journals })),
	report: sha256,
});

/** A run of nine children leaves about ten megabytes. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * `rookery audit manifest FILE`: compares report, audit and journals with the manifest, and the manifest with the
 * published hash. Files are looked for where the run's artifact has them, around the manifest, and in further folders.
 * Throws a UserError for a manifest that cannot be read or has another form, and for a hash that is none.
 */
export async function checkManifest(
	file: string,
	options: { readonly sha256?: string; readonly files: readonly string[] },
): Promise<readonly ManifestRow[]> {
	const published = options.sha256;
	if (published !== undefined && !/^[0-9a-f]{64}$/.test(published)) {
		throw new UserError(
			`--sha256: found ${JSON.stringify(published.slice(0, 80))}; wanted the 64 hexadecimal digits behind "Manifest" in the summary`,
		);
	}
	const bytes = await readBounded(file);
	if (bytes === undefined) throw new UserError(`manifest ${file}: found no file; wanted ${MANIFEST_FILE} of a run`);
	const own = hashText(bytes);
	const manifest = parseManifest(bytes, file);
	const beside = path.dirname(file);
	// <artifact>/reports/<run>/manifest.json, with audit/<run>.jsonl and sessions/<run>/ next to reports.
	const roots = [path.dirname(path.dirname(beside)), ...options.files];
	const rows: ManifestRow[] = [];
	if (published !== undefined) rows.push(compare("manifest", own, published, file));
	const report = await readBounded(path.join(beside, "report.json"));
	rows.push(
		report === undefined ? absent("report") : compare("report", hashText(report), manifest.report, path.join(beside, "report.json")),
	);
	const run = path.basename(beside);
	rows.push(await checkAudit("audit", manifest.audit, [path.join(roots[0] ?? "", "audit", `${run}.jsonl`)]));
	for (const journal of manifest.journals) rows.push(await checkJournal(journal, roots));
	const further = (await Promise.all(options.files.map((root) => listFiles(path.join(root, "audit"))))).flat();
	const parts = await Promise.all(manifest.parts.map((part) => checkAudit(`audit of shard ${part.shard}`, part.audit, further)));
	const claimed = new Set(parts.flatMap((row) => (row.state === "same" ? [row.detail] : [])));
	for (const [index, part] of manifest.parts.entries()) {
		const row = parts[index] ?? absent(`audit of shard ${part.shard}`);
		// With every file somebody else's, this one's is merely not here.
		rows.push(row.state === "differs" && further.every((each) => claimed.has(each)) ? absent(row.what) : row);
		for (const journal of part.journals) rows.push(await checkJournal(journal, roots));
	}
	return rows;
}

/** A line a file, and one that says what it comes to. */
export function renderManifestCheck(rows: readonly ManifestRow[]): string {
	const width = Math.max(0, ...rows.map((row) => row.what.length));
	const count = (state: ManifestRow["state"]): number => rows.filter((row) => row.state === state).length;
	const lines = rows.map((row) => `${row.state.padEnd(7)}  ${row.what.padEnd(width)}  ${row.detail}`.trimEnd());
	return [...lines, `${count("same")} as the manifest says, ${count("differs")} different, ${count("absent")} not here`].join("\n");
}

function parseManifest(bytes: Buffer, file: string): RunManifest {
	let value: unknown;
	try {
		value = JSON.parse(bytes.toString("utf8"));
	} catch (error) {
		throw new UserError(`manifest ${file}: not valid JSON: ${errorText(error).slice(0, 120)}`, { cause: error });
	}
	const parsed = manifestSchema.safeParse(value);
	if (parsed.success) return parsed.data;
	const issue = parsed.error.issues[0];
	throw new UserError(`manifest ${file}: ${issue?.path.map(String).join(".") || "the file"}: ${issue?.message ?? "not as expected"}`);
}

function compare(what: string, found: string, wanted: string, file: string): ManifestRow {
	return found === wanted
		? { what, state: "same", detail: file }
		: { what, state: "differs", detail: `${file}: found ${found}, wanted ${wanted}` };
}

function absent(what: string): ManifestRow {
	return { what, state: "absent", detail: "" };
}

async function checkJournal({ session, sha256: wanted }: RunManifest["journals"][number], roots: readonly string[]): Promise<ManifestRow> {
	const what = `journal ${session}`;
	let other: ManifestRow | undefined;
	for (const root of roots) {
		const sessions = path.join(root, "sessions");
		for (const run of await readdir(sessions).catch(() => [])) {
			const file = path.join(sessions, run, `${session}.jsonl`);
			const bytes = await readBounded(file);
			if (bytes === undefined) continue;
			const row = compare(what, hashText(bytes), wanted, file);
			if (row.state === "same") return row;
			other ??= row;
		}
	}
	return other ?? absent(what);
}

/** One of the files has to be the chain that ends in the head; a chain of another job is none of ours. */
async function checkAudit(what: string, published: RunManifest["audit"], files: readonly string[]): Promise<ManifestRow> {
	const { head, entries } = published;
	if (head === null) return absent(what);
	let other: ManifestRow | undefined;
	for (const file of files) {
		const bytes = await readBounded(file);
		if (bytes === undefined) continue;
		const checked = verifyAudit(bytes.toString("utf8"), { head, entries });
		if (checked.ok) return { what, state: "same", detail: file };
		other ??= { what, state: "differs", detail: `${file}: line ${checked.line}: ${checked.reason}` };
	}
	return other ?? absent(what);
}

async function listFiles(folder: string): Promise<readonly string[]> {
	const names = await readdir(folder).catch(() => []);
	return names
		.filter((name) => name.endsWith(".jsonl"))
		.sort()
		.map((name) => path.join(folder, name));
}

/** Undefined for no plain file; throws a UserError for one that is too large or cannot be read. */
async function readBounded(file: string): Promise<Buffer | undefined> {
	const found = await stat(file).catch(() => undefined);
	if (found?.isFile() !== true) return undefined;
	if (found.size > MAX_BYTES) throw new UserError(`${file}: found ${found.size} bytes, wanted at most ${MAX_BYTES}`);
	try {
		return await readFile(file);
	} catch (error) {
		throw new UserError(`${file}: cannot be read (${errorText(error)})`, { cause: error });
	}
}
