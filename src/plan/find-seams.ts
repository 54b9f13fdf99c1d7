import type { LanguageProfile } from "../agents/experts/language-profile.ts";
import { findLanguage } from "../agents/experts/table.ts";
import type { ChangedFile, FilePatch } from "../domain/change-set.ts";
import { countLines } from "./count-lines.ts";
import { MAX_FILES_PER_CHILD, MAX_LINES_PER_CHILD } from "./shard.ts";

/** A schema and the changed code that speaks of what changed in it: wrong together or right together. */
export interface Seam {
	/** For example `OpenAPI description`. */
	readonly kind: string;
	readonly schemas: readonly string[];
	/** Code on its sides, those with most names in common first. */
	readonly code: readonly string[];
}

const SCHEMAS: readonly (readonly [kind: string, pattern: RegExp])[] = [
	["OpenAPI description", /(?:^|\/)[^/]*(?:openapi|swagger)[^/]*\.(?:ya?ml|json)$|(?:^|\/)(?:openapi|swagger)\/.*\.(?:ya?ml|json)$/i],
	["Protocol Buffers schema", /\.proto$/i],
	["GraphQL schema", /\.(?:graphqls?|gql)$/i],
	["interface definition", /\.(?:avsc|avdl|thrift|capnp|fbs|smithy)$/i],
	["JSON schema", /\.schema\.json$|(?:^|\/)(?:json-?)?schemas?\/.*\.json$/i],
	["SQL migration", /(?:^|\/)(?:db|database|sql|migrations?|migrate|schema)\/.*\.sql$|(?:^|\/)(?:schema|structure)\.sql$/i],
];

/** What kind of schema a path is; undefined for everything else. */
export function schemaKind(path: string): string | undefined {
	return SCHEMAS.find(([, pattern]) => pattern.test(path))?.[0];
}

/** Words of schema languages themselves, which tell nothing about what a schema is about. */
const COMMON = new Set(
	"additionalproperties alter application array boolean cascade char column components constraint content create date default delete description drop enum example exists extend false field fields float format from function get import index info input insert int32 int64 integer interface items json key maximum message minimum model name names not null number object oneof operationid option optional package parameters paths pattern post primary properties property public query references repeated request required response responses return returns rpc schema schemas scalar select server service string struct summary syntax table tags text time timestamp title true type types uint32 uint64 union unique update value values varchar version where with".split(
		" ",
	),
);

/** Finds the code of a change that names what its schemas change. Pure; without a schema in the change there is no seam. */
export function findSeams(
	files: readonly ChangedFile[],
	profiles: readonly LanguageProfile[],
	patches: readonly FilePatch[],
): readonly Seam[] {
	const names = new Map(patches.map((patch) => [patch.path, namesOf(patch)]));
	const taken = new Set<string>();
	const byKind = new Map<string, ChangedFile[]>();
	for (const file of files) {
		const kind = schemaKind(file.path);
		if (kind !== undefined) byKind.set(kind, [...(byKind.get(kind) ?? []), file]);
	}
	const seams: Seam[] = [];
	for (const [kind, schemas] of [...byKind].sort(([a], [b]) => (a < b ? -1 : 1))) {
		const told = new Set(schemas.flatMap((file) => [...(names.get(file.path)?.keys() ?? [])]));
		const related = files
			.filter(
				(file) => !taken.has(file.path) && schemaKind(file.path) === undefined && findLanguage(file.path, profiles)?.by === "extension",
			)
			.map((file) => ({ file, shared: sharedNames(names.get(file.path), told) }))
			.filter(({ shared }) => shared.length >= 2 || shared.some((name) => name.compound))
			.sort((a, b) => b.shared.length - a.shared.length || (a.file.path < b.file.path ? -1 : 1));
		const code = fitIntoOneChild(
			schemas,
			related.map(({ file }) => file),
		);
		for (const path of code) taken.add(path);
		if (code.length > 0) seams.push({ kind, schemas: schemas.map((file) => file.path), code });
	}
	return seams;
}

interface Name {
	/** Several words in one, such as `parcel_id`: seldom the same by chance. */
	readonly compound: boolean;
}

/** Names of the changed lines: small letters only, so that `parcel_id`, `parcelId` and `ParcelID` are one. */
function namesOf(patch: FilePatch): ReadonlyMap<string, Name> {
	const found = new Map<string, Name>();
	for (const line of patch.hunks.flatMap((hunk) => hunk.lines)) {
		if (line.kind === "context") continue;
		for (const [word] of line.text.matchAll(/[A-Za-z_][A-Za-z0-9_]{2,}/g)) {
			const name = word.replaceAll("_", "").toLowerCase();
			if (name.length < 4 || COMMON.has(name)) continue;
			const compound = /[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]/.test(word);
			found.set(name, { compound: compound || found.get(name)?.compound === true });
		}
	}
	return found;
}

function sharedNames(own: ReadonlyMap<string, Name> | undefined, told: ReadonlySet<string>): readonly Name[] {
	return [...(own ?? [])].filter(([name]) => told.has(name)).map(([, name]) => name);
}

function fitIntoOneChild(schemas: readonly ChangedFile[], related: readonly ChangedFile[]): readonly string[] {
	const chosen: ChangedFile[] = [...schemas];
	const code: string[] = [];
	for (const file of related) {
		if (chosen.length >= MAX_FILES_PER_CHILD || countLines([...chosen, file]) > MAX_LINES_PER_CHILD) continue;
		chosen.push(file);
		code.push(file.path);
	}
	return countLines(schemas) > MAX_LINES_PER_CHILD ? [] : code;
}
