import type { ChangedFile, FilePatch } from "../domain/change-set.ts";
import type { PatchedTree, PatchLimits, PatchProblem, PatchRisk } from "../domain/patch.ts";
import { checkPath } from "../guard/path-guard.ts";
import type { PathRules } from "../guard/path-rules.ts";
import { buildChangedText, type ChangedText } from "../tools/diagnosis/changed-text.ts";
import { findSecrets } from "../tools/diagnosis/find-secrets.ts";
import { listRisks } from "./list-risks.ts";
import { isLockFile } from "./lock-files.ts";

/** What a patch is held against. */
export interface PatchRules {
	readonly paths: Pick<PathRules, "readOnlyBy">;
	readonly limits: PatchLimits;
	/** Paths that a job or command is about; absent: every path. */
	readonly isWanted?: (path: string) => boolean;
	/** Lets a job change lock files; they decide what is installed and are held otherwise (A51). */
	readonly lockFiles?: boolean;
	/** Takes known secrets out of text. */
	readonly redact: (text: string) => string;
}

/** Text of the two sides, read as objects. */
export interface PatchTexts {
	patches(change: PatchedTree): Promise<readonly FilePatch[]>;
	/** undefined: the object is not there. */
	readBlob(blob: string): Promise<Buffer | undefined>;
}

const REGULAR_MODES = new Set(["100644", "100755"]);
const ABSENT = "000000";

/**
 * Everything that is known against a patch, before any check is run (DESIGN.md 11; A51, A52, BR-50): paths that are for
 * a person to change, kinds of file that a fix has no business making, credentials, and more than anybody reads. Without
 * a problem it may go on; its risks go with it. Decides by the objects that would be committed, never by the
 * patch's text.
 */
export async function checkPatch(
	change: PatchedTree,
	rules: PatchRules,
	sources: PatchTexts,
): Promise<{ readonly problems: readonly PatchProblem[]; readonly risks: readonly PatchRisk[] }> {
	const texts = await readTexts(change, sources);
	const problems = [
		...change.files.flatMap((file) => [...checkNames(file, rules), ...checkModes(file)]),
		...checkSize(change, rules.limits),
		...(await checkSecrets(texts, rules)),
	];
	return { problems, risks: listRisks(change, texts) };
}

async function readTexts(change: PatchedTree, sources: PatchTexts): Promise<readonly ChangedText[]> {
	const readable = change.files.filter((file) => !file.binary && file.submodule === undefined && file.status !== "deleted");
	const patches = new Map((await sources.patches(change)).map((patch) => [patch.path, patch]));
	const texts: ChangedText[] = [];
	for (const file of readable) {
		const [head, base] = await Promise.all([sources.readBlob(file.newBlob), sources.readBlob(file.oldBlob)]);
		texts.push(buildChangedText(file, patches.get(file.path), head?.toString("utf8") ?? "", base?.toString("utf8")));
	}
	return texts;
}

function checkNames(file: ChangedFile, rules: PatchRules): readonly PatchProblem[] {
	const names = file.previousPath === undefined ? [file.path] : [file.path, file.previousPath];
	return names.flatMap((path): PatchProblem[] => {
		const checked = checkPath(path);
		if (!checked.ok || checked.path !== path || path.includes("\ufffd")) {
			return [{ code: "E_PATH", path, text: `${path}: ${checked.ok ? "no plain repository path" : checked.reason}` }];
		}
		const rule = rules.paths.readOnlyBy(path);
		if (rule !== undefined) return [{ code: "E_PROTECTED", path, text: `${path} is for a person to change (${rule.id})` }];
		if (rules.lockFiles !== true && isLockFile(path)) {
			return [{ code: "E_PROTECTED", path, text: `${path} decides what is installed; it is for a person to change` }];
		}
		if (rules.isWanted?.(path) === false) return [{ code: "E_PATH", path, text: `${path} is none of the paths this was asked for` }];
		return [];
	});
}

/** A52: only plain files leave, and none becomes executable. A file that is executable may stay so. */
function checkModes({ path, oldMode, newMode, binary, submodule }: ChangedFile): readonly PatchProblem[] {
	const hold = (what: string): readonly PatchProblem[] => [{ code: "E_PROTECTED", path, text: `${path}: ${what}` }];
	const modes = [oldMode, newMode];
	if (submodule !== undefined || modes.includes("160000")) return hold("a submodule is for a person to change");
	if (modes.includes("120000")) return hold("a symbolic link is for a person to change");
	if (modes.some((mode) => mode !== ABSENT && !REGULAR_MODES.has(mode))) return hold(`the mode ${newMode} is none of a plain file`);
	if (newMode === "100755" && oldMode !== "100755") return hold("it would become executable");
	if (binary && newMode !== ABSENT) return hold("it is binary, and nobody can read what changed");
	return [];
}

function checkSize({ files }: PatchedTree, { maxFiles, maxLines }: PatchLimits): readonly PatchProblem[] {
	const lines = files.reduce((sum, file) => sum + file.additions + file.deletions, 0);
	return [
		...(files.length > maxFiles
			? [{ code: "E_LIMIT" as const, text: `${files.length} files are changed; wanted: at most ${maxFiles}` }]
			: []),
		...(lines > maxLines ? [{ code: "E_LIMIT" as const, text: `${lines} lines are changed; wanted: at most ${maxLines}` }] : []),
	];
}

async function checkSecrets(texts: readonly ChangedText[], rules: PatchRules): Promise<readonly PatchProblem[]> {
	const problems: PatchProblem[] = [];
	for (const text of texts) {
		const { path } = text;
		const added = [...text.added].map((line) => text.lines[line - 1] ?? "").join("\n");
		const found = (await findSecrets(text)).map((fact) => `line ${fact.line}`);
		if (rules.redact(added) !== added) found.push("a value that this run must keep to itself");
		if (found.length > 0) {
			problems.push({ code: "E_SECRET", path, text: `${path} adds what looks like a credential (${found.join(", ")})` });
		}
	}
	return problems;
}
