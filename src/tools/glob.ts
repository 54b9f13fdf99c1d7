import * as z from "zod";
import { compilePattern } from "../code-index/path-pattern.ts";
import type { Tool, ToolOutput } from "../seams.ts";
import { defineTool, showPath } from "./define-tool.ts";
import type { FileUniverse } from "./file-universe.ts";

const MAX_PATHS = 200;

const schema = z.strictObject({ pattern: z.string().min(1) });

/** Lists tracked files by pattern. */
export function createGlob(universe: FileUniverse): Tool {
	return defineTool({
		name: "glob",
		description: "List files by glob, such as src/**/*.ts or *.sql.",
		schema,
		effect: "read",
		timeoutMs: 20_000,
		async run(input): Promise<ToolOutput> {
			const compiled = compilePattern(input.pattern);
			if (!compiled.ok) return { content: `${compiled.reason} (E_PATH).`, isError: true, code: "E_PATH" };
			const found = (await universe.list()).filter(compiled.matches);
			if (found.length === 0) return { content: "No file matches." };
			const lines = found.slice(0, MAX_PATHS).map(showPath);
			if (found.length > MAX_PATHS) lines.push(`(${found.length - MAX_PATHS} more of ${found.length}; narrow the pattern)`);
			return { content: lines.join("\n") };
		},
	});
}
