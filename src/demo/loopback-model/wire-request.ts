/** A content block as it stands in a request; which fields it has depends on its type. */
export interface WireBlock {
	readonly type: string;
	readonly [field: string]: unknown;
}

export interface WireMessage {
	readonly role: string;
	/** A plain string in the request becomes one text block. */
	readonly content: readonly WireBlock[];
}

/** A request body after its outer shape was checked; the finer rules are those of `checkRequest`. */
export interface WireRequest {
	readonly model: string;
	readonly maxTokens: number | undefined;
	readonly stream: boolean;
	readonly effort: unknown;
	readonly thinking: unknown;
	readonly toolChoice: unknown;
	readonly system: readonly WireBlock[];
	readonly tools: readonly Readonly<Record<string, unknown>>[];
	readonly messages: readonly WireMessage[];
	/** A mark on the request itself counts as one on the last block. */
	readonly cacheControl: unknown;
	/** The parsed body, untouched. */
	readonly body: Readonly<Record<string, unknown>>;
}

/** What the API answers to a request that it does not take. */
export interface Refusal {
	readonly status: number;
	readonly type: string;
	readonly message: string;
}

/** The API's answer to a request that breaks one of its rules. */
export function invalid(message: string): Refusal {
	return { status: 400, type: "invalid_request_error", message };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads the bytes of a body into a request, or says what is wrong with its shape. */
export function parseWireRequest(bytes: Uint8Array): { readonly request: WireRequest } | { readonly refusal: Refusal } {
	let body: unknown;
	try {
		body = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
	} catch {
		return { refusal: invalid("The request body is not valid JSON") };
	}
	if (!isRecord(body)) return { refusal: invalid("The request body must be an object") };
	if (!isWellFormed(body)) return { refusal: invalid("The request body is not valid JSON: no low surrogate in string") };
	const { model, messages, system, tools } = body;
	if (typeof model !== "string" || model === "") return { refusal: invalid("model: Field required") };
	if (!Array.isArray(messages)) return { refusal: invalid("messages: Field required") };
	if (tools !== undefined && !(Array.isArray(tools) && tools.every(isRecord))) {
		return { refusal: invalid("tools: Input should be a valid array of objects") };
	}
	const systemBlocks = system === undefined ? [] : toBlocks(system);
	if (systemBlocks === undefined) return { refusal: invalid("system: Input should be a valid string or array of blocks") };
	const wireMessages: WireMessage[] = [];
	for (const [index, message] of messages.entries()) {
		const content = isRecord(message) ? toBlocks(message["content"]) : undefined;
		if (!isRecord(message) || content === undefined || typeof message["role"] !== "string") {
			return { refusal: invalid(`messages.${index}: a message needs a role and content`) };
		}
		wireMessages.push({ role: message["role"], content });
	}
	const outputConfig = isRecord(body["output_config"]) ? body["output_config"] : {};
	return {
		request: {
			model,
			maxTokens: typeof body["max_tokens"] === "number" ? body["max_tokens"] : undefined,
			stream: body["stream"] === true,
			effort: outputConfig["effort"],
			thinking: body["thinking"],
			toolChoice: body["tool_choice"],
			system: systemBlocks,
			tools: (tools ?? []) as Readonly<Record<string, unknown>>[],
			messages: wireMessages,
			cacheControl: body["cache_control"],
			body,
		},
	};
}

/** Number of assistant messages so far: the turn that a script answers. */
export function turnOf(request: WireRequest): number {
	return request.messages.filter((message) => message.role === "assistant").length;
}

/** All text of the system prompt and of the first user message: where scripts look for their marker. */
export function openingText(request: WireRequest): string {
	const first = request.messages.find((message) => message.role === "user");
	return [...request.system, ...(first?.content ?? [])].map((block) => (typeof block["text"] === "string" ? block["text"] : "")).join("\n");
}

function toBlocks(content: unknown): readonly WireBlock[] | undefined {
	if (typeof content === "string") return [{ type: "text", text: content }];
	if (!Array.isArray(content)) return undefined;
	return content.every((block) => isRecord(block) && typeof block["type"] === "string") ? (content as WireBlock[]) : undefined;
}

function isWellFormed(value: unknown): boolean {
	if (typeof value === "string") return value.isWellFormed();
	if (Array.isArray(value)) return value.every(isWellFormed);
	if (isRecord(value)) return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner));
	return true;
}
