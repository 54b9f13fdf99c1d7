import { errorText } from "../domain/errors.ts";
import type { ToolOutput } from "../seams.ts";
import type { GatedCall } from "./call-facts.ts";
import type { ToolHooks } from "./gate.ts";
import { type HookAnswer, type HookExit, readHookExit } from "./hooks/hook-answer.ts";
import type { Hook, HookEvent } from "./hooks/hook-settings.ts";

/** A command of a hook, ready to be run. */
export interface HookCommand {
	/** Line for a shell, from the trusted ref. */
	readonly command: string;
	/** Top of the child's tree (S-180). */
	readonly folder: string;
	/** JSON for its standard input. */
	readonly input: string;
	readonly timeoutMs: number;
}

/**
 * Runs a command with an environment that holds no secret, without a network, in the child's own tree. Never rejects:
 * what goes wrong is an exit of its own kind.
 */
export type RunHookCommand = (command: HookCommand, signal: AbortSignal) => Promise<HookExit>;

/** Who is asked about. */
export interface HookSubject {
	readonly session: string;
	/** The agent's name: what matchers of start and stop are compared with. */
	readonly agent: string;
	/** Path of the child's journal. */
	readonly transcript: string;
	/** Mode of the run in Claude's words: `plan` reads, `acceptEdits` writes. It only informs. */
	readonly permissionMode: "plan" | "acceptEdits";
	/** Top of the child's tree; a promise, since it may still be under way. */
	readonly folder: () => Promise<string>;
}

export interface ChildHooksOptions {
	readonly hooks: readonly Hook[];
	readonly subject: HookSubject;
	readonly run: RunHookCommand;
	readonly signal: AbortSignal;
	/** Claude Code's names of a tool, the usual one first; empty for a tool that has none there. */
	readonly namesOf: (tool: string) => readonly string[];
	/** Reports of start and stop go to the caller's stream, those of tools and tasks to the child's journal (S-177). */
	readonly report: (to: "caller" | "child", text: string) => Promise<void>;
	/** How often an answer can be sent back (S-176). */
	readonly stopHookLimit?: number;
}

/** The hooks of one child. */
export interface ChildHooks {
	/** Before the first run: text in front of the task, or why the child must not run (S-174, S-175). */
	start(): Promise<{ readonly preface?: string; readonly stop?: string }>;
	/** For an answer: what goes back to the child, undefined when the answer counts (S-176). */
	beforeEnd(answer: { readonly text: string; readonly asked: number }): Promise<string | undefined>;
	/** Around each tool call (S-178). */
	readonly tools: ToolHooks;
	/** Before an entry of the task list is made or done: why not (S-179). */
	beforeTask(event: {
		readonly kind: "TaskCreated" | "TaskCompleted";
		readonly subject: string;
		readonly description?: string;
	}): Promise<string | undefined>;
}

export const STOP_HOOK_LIMIT = 3;

export function createChildHooks(options: ChildHooksOptions): ChildHooks {
	const { subject, report } = options;
	const askAgent = (event: HookEvent, facts: Readonly<Record<string, unknown>>) => ask(options, event, [subject.agent], facts, "caller");
	return {
		async start() {
			const answer = await askAgent("SubagentStart", {});
			const stop = answer.stop ?? answer.block ?? answer.failure;
			if (stop !== undefined) return { stop: `a SubagentStart hook stopped it: ${stop}` };
			if (answer.context === undefined) return {};
			return { preface: `<hook-context>\n${answer.context}\n</hook-context>` };
		},
		async beforeEnd({ text, asked }) {
			if (!options.hooks.some((hook) => hook.event === "SubagentStop" && hook.matches(subject.agent))) return undefined;
			if (asked >= (options.stopHookLimit ?? STOP_HOOK_LIMIT)) {
				await report(
					"caller",
					`SubagentStop of ${subject.session}: the answer was sent back ${asked} times, which is the limit; it counts`,
				);
				return undefined;
			}
			const answer = await askAgent("SubagentStop", { stop_hook_active: asked > 0, last_assistant_message: text });
			// A child that a hook wants to end does end: by its answer.
			if (answer.stop !== undefined) return undefined;
			const said = [answer.block, answer.context].filter((part) => part !== undefined).join("\n\n");
			return said === "" ? undefined : `Your answer was sent back by a check of this repository:\n${said}`;
		},
		tools: {
			async before(call) {
				const answer = await askAboutTool(options, "PreToolUse", call, {});
				const block = answer.block ?? answer.failure;
				return { ...(block === undefined ? {} : { block }), ...(answer.stop === undefined ? {} : { stop: answer.stop }) };
			},
			async after(call, output) {
				const answer = await askAboutTool(options, "PostToolUse", call, { tool_response: toResponse(output) });
				const note = [answer.block, answer.context].filter((part) => part !== undefined).join("\n\n");
				return {
					...(note === "" ? {} : { note: `A check of this repository says: ${note}` }),
					...(answer.stop === undefined ? {} : { stop: answer.stop }),
				};
			},
		},
		async beforeTask({ kind, ...task }) {
			const facts = { task_subject: task.subject, ...(task.description === undefined ? {} : { task_description: task.description }) };
			const answer = await ask(options, kind, undefined, facts, "child");
			return answer.block ?? answer.stop ?? answer.failure;
		},
	};
}

/**
 * Whether any hook could be asked about a child: by its name, and for tools by what it holds. Without a way to run
 * commands such a child must not run, since its gate cannot be asked.
 */
export function findHooksFor(
	hooks: readonly Hook[],
	child: { readonly agent: string; readonly tools: readonly string[] },
	namesOf: ChildHooksOptions["namesOf"],
): readonly Hook[] {
	const names = child.tools.flatMap((tool) => [tool, ...namesOf(tool)]);
	const keepsTasks = child.tools.some((tool) => tool === "todo_write" || tool.startsWith("task_"));
	return hooks.filter((hook) => {
		if (hook.event === "SubagentStart" || hook.event === "SubagentStop") return hook.matches(child.agent);
		if (hook.event === "TaskCreated" || hook.event === "TaskCompleted") return keepsTasks;
		return names.some((name) => hook.matches(name));
	});
}

function askAboutTool(
	options: ChildHooksOptions,
	event: "PreToolUse" | "PostToolUse",
	call: GatedCall,
	facts: Readonly<Record<string, unknown>>,
): Promise<HookAnswer> {
	const names = options.namesOf(call.tool);
	const about = async (): Promise<Readonly<Record<string, unknown>>> => ({
		tool_name: names[0] ?? call.tool,
		tool_input: withFilePath(call.input, await options.subject.folder()),
		tool_use_id: call.id,
		...facts,
	});
	return ask(options, event, [call.tool, ...names], about, "child");
}

/** Hooks written for Claude Code look for `file_path`, which is absolute there. */
function withFilePath(input: unknown, folder: string): unknown {
	if (typeof input !== "object" || input === null || !("path" in input) || typeof input.path !== "string") return input;
	return { ...input, file_path: `${folder}/${input.path}` };
}

function toResponse(output: ToolOutput): unknown {
	return { content: output.content, isError: output.isError === true };
}

/**
 * Asks the hooks of an event one after the other; the first that blocks, stops or fails is the answer, contexts add up.
 * @param names what a matcher may fit; undefined for events without one
 */
async function ask(
	options: ChildHooksOptions,
	event: HookEvent,
	names: readonly string[] | undefined,
	facts: Readonly<Record<string, unknown>> | (() => Promise<Readonly<Record<string, unknown>>>),
	to: "caller" | "child",
): Promise<HookAnswer> {
	const asked = options.hooks.filter((hook) => hook.event === event && (names === undefined || names.some((name) => hook.matches(name))));
	const contexts: string[] = [];
	for (const hook of asked) {
		const answer = await askOne(options, hook, typeof facts === "function" ? facts : async () => facts);
		await options.report(to, describeAnswer(options.subject, hook, answer));
		if (answer.block !== undefined || answer.stop !== undefined || answer.failure !== undefined) return answer;
		if (answer.context !== undefined) contexts.push(answer.context);
	}
	return contexts.length === 0 ? {} : { context: contexts.join("\n\n") };
}

async function askOne(
	{ subject, run, signal }: ChildHooksOptions,
	hook: Hook,
	facts: () => Promise<Readonly<Record<string, unknown>>>,
): Promise<HookAnswer> {
	if (hook.command === undefined) return { failure: `${hook.source} names a hook of a kind that cannot be run here; wanted type command` };
	try {
		const folder = await subject.folder();
		const input = JSON.stringify({
			session_id: subject.session,
			transcript_path: subject.transcript,
			cwd: folder,
			permission_mode: subject.permissionMode,
			hook_event_name: hook.event,
			agent_id: subject.session,
			agent_type: subject.agent,
			...(await facts()),
		});
		return readHookExit(await run({ command: hook.command, folder, input, timeoutMs: hook.timeoutMs }, signal));
	} catch (error) {
		return { failure: errorText(error) };
	}
}

function describeAnswer(subject: HookSubject, hook: Hook, answer: HookAnswer): string {
	const said =
		answer.failure !== undefined
			? `failed: ${answer.failure}`
			: answer.stop !== undefined
				? `stops the agent: ${answer.stop}`
				: answer.block !== undefined
					? `blocks: ${answer.block}`
					: answer.context !== undefined
						? `adds ${answer.context.length} characters`
						: "passes";
	return `hook ${hook.event}${hook.matcher === "" ? "" : ` (${hook.matcher})`} for ${subject.session}: ${said}`;
}
