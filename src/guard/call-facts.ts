import type { ToolEffect } from "../seams.ts";
import { checkPath, type PathRefusal } from "./path-guard.ts";
import { type SplitCommand, splitCommand } from "./split-command.ts";

/** A call that is about to run, its input already parsed. Fits the engine's type of the same name. */
export interface GatedCall {
	readonly id: string;
	readonly tool: string;
	readonly effect: ToolEffect;
	readonly input: unknown;
}

/** What rules look at. */
export interface CallFacts {
	readonly id: string;
	readonly tool: string;
	readonly effect: ToolEffect;
	/** Repository paths in their normal form. */
	readonly paths: readonly string[];
	/** The first path that is none: it leaves the repository or names git's own files. */
	readonly badPath?: PathRefusal & { readonly path: string };
	readonly command?: { readonly text: string; readonly split: SplitCommand; readonly words: readonly string[] };
	readonly url?: string;
	/** One line for people: the path, the command or the address. */
	readonly target: string;
}

const TARGET_CHARS = 300;
const PATH_KEYS = ["path", "paths", "file", "files"] as const;

/** Takes out of an input what rules are about. Inputs have passed the tool's own schema, so odd shapes hold nothing. */
export function describeCall(call: GatedCall): CallFacts {
	const input = typeof call.input === "object" && call.input !== null ? (call.input as Readonly<Record<string, unknown>>) : {};
	const given = PATH_KEYS.flatMap((key) => input[key]).filter((value): value is string => typeof value === "string");
	const checked = given.map((path) => ({ path, check: checkPath(path) }));
	const bad = checked.flatMap(({ path, check }) => (check.ok ? [] : [{ ...check, path }]))[0];
	const command = call.tool === "bash" && typeof input["command"] === "string" ? input["command"] : undefined;
	const url = call.effect === "network" && typeof input["url"] === "string" ? input["url"] : undefined;
	const shown = command ?? url ?? given.join(", ");
	return {
		id: call.id,
		tool: call.tool,
		effect: call.effect,
		paths: checked.flatMap(({ check }) => (check.ok ? [check.path] : [])),
		...(bad === undefined ? {} : { badPath: bad }),
		...(command === undefined ? {} : { command: { text: command, split: splitCommand(command), words: pathLikeWords(command) } }),
		...(url === undefined ? {} : { url }),
		target: (shown === "" ? firstText(input) : shown).replace(/\s+/g, " ").slice(0, TARGET_CHARS).toWellFormed(),
	};
}

/** Pieces of a command line that could name a file, also behind `HEAD:` and `--file=`. */
function pathLikeWords(command: string): readonly string[] {
	return [...new Set(command.replace(/["'\\]/g, "").split(/[\s;|&()<>=:,@`$]+/))].filter((word) => word !== "" && word.length < 1000);
}

function firstText(input: Readonly<Record<string, unknown>>): string {
	return Object.values(input).find((value): value is string => typeof value === "string") ?? "";
}
