import { describe, expect, it } from "vitest";
import type { Tool } from "../../src/seams.ts";
import { createTaskList, isTaskListUpdate, renderTaskList } from "../../src/tools/task-list.ts";
import { createTaskListTools } from "../../src/tools/task-list-tools.ts";

const never = new AbortController().signal;

async function call(tools: readonly Tool[], name: string, input: unknown) {
	const tool = tools.find((candidate) => candidate.spec.name === name);
	const parsed = tool?.parse(input);
	if (tool === undefined || parsed?.ok !== true)
		return { content: parsed?.ok === false ? parsed.error : "no such tool", isError: true as const };
	return tool.run(parsed.value, never);
}

describe("an agent's task list", () => {
	it("S-067 two lists keep their own items after interleaved updates", async () => {
		const [parent, child] = [createTaskListTools(), createTaskListTools()];
		await call(parent, "task_create", { subject: "parent one" });
		await call(child, "todo_write", { items: [{ subject: "child one" }] });
		await call(parent, "task_create", { subject: "parent two" });
		await call(child, "task_update", { id: "1", state: "completed" });
		expect((await call(parent, "task_list", {})).content).toBe("- [ ] 1. parent one\n- [ ] 2. parent two");
		expect((await call(child, "task_list", {})).content).toBe("- [x] 1. child one");
	});

	it("S-179 a block is asked for before the change, and then the item stays as it was", async () => {
		const seen: string[] = [];
		const list = createTaskList();
		const tools = createTaskListTools({
			list,
			before: async (event) => {
				seen.push(`${event.kind} ${event.subject}`);
				if (event.kind === "TaskCompleted") return "the tests are red";
				return event.subject === "bad" ? "not allowed" : undefined;
			},
		});
		await call(tools, "task_create", { subject: "fix it" });
		const blocked = await call(tools, "task_update", { id: "1", state: "completed" });
		expect(blocked).toMatchObject({ isError: true, content: expect.stringContaining("the tests are red") });
		expect(list.find("1")?.state).toBe("pending");
		expect(await call(tools, "task_create", { subject: "bad" })).toMatchObject({ isError: true });
		expect(
			await call(tools, "todo_write", { items: [{ subject: "new" }, { id: "1", subject: "fix it", state: "completed" }] }),
		).toMatchObject({ isError: true });
		expect(renderTaskList(list.items())).toBe("- [ ] 1. fix it");
		expect(seen).toEqual(["TaskCreated fix it", "TaskCompleted fix it", "TaskCreated bad", "TaskCreated new", "TaskCompleted fix it"]);
	});

	it("a check that fails blocks as well", async () => {
		const tools = createTaskListTools({ before: () => Promise.reject(new Error("hook crashed")) });
		expect(await call(tools, "task_create", { subject: "x" })).toMatchObject({
			isError: true,
			content: expect.stringContaining("hook crashed"),
		});
	});

	it("entries keep their ids when the list is written anew, and unknown ones are told", async () => {
		const list = createTaskList();
		const tools = createTaskListTools({ list });
		await call(tools, "todo_write", { items: [{ subject: "a" }, { subject: "b", description: "more about b" }] });
		const output = await call(tools, "todo_write", { items: [{ id: "2", subject: "b" }, { subject: "c" }, { id: "99", subject: "d" }] });
		expect(list.items().map((item) => item.id)).toEqual(["2", "3", "4"]);
		expect("data" in output && isTaskListUpdate(output.data)).toBe(true);
		expect(await call(tools, "task_get", { id: "1" })).toMatchObject({ isError: true, content: 'There is no entry "1". Known: 2, 3, 4.' });
		expect(await call(tools, "task_update", { id: "9", state: "completed" })).toMatchObject({ isError: true });
		expect((await call(createTaskListTools(), "task_list", {})).content).toBe("The list is empty.");
	});
});
