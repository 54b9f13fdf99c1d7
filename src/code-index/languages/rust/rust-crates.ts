import path from "node:path";
import type { FileFacts, IndexContext } from "../../types.ts";
import { definitionsNamed, typedDefinition } from "../scope-lookup.ts";

/** A module: a whole file (`at` -1), or the braces of a `mod` item that open at `at`. */
export interface RustModule {
	readonly file: string;
	readonly at: number;
}

const ROOTS =
	/(?:^|\/)(?:src\/(?:lib|main)\.rs|build\.rs|src\/bin\/[^/]+\.rs|(?:tests|examples|benches|fuzz_targets)\/[^/]+\.rs|(?:tests|examples|benches|bin)\/[^/]+\/main\.rs)$/;

/** The file that the modules of a file's crate hang on; the file itself when nothing else can be told. */
export function findCrateRoot(file: string, context: IndexContext): string {
	return context.memo(`rust:root:${file}`, () => {
		if (ROOTS.test(file)) return file;
		const source = /^(.*?(?:^|\/)src)\//.exec(file)?.[1];
		for (const name of ["lib.rs", "main.rs"]) {
			const root = `${source}/${name}`;
			if (source !== undefined && context.has(root)) return root;
		}
		const shared = /^(.*(?:^|\/)(?:tests|examples|benches))\/([^/]+)\//.exec(file);
		if (shared === null) return file;
		const users = context.paths.filter((one) => path.posix.dirname(one) === shared[1] && one.endsWith(".rs"));
		return users.find((one) => new RegExp(`\\bmod\\s+${shared[2]}\\s*;`).test(context.text(one) ?? "")) ?? file;
	});
}

/** The root of a crate of the repository, by the name that source code uses for it. */
export function findCrate(name: string, context: IndexContext): string | undefined {
	const crates = context.memo("rust:crates", () => {
		const found = new Map<string, string>();
		for (const file of context.paths) {
			if (file !== "Cargo.toml" && !file.endsWith("/Cargo.toml")) continue;
			const text = context.text(file) ?? "";
			const folder = path.posix.dirname(file);
			const packageName = /^\[package\][^[]*?^name\s*=\s*"([^"]+)"/ms.exec(text)?.[1];
			const library = /^\[lib\][^[]*?^path\s*=\s*"([^"]+)"/ms.exec(text)?.[1] ?? "src/lib.rs";
			const root = path.posix.join(folder, library);
			if (packageName !== undefined && context.has(root)) found.set(packageName.replaceAll("-", "_"), root);
		}
		return found;
	});
	return crates.get(name);
}

/** Folder in which the files of a module's own modules lie. */
function folderOf(module: RustModule, context: IndexContext): string {
	const folder = path.posix.dirname(module.file);
	const stem = path.posix.basename(module.file, ".rs");
	const isTop = stem === "mod" || findCrateRoot(module.file, context) === module.file;
	const own = isTop ? folder : path.posix.join(folder, stem);
	if (module.at === -1) return own;
	const facts = context.facts(module.file);
	const names = facts === undefined ? [] : modulesAround(facts, module.at + 1).map((one) => one.name);
	return path.posix.join(own, ...names);
}

/** Inline modules around an offset, the outermost first. */
export function modulesAround(facts: FileFacts, at: number): readonly { readonly name: string; readonly at: number }[] {
	const found: { name: string; at: number }[] = [];
	for (const scope of facts.scopes) {
		if (scope.kind !== "module" || at < scope.startIndex || at >= scope.endIndex) continue;
		const definition = facts.typing?.definitions.find(
			(one) => one.sort === "module" && one.type?.k === "body" && one.type.at === scope.startIndex,
		);
		found.push({ name: definition?.name ?? "", at: scope.startIndex });
	}
	return found.sort((a, b) => a.at - b.at);
}

/** The module that a place is in. */
export function moduleAt(file: string, at: number, context: IndexContext): RustModule {
	const facts = context.facts(file);
	const inner = facts === undefined ? undefined : modulesAround(facts, at).at(-1);
	return { file, at: inner?.at ?? -1 };
}

/** The module that a `mod` item of a module declares: its braces, or the file that it stands for. */
export function openModule(parent: RustModule, definition: number, context: IndexContext): RustModule | undefined {
	const facts = context.facts(parent.file);
	const typed = facts === undefined ? undefined : typedDefinition(facts, definition);
	if (facts === undefined || typed === undefined) return undefined;
	if (typed.type?.k === "body") return { file: parent.file, at: typed.type.at };
	const written = facts.definitions[definition];
	const above = context.text(parent.file)?.slice(Math.max(0, (written?.startIndex ?? 0) - 200), written?.startIndex) ?? "";
	const given = /#\[path\s*=\s*"([^"]+)"\]\s*$/.exec(above)?.[1];
	const folder = folderOf(parent, context);
	const files =
		given === undefined
			? [`${folder}/${typed.name}.rs`, `${folder}/${typed.name}/mod.rs`]
			: [path.posix.join(path.posix.dirname(parent.file), given)];
	const file = files.map((one) => path.posix.normalize(one)).find((one) => context.has(one));
	return file === undefined ? undefined : { file, at: -1 };
}

export function parentModule(module: RustModule, context: IndexContext): RustModule | undefined {
	if (module.at !== -1) {
		const facts = context.facts(module.file);
		const outer =
			facts === undefined
				? undefined
				: modulesAround(facts, module.at)
						.filter((one) => one.at < module.at)
						.at(-1);
		return { file: module.file, at: outer?.at ?? -1 };
	}
	const root = findCrateRoot(module.file, context);
	if (root === module.file) return undefined;
	const folder = path.posix.dirname(module.file);
	const above = path.posix.basename(module.file) === "mod.rs" ? path.posix.dirname(folder) : folder;
	if (above === path.posix.dirname(root)) return { file: root, at: -1 };
	const file = [`${above}.rs`, `${above}/mod.rs`].find((one) => context.has(one));
	return { file: file ?? root, at: -1 };
}

/** Position of a module's scope in its file's facts. */
export function scopeOfModule(module: RustModule, facts: FileFacts): number {
	if (module.at === -1) return 0;
	return facts.scopes.findIndex((scope) => scope.kind === "module" && scope.startIndex === module.at);
}

/** Items of a name that stand right in a module. */
export function itemsOf(module: RustModule, name: string, context: IndexContext): readonly number[] {
	const facts = context.facts(module.file);
	if (facts === undefined) return [];
	const scope = scopeOfModule(module, facts);
	return definitionsNamed(facts, name).filter((index) => typedDefinition(facts, index)?.scope === scope);
}
