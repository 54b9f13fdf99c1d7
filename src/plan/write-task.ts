import type { ChangedFile } from "../domain/change-set.ts";

/** File names are data: odd ones are shown as JSON texts so that they cannot look like text of ours (A21). */
function quotePath(path: string): string {
	return /^[\w./@+~#,=-]+$/.test(path) ? path : JSON.stringify(path);
}

/** A longer list says nothing more; the rest stands in the change's overview. */
const MAX_LISTED = 100;

export interface TaskFacts {
	readonly mergeBase: string;
	readonly head: string;
	readonly files: readonly ChangedFile[];
	/** Which part of a larger whole this is, from 1. */
	readonly part?: { readonly number: number; readonly of: number };
	readonly testCommand?: string | undefined;
	/** True when somebody else reads other files of the same change. */
	readonly others: boolean;
}

/** The bounded objective of one child; it stands alone, since a child never sees who asked (S-058). */
export function writeTask(facts: TaskFacts): string {
	const files = facts.files.slice(0, MAX_LISTED).map((file) => {
		const moved = file.previousPath === undefined ? "" : ` (was ${quotePath(file.previousPath)})`;
		return `- ${quotePath(file.path)}${moved} ${file.status} +${file.additions} -${file.deletions}`;
	});
	if (facts.files.length > MAX_LISTED)
		files.push(`- and ${facts.files.length - MAX_LISTED} more of your part, listed in the overview of the change`);
	const part =
		facts.part === undefined ? "" : ` This is part ${facts.part.number} of ${facts.part.of}; the other parts are read by others.`;
	return [
		`Review the change from ${facts.mergeBase} (base) to ${facts.head} (head) in these files:`,
		files.join("\n"),
		`The diff of the change stands in the block named pull-request above; what it leaves out you read with your tools, at the head.${part}`,
		...(facts.others
			? ["Other files of the change are read by others: look at them where yours depend on them, and report on yours."]
			: []),
		...(facts.testCommand === undefined ? [] : [`The tests of this language are run here with \`${facts.testCommand}\`.`]),
		"Question: what in this change is wrong, unsafe or breaks somebody who depends on it, so that a maintainer must act before it is merged? Answer with submit_report.",
	].join("\n\n");
}
