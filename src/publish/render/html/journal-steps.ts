import type { JournalEntry } from "../../../domain/journal-entry.ts";
import type { ContentBlock } from "../../../domain/model-message.ts";
import { formatCount, formatDuration, formatTokens, plural } from "../format.ts";
import { totalTokens } from "../../../domain/usage.ts";

/** A journal as people read it: what was sent, then step by step what the model said and which tools it called. */
export type JournalItem =
	| { readonly kind: "sent"; readonly text: string }
	| { readonly kind: "note"; readonly text: string; readonly bad: boolean }
	| JournalStep;

export interface JournalStep {
	readonly kind: "step";
	/** `Step 3`, `Wrap-up`. */
	readonly title: string;
	/** Model, tokens, time and stop reason in one line; empty when the call's record is missing. */
	readonly about: string;
	readonly failed: boolean;
	readonly texts: readonly string[];
	readonly tools: readonly JournalTool[];
}

export interface JournalTool {
	readonly name: string;
	readonly input: string;
	readonly result?: string;
	readonly failed: boolean;
	/** `12 ms, 340 characters`, or why it was denied. */
	readonly about: string;
}

interface OpenTool {
	name: string;
	input: string;
	result?: string;
	failed: boolean;
	about: string;
}

interface OpenStep {
	readonly kind: "step";
	title: string;
	about: string;
	failed: boolean;
	readonly texts: string[];
	readonly tools: OpenTool[];
}

const PURPOSES = { step: "Step", "wrap-up": "Wrap-up", compaction: "Compaction", "warm-up": "Warm-up", prose: "Prose" } as const;

type OpenItem = Exclude<JournalItem, JournalStep> | OpenStep;

/** What is being built while the records are read. */
interface Reading {
	readonly items: OpenItem[];
	readonly tools: Map<string, OpenTool>;
	/** The step that texts and calls belong to. */
	step: OpenStep | undefined;
}

/** Groups records by model call. A journal that ends in the middle gives what is there. */
export function groupSteps(entries: readonly JournalEntry[]): readonly JournalItem[] {
	const reading: Reading = { items: [], tools: new Map(), step: undefined };
	for (const entry of entries) readEntry(reading, entry);
	return reading.items;
}

function readEntry(reading: Reading, entry: JournalEntry): void {
	switch (entry.type) {
		case "model.call": {
			const step = openStep(reading, entry.purpose === "step" ? `Step ${entry.step}` : PURPOSES[entry.purpose]);
			const tokens = `${formatTokens(totalTokens(entry.usage))} tokens`;
			step.failed = entry.failure !== undefined;
			step.about = [entry.model, tokens, formatDuration(entry.durationMs), entry.failure ?? entry.stop].join(" · ");
			return;
		}
		case "message":
			for (const block of entry.message.content) readBlock(reading, block, entry.role);
			return;
		case "tool.call": {
			const tool = toolOf(reading, entry.call, entry.tool);
			if (tool.input === "") tool.input = inputText(entry.input);
			return;
		}
		case "tool.result": {
			const tool = toolOf(reading, entry.call, entry.tool);
			const code = entry.code === undefined ? "" : `${entry.code}, `;
			tool.failed ||= entry.isError;
			if (tool.about === "") tool.about = `${code}${formatDuration(entry.durationMs)}, ${formatCount(entry.chars)} characters`;
			return;
		}
		case "permission.denied": {
			const tool = toolOf(reading, entry.call, entry.tool);
			tool.failed = true;
			tool.about = `denied by ${entry.by} (${entry.code}): ${entry.reason}`;
			return;
		}
		default:
			reading.items.push(...noteOf(entry));
	}
}

function readBlock(reading: Reading, block: ContentBlock, role: "user" | "assistant"): void {
	switch (block.type) {
		case "text":
			if (role === "user") reading.items.push({ kind: "sent", text: block.text });
			else currentStep(reading, "Answer").texts.push(block.text);
			return;
		case "tool-use":
			toolOf(reading, block.id, block.name).input =
				block.invalidInput === undefined ? inputText(block.input) : `not valid: ${block.invalidInput}`;
			return;
		case "tool-result":
			toolOf(reading, block.toolUseId, "tool").result = block.content;
			return;
		case "opaque":
			return;
	}
}

function openStep(reading: Reading, title: string): OpenStep {
	const opened: OpenStep = { kind: "step", title, about: "", failed: false, texts: [], tools: [] };
	reading.items.push(opened);
	reading.step = opened;
	return opened;
}

function currentStep(reading: Reading, title: string): OpenStep {
	return reading.step ?? openStep(reading, title);
}

function toolOf(reading: Reading, call: string, name: string): OpenTool {
	const known = reading.tools.get(call);
	if (known !== undefined) return known;
	const opened: OpenTool = { name, input: "", failed: false, about: "" };
	currentStep(reading, "Calls").tools.push(opened);
	reading.tools.set(call, opened);
	return opened;
}

function inputText(input: unknown): string {
	if (typeof input === "string") return input;
	return JSON.stringify(input, undefined, 2) ?? "";
}

function noteOf(entry: JournalEntry): readonly Exclude<JournalItem, JournalStep>[] {
	const note = (text: string, bad = false): readonly Exclude<JournalItem, JournalStep>[] => [{ kind: "note", text, bad }];
	switch (entry.type) {
		case "run.started":
			return note(`Run ${entry.run} with ${entry.model}, ${plural(entry.files.length, "file")}: ${entry.task}`);
		case "note":
			return note(entry.text);
		case "agent.warning":
			return note(`${entry.agent}: ${entry.message}`, true);
		case "agent.started":
			return note(`Started ${entry.session} (${entry.agent}, ${entry.model})${entry.description === "" ? "" : `: ${entry.description}`}`);
		case "agent.finished":
			return note(`${entry.session} ended ${entry.status} (${entry.stopReason})`, entry.status === "failed");
		case "run.data":
			return note(`${entry.name}: ${inputText(entry.data)}`);
		case "todo.updated":
			return note(`Task list: ${inputText(entry.items)}`);
		case "end":
			return note(`Ended ${entry.status} (${entry.stopReason}) after ${plural(entry.steps, "step")}`, entry.status === "failed");
		default:
			return [];
	}
}
