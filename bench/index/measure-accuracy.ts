import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { listShared } from "../../src/code-index/changes/shared-definitions.ts";
import { grammarOfPath, locateAssets } from "../../src/code-index/grammars.ts";
import { type IndexState, openIndexState } from "../../src/code-index/index-state.ts";
import { createSyntaxService } from "../../src/code-index/syntax-service.ts";
import { createRandom } from "../offline/seed-breakage.ts";
import type { Ratio } from "../ratio.ts";
import type { WorkTree } from "./check-out.ts";

/** What of TypeScript's language service is asked for. */
interface LanguageService {
	findReferences(
		file: string,
		position: number,
	):
		| readonly { readonly references: readonly { readonly fileName: string; readonly textSpan: { readonly start: number } }[] }[]
		| undefined;
}

interface TypeScript {
	readonly sys: Record<string, unknown>;
	readonly ScriptSnapshot: { fromString(text: string): unknown };
	createLanguageService(host: Record<string, unknown>): LanguageService;
	getDefaultLibFilePath(options: unknown): string;
}

interface Tally {
	symbols: number;
	truth: number;
	sure: number;
	right: number;
	calls: number;
	sureCalls: number;
	rightCalls: number;
}

const OPTIONS = {
	...{ target: 99, module: 99, moduleResolution: 100, allowJs: true, noEmit: true, types: [], strict: true, skipLibCheck: true },
	allowImportingTsExtensions: true,
};

/** Kinds by which A1 speaks of TypeScript's symbols; members are A3's, which only the service knows. */
const GROUPS: readonly (readonly [string, ReadonlySet<string>])[] = [
	["function", new Set(["function"])],
	["class", new Set(["class"])],
	["type", new Set(["type", "interface", "enum"])],
	["const", new Set(["constant", "variable"])],
];

/**
 * A1, A2 and A7 for TypeScript: sure references (`resolved`, `typed`) of definitions taken at random beside those of
 * TypeScript's language service, at exact positions. The service is installed into a temporary folder.
 */
export async function measureTypeScript(
	tree: WorkTree,
	name: string,
	options: { readonly modules: string; readonly temp: string; readonly symbols: number },
): Promise<readonly Ratio[]> {
	const ts = installTypeScript(options.temp);
	const state = await openIndexState({
		listFiles: async () => tree.paths,
		read: (file) => tree.read(file),
		syntax: createSyntaxService({ locateAsset: locateAssets(options.modules) }),
	});
	const sources = tree.paths.filter((file) => /\.[cm]?[jt]sx?$/.test(file));
	await state.prepare(sources);
	const service = openService(ts, tree, sources);
	return GROUPS.map(([group, kinds]) => {
		const candidates = sources
			.filter((file) => file.endsWith(".ts") || file.endsWith(".tsx"))
			.flatMap((file) => listSharedOf(state, file, kinds));
		const tally: Tally = { symbols: 0, truth: 0, sure: 0, right: 0, calls: 0, sureCalls: 0, rightCalls: 0 };
		for (const target of createRandom(`${name} ${group}`).shuffle(candidates).slice(0, options.symbols))
			compare(target, state, { service, tree }, tally);
		const calls =
			tally.calls === 0
				? ""
				: `; calls: precision ${share(tally.rightCalls, tally.sureCalls)}, recall ${share(tally.rightCalls, tally.calls)}`;
		return {
			name: `A1-${group}-${name}`,
			value: tally.right / Math.max(1, tally.sure),
			detail: `precision of ${tally.sure} sure references of ${tally.symbols} symbols, wanted 0.99; recall ${share(tally.right, tally.truth)}, wanted 0.97${calls}`,
		};
	});
}

interface Target {
	readonly path: string;
	readonly position: number;
	readonly index: number;
	readonly name: string;
}

function listSharedOf(state: IndexState, file: string, kinds: ReadonlySet<string>): readonly Target[] {
	const facts = state.context.facts(file);
	if (facts === undefined || facts.hasErrors) return [];
	return listShared(facts).flatMap(({ definition, position, isMember }) =>
		kinds.has(definition.kind) && !isMember ? [{ path: file, position, index: definition.index, name: definition.name }] : [],
	);
}

function compare(
	target: Target,
	state: IndexState,
	truth: { readonly service: LanguageService; readonly tree: WorkTree },
	tally: Tally,
): void {
	const real = new Set<string>();
	for (const group of truth.service.findReferences(path.join(truth.tree.folder, target.path), target.index) ?? []) {
		for (const one of group.references) real.add(`${path.relative(truth.tree.folder, one.fileName)}:${one.textSpan.start}`);
	}
	if (real.size === 0) return;
	const [sure, calls] = [new Set<string>(), new Set<string>()];
	for (const file of state.context.filesWithWord(target.name)) {
		const facts = state.context.facts(file);
		facts?.occurrences.forEach((occurrence, position) => {
			if (occurrence.name !== target.name) return;
			const place = `${file}:${occurrence.index}`;
			if (occurrence.role === "call") calls.add(place);
			const meaning = state.supportOf(file)?.resolve(file, facts, position, state.context);
			if (meaning?.kind === "found" && meaning.targets.some((one) => one.path === target.path && one.definition === target.position))
				sure.add(place);
		});
	}
	// The service lists declarations among the references; what the index takes for a definition is no use of it.
	const wanted = [...real].filter((place) => !isDefinition(state, place));
	tally.symbols += 1;
	tally.truth += wanted.length;
	tally.sure += sure.size;
	tally.right += wanted.filter((place) => sure.has(place)).length;
	const realCalls = wanted.filter((place) => calls.has(place));
	tally.calls += realCalls.length;
	tally.sureCalls += [...sure].filter((place) => calls.has(place)).length;
	tally.rightCalls += realCalls.filter((place) => sure.has(place)).length;
}

function isDefinition(state: IndexState, place: string): boolean {
	const colon = place.lastIndexOf(":");
	const index = Number(place.slice(colon + 1));
	return state.context.facts(place.slice(0, colon))?.definitions.some((definition) => definition.index === index) === true;
}

function share(part: number, whole: number): string {
	return whole === 0 ? "none" : (part / whole).toFixed(3);
}

function installTypeScript(temp: string): TypeScript {
	execFileSync("npm", ["install", "--silent", "--no-audit", "--no-fund", "--prefix", temp, "typescript@6.0.3"], { stdio: "ignore" });
	return createRequire(path.join(temp, "package.json"))("typescript") as TypeScript;
}

/** Packages of the repository stand for their sources: nothing is installed in the work tree. */
function mapWorkspace(tree: WorkTree): Readonly<Record<string, readonly string[]>> {
	const entries = tree.paths.flatMap((file): readonly (readonly [string, readonly string[]])[] => {
		if (path.posix.basename(file) !== "package.json") return [];
		const name = /"name"\s*:\s*"([^"]+)"/.exec(tree.read(file)?.toString("utf8") ?? "")?.[1];
		const folder = path.join(tree.folder, path.posix.dirname(file));
		if (name === undefined || !tree.paths.includes(`${path.posix.dirname(file)}/src/index.ts`)) return [];
		return [
			[name, [path.join(folder, "src/index.ts")]],
			[`${name}/*`, [path.join(folder, "src/*"), path.join(folder, "src/*.ts"), path.join(folder, "src/*/index.ts")]],
		];
	});
	return Object.fromEntries(entries);
}

function openService(ts: TypeScript, tree: WorkTree, sources: readonly string[]): LanguageService {
	const names = sources.filter((file) => grammarOfPath(file) !== undefined).map((file) => path.join(tree.folder, file));
	const paths = mapWorkspace(tree);
	return ts.createLanguageService({
		fileExists: ts.sys["fileExists"],
		readFile: ts.sys["readFile"],
		directoryExists: ts.sys["directoryExists"],
		readDirectory: ts.sys["readDirectory"],
		getScriptFileNames: () => names,
		getScriptVersion: () => "1",
		getScriptSnapshot: (file: string) => (existsSync(file) ? ts.ScriptSnapshot.fromString(readFileSync(file, "utf8")) : undefined),
		getCurrentDirectory: () => tree.folder,
		getCompilationSettings: () => ({ ...OPTIONS, paths }),
		getDefaultLibFileName: (options: unknown) => ts.getDefaultLibFilePath(options),
	});
}
