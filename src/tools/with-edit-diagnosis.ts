import { readSync } from "node:fs";
import { grammarOfPath } from "../code-index/grammars.ts";
import { findSyntaxProblems, type SyntaxProblem } from "../code-index/syntax-errors.ts";
import type { SyntaxService } from "../code-index/syntax-service.ts";
import { createFileOpener } from "../guard/open-inside.ts";
import type { Tool, ToolOutput } from "../seams.ts";
import type { ToolContext } from "./tool-context.ts";

const MAX_BYTES = 1_000_000;
const MAX_SHOWN = 3;
const MAX_LINE_CHARS = 120;

/**
 * The same tool, and after a change that it made the result says what no longer parses (S-074): a child learns of a
 * slip in the step that made it and not in a red test later. Only what the change brought in is named, and only for
 * languages with a grammar; a check that fails says nothing, since the change itself stands.
 */
export function withEditDiagnosis(tool: Tool, context: Pick<ToolContext, "root" | "syntax">): Tool {
	return {
		...tool,
		async run(input, signal, call) {
			const path = pathOf(input);
			const before = path === undefined ? undefined : readText(context.root, path);
			const output = await tool.run(input, signal, call);
			if (path === undefined || output.isError === true) return output;
			return addDiagnosis(output, path, before, context);
		},
	};
}

async function addDiagnosis(
	output: ToolOutput,
	path: string,
	before: string | undefined,
	context: Pick<ToolContext, "root" | "syntax">,
): Promise<ToolOutput> {
	try {
		const after = readText(context.root, path);
		if (after === undefined) return output;
		const known = before === undefined ? 0 : (await findProblems(path, before, context.syntax)).length;
		const problems = await findProblems(path, after, context.syntax);
		if (problems.length <= known) return output;
		return { ...output, content: `${output.content}\n\n${describeProblems(problems, after)}` };
	} catch {
		return output;
	}
}

async function findProblems(path: string, text: string, syntax: SyntaxService): Promise<readonly SyntaxProblem[]> {
	const grammar = grammarOfPath(path);
	if (grammar === undefined) return [];
	const outcome = await syntax.parseSource(grammar, text, findSyntaxProblems);
	return outcome.ok ? outcome.value : [];
}

function describeProblems(problems: readonly SyntaxProblem[], text: string): string {
	const lines = text.split("\n");
	const rows = [...new Set(problems.map((problem) => problem.row))].slice(0, MAX_SHOWN);
	const shown = rows.map((row) => `line ${row + 1}: ${(lines[row] ?? "").trim().slice(0, MAX_LINE_CHARS)}`);
	return `The file does not parse any more. Look at:\n${shown.join("\n")}`;
}

function pathOf(input: unknown): string | undefined {
	if (typeof input !== "object" || input === null || !("path" in input)) return undefined;
	return typeof input.path === "string" ? input.path : undefined;
}

/** Through the guard like every other read; undefined for what is not there, too large or no text. */
function readText(root: string, path: string): string | undefined {
	const opened = createFileOpener(root)(path);
	if (!opened.ok) return undefined;
	using file = opened;
	if (file.size > MAX_BYTES) return undefined;
	const bytes = Buffer.alloc(file.size);
	const content = bytes.subarray(0, readSync(file.descriptor, bytes, 0, file.size, 0));
	return content.includes(0) ? undefined : content.toString("utf8");
}
