import { findModel } from "../../domain/model-table.ts";
import { invalid, isRecord } from "./wire-request.ts";
import type { Refusal, WireBlock, WireRequest } from "./wire-request.ts";

const KNOWN_FIELDS: ReadonlySet<string> = new Set([
	"cache_control",
	"context_management",
	"diagnostics",
	"max_tokens",
	"messages",
	"metadata",
	"model",
	"output_config",
	"service_tier",
	"speed",
	"stop_sequences",
	"stream",
	"system",
	"temperature",
	"thinking",
	"tool_choice",
	"tools",
	"top_k",
	"top_p",
]);

const EFFORTS: readonly unknown[] = ["low", "medium", "high", "xhigh", "max"];
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;

/** Models that always think adaptively: `disabled` and forced tools are a 400 there (COST.md 4.3). */
const ALWAYS_ADAPTIVE = /^claude-(opus-5-5|sonnet-5-5|fable-5|mythos-5)/;
/** Models that still take a thinking budget and sampling parameters. */
const OLDER = /^claude-(opus-4-[56]|sonnet-4-[56]|haiku-4-5)/;

/**
 * Everything the Messages API refuses about a request besides its conversation: model, limits, effort, thinking,
 * tools and cache marks (COST.md 4.2 and 4.3). Undefined when nothing is wrong.
 */
export function checkRequest(request: WireRequest, options: { readonly counting: boolean }): Refusal | undefined {
	const unknown = Object.keys(request.body).find((field) => !KNOWN_FIELDS.has(field));
	if (unknown !== undefined) return invalid(`${unknown}: Extra inputs are not permitted`);
	const entry = findModel(request.model);
	if (entry === undefined || entry.aliases.includes(request.model))
		return { status: 404, type: "not_found_error", message: `model: ${request.model}` };
	return (
		(options.counting ? undefined : checkMaxTokens(request)) ??
		checkEffort(request) ??
		checkThinking(request) ??
		checkSampling(request) ??
		checkTools(request) ??
		checkToolChoice(request) ??
		checkCacheMarks(request)
	);
}

function checkMaxTokens(request: WireRequest): Refusal | undefined {
	const { maxTokens } = request;
	const most = findModel(request.model)?.maxOutput ?? 0;
	if (maxTokens === undefined) return invalid("max_tokens: Field required");
	if (!Number.isInteger(maxTokens) || maxTokens < 0) return invalid("max_tokens: Input should be an integer greater than or equal to 0");
	if (maxTokens > most) {
		return invalid(`max_tokens: ${maxTokens} > ${most}, which is the maximum allowed number of output tokens for ${request.model}`);
	}
	return maxTokens === 0 && request.stream ? invalid("max_tokens: 0 cannot be used with stream") : undefined;
}

function checkEffort(request: WireRequest): Refusal | undefined {
	if (request.effort === undefined || request.effort === null) return undefined;
	if (!EFFORTS.includes(request.effort)) return invalid("output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'");
	return findModel(request.model)?.defaultEffort === null ? invalid("This model does not support the effort parameter.") : undefined;
}

function checkThinking(request: WireRequest): Refusal | undefined {
	if (request.thinking === undefined) return undefined;
	const type = isRecord(request.thinking) ? request.thinking["type"] : undefined;
	switch (type) {
		case "adaptive":
			return undefined;
		case "between_tools":
			return request.model.startsWith("claude-sonnet-5-5")
				? undefined
				: invalid("thinking.type: between_tools is not supported on this model");
		case "disabled":
			return ALWAYS_ADAPTIVE.test(request.model) ? invalid("thinking.type: disabled is not supported on this model") : undefined;
		case "enabled":
			return OLDER.test(request.model) ? undefined : invalid("thinking.budget_tokens: Extra inputs are not permitted");
		default:
			return invalid("thinking.type: Input should be 'adaptive', 'between_tools', 'disabled' or 'enabled'");
	}
}

function checkSampling(request: WireRequest): Refusal | undefined {
	if (OLDER.test(request.model)) return undefined;
	const { temperature, top_p: topP, top_k: topK } = request.body;
	if (temperature !== undefined && temperature !== 1) return invalid("temperature: only the default value 1 is supported on this model");
	return topP !== undefined || topK !== undefined ? invalid("top_p, top_k: not supported on this model") : undefined;
}

function checkTools(request: WireRequest): Refusal | undefined {
	const names = new Set<string>();
	for (const [index, tool] of request.tools.entries()) {
		const { name, input_schema: schema, description } = tool;
		if (typeof name !== "string" || !TOOL_NAME.test(name)) {
			return invalid(`tools.${index}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
		}
		if (names.has(name)) return invalid("tools: Tool names must be unique.");
		names.add(name);
		if (description !== undefined && typeof description !== "string")
			return invalid(`tools.${index}.description: Input should be a valid string`);
		if (!isRecord(schema)) return invalid(`tools.${index}.input_schema: Field required`);
		if (schema["type"] !== "object") return invalid(`tools.${index}.input_schema.type: Input should be 'object'`);
	}
	return undefined;
}

function checkToolChoice(request: WireRequest): Refusal | undefined {
	if (request.toolChoice === undefined) return undefined;
	const type = isRecord(request.toolChoice) ? request.toolChoice["type"] : undefined;
	if (type === "auto" || type === "none") return undefined;
	if (type !== "any" && type !== "tool") return invalid("tool_choice.type: Input should be 'auto', 'any', 'tool' or 'none'");
	if (request.tools.length === 0) return invalid("tool_choice: may only be specified while providing tools");
	return ALWAYS_ADAPTIVE.test(request.model) ? invalid(`tool_choice.type: ${type} is not supported on this model`) : undefined;
}

function checkCacheMarks(request: WireRequest): Refusal | undefined {
	const blocks: readonly Readonly<Record<string, unknown>>[] = [
		...request.tools,
		...request.system,
		...request.messages.flatMap((message) => message.content),
	];
	const marked = blocks.filter((block) => block["cache_control"] !== undefined && block["cache_control"] !== null);
	const count = marked.length + (request.cacheControl === undefined || request.cacheControl === null ? 0 : 1);
	if (count > 4) return invalid(`A maximum of 4 blocks with cache_control may be provided. Found ${count}.`);
	let shortSeen = false;
	for (const block of marked) {
		const control = block["cache_control"];
		const lifetime = isRecord(control) ? (control["ttl"] ?? "5m") : undefined;
		if (!isRecord(control) || control["type"] !== "ephemeral" || (lifetime !== "5m" && lifetime !== "1h")) {
			return invalid("cache_control: Input should be {type: 'ephemeral', ttl?: '5m' | '1h'}");
		}
		if (lifetime === "1h" && shortSeen) return invalid("cache_control: a ttl='1h' block must not come after a ttl='5m' block");
		if (lifetime === "5m") shortSeen = true;
		if (isThinking(block)) return invalid("cache_control: cannot be set on thinking blocks");
	}
	return undefined;
}

function isThinking(block: Readonly<Record<string, unknown>>): boolean {
	const type = (block as WireBlock).type;
	return type === "thinking" || type === "redacted_thinking";
}
