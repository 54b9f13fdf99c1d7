import * as z from "zod";
import type { Tool } from "../seams.ts";
import { changeFile } from "./change-file.ts";
import { defineTool } from "./define-tool.ts";
import { mendEditNames } from "./mend-edit-names.ts";
import { applyTextEdit } from "./text-edit.ts";
import type { ToolContext } from "./tool-context.ts";

const schema = z.strictObject({
	path: z.string().min(1),
	oldText: z.string().min(1).max(1_000_000).describe("exact and unique"),
	newText: z.string().max(1_000_000),
	replaceAll: z.boolean().optional(),
});

/** Replaces one text of a file that this child has read. */
export function createEditFile(context: ToolContext): Tool {
	return defineTool({
		name: "edit_file",
		description: "Replace text in a file you have read. oldText must match exactly once unless replaceAll.",
		schema,
		effect: "write",
		timeoutMs: 10_000,
		mend: mendEditNames,
		async run({ path, ...edit }) {
			return changeFile(context, path, false, (old = "") => {
				const result = applyTextEdit(old, edit);
				if (!result.ok) return result;
				return { ok: true, text: result.text, said: result.count === 1 ? "1 place changed" : `${result.count} places changed` };
			});
		},
	});
}
