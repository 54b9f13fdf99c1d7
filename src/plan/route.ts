import type { LanguageProfile } from "../agents/experts/language-profile.ts";
import { findLanguage } from "../agents/experts/table.ts";
import type { ChangedFile } from "../domain/change-set.ts";
import type { SkippedFile } from "../domain/review-plan.ts";
import type { SkipRule } from "./skip-rules.ts";

/** Files for one kind of reviewer. */
export interface RoutedGroup {
	/** Undefined for the generalist. */
	readonly profile?: LanguageProfile;
	readonly files: readonly ChangedFile[];
	readonly reason: string;
}

export interface Route {
	/** Most changed lines first; the generalist last. */
	readonly groups: readonly RoutedGroup[];
	readonly skipped: readonly SkippedFile[];
	/** Language id by path, also for files that the generalist reads. */
	readonly languages: Readonly<Record<string, string>>;
}

/**
 * A change this small is read by one child as a whole: a second one would cost as much again for reading the same
 * few lines (S-002).
 */
const SMALL_CHANGE_LINES = 30;
const SMALL_CHANGE_FILES = 3;

/**
 * A language with no more than this goes to a generalist who is there anyway: a specialist's brief would be many
 * times as long as what it looks at.
 */
const SMALL_SHARE = { share: 0.1, lines: 20, files: 2 };
/** The same for what goes along with code: a script or a query is mostly right or wrong by what stands beside it. */
const SMALL_MINOR_SHARE = { share: 0.25, lines: 60, files: 4 };

/** Changed lines, the weight of files everywhere in a plan. */
export function countLines(files: readonly Pick<ChangedFile, "additions" | "deletions">[]): number {
	return files.reduce((sum, file) => sum + file.additions + file.deletions, 0);
}

/**
 * Partitions a change: each language present gets exactly its own files, what belongs to none goes to the
 * generalist, and what nobody needs to read is named with its reason (S-006, S-017, D-02, D-03).
 * @param profiles empty when specialists are off
 */
export function routeFiles(files: readonly ChangedFile[], profiles: readonly LanguageProfile[], skip: SkipRule): Route {
	const skipped: SkippedFile[] = [];
	const kept: ChangedFile[] = [];
	for (const file of files) {
		const reason = skip(file);
		if (reason === undefined) kept.push(file);
		else skipped.push({ path: file.path, reason });
	}
	const languages: Record<string, string> = {};
	const byLanguage = new Map<string, { profile: LanguageProfile; files: ChangedFile[]; manifests: number }>();
	const rest: ChangedFile[] = [];
	for (const file of kept) {
		const found =
			findLanguage(file.path, profiles) ?? (file.previousPath === undefined ? undefined : findLanguage(file.previousPath, profiles));
		if (found === undefined) {
			rest.push(file);
			continue;
		}
		languages[file.path] = found.profile.id;
		const group = byLanguage.get(found.profile.id) ?? { profile: found.profile, files: [], manifests: 0 };
		group.files.push(file);
		if (found.by === "manifest") group.manifests += 1;
		byLanguage.set(found.profile.id, group);
	}
	return { groups: groupFiles([...byLanguage.values()], rest, kept, profiles.length > 0), skipped, languages };
}

interface LanguageGroup {
	readonly profile: LanguageProfile;
	readonly files: readonly ChangedFile[];
	readonly manifests: number;
}

function groupFiles(
	languages: readonly LanguageGroup[],
	rest: readonly ChangedFile[],
	kept: readonly ChangedFile[],
	specialists: boolean,
): readonly RoutedGroup[] {
	if (kept.length === 0) return [];
	const total = countLines(kept);
	if (kept.length <= SMALL_CHANGE_FILES && total <= SMALL_CHANGE_LINES) return [routeSmallChange(languages, rest, kept, total)];
	const shares = [...languages].sort((a, b) => countLines(b.files) - countLines(a.files) || (a.profile.id < b.profile.id ? -1 : 1));
	const small = shares.filter((group) => isSmallShare(group, total));
	// Without other work for the generalist, one small language is better off with its own specialist, and what only goes
	// along with code with the specialist next to it.
	const handOver = rest.length > 0 || small.length > 1 ? small : [];
	const [joining] = handOver.length === 0 ? small.filter((group) => group.profile.minor === true) : [];
	const large = shares.filter((group) => !handOver.includes(group) && group !== joining);
	const host = joining === undefined ? undefined : findNeighbour(joining, large);
	const groups: RoutedGroup[] = large.map((group) => {
		const own = { profile: group.profile, files: group.files, reason: describeShare(group, total) };
		return joining === undefined || group !== host ? own : joinGroups(own, joining);
	});
	const general = [...rest, ...handOver.flatMap((group) => group.files)].sort((a, b) => (a.path < b.path ? -1 : 1));
	if (general.length > 0) groups.push({ files: general, reason: describeRest(rest, handOver, specialists) });
	return groups;
}

function routeSmallChange(
	languages: readonly LanguageGroup[],
	rest: readonly ChangedFile[],
	kept: readonly ChangedFile[],
	total: number,
): RoutedGroup {
	const size = `a small change of ${count(kept.length, "file")} and ${count(total, "line")}`;
	const [only, second] = languages;
	if (only !== undefined && second === undefined) {
		const others = rest.length === 0 ? "" : `; ${count(rest.length, "file")} of no language with it`;
		return { profile: only.profile, files: kept, reason: `${size}, ${only.profile.displayName} its only language${others}` };
	}
	const names = languages.map((group) => group.profile.displayName).join(", ");
	return { files: kept, reason: names === "" ? `${size} without a known language` : `${size} in several languages (${names})` };
}

function isSmallShare(group: LanguageGroup, total: number): boolean {
	const lines = countLines(group.files);
	const limit = group.profile.minor === true ? SMALL_MINOR_SHARE : SMALL_SHARE;
	return lines <= limit.lines && group.files.length <= limit.files && lines < total * limit.share;
}

/** The group whose files lie nearest: the longest folder in common, else the one with most lines, which comes first. */
function findNeighbour(small: LanguageGroup, others: readonly LanguageGroup[]): LanguageGroup | undefined {
	const near = (group: LanguageGroup): number =>
		Math.max(...group.files.flatMap((file) => small.files.map((own) => commonFolders(file.path, own.path))));
	return [...others].sort((a, b) => near(b) - near(a))[0];
}

function commonFolders(one: string, other: string): number {
	const [a, b] = [one.split("/").slice(0, -1), other.split("/").slice(0, -1)];
	const end = a.findIndex((part, index) => part !== b[index]);
	return end < 0 ? a.length : end;
}

function joinGroups(host: RoutedGroup, small: LanguageGroup): RoutedGroup {
	const files = [...host.files, ...small.files].sort((a, b) => (a.path < b.path ? -1 : 1));
	return { ...host, files, reason: `${host.reason}; with it ${describeSmall(small)}` };
}

function describeSmall({ profile, files }: LanguageGroup): string {
	return `${count(files.length, `${profile.displayName} file`)} with only ${count(countLines(files), "changed line")}`;
}

function describeShare(group: LanguageGroup, total: number): string {
	const lines = countLines(group.files);
	const percent = total === 0 ? 100 : Math.round((lines / total) * 100);
	const manifests = group.manifests === 0 ? "" : `, ${count(group.manifests, "manifest")} among them`;
	return `${count(group.files.length, `${group.profile.displayName} file`)}${manifests}: ${count(lines, "changed line")}, ${percent} % of the change`;
}

function describeRest(rest: readonly ChangedFile[], small: readonly LanguageGroup[], specialists: boolean): string {
	const parts: string[] = [];
	if (rest.length > 0)
		parts.push(specialists ? `${count(rest.length, "file")} of no known language` : `${count(rest.length, "file")}; specialists are off`);
	return [...parts, ...small.map(describeSmall)].join("; ");
}

function count(amount: number, noun: string): string {
	return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}
