import type { Tool } from "../seams.ts";
import { createDiagnose } from "./diagnose.ts";
import { createFileUniverse } from "./file-universe.ts";
import { createGlob } from "./glob.ts";
import { createGrep } from "./grep.ts";
import { createIndexTools } from "./index-tools.ts";
import { createReadFile } from "./read-file.ts";
import { createSubmitReport } from "./submit-report.ts";
import type { ToolContext } from "./tool-context.ts";

/** The tools of a child that only reads, in the fixed order that keeps requests cacheable (DESIGN.md 8). */
export function createReadOnlyTools(context: ToolContext): Tool[] {
	const universe = createFileUniverse(context);
	return [
		...[createReadFile(context), createGlob(universe), createGrep(context, universe), createDiagnose(context)],
		...createIndexTools(context),
		createSubmitReport(),
	];
}
