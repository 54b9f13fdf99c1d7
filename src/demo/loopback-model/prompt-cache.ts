import { createHash } from "node:crypto";
import { findModel } from "../../domain/model-table.ts";
import { isRecord } from "./wire-request.ts";
import type { WireRequest } from "./wire-request.ts";

export type Section = "tools" | "system" | "messages";

/** A cache mark of a request: which block it stands on, and how many tokens lie up to and with it. */
export interface CacheMark {
	/** Index in the flat list tools, system, messages. */
	readonly position: number;
	readonly section: Section;
	readonly lifetime: "5m" | "1h";
	readonly tokens: number;
}

/** How a prompt would be billed; `total` is always `fresh + read + write5m + write1h`. Tokens are characters / 4. */
export interface PromptUsage {
	readonly total: number;
	readonly fresh: number;
	readonly read: number;
	readonly write5m: number;
	readonly write1h: number;
	readonly tokens: Readonly<Record<Section, number>>;
	readonly marks: readonly CacheMark[];
}

/** A prompt's bill, and the call that makes its prefixes readable for later requests. */
export interface PlannedPrompt {
	readonly usage: PromptUsage;
	readonly commit: () => void;
}

interface FlatBlock {
	readonly section: Section;
	readonly type: string;
	readonly text: string;
	readonly mark: "5m" | "1h" | undefined;
}

interface Prefix {
	readonly hash: string;
	readonly tokens: number;
	/** A run of calls or of results counts as one position of the look-back. */
	readonly position: number;
}

const LOOK_BACK = 20;

/** Tokens of a text by the rule of thumb that is good for ratios and prefixes (COST.md 1.2). */
export function countTokens(text: string): number {
	return Math.ceil(text.length / 4);
}

/**
 * The provider's prompt cache by its written rules (COST.md 4.2, 6): exact prefixes per model, thinking and effort; look-back
 * of 20 positions from each mark; short prefixes do not count; an entry can be read only after `commit`, which the
 * server calls when the answer begins to stream.
 */
export class PromptCache {
	readonly #entries = new Set<string>();

	plan(request: WireRequest): PlannedPrompt {
		const blocks = flatten(request);
		const prefixes = hashPrefixes(request, blocks);
		const least = findModel(request.model)?.minCacheablePrefix ?? 4096;
		const marked = [...blocks.keys()].filter((index) => blocks[index]?.mark !== undefined);
		const hit = Math.max(-1, ...marked.map((index) => this.#lookBack(prefixes, index)));
		const read = prefixes[hit]?.tokens ?? 0;
		const written = { "5m": 0, "1h": 0 };
		const keys: string[] = [];
		let covered = read;
		for (const index of marked) {
			const prefix = prefixes[index];
			const lifetime = blocks[index]?.mark;
			if (prefix === undefined || lifetime === undefined || prefix.tokens < least) continue;
			keys.push(prefix.hash);
			written[lifetime] += Math.max(0, prefix.tokens - covered);
			covered = Math.max(covered, prefix.tokens);
		}
		const total = prefixes.at(-1)?.tokens ?? 0;
		const usage: PromptUsage = {
			total,
			fresh: total - read - written["5m"] - written["1h"],
			read,
			write5m: written["5m"],
			write1h: written["1h"],
			tokens: tokensBySection(blocks),
			marks: marked.map((index) => ({
				position: index,
				section: blocks[index]?.section ?? "messages",
				lifetime: blocks[index]?.mark ?? "5m",
				tokens: prefixes[index]?.tokens ?? 0,
			})),
		};
		return {
			usage,
			commit: () => {
				for (const key of keys) this.#entries.add(key);
			},
		};
	}

	#lookBack(prefixes: readonly Prefix[], from: number): number {
		const start = prefixes[from]?.position ?? 0;
		for (let index = from; index >= 0; index--) {
			const prefix = prefixes[index];
			if (prefix === undefined || start - prefix.position >= LOOK_BACK) return -1;
			if (this.#entries.has(prefix.hash)) return index;
		}
		return -1;
	}
}

function flatten(request: WireRequest): readonly FlatBlock[] {
	const blocks: FlatBlock[] = [
		...request.tools.map((tool) => flatBlock("tools", "", tool)),
		...request.system.map((block) => flatBlock("system", "", block)),
		...request.messages.flatMap((message) => message.content.map((block) => flatBlock("messages", message.role, block))),
	];
	const last = blocks.at(-1);
	if (request.cacheControl !== undefined && request.cacheControl !== null && last !== undefined && last.mark === undefined) {
		blocks[blocks.length - 1] = { ...last, mark: lifetimeOf(request.cacheControl) };
	}
	return blocks;
}

function flatBlock(section: Section, role: string, block: Readonly<Record<string, unknown>>): FlatBlock {
	const { cache_control: control, ...rest } = block;
	const mark = control === undefined || control === null ? undefined : lifetimeOf(control);
	return { section, type: String(block["type"] ?? ""), text: role + JSON.stringify(rest), mark };
}

function lifetimeOf(control: unknown): "5m" | "1h" {
	return isRecord(control) && control["ttl"] === "1h" ? "1h" : "5m";
}

function hashPrefixes(request: WireRequest, blocks: readonly FlatBlock[]): readonly Prefix[] {
	const hash = createHash("sha256");
	hash.update(request.model + JSON.stringify(request.thinking ?? null) + JSON.stringify(request.effort ?? null));
	const prefixes: Prefix[] = [];
	let tokens = 0;
	let position = -1;
	for (const [index, block] of blocks.entries()) {
		hash.update(`\0${block.section}\0${block.text}`);
		tokens += countTokens(block.text);
		const previous = blocks[index - 1];
		const inRun = previous?.section === "messages" && previous.type === block.type && ["tool_use", "tool_result"].includes(block.type);
		if (!inRun) position++;
		prefixes.push({ hash: hash.copy().digest("hex"), tokens, position });
	}
	return prefixes;
}

function tokensBySection(blocks: readonly FlatBlock[]): Record<Section, number> {
	const tokens = { tools: 0, system: 0, messages: 0 };
	for (const block of blocks) tokens[block.section] += countTokens(block.text);
	return tokens;
}
