import { type ParseError, parse as parseJson, printParseErrorCode } from "jsonc-parser";
import { parseAllDocuments } from "yaml";
import { errorText } from "../../domain/errors.ts";
import type { Fact } from "../../domain/diagnosis.ts";
import { type ChangedText, isNearChange, quoteLine } from "./changed-text.ts";
import { fileName, holdsPlaceholders, isFixture, isTemplate } from "./path-kinds.ts";

/** The YAML reader is slow and synchronous. */
const MAX_YAML_CHARS = 200_000;
const MAX_JSON_CHARS = 1_000_000;

/** JSON files whose readers allow comments and trailing commas. */
const RELAXED_JSON =
	/^(tsconfig|jsconfig|turbo|nx|deno|biome|renovate|typedoc|api-extractor|angular|wrangler|pyrightconfig|devcontainer|settings|launch|tasks|extensions|keybindings|language-configuration|\.)[^/]*\.json$|rc(\.json)?$/i;
const RELAXED_FOLDER = /(^|\/)\.(vscode|devcontainer|zed|rookery|claude)\//;
/** Names whose readers are known to be strict. */
const STRICT_JSON = /^(package|package-lock|composer|bower|manifest|lerna|vercel|firebase)\.json$/;

/** JSON and YAML that the change breaks. Undefined when the check does not fit the file. */
export function findDataErrors(text: ChangedText): readonly Fact[] | undefined {
	if (isFixture(text.path) || isTemplate(text.path) || holdsPlaceholders(text.head) || text.head.trim() === "") return undefined;
	if (/\.json$/i.test(text.path)) return checkJson(text);
	if (/\.ya?ml$/i.test(text.path)) return checkYaml(text);
	return undefined;
}

function checkJson(text: ChangedText): readonly Fact[] | undefined {
	if (text.head.length > MAX_JSON_CHARS || RELAXED_JSON.test(fileName(text.path)) || RELAXED_FOLDER.test(text.path)) return undefined;
	if (isStrictJson(text.head)) return [];
	if (text.base !== undefined && !isStrictJson(text.base)) return undefined;
	// One document a line is a format of its own.
	if (text.lines.filter((line) => line.trim() !== "").every(isStrictJson)) return undefined;
	// Without a base nobody knows what reads the file: then only what no JSON dialect allows counts.
	const relaxed = text.base === undefined && !STRICT_JSON.test(fileName(text.path));
	const errors: ParseError[] = [];
	parseJson(text.head, errors, { disallowComments: !relaxed, allowTrailingComma: relaxed, allowEmptyContent: true });
	const first = errors[0];
	if (first === undefined) return undefined;
	const line = text.head.slice(0, first.offset).split("\n").length;
	return placed(text, line, "syntax/json", `This is not valid JSON: ${spellOut(printParseErrorCode(first.error))}.`);
}

/** `PropertyNameExpected` as words. */
function spellOut(code: string): string {
	return code.replace(/(?<=.)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).toLowerCase();
}

function isStrictJson(source: string): boolean {
	try {
		JSON.parse(source.replace(/^\ufeff/, ""));
		return true;
	} catch {
		return false;
	}
}

function checkYaml(text: ChangedText): readonly Fact[] | undefined {
	if (text.head.length > MAX_YAML_CHARS || (text.base?.length ?? 0) > MAX_YAML_CHARS) return undefined;
	const [first] = listYamlErrors(text.head);
	if (first === undefined) return [];
	if (text.base !== undefined && listYamlErrors(text.base).length > 0) return undefined;
	return placed(text, first.line, "syntax/yaml", `This is not valid YAML: ${first.message}`);
}

/** Tags and aliases belong to the program that reads the file. */
const READERS_BUSINESS = new Set(["TAG_RESOLVE_FAILED", "BAD_ALIAS"]);

function listYamlErrors(source: string): readonly { readonly line: number; readonly message: string }[] {
	try {
		return parseAllDocuments(source, { prettyErrors: true, logLevel: "silent" })
			.flatMap((document) => document.errors)
			.filter((error) => !READERS_BUSINESS.has(error.code))
			.map((error) => ({ line: error.linePos?.[0].line ?? 1, message: firstSentence(error.message) }));
	} catch (error) {
		// Nesting beyond the reader's stack says nothing about the file.
		if (error instanceof RangeError) return [];
		return [{ line: 1, message: errorText(error) }];
	}
}

function firstSentence(message: string): string {
	return `${(message.split("\n")[0] ?? "").replace(/ at line \d+, column \d+:?$/, "")}.`;
}

/** The reader notices some errors a few lines late; the fact is kept only where the change is. */
function placed(text: ChangedText, line: number, rule: string, message: string): readonly Fact[] {
	const near = [line, line - 1, line + 1].find((candidate) => text.added.has(candidate)) ?? (isNearChange(text, line) ? line : undefined);
	if (near === undefined) return [];
	return [
		{
			kind: "syntax-error",
			rule,
			path: text.path,
			line: near,
			endLine: near,
			quote: quoteLine(text, near),
			message,
			severity: "important",
		},
	];
}
