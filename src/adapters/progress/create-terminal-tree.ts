import type { Writable } from "node:stream";
import type { ListrTaskObject } from "listr2";
import { createWritable, DefaultRenderer, Listr, ListrLogger, ListrTaskState, ProcessOutput } from "listr2";
import { cutText } from "../../domain/cut-text.ts";
import type { AgentRow, ProgressRows } from "./progress-rows.ts";

export interface TerminalTreeOptions {
	readonly rows: ProgressRows;
	/** Where the tree is drawn: standard error of a terminal, so that standard output holds the result alone. */
	readonly output: Writable & { readonly isTTY?: boolean; readonly columns?: number };
	readonly title: string;
}

export interface TerminalTree {
	/** Draws the last state and gives the terminal back. */
	close(): Promise<void>;
}

type Row = ListrTaskObject<unknown>;

/** The library asks standard output whether it is a terminal; we draw elsewhere, and the caller has looked. */
class TerminalRenderer extends DefaultRenderer {
	static override nonTTY = true;
}

const MAX_ACTIVITY_CHARS = 60;

/**
 * A live tree of a run's agents: each below whoever started it, with its step, what it is doing, tokens and time.
 * Only for a terminal; the caller prints log groups elsewhere. It takes no signals: they are the run's.
 */
export function createTerminalTree(options: TerminalTreeOptions): TerminalTree {
	const lists = new Map<string, Listr>();
	const shown = new Map<string, Row>();
	let finish: () => void = () => undefined;
	const finished = new Promise<void>((resolve) => {
		finish = resolve;
	});
	const unused = createWritable(() => undefined);
	const logger = new ListrLogger({ processOutput: new ProcessOutput(asTerminal(options.output), asTerminal(unused)) });
	const root = new Listr([{ title: options.title, task: () => finished }], {
		renderer: TerminalRenderer,
		concurrent: true,
		exitOnError: false,
		registerSignalListeners: false,
		rendererOptions: { logger, collapseSubtasks: false, showSubtasks: true, lazy: false },
	});
	const [top] = root.tasks;

	/** Makes room for an agent below its parent, the first time it is heard of. */
	function place(row: AgentRow): Row | undefined {
		const known = shown.get(row.session);
		if (known !== undefined) return known;
		// Its place is known when its journal has begun; one that never began stands at the top.
		if (row.parent === undefined && row.state === "running") return undefined;
		const above = row.parent ?? "";
		const parent = shown.get(above) ?? top;
		if (parent === undefined) return undefined;
		const key = parent === top ? "" : above;
		const list = lists.get(key) ?? new Listr([], { registerSignalListeners: false }, parent as never);
		lists.set(key, list);
		list.add({ title: row.session, task: () => undefined });
		const added = list.tasks.at(-1) as Row | undefined;
		parent.subtasks = list.tasks as never;
		if (added === undefined) return undefined;
		// The library shows a task only after this check, which it makes itself for those it runs.
		void added.check(undefined);
		shown.set(row.session, added);
		return added;
	}

	function draw(): void {
		for (const row of options.rows.rows()) {
			const task = place(row);
			if (task === undefined) continue;
			task.title$ = renderRow(row);
			task.state$ = stateOf(row);
		}
	}

	options.rows.subscribe(draw);
	const drawn = root.run();
	return {
		async close() {
			draw();
			finish();
			await drawn;
		},
	};
}

function stateOf(row: AgentRow): ListrTaskState {
	if (row.state === "running") return ListrTaskState.STARTED;
	if (row.status === "completed") return ListrTaskState.COMPLETED;
	return row.status === "partial" || row.status === "skipped" ? ListrTaskState.SKIPPED : ListrTaskState.FAILED;
}

function renderRow(row: AgentRow): string {
	const seconds = (row.elapsedMs / 1_000).toFixed(1);
	const facts = `${(row.tokens / 1_000).toFixed(1)}k tokens, ${seconds} s`;
	if (row.state === "ended") {
		const how = row.status === "completed" ? "completed" : `${row.status ?? "ended"} (${row.stopReason ?? "unknown"})`;
		return `${row.session} ${how}, ${row.step} steps, ${facts}`;
	}
	const activity = row.activity === "" ? "" : ` · ${cutText(row.activity, MAX_ACTIVITY_CHARS)}`;
	return `${row.session} step ${row.step}${activity} (${facts})`;
}

/** The library wants a write stream of a process; only these parts of one are used. */
function asTerminal(output: TerminalTreeOptions["output"]): NodeJS.WriteStream {
	return output as NodeJS.WriteStream;
}
