import type { LanguageProfile } from "../agents/experts/language-profile.ts";
import { findLanguage } from "../agents/experts/table.ts";
import type { ChangedFile, FilePatch } from "../domain/change-set.ts";
import type { SkippedFile } from "../domain/review-plan.ts";
import { countLines } from "./count-lines.ts";
import { findSeams, type Seam } from "./find-seams.ts";
import type { SkipRule } from "./skip-rules.ts";

/** Files for one kind of reviewer. */
export interface RoutedGroup {
	/** Undefined for the generalist and for joint readers. */
	readonly profile?: LanguageProfile;
	/** Languages on the sides of a schema, for its joint reader. */
	readonly joint?: readonly LanguageProfile[];
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

/**
 * Partitions a change: each language present gets exactly its own files, what belongs to none goes to the
 * generalist, and what nobody needs to read is named with its reason (S-006, S-017, D-02, D-03).
 * @param profiles empty when specialists are off
 * @param patches of schemas and of the code that may use them; without them no seam is seen
 */
export function routeFiles(
	files: readonly ChangedFile[],
	profiles: readonly LanguageProfile[],
	skip: SkipRule,
	patches: readonly FilePatch[] = [],
): Route {
	const skipped: SkippedFile[] = [];
	const kept: ChangedFile[] = [];
	for (const file of files) {
		const reason = skip(file);
		if (reason === undefined) kept.push(file);
		else skipped.push({ path: file.path, reason });
	}
	const languages: Record<string, string> = {};
	const byLanguage = new Map<string, { profile: LanguageProfile; files: ChangedFile[]; manifests: number; schemas: number }>();
	const rest: ChangedFile[] = [];
	const seams = isSmallChange(kept) ? [] : findSeams(kept, profiles, patches);
	const { joint, hosts } = placeSeams(seams, kept, profiles);
	const jointly = new Set(joint.flatMap((group) => group.files));
	for (const file of kept) {
		const found =
			findLanguage(file.path, profiles) ?? (file.previousPath === undefined ? undefined : findLanguage(file.previousPath, profiles));
		if (found !== undefined) languages[file.path] = found.profile.id;
		if (jointly.has(file)) continue;
		const host = hosts.get(file.path);
		const profile = host ?? found?.profile;
		if (profile === undefined) {
			rest.push(file);
			continue;
		}
		const group = byLanguage.get(profile.id) ?? { profile, files: [], manifests: 0, schemas: 0 };
		group.files.push(file);
		if (host !== undefined) group.schemas += 1;
		else if (found?.by === "manifest") group.manifests += 1;
		byLanguage.set(profile.id, group);
	}
	const others = kept.filter((file) => !jointly.has(file));
	return { groups: [...joint, ...groupFiles([...byLanguage.values()], rest, others, profiles.length > 0)], skipped, languages };
}

/**
 * A schema with users in several languages is read with them by one joint reader; with users in one language it goes to
 * that language's specialist, who reads all of it anyway (X-21).
 */
function placeSeams(
	seams: readonly Seam[],
	kept: readonly ChangedFile[],
	profiles: readonly LanguageProfile[],
): { readonly joint: readonly RoutedGroup[]; readonly hosts: ReadonlyMap<string, LanguageProfile> } {
	const joint: RoutedGroup[] = [];
	const hosts = new Map<string, LanguageProfile>();
	for (const { kind, schemas, code } of seams) {
		const sides = new Map<LanguageProfile, number>();
		for (const path of code) {
			const profile = findLanguage(path, profiles)?.profile;
			if (profile !== undefined) sides.set(profile, (sides.get(profile) ?? 0) + 1);
		}
		const [[only] = [], ...more] = sides;
		if (only === undefined) continue;
		if (more.length === 0) {
			for (const path of schemas) hosts.set(path, only);
			continue;
		}
		const own = new Set([...schemas, ...code]);
		const files = kept.filter((file) => own.has(file.path)).sort((a, b) => (a.path < b.path ? -1 : 1));
		const names = [...sides].map(([profile, number]) => count(number, `${profile.displayName} file`));
		joint.push({ joint: [...sides.keys()], files, reason: `${kind} and what it joins, read together: ${names.join(" and ")}` });
	}
	return { joint, hosts };
}

interface LanguageGroup {
	readonly profile: LanguageProfile;
	readonly files: readonly ChangedFile[];
	readonly manifests: number;
	/** Schemas of its users here, which are no files of the language. */
	readonly schemas: number;
}

function isSmallChange(kept: readonly ChangedFile[]): boolean {
	return kept.length <= SMALL_CHANGE_FILES && countLines(kept) <= SMALL_CHANGE_LINES;
}

function groupFiles(
	languages: readonly LanguageGroup[],
	rest: readonly ChangedFile[],
	kept: readonly ChangedFile[],
	specialists: boolean,
): readonly RoutedGroup[] {
	if (kept.length === 0) return [];
	const total = countLines(kept);
	if (isSmallChange(kept)) return [routeSmallChange(languages, rest, kept, total)];
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
	const schemas = group.schemas === 0 ? "" : ` with ${count(group.schemas, "schema")} that joins them`;
	return `${count(group.files.length - group.schemas, `${group.profile.displayName} file`)}${manifests}${schemas}: ${count(lines, "changed line")}, ${percent} % of the change`;
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
