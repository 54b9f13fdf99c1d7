import { existsSync } from "node:fs";
import path from "node:path";

/** Languages with a grammar. JavaScript's grammar knows JSX; TypeScript has two since `<T>x` and JSX exclude each other. */
export type GrammarId = "go" | "rust" | "python" | "java" | "javascript" | "typescript" | "tsx";

export const RUNTIME_FILE = "web-tree-sitter.wasm";

const PACKAGES: Readonly<Record<GrammarId, string>> = {
	go: "tree-sitter-go",
	rust: "tree-sitter-rust",
	python: "tree-sitter-python",
	java: "tree-sitter-java",
	javascript: "tree-sitter-javascript",
	typescript: "tree-sitter-typescript",
	tsx: "tree-sitter-typescript",
};

const EXTENSIONS: Readonly<Record<string, GrammarId>> = {
	".go": "go",
	".rs": "rust",
	".py": "python",
	".pyi": "python",
	".java": "java",
	".js": "javascript",
	".mjs": "javascript",
	".cjs": "javascript",
	".jsx": "javascript",
	".ts": "typescript",
	".mts": "typescript",
	".cts": "typescript",
	".tsx": "tsx",
};

/** Grammar of a file by its extension; undefined for everything else. */
export function grammarOfPath(file: string): GrammarId | undefined {
	return EXTENSIONS[path.posix.extname(file).toLowerCase()];
}

/** Name of the grammar's file as its package publishes it. */
export function grammarFile(grammar: GrammarId): string {
	return `tree-sitter-${grammar}.wasm`;
}

/** Absolute path of the runtime's or a grammar's file. Throws when it is missing: the program is then not whole. */
export type AssetLocator = (asset: "runtime" | GrammarId) => string;

/**
 * Finds the wasm files in one folder: flat beside the bundle (`dist/grammars`), or in packages below it (`node_modules`)
 * when run from source.
 */
export function locateAssets(folder: string): AssetLocator {
	return (asset) => {
		const file = asset === "runtime" ? RUNTIME_FILE : grammarFile(asset);
		const flat = path.join(folder, file);
		if (existsSync(flat)) return flat;
		const packaged = path.join(folder, asset === "runtime" ? "web-tree-sitter" : PACKAGES[asset], file);
		if (existsSync(packaged)) return packaged;
		throw new Error(`${file} is neither in ${folder} nor in a package below it`);
	};
}
