import * as z from "zod";
import { renderDiagnosis } from "../domain/diagnosis.ts";
import type { Tool, ToolOutput } from "../seams.ts";
import { defineTool } from "./define-tool.ts";
import { runDiagnosis } from "./diagnosis/run-diagnosis.ts";
import type { ToolContext } from "./tool-context.ts";

const schema = z.strictObject({ paths: z.array(z.string()).optional() });

/** The checks that need no model, as a tool. `data` is the `Diagnosis`. */
export function createDiagnose(context: ToolContext): Tool {
	return defineTool({
		name: "diagnose",
		description: "Run fixed checks on changed files, yours by default.",
		schema,
		effect: "read",
		timeoutMs: 120_000,
		async run(input, signal): Promise<ToolOutput> {
			const diagnosis = await runDiagnosis(context, input.paths, signal);
			return { content: renderDiagnosis(diagnosis), data: diagnosis };
		},
	});
}
