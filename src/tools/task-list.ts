import * as z from "zod";

export const TASK_STATES = ["pending", "in_progress", "completed", "cancelled"] as const;

/** One entry of an agent's own list of what it is about to do. */
export interface TaskItem {
	/** `1`, `2`, …: given once, never used again. */
	readonly id: string;
	readonly subject: string;
	readonly description?: string;
	readonly state: (typeof TASK_STATES)[number];
}

/** The list of one agent. Each agent has its own, so a child never overwrites its caller's (S-067). */
export interface TaskList {
	items(): readonly TaskItem[];
	find(id: string): TaskItem | undefined;
	add(item: Omit<TaskItem, "id" | "state"> & { readonly state?: TaskItem["state"] }): TaskItem;
	/** The changed entry; undefined when there is none with this id. */
	change(id: string, change: Partial<Omit<TaskItem, "id">>): TaskItem | undefined;
	/** Puts a whole list in the place of the old one; entries keep the ids they come with. */
	replace(items: readonly (Omit<TaskItem, "id"> & { readonly id?: string })[]): readonly TaskItem[];
}

/** Entries of a list at most: more is not a plan any more. */
export const MAX_TASKS = 100;

export const taskItem = z.strictObject({
	id: z.string().min(1).max(20).optional(),
	subject: z.string().trim().min(1).max(300),
	description: z.string().max(2_000).optional(),
	state: z.enum(TASK_STATES).default("pending"),
});

export function createTaskList(): TaskList {
	let items: readonly TaskItem[] = [];
	let last = 0;

	function nextId(): string {
		last += 1;
		return String(last);
	}

	return {
		items: () => items,
		find: (id) => items.find((item) => item.id === id),
		add(item) {
			const added: TaskItem = { state: "pending", ...item, id: nextId() };
			items = [...items, added];
			return added;
		},
		change(id, change) {
			const found = items.find((item) => item.id === id);
			if (found === undefined) return undefined;
			const changed = { ...found, ...change };
			items = items.map((item) => (item.id === id ? changed : item));
			return changed;
		},
		replace(wanted) {
			const known = new Set(items.map((item) => item.id));
			items = wanted.map(({ id, ...item }) => ({ ...item, id: id !== undefined && known.has(id) ? id : nextId() }));
			return items;
		},
	};
}

/** `- [x] subject`: what people and models read. */
export function renderTaskList(items: readonly TaskItem[]): string {
	if (items.length === 0) return "The list is empty.";
	return items.map(renderTaskItem).join("\n");
}

export function renderTaskItem(item: TaskItem): string {
	const box = item.state === "completed" ? "[x]" : "[ ]";
	const note = item.state === "in_progress" ? " (in progress)" : item.state === "cancelled" ? " (cancelled)" : "";
	return `- ${box} ${item.id}. ${item.subject}${note}`;
}

/** The machine side of a changed list, which the engine journals (S-128). */
export interface TaskListUpdate {
	readonly kind: "task-list";
	readonly items: readonly TaskItem[];
}

export function isTaskListUpdate(data: unknown): data is TaskListUpdate {
	return typeof data === "object" && data !== null && "kind" in data && data.kind === "task-list" && "items" in data;
}
