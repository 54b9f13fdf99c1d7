import * as z from "zod";
import type { Tool } from "../seams.ts";
import { changeFile } from "./change-file.ts";
import { defineTool } from "./define-tool.ts";
import { mendEditNames } from "./mend-edit-names.ts";
import { keepTextForm } from "./text-edit.ts";
import type { ToolContext } from "./tool-context.ts";

const schema = z.strictObject({ path: z.string().min(1), content: z.string().max(2_000_000) });

/** Makes a file, or replaces one that this child has read. Folders on the way are made. */
export function createWriteFile(context: ToolContext): Tool {
	return defineTool({
		name: "write_file",
		description: "Create a file, or replace one you have read.",
		schema,
		effect: "write",
		timeoutMs: 10_000,
		mend: mendEditNames,
		async run({ path, content }) {
			return changeFile(context, path, true, (old) => {
				if (old === undefined) return { ok: true, text: content, said: `made, ${content.split("\n").length} lines` };
				return { ok: true, text: keepTextForm(old, content), said: `replaced, ${content.split("\n").length} lines` };
			});
		},
	});
}
