import { grammarOfPath } from "./grammars.ts";
import type { Budget } from "./questions/budget.ts";
import type { TextStore } from "./text-store.ts";

/** Which files have which names, and which seem to declare them; files by their position in `files`. */
export interface NamePostings {
	readonly files: readonly string[];
	readonly users: ReadonlyMap<string, readonly number[]>;
	readonly declarers: ReadonlyMap<string, readonly number[]>;
	/** Not every file could be read in time. */
	readonly partial: boolean;
}

const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/gu;
/** What stands before a declared name in the six languages; Go's receiver may stand between. */
const DECLARED =
	/\b(?:function\*?|class|interface|@interface|type|enum|record|struct|trait|union|fn|func|def|const|let|var|static|module|namespace|mod|macro_rules!)\s+(?:\([^)\n]*\)\s*)?(?:mut\s+)?([\p{L}_$][\p{L}\p{N}_$]*)/gu;
/** Shorter names say nothing of where they belong. */
const MIN_CHARS = 3;

/** Reads every name of every source file, comments and strings included: cheap, and good enough for weights (INDEX.md 3.6). */
export async function readNamePostings(paths: readonly string[], texts: TextStore, budget: Budget): Promise<NamePostings> {
	const files = paths.filter((path) => grammarOfPath(path) !== undefined);
	const users = new Map<string, number[]>();
	const declarers = new Map<string, number[]>();
	let partial = false;
	for (const [number, path] of files.entries()) {
		if (await budget.spent()) {
			partial = true;
			break;
		}
		const text = texts.text(path) ?? "";
		for (const name of namesIn(text)) post(users, name, number);
		for (const name of declaredIn(text)) post(declarers, name, number);
	}
	return { files, users, declarers, partial };
}

export function namesIn(text: string): ReadonlySet<string> {
	const names = new Set<string>();
	for (const [name] of text.matchAll(NAME)) if (name.length >= MIN_CHARS) names.add(name);
	return names;
}

export function declaredIn(text: string): ReadonlySet<string> {
	const names = new Set<string>();
	for (const [, name] of text.matchAll(DECLARED)) if (name !== undefined && name.length >= MIN_CHARS) names.add(name);
	return names;
}

function post(postings: Map<string, number[]>, name: string, file: number): void {
	const having = postings.get(name);
	if (having === undefined) postings.set(name, [file]);
	else having.push(file);
}
