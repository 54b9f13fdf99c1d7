import type { ChildProgress } from "../engine/child-environment.ts";
import type { Log } from "../seams.ts";

/** Collects the steps of each child and prints them as one group a child when it ends (S-034). */
export interface ProgressLog {
	readonly onProgress: (progress: ChildProgress) => void;
	/** Prints what was collected, a group a child, in the order in which children started. */
	flush(log: Log): void;
}

export function createProgressLog(): ProgressLog {
	const lines = new Map<string, string[]>();
	return {
		onProgress(progress) {
			const own = lines.get(progress.session) ?? [];
			lines.set(progress.session, own);
			if (progress.kind === "tool") own.push(`step ${progress.step} · ${progress.tool} ${progress.argument}`.trimEnd());
			else own.push(`step ${progress.step}`);
		},
		flush(log) {
			for (const [session, own] of lines) log.group(session, own);
			lines.clear();
		},
	};
}
