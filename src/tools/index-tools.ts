import * as z from "zod";
import type { CodeIndex, SymbolQuery } from "../code-index/types.ts";
import type { ToolName } from "../domain/agent.ts";
import type { Tool, ToolOutput } from "../seams.ts";
import { defineTool } from "./define-tool.ts";
import { openIndex } from "./open-index.ts";
import { renderImpact, renderMap, renderQuery, renderReferences, renderSymbols } from "./render-index.ts";
import type { ToolContext } from "./tool-context.ts";

const TIMEOUT_MS = 60_000;

const named = z.strictObject({ name: z.string().min(1).max(1_000) });

/**
 * The six tools of the code index (S-018, S-029), in their fixed order. Every child pays for their descriptions at every
 * step (G1), so one argument says all: `name`, `Type.name` or `path:line:name`.
 */
export function createIndexTools(context: ToolContext): readonly Tool[] {
	const ask = (
		name: ToolName,
		description: string,
		answer: (index: CodeIndex, query: SymbolQuery, signal: AbortSignal) => Promise<ToolOutput>,
	): Tool =>
		defineTool({
			...{ name, description, schema: named, effect: "read", timeoutMs: TIMEOUT_MS },
			run: async (input, signal) => answer(await openIndex(context), readQuery(input.name), signal),
		});
	return [
		ask("find_symbol", "Definitions of a name, Type.name or path:line:name.", async (index, query, signal) =>
			renderSymbols(await index.findSymbol(query, signal)),
		),
		ask("find_references", "Uses of a name.", async (index, query, signal) =>
			renderReferences(await index.findReferences(query, signal), "uses"),
		),
		ask("find_callers", "Calls of a name.", async (index, query, signal) =>
			renderReferences(await index.findCallers(query, signal), "calls"),
		),
		ask("impact_analysis", "What depends on a name.", async (index, query, signal) => renderImpact(await index.impact(query, signal))),
		createAstQuery(context),
		createRepoMap(context),
	];
}

function createAstQuery(context: ToolContext): Tool {
	return defineTool({
		name: "ast_query",
		description: "Run a tree-sitter query.",
		schema: z.strictObject({ query: z.string().min(1).max(5_000), path: z.string().max(1_000).optional() }),
		effect: "read",
		timeoutMs: TIMEOUT_MS,
		run: async ({ query, path }, signal) =>
			renderQuery(await (await openIndex(context)).query({ query, ...(path === undefined ? {} : { path }) }, signal)),
	});
}

function createRepoMap(context: ToolContext): Tool {
	return defineTool({
		name: "repo_map",
		description: "Files related to a path.",
		schema: z.strictObject({ path: z.string().max(1_000).optional() }),
		effect: "read",
		timeoutMs: TIMEOUT_MS,
		async run({ path }, signal) {
			const changed = context.assignedPaths ?? context.changedFiles.map((file) => file.path);
			const paths = path === undefined || path === "" || path === "." ? changed : [path];
			return renderMap(await (await openIndex(context)).repoMap({ paths }, signal));
		},
	});
}

/** `path:line:name`, `path:name`, `path name`, or a name alone. Names of Rust have `::` inside. */
function readQuery(text: string): SymbolQuery {
	const placed = /^(.+?):(\d+)[:\s]\s*(\S+)$/s.exec(text.trim());
	if (placed?.[1] !== undefined && placed[3] !== undefined) return { name: placed[3], path: placed[1], line: Number(placed[2]) };
	const inPath = /^(\S*[./]\S*?)(?::(?!:)|\s+)([\p{L}_$#][^\s/]*)$/u.exec(text.trim());
	if (inPath?.[1] !== undefined && inPath[2] !== undefined) return { name: inPath[2], path: inPath[1] };
	return { name: text };
}
