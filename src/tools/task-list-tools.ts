import * as z from "zod";
import { errorText } from "../domain/errors.ts";
import type { Tool, ToolOutput } from "../seams.ts";
import { defineTool } from "./define-tool.ts";
import type { TaskItem, TaskList, TaskListUpdate } from "./task-list.ts";
import { createTaskList, MAX_TASKS, renderTaskItem, renderTaskList, TASK_STATES, taskItem } from "./task-list.ts";

const TIMEOUT_MS = 5_000;
const id = z.string().min(1).max(20);
const base = { effect: "none", timeoutMs: TIMEOUT_MS } as const;

/** A change that is about to happen; asked before it does (S-179). */
export interface TaskListEvent {
	readonly kind: "TaskCreated" | "TaskCompleted";
	readonly subject: string;
	readonly description?: string;
}

export interface TaskListToolOptions {
	/** One a child; made when absent. */
	readonly list?: TaskList;
	/** The reason why a change must not happen; undefined lets it through. What it throws blocks as well. */
	before?(event: TaskListEvent): Promise<string | undefined>;
}

/** The five tools over one list (S-069: a name of the family stands for all of them). One list an agent (S-067). */
export function createTaskListTools(options: TaskListToolOptions = {}): readonly Tool[] {
	const list = options.list ?? createTaskList();
	const before = (events: readonly TaskListEvent[]) => askBefore(options, events);
	return [
		createTodoWrite(list, before),
		createTaskCreate(list, before),
		createTaskUpdate(list, before),
		createTaskListTool(list),
		createTaskGet(list),
	];
}

type AskBefore = (events: readonly TaskListEvent[]) => Promise<ToolOutput | undefined>;

/** The refusal of the first event that is blocked; then nothing of the change happens. */
async function askBefore(options: TaskListToolOptions, events: readonly TaskListEvent[]): Promise<ToolOutput | undefined> {
	for (const event of events) {
		try {
			const reason = await options.before?.(event);
			if (reason !== undefined) return { content: `The list was not changed: ${reason}`, isError: true };
		} catch (error) {
			return { content: `The list was not changed: the check of ${event.kind} failed: ${errorText(error)}`, isError: true };
		}
	}
	return undefined;
}

function createTodoWrite(list: TaskList, before: AskBefore): Tool {
	return defineTool({
		...base,
		name: "todo_write",
		description: "Put your own task list in place, whole.",
		schema: z.strictObject({ items: z.array(taskItem).max(MAX_TASKS) }),
		run: async ({ items }) => {
			const wanted = items.map(({ id: given, description, ...item }) => ({ ...item, ...optional({ id: given, description }) }));
			const refused = await before(wanted.flatMap((item) => eventsOf(item.id === undefined ? undefined : list.find(item.id), item)));
			if (refused !== undefined) return refused;
			list.replace(wanted);
			return changed(list, renderTaskList(list.items()));
		},
	});
}

function createTaskCreate(list: TaskList, before: AskBefore): Tool {
	return defineTool({
		...base,
		name: "task_create",
		description: "Add an entry to your task list.",
		schema: z.strictObject({ subject: taskItem.shape.subject, description: taskItem.shape.description }),
		run: async (input) => {
			if (list.items().length >= MAX_TASKS) return { content: `The list is full: ${MAX_TASKS} entries.`, isError: true };
			const wanted = { subject: input.subject, ...optional({ description: input.description }) };
			const refused = await before([{ kind: "TaskCreated", ...wanted }]);
			return refused ?? changed(list, renderTaskItem(list.add(wanted)));
		},
	});
}

function createTaskUpdate(list: TaskList, before: AskBefore): Tool {
	return defineTool({
		...base,
		name: "task_update",
		description: "Change an entry of your task list.",
		schema: z.strictObject({
			id,
			state: z.enum(TASK_STATES).optional(),
			subject: taskItem.shape.subject.optional(),
			description: taskItem.shape.description,
		}),
		run: async ({ id: wanted, ...change }) => {
			const found = list.find(wanted);
			if (found === undefined) return unknown(list, wanted);
			const refused = await before(eventsOf(found, { ...found, ...optional(change) }));
			if (refused !== undefined) return refused;
			const item = list.change(wanted, optional(change));
			return item === undefined ? unknown(list, wanted) : changed(list, renderTaskItem(item));
		},
	});
}

/** What a change of one entry amounts to. */
function eventsOf(old: TaskItem | undefined, next: Omit<TaskItem, "id">): readonly TaskListEvent[] {
	const about = { subject: next.subject, ...optional({ description: next.description }) };
	return [
		...(old === undefined ? [{ kind: "TaskCreated" as const, ...about }] : []),
		...(next.state === "completed" && old?.state !== "completed" ? [{ kind: "TaskCompleted" as const, ...about }] : []),
	];
}

function createTaskListTool(list: TaskList): Tool {
	return defineTool({
		...base,
		name: "task_list",
		description: "Show your task list.",
		schema: z.strictObject({}),
		run: async () => ({ content: renderTaskList(list.items()) }),
	});
}

function createTaskGet(list: TaskList): Tool {
	return defineTool({
		...base,
		name: "task_get",
		description: "Show an entry of your task list with its description.",
		schema: z.strictObject({ id }),
		run: async ({ id: wanted }) => {
			const item = list.find(wanted);
			if (item === undefined) return unknown(list, wanted);
			return { content: [renderTaskItem(item), item.description ?? ""].filter((part) => part !== "").join("\n\n") };
		},
	});
}

function changed(list: TaskList, content: string): ToolOutput {
	const data: TaskListUpdate = { kind: "task-list", items: list.items() };
	return { content, data };
}

function unknown(list: TaskList, wanted: string): ToolOutput {
	const known = list.items().map((item) => item.id);
	return { content: `There is no entry ${JSON.stringify(wanted)}. Known: ${known.join(", ") || "none"}.`, isError: true };
}

/** Leaves out what was not given: an absent key and an undefined one are different things (exactOptionalPropertyTypes). */
function optional<T extends object>(given: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
	return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
		[K in keyof T]?: Exclude<T[K], undefined>;
	};
}
