import { createHash } from "node:crypto";
import { parse, type ParseError } from "jsonc-parser";
import type { AgentFile } from "../domain/agent.ts";
import type { ChangedFile, ChangeSet, FilePatch } from "../domain/change-set.ts";
import { cutText } from "../domain/cut-text.ts";
import { replaceHidden, revealHidden } from "../domain/hidden-text.ts";
import type { AgentDiff, TrustDiffRow } from "../domain/synthesis.ts";
import type { RepositoryReader } from "../seams.ts";
import { diffAgents } from "./diff-agents.ts";
import { classifyTrustPath } from "./trust-paths.ts";

/** Said once above the rows (A26). */
export const TRUST_DIFF_NOTICE =
	"This pull request changes reviewer configuration; the versions of the trusted branch were used, the changes take effect after the merge.";

const MAX_ROWS = 100;
const MAX_PATCH_CHARACTERS = 4_000;
const LINK_MODE = "120000";
const SUBMODULE_MODE = "160000";
const EMPTY_BLOB = /^0+$/;

export interface TrustDiffOptions {
	readonly reader: RepositoryReader;
	readonly changes: ChangeSet;
	/** Reads an agent file; handed in because this layer does not know the format. */
	readonly parseAgent: (options: { readonly path: string; readonly bytes: Uint8Array }) => AgentFile;
}

/**
 * What a pull request changes in the files that steer reviewers (S-040, X-06): agents, skills, hooks, settings,
 * policy, instructions, workflows. The head's files are read as data and shown; nothing of them takes effect.
 * Rejects only when git itself fails.
 */
export async function buildTrustDiff(options: TrustDiffOptions): Promise<readonly TrustDiffRow[]> {
	const { reader, changes } = options;
	const touched = changes.files.filter((file) => kindOf(file) !== undefined);
	const shown = touched.slice(0, MAX_ROWS);
	const patches = new Map<string, FilePatch>();
	for (const patch of await reader.patches(changes.mergeBase, changes.head, shown)) patches.set(patch.path, patch);
	const rows: TrustDiffRow[] = [];
	for (const file of shown) rows.push(await buildRow(options, file, patches.get(file.path)));
	if (touched.length > MAX_ROWS) {
		rows.push({
			path: "",
			kind: "other",
			change: "changed",
			text: `${touched.length - MAX_ROWS} more files of this kind change`,
			attention: true,
		});
	}
	return rows;
}

/** A renamed file counts when either of its names is a trusted one. */
function kindOf(file: ChangedFile): TrustDiffRow["kind"] | undefined {
	return classifyTrustPath(file.path) ?? (file.previousPath === undefined ? undefined : classifyTrustPath(file.previousPath));
}

async function buildRow(options: TrustDiffOptions, file: ChangedFile, patch: FilePatch | undefined): Promise<TrustDiffRow> {
	const kind = kindOf(file) ?? "other";
	const before = await readSide(options, file, "old");
	const after = await readSide(options, file, "new");
	const change = before === undefined ? "added" : after === undefined ? "removed" : "changed";
	const agent = kind === "agent" ? diffAgents(parseSide(options, before), parseSide(options, after)) : undefined;
	const special = describeMode(file);
	const details = special ?? (agent === undefined ? describeFile(kind, before, after) : describeAgent(agent));
	const text = [cleanLine(file.path), changeWord(change, file), ...(details === "" ? [] : [details])].join(": ");
	const attention = special !== undefined || isRisky(kind, change, agent);
	const rendered = patch === undefined ? "" : renderPatch(patch);
	return {
		path: file.path,
		kind,
		change,
		text,
		...(before === undefined ? {} : { oldHash: before.sha256 }),
		...(after === undefined ? {} : { newHash: after.sha256 }),
		...(attention ? { attention: true } : {}),
		...(agent === undefined ? {} : { agent }),
		...(rendered === "" ? {} : { patch: rendered }),
	};
}

interface Side {
	readonly path: string;
	readonly bytes: Buffer;
	readonly sha256: string;
	readonly mode: string;
}

async function readSide(options: TrustDiffOptions, file: ChangedFile, side: "old" | "new"): Promise<Side | undefined> {
	const path = side === "old" ? (file.previousPath ?? file.path) : file.path;
	const mode = side === "old" ? file.oldMode : file.newMode;
	if (EMPTY_BLOB.test(mode) || EMPTY_BLOB.test(side === "old" ? file.oldBlob : file.newBlob)) return undefined;
	// A file that comes from or goes to an ordinary place is new or gone as far as trust is concerned.
	if (classifyTrustPath(path) === undefined || mode === SUBMODULE_MODE) return undefined;
	const bytes = await options.reader.readFile(side === "old" ? options.changes.mergeBase : options.changes.head, path);
	return bytes === undefined ? undefined : { path, bytes, sha256: createHash("sha256").update(bytes).digest("hex"), mode };
}

function parseSide(options: TrustDiffOptions, side: Side | undefined): AgentFile | undefined {
	if (side === undefined || side.mode === LINK_MODE || !side.path.toLowerCase().endsWith(".md")) return undefined;
	return options.parseAgent({ path: side.path, bytes: side.bytes });
}

function describeMode(file: ChangedFile): string | undefined {
	if (file.newMode === LINK_MODE) return "a symbolic link, which is never followed";
	return file.newMode === SUBMODULE_MODE ? "a submodule, which is not read" : undefined;
}

function changeWord(change: TrustDiffRow["change"], file: ChangedFile): string {
	const renamed = change === "changed" && file.previousPath !== undefined && file.previousPath !== file.path;
	return renamed ? `renamed from ${cleanLine(file.previousPath)}` : change;
}

function describeAgent(agent: AgentDiff): string {
	const parts = [
		...(agent.name === "" ? [] : [`agent ${cleanLine(agent.name)}`]),
		...(agent.refused === undefined ? [] : [`would not load (${cleanLine(agent.refused)})`]),
		...(agent.gains.length === 0 ? [] : [`GAINS ${agent.gains.join(" and ")} ability`]),
		...(agent.toolsAdded.length === 0 ? [] : [`tools added ${cleanLine(agent.toolsAdded.join(", "))}`]),
		...(agent.toolsRemoved.length === 0 ? [] : [`tools removed ${cleanLine(agent.toolsRemoved.join(", "))}`]),
		...agent.fields.map(({ field, from, to }) => `${field} ${cleanLine(from ?? "unset")} → ${cleanLine(to ?? "unset")}`),
		...(agent.promptChanged ? ["instructions changed"] : []),
	];
	return parts.join("; ");
}

function describeFile(kind: TrustDiffRow["kind"], before: Side | undefined, after: Side | undefined): string {
	if (kind !== "settings" && kind !== "policy") return "";
	const keys = changedKeys(before, after);
	if (keys === undefined) return "its new text is not valid JSON";
	return keys.length === 0 ? "" : `keys ${keys.map(cleanLine).join(", ")}`;
}

/** Top-level keys whose values differ; undefined when the new side cannot be read. */
function changedKeys(before: Side | undefined, after: Side | undefined): readonly string[] | undefined {
	if ((after ?? before)?.path.endsWith(".json") !== true) return [];
	const old = readObject(before) ?? {};
	const now = after === undefined ? {} : readObject(after);
	if (now === undefined) return undefined;
	const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])];
	return keys.filter((key) => JSON.stringify(old[key]) !== JSON.stringify(now[key])).slice(0, 20);
}

function readObject(side: Side | undefined): Readonly<Record<string, unknown>> | undefined {
	if (side === undefined || side.bytes.byteLength > 1_048_576) return undefined;
	const errors: ParseError[] = [];
	try {
		const value: unknown = parse(side.bytes.toString("utf8").replace(/^\uFEFF/, ""), errors, { allowTrailingComma: true });
		return errors.length === 0 && typeof value === "object" && value !== null ? { ...value } : undefined;
	} catch {
		// Nested so deeply that the parser gave up: shown as unreadable.
		return undefined;
	}
}

function isRisky(kind: TrustDiffRow["kind"], change: TrustDiffRow["change"], agent: AgentDiff | undefined): boolean {
	switch (kind) {
		case "agent":
			return agent !== undefined && agent.gains.length > 0;
		case "hook":
		case "settings":
		case "policy":
		case "workflow":
			return true;
		case "skill":
		case "instructions":
			return false;
		case "other":
			return change !== "removed";
	}
}

/** Unified form of one patch; hidden characters are made visible, since people decide by what they see here. */
function renderPatch(patch: FilePatch): string {
	const lines = patch.hunks.flatMap((hunk) => [
		`@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
		...hunk.lines.map((line) => `${line.kind === "added" ? "+" : line.kind === "deleted" ? "-" : " "}${line.text}`),
	]);
	const text = revealHidden(lines.join("\n"));
	if (text.length <= MAX_PATCH_CHARACTERS) return text;
	return `${cutText(text, MAX_PATCH_CHARACTERS)}\n[cut: ${text.length - MAX_PATCH_CHARACTERS} more characters]`;
}

/** Text of the head inside a line of ours: one line, nothing hidden, nothing that opens markup. */
function cleanLine(text: string): string {
	const plain = replaceHidden(text.replace(/[\r\n\t]+/g, " "), () => "").replace(/[`<>|]/g, "'");
	return plain.length <= 160 ? plain : `${cutText(plain, 159)}…`;
}
