/**
 * Writes what is generated: the inputs of `action.yml` from the input table, and the tables of the README and
 * `docs/` from `action.yml` and the language table. With `--check` it writes nothing and fails on a difference.
 */
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { markdownTable } from "markdown-table";
import { parse } from "yaml";
import { BUILT_IN_LANGUAGES } from "../src/agents/experts/table.ts";
import { COMMANDS } from "../src/commands/command-table.ts";
import { renderCommandTable } from "../src/commands/render-help.ts";
import { VERSION } from "../src/compose/version.ts";
import { MODEL_TABLE, MODEL_TABLE_DATE } from "../src/domain/model-table.ts";
import { RECIPES } from "../src/maintenance/recipes.ts";
import { INPUT_TABLE } from "../src/intake/input-table.ts";
import { renderMatrixWorkflow } from "../src/templates/part-workflows.ts";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

interface Manifest {
	readonly outputs: Readonly<Record<string, { readonly description: string }>>;
}

function renderInputs(): string {
	const entries = INPUT_TABLE.map((input) => {
		const value = input.default === "" ? "" : `\n    default: ${JSON.stringify(input.default)}`;
		return `  ${input.name}:\n    description: ${JSON.stringify(input.description)}\n    required: false${value}`;
	});
	return `${entries.join("\n")}\n`;
}

function escapeCell(text: string): string {
	return text.replace(/\|/g, "\\|").replace(/\n/g, " ");
}

/** Replaces what stands between two marker lines; the markers stay. */
function replaceBetween(text: string, name: string, content: string, style: "yaml" | "markdown"): string {
	const [start, end] =
		style === "yaml" ? [`  # generated: ${name}`, `  # end: ${name}`] : [`<!-- generated: ${name} -->`, `<!-- end: ${name} -->`];
	const from = text.indexOf(start);
	const to = text.indexOf(end);
	if (from === -1 || to === -1) throw new Error(`marker ${start} … ${end} is missing`);
	return `${text.slice(0, from + start.length)}\n${content}${text.slice(to)}`;
}

interface Schema {
	readonly description?: string;
	readonly type?: string;
	readonly enum?: readonly unknown[];
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly additionalProperties?: Schema | boolean;
	readonly items?: Schema;
}

/** One row a setting, nested keys with dots; `<id>` stands for names of the user's own. */
function listSettings(schema: Schema, prefix: string): string[][] {
	return Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
		const name = prefix === "" ? key : `${prefix}.${key}`;
		if (value.properties !== undefined) return listSettings(value, name);
		const inner = typeof value.additionalProperties === "object" ? value.additionalProperties : undefined;
		if (inner?.properties !== undefined) return listSettings(inner, `${name}.<id>`);
		return [[`\`${name}\``, escapeCell(value.description ?? "")]];
	});
}

const check = process.argv.includes("--check");
const stale: string[] = [];

async function update(file: string, change: (text: string) => string): Promise<string> {
	const before = await readFile(path.join(root, file), "utf8");
	const after = change(before);
	if (after !== before) {
		stale.push(file);
		if (!check) await writeFile(path.join(root, file), after);
	}
	return after;
}

const manifest = parse(await update("action.yml", (text) => replaceBetween(text, "inputs", renderInputs(), "yaml"))) as Manifest;
const inputs = markdownTable([
	["input", "default", "what it does"],
	...INPUT_TABLE.map((input) => [`\`${input.name}\``, input.default === "" ? "" : `\`${input.default}\``, escapeCell(input.description)]),
]);
const outputs = markdownTable([
	["output", "what it holds"],
	...Object.entries(manifest.outputs).map(([name, output]) => [`\`${name}\``, escapeCell(output.description)]),
]);
const languages = markdownTable([
	["specialist", "files"],
	...BUILT_IN_LANGUAGES.map((language) => [
		language.displayName,
		[...language.extensions, ...language.filenames].map((name) => `\`${name}\``).join(" "),
	]),
]);
await update("README.md", (text) =>
	replaceBetween(
		replaceBetween(replaceBetween(text, "inputs", `\n${inputs}\n\n`, "markdown"), "outputs", `\n${outputs}\n\n`, "markdown"),
		"specialists",
		`\n${languages}\n\n`,
		"markdown",
	),
);

const settingsSchema = JSON.parse(await readFile(path.join(root, "schemas/settings.schema.json"), "utf8")) as Schema;
const settings = markdownTable([["key", "what it does"], ...listSettings(settingsSchema, "").filter(([name]) => name !== "`$schema`")]);
await update("docs/settings.md", (text) => replaceBetween(text, "settings", `\n${settings}\n\n`, "markdown"));

const commands = renderCommandTable(COMMANDS);
await update("docs/commands.md", (text) => replaceBetween(text, "commands", `\n${commands}\n\n`, "markdown"));

const matrix = renderMatrixWorkflow({ repository: "rookery/rookery", sha: "<full commit SHA>", version: VERSION }, 5);
await update("docs/matrix.md", (text) => replaceBetween(text, "matrix-workflow", `\n\`\`\`yaml\n${matrix}\`\`\`\n\n`, "markdown"));
const recipes = markdownTable([
	["recipe", "what it does", "files"],
	...Object.entries(RECIPES).map(([name, recipe]) => [
		`\`${name}\``,
		escapeCell(recipe.summary),
		recipe.paths === undefined ? "all that the job may change" : recipe.paths.map((glob) => `\`${glob}\``).join(" "),
	]),
]);
await update("docs/maintenance.md", (text) => replaceBetween(text, "recipes", `\n${recipes}\n\n`, "markdown"));

const dollars = (amount: number): string => String(amount);
const prices = markdownTable(
	[
		["model", "alias", "input", "output", "cache read", "cache write", "above"],
		...MODEL_TABLE.map(({ id, aliases, price, longPrompt }) => [
			`\`${id}\``,
			aliases.map((alias) => `\`${alias}\``).join(" "),
			...[price.input, price.output, price.cacheRead, price.cacheWrite5m].map(dollars),
			longPrompt === undefined ? "" : `${longPrompt.aboveTokens / 1000}K: ${longPrompt.price.input} / ${longPrompt.price.output}`,
		]),
	],
	{ align: ["l", "l", "r", "r", "r", "r", "l"] },
);
await update("docs/costs.md", (text) =>
	replaceBetween(text, "prices", `\nAs published on ${MODEL_TABLE_DATE}.\n\n${prices}\n\n`, "markdown"),
);

if (check && stale.length > 0) {
	console.error(`not up to date: ${stale.join(", ")}; run "npm run docs" and commit`);
	process.exitCode = 1;
} else {
	console.log(stale.length === 0 ? "docs are up to date" : `written: ${stale.join(", ")}`);
}
