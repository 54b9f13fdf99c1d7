import type { Effort } from "./model-message.ts";

/** US dollars per million tokens. */
export interface ModelPrice {
	readonly input: number;
	readonly output: number;
	readonly cacheRead: number;
	readonly cacheWrite5m: number;
	readonly cacheWrite1h: number;
}

/** What is known of a model: prices, limits and defaults (COST.md 4.1). */
export interface ModelEntry {
	readonly id: string;
	/** Short names users may write; the first one is shown. */
	readonly aliases: readonly string[];
	readonly price: ModelPrice;
	/** Price of the whole request when its prompt (cache reads and writes included) is longer than `aboveTokens`. */
	readonly longPrompt?: { readonly aboveTokens: number; readonly price: ModelPrice };
	/** Factor on everything in the batch interface, cache reads and writes included. */
	readonly batchFactor: number;
	/** Tokens of prompt and output together. */
	readonly contextWindow: number;
	readonly maxOutput: number;
	/** Shorter prefixes are silently not cached (COST.md 4.2). */
	readonly minCacheablePrefix: number;
	/** What the provider takes when no effort is sent; null when the model knows no effort at all. */
	readonly defaultEffort: Effort | null;
}

/** Day on which the prices were last compared with the published ones. */
export const MODEL_TABLE_DATE = "2026-11-24";

interface Limits {
	readonly contextWindow: number;
	readonly maxOutput: number;
}

const LARGE: Limits = { contextWindow: 1_000_000, maxOutput: 128_000 };
const SMALL: Limits = { contextWindow: 200_000, maxOutput: 64_000 };

function price(input: number, output: number, cacheRead: number, cacheWrite5m: number, cacheWrite1h: number): ModelPrice {
	return { input, output, cacheRead, cacheWrite5m, cacheWrite1h };
}

function entry(
	id: string,
	modelPrice: ModelPrice,
	minCacheablePrefix: number,
	defaultEffort: Effort | null,
	options: { readonly aliases?: readonly string[]; readonly limits?: Limits; readonly longPrompt?: ModelEntry["longPrompt"] } = {},
): ModelEntry {
	return {
		id,
		aliases: options.aliases ?? [],
		price: modelPrice,
		batchFactor: 0.5,
		...(options.limits ?? LARGE),
		minCacheablePrefix,
		defaultEffort,
		...(options.longPrompt === undefined ? {} : { longPrompt: options.longPrompt }),
	};
}

const FABLE_5_2 = price(8, 40, 0.2, 10, 16);
const OPUS_OLDER = price(5, 25, 0.5, 6.25, 10);
const SONNET_4 = price(3, 15, 0.3, 3.75, 6);

/** All models with a known price; a model that is not here has a cost of null, never zero (S-106). */
export const MODEL_TABLE: readonly ModelEntry[] = [
	entry("claude-fable-5-2", FABLE_5_2, 512, "high", { aliases: ["fable"] }),
	entry("claude-mythos-5-2", FABLE_5_2, 512, "high", { aliases: ["mythos"] }),
	entry("claude-fable-5-1", price(10, 50, 0.25, 12.5, 20), 512, "high"),
	entry("claude-fable-5", price(10, 50, 1, 12.5, 20), 512, "high"),
	entry("claude-opus-5-5", price(4, 20, 0.2, 5, 8), 512, "medium", { aliases: ["opus", "best"] }),
	entry("claude-opus-5", OPUS_OLDER, 512, "high"),
	entry("claude-opus-4-8", OPUS_OLDER, 1024, "high"),
	entry("claude-opus-4-7", OPUS_OLDER, 2048, "high"),
	entry("claude-opus-4-6", OPUS_OLDER, 4096, "high"),
	entry("claude-opus-4-5", OPUS_OLDER, 4096, "high", { limits: SMALL }),
	entry("claude-sonnet-5-5", price(2, 10, 0.1, 2.5, 4), 512, "high", { aliases: ["sonnet"] }),
	entry("claude-sonnet-5", price(2, 10, 0.2, 2.5, 4), 1024, "high"),
	entry("claude-sonnet-4-6", SONNET_4, 1024, "high"),
	entry("claude-sonnet-4-5", SONNET_4, 1024, "high", { limits: SMALL }),
	entry("claude-haiku-5-5", price(0.1, 0.5, 0.01, 0.125, 0.2), 512, "medium", {
		aliases: ["haiku"],
		longPrompt: { aboveTokens: 100_000, price: price(0.5, 2.5, 0.05, 0.625, 1) },
	}),
	entry("claude-haiku-4-5", price(1, 5, 0.1, 1.25, 2), 4096, null, { limits: SMALL }),
];

const BY_NAME: ReadonlyMap<string, ModelEntry> = new Map(
	MODEL_TABLE.flatMap((model) => [model.id, ...model.aliases].map((name) => [name, model] as const)),
);

const DATED = /-\d{8}$/;

/** The entry of an alias, an id or a dated id (`claude-haiku-4-5-20251001`); undefined for a model we do not know. */
export function findModel(name: string): ModelEntry | undefined {
	return BY_NAME.get(name) ?? BY_NAME.get(name.replace(DATED, ""));
}

/** Ids of today's models that cost less than this one, the dearest first; none for a model we do not know. */
export function cheaperModels(name: string): readonly string[] {
	const most = findModel(name)?.price.input;
	if (most === undefined) return [];
	const current = MODEL_TABLE.filter((model) => model.aliases.length > 0 && model.price.input < most);
	return current.toSorted((a, b) => b.price.input - a.price.input).map((model) => model.id);
}

/**
 * The full id a user's model name stands for (S-152). `ownAliases` (the setting `agentModels`) come before
 * the built-in ones; a name that is neither is taken as a full id and comes back unchanged.
 */
export function resolveModelAlias(name: string, ownAliases: Readonly<Record<string, string>> = {}): string {
	const wanted = Object.hasOwn(ownAliases, name) ? (ownAliases[name] ?? name) : name;
	const known = BY_NAME.get(wanted);
	return known?.id ?? wanted;
}

/** Alias to full id, for code that resolves names against a table of its own. */
export const MODEL_ALIASES: Readonly<Record<string, string>> = Object.fromEntries(
	MODEL_TABLE.flatMap((model) => model.aliases.map((alias) => [alias, model.id] as const)),
);
