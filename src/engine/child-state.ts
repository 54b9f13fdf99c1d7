import type { Assignment } from "../domain/child-run.ts";
import type { ChildReport } from "../domain/finding.ts";
import type { ContentBlock, ModelMessage, TextBlock } from "../domain/model-message.ts";
import { findModel } from "../domain/model-table.ts";
import type { Usage } from "../domain/usage.ts";
import { NO_USAGE } from "../domain/usage.ts";
import type { Tool } from "../seams.ts";
import type { TaskItem } from "../tools/task-list.ts";
import type { ChildEnvironment } from "./child-environment.ts";
import { estimateMessages } from "./estimate-tokens.ts";
import { buildFirstMessage, orderTools, renderRoleAndTask } from "./request-layout.ts";

const DEFAULT_CONTEXT_WINDOW = 200_000;
const DEFAULT_STEP_OUTPUT = 8_192;
const DEFAULT_WRAP_UP_OUTPUT = 4_096;

/** How often the loop has met what it only puts up with a bounded number of times. */
interface Patience {
	invalidInput: number;
	cutCall: number;
	cutText: number;
	paused: number;
	madeRoom: number;
	emptyReply: number;
	callsWithoutStop: number;
	askedForReport: boolean;
	/** Answers that a hook sent back. */
	sentBack: number;
}

/** The one mutable record of a child while it runs. Only the engine writes to it. */
export interface ChildState {
	readonly assignment: Assignment;
	readonly environment: ChildEnvironment;
	readonly tools: readonly Tool[];
	readonly startedAt: number;
	/** Aborts at the time limit and on cancel: for model calls. */
	readonly hardSignal: AbortSignal;
	/** Aborts somewhat earlier, so that a slow tool leaves time for the wrap-up. */
	readonly toolSignal: AbortSignal;
	/** True once the time limit is reached, as against a cancel from outside. */
	timedOut: boolean;
	/** Append-only between two compactions (COST.md 4.2: an edited history reads nothing from the cache). */
	messages: ModelMessage[];
	/** Messages that the last measured context already covers. */
	measuredMessages: number;
	steps: number;
	toolUses: number;
	usage: Usage;
	costUsd: number | null;
	contextTokens: number;
	model: string;
	/** The last text of the model that says something. */
	lastText: string;
	/** Text of an answer that was cut off and is being continued (R11). */
	openText: string;
	/** A final answer that was given as text before `submit_report` was asked for. */
	finalText: string | undefined;
	report: ChildReport | undefined;
	/** A report that was sent back; it counts when no better one comes. */
	earlierReport: ChildReport | undefined;
	/** The child's own task list, when it keeps one (S-067). */
	taskList: readonly TaskItem[];
	/** Ask for more room than usual, after a reply was cut off (R10). */
	moreRoom: boolean;
	readonly patience: Patience;
	readonly signatures: string[];
	readonly filesRead: Set<string>;
	readonly refused: { readonly code: string; readonly text: string }[];
}

export function createChildState(
	assignment: Assignment,
	environment: ChildEnvironment,
	signals: { readonly hard: AbortSignal; readonly tool: AbortSignal },
): ChildState {
	const first = buildFirstMessage(environment.brief, renderRoleAndTask(assignment, environment));
	const resumed = environment.resumed;
	return {
		assignment,
		environment,
		tools: orderTools(environment.tools.tools),
		startedAt: environment.clock.now(),
		hardSignal: signals.hard,
		toolSignal: signals.tool,
		timedOut: false,
		messages: resumed === undefined ? [first] : [...resumed.messages, { role: "user", content: [{ type: "text", text: resumed.message }] }],
		measuredMessages: 0,
		steps: 0,
		toolUses: 0,
		usage: NO_USAGE,
		costUsd: 0,
		contextTokens: 0,
		model: environment.modelId,
		lastText: "",
		openText: "",
		finalText: undefined,
		report: undefined,
		earlierReport: undefined,
		taskList: [],
		moreRoom: false,
		patience: {
			invalidInput: 0,
			cutCall: 0,
			cutText: 0,
			paused: 0,
			madeRoom: 0,
			emptyReply: 0,
			callsWithoutStop: 0,
			askedForReport: false,
			sentBack: 0,
		},
		signatures: [],
		filesRead: new Set(environment.briefFiles ?? []),
		refused: [],
	};
}

export function contextWindow(state: ChildState): number {
	return state.environment.contextWindow ?? findModel(state.environment.modelId)?.contextWindow ?? DEFAULT_CONTEXT_WINDOW;
}

/** Output limit of the next call. After a cut reply twice the room is asked for, within what the model can give. */
export function outputLimit(state: ChildState, purpose: "step" | "wrap-up"): number {
	const given = state.environment.outputTokens;
	if (purpose === "wrap-up") return given?.wrapUp ?? DEFAULT_WRAP_UP_OUTPUT;
	const usual = given?.step ?? DEFAULT_STEP_OUTPUT;
	if (!state.moreRoom) return usual;
	return Math.min(usual * 2, findModel(state.environment.modelId)?.maxOutput ?? usual * 2);
}

/** Prompt of the next request going by the last measured context and what was added since; 0 when nothing was measured. */
export function measuredPrompt(state: ChildState): number {
	return state.contextTokens === 0 ? 0 : state.contextTokens + estimateMessages(state.messages.slice(state.measuredMessages));
}

/** Adds the model's message. Blank text is left out: the provider refuses it when it comes back (BR-69). */
export async function appendAssistant(state: ChildState, content: readonly ContentBlock[]): Promise<void> {
	const kept = content.filter((block) => block.type !== "text" || block.text.trim() !== "");
	if (kept.length > 0) {
		const message: ModelMessage = { role: "assistant", content: kept };
		state.messages = [...state.messages, message];
		await state.environment.journal.append({ type: "message", role: "assistant", message });
		state.steps += 1;
	}
	state.measuredMessages = state.messages.length;
	const text = textOf(kept);
	if (text !== "") state.lastText = text;
}

/** Adds a message of ours; what a child is sent is journaled as it is sent. */
export async function appendUser(state: ChildState, content: readonly ContentBlock[], notification = false): Promise<void> {
	const message: ModelMessage = { role: "user", content };
	state.messages = [...state.messages, message];
	await state.environment.journal.append({
		type: "message",
		role: "user",
		message,
		...(notification ? { notification: true as const } : {}),
	});
}

export function textOf(content: readonly ContentBlock[]): string {
	return content
		.filter((block): block is TextBlock => block.type === "text")
		.map((block) => block.text)
		.join("\n")
		.trim();
}

export function textBlock(text: string): TextBlock {
	return { type: "text", text };
}
