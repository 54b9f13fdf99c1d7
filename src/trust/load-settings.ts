import { findNodeAtLocation, type Node, parseTree } from "jsonc-parser";
import * as z from "zod";
import { UserError } from "../domain/errors.ts";
import type { Sha } from "../domain/ids.ts";
import type { TeamPolicy } from "../domain/team-policy.ts";
import type { RepositoryReader } from "../seams.ts";
import { explainSchemaIssue } from "./explain-schema-issue.ts";
import { parseJsonWithComments } from "./parse-json-with-comments.ts";
import { readTrustedFile } from "./read-trusted-file.ts";
import { mergeSettings, type MergedSettings, type SettingsOverrides } from "./settings.ts";
import { type GarudaFile, garudaFileSchema, type SettingsFile, settingsFileSchema } from "./settings-schema.ts";

const SETTINGS_PATH = ".rookery/settings.json";
const GARUDA_SETTINGS_PATH = ".garuda/settings.json";

/** Parses `.rookery/settings.json`: JSON with comments, a byte order mark allowed. Throws a UserError (BR-77). */
export function parseSettingsFile(text: string, file: string): SettingsFile {
	return parseWith(settingsFileSchema, text, file);
}

/** Parses `.garuda/settings.json`; only the blocks `moe` and `subagents` are read. Throws a UserError. */
export function parseGarudaFile(text: string, file: string): GarudaFile {
	return parseWith(garudaFileSchema, text, file);
}

/**
 * The settings in force, read at the trusted ref and never from the head (S-021). A file that is not there means
 * defaults; a broken one throws a UserError, since a run without the wished limits would be a surprise.
 */
export async function loadSettings(options: {
	readonly reader: RepositoryReader;
	readonly trusted: Sha;
	/** Path of the settings file, when the input `settings` names another. */
	readonly path?: string;
	readonly overrides?: SettingsOverrides;
	readonly policy?: TeamPolicy;
}): Promise<MergedSettings> {
	const path = options.path ?? SETTINGS_PATH;
	const [garuda, rookery] = await Promise.all([readText(options, GARUDA_SETTINGS_PATH), readText(options, path)]);
	if (rookery === undefined && path !== SETTINGS_PATH) {
		throw new UserError(
			`input settings: found ${JSON.stringify(path)}, which is not there at ${options.trusted}; wanted a file of the base branch`,
		);
	}
	return mergeSettings({
		...(garuda === undefined ? {} : { garuda: parseGarudaFile(garuda, GARUDA_SETTINGS_PATH) }),
		...(rookery === undefined ? {} : { rookery: parseSettingsFile(rookery, path) }),
		...(options.overrides === undefined ? {} : { overrides: options.overrides }),
		...(options.policy === undefined ? {} : { policy: options.policy }),
	});
}

async function readText(options: { readonly reader: RepositoryReader; readonly trusted: Sha }, path: string): Promise<string | undefined> {
	const found = await readTrustedFile(options.reader, options.trusted, path);
	if (found.kind === "link") {
		throw new UserError(`${path}: found a symbolic link to ${JSON.stringify(found.target.slice(0, 80))}, wanted a file`, {
			code: "E_LINK",
		});
	}
	return found.kind === "file" ? found.bytes.toString("utf8") : undefined;
}

function parseWith<T>(schema: z.ZodType<T>, text: string, file: string): T {
	const value = parseJsonWithComments(text, file, "E_POLICY");
	const parsed = schema.safeParse(value);
	if (parsed.success) return parsed.data;
	const issue = parsed.error.issues[0];
	const path = issue?.path ?? [];
	const unknownKey = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
	const place = findPlace(text, unknownKey === undefined ? path : [...path, unknownKey], unknownKey !== undefined);
	const known = { [path.map(String).join(".")]: knownKeysAt(schema, path) };
	throw new UserError(explainSchemaIssue(`${file}${place}`, parsed.error, value, known), { code: "E_POLICY" });
}

/** `:line:column` of a value, or of its key; empty when it does not stand in the text. */
function findPlace(text: string, path: readonly PropertyKey[], atKey: boolean): string {
	const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
	const root = parseTree(source, [], { allowTrailingComma: true });
	// A missing key has no place of its own: its object's stands for it.
	let node: Node | undefined;
	for (let length = path.length; root !== undefined && node === undefined && length >= 0; length--) {
		node = findNodeAtLocation(root, path.slice(0, length) as (string | number)[]);
	}
	if (node === undefined) return "";
	const offset = atKey && node.parent?.type === "property" ? node.parent.offset : node.offset;
	const before = source.slice(0, offset).split("\n");
	return `:${before.length}:${(before.at(-1) ?? "").length + 1}`;
}

interface SchemaNode {
	readonly properties?: Readonly<Record<string, SchemaNode>>;
	readonly additionalProperties?: SchemaNode | boolean;
	readonly items?: SchemaNode;
}

/** The keys that an object may have, read out of the schema itself so that no second list can fall behind. */
function knownKeysAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
	let node: SchemaNode | undefined = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as SchemaNode;
	for (const key of path) {
		const next: SchemaNode | boolean | undefined = node?.properties?.[String(key)] ?? node?.additionalProperties ?? node?.items;
		node = typeof next === "object" ? next : undefined;
	}
	return Object.keys(node?.properties ?? {}).filter((key) => key !== "$schema");
}
