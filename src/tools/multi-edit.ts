import * as z from "zod";
import type { Tool } from "../seams.ts";
import { changeFile } from "./change-file.ts";
import { defineTool } from "./define-tool.ts";
import { mendEditNames } from "./mend-edit-names.ts";
import { applyTextEdit } from "./text-edit.ts";
import type { ToolContext } from "./tool-context.ts";

const edit = z.strictObject({
	oldText: z.string().min(1).max(1_000_000),
	newText: z.string().max(1_000_000),
	replaceAll: z.boolean().optional(),
});

const schema = z.strictObject({ path: z.string().min(1), edits: z.array(edit).min(1).max(100) });

/** Several replacements in one file, one after the other; all of them or none. */
export function createMultiEdit(context: ToolContext): Tool {
	return defineTool({
		name: "multi_edit",
		description: "Several edit_file changes in one file, in order; all or none.",
		schema,
		effect: "write",
		timeoutMs: 10_000,
		mend: mendEditNames,
		async run({ path, edits }) {
			return changeFile(context, path, false, (old = "") => {
				let text = old;
				let count = 0;
				for (const [index, each] of edits.entries()) {
					const result = applyTextEdit(text, each);
					if (!result.ok) return { ok: false, reason: `edit ${index + 1} of ${edits.length}: ${result.reason}` };
					text = result.text;
					count += result.count;
				}
				return { ok: true, text, said: `${count} places changed by ${edits.length} edits` };
			});
		},
	});
}
