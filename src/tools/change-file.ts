import { createHash } from "node:crypto";
import { errorText } from "../domain/errors.ts";
import { checkPath } from "../guard/path-guard.ts";
import { openForWriting } from "../guard/write-inside.ts";
import type { ToolOutput } from "../seams.ts";
import { refusePath, showPath } from "./define-tool.ts";
import { checkReadBeforeEdit } from "./read-state.ts";
import type { ToolContext } from "./tool-context.ts";

export type Change = { readonly ok: true; readonly text: string; readonly said: string } | { readonly ok: false; readonly reason: string };

/**
 * The way every change of a file takes: path guard, policy, read-before-edit, the change itself, the write, and the new
 * content counts as read (S-036, S-066). `old` is undefined for a file that is made now.
 */
export function changeFile(context: ToolContext, input: string, create: boolean, change: (old: string | undefined) => Change): ToolOutput {
	try {
		const checked = checkPath(input);
		// Before anything is opened, because opening may make the file.
		if (checked.ok && context.isDenied?.(checked.path) === true) {
			return refusePath(input, { ok: false, code: "E_POLICY", reason: "is hidden by policy" });
		}
		const opened = openForWriting(context.root, input, { create });
		if (!opened.ok) return refusePath(input, opened);
		using file = opened;
		const shown = showPath(file.path);
		let old: string | undefined;
		if (file.exists) {
			const bytes = file.read();
			const known = checkReadBeforeEdit(context.readState, file.path, hash(bytes));
			if (!known.ok) return { content: `${shown} was not changed: ${known.reason}.`, isError: true };
			old = decode(bytes);
			if (old === undefined) return { content: `${shown} was not changed: it is not UTF-8 text.`, isError: true };
		}
		const changed = change(old);
		if (!changed.ok) return { content: `${shown} was not changed: ${changed.reason}.`, isError: true };
		const bytes = Buffer.from(changed.text.toWellFormed(), "utf8");
		file.replace(bytes);
		context.readState.record(file.path, hash(bytes));
		return { content: `${shown}: ${changed.said}.`, data: { changedPaths: [file.path] } };
	} catch (error) {
		return { content: `${showPath(input)} could not be written: ${errorText(error)}`, isError: true };
	}
}

function hash(bytes: Buffer): string {
	return createHash("sha256").update(bytes).digest("hex");
}

/** Undefined for anything that would not come back as the same bytes. */
function decode(bytes: Buffer): string | undefined {
	if (bytes.includes(0)) return undefined;
	const text = bytes.toString("utf8");
	return Buffer.from(text, "utf8").equals(bytes) ? text : undefined;
}
