import type Anthropic from "@anthropic-ai/sdk";
import { isRecord } from "./well-formed.ts";

/** The SDK's client class; loaded on the first call, since it takes a good part of a second that a dry run need not wait. */
export type SdkClass = typeof Anthropic;

export async function loadSdk(): Promise<SdkClass> {
	return (await import("@anthropic-ai/sdk")).Anthropic;
}

/** Header names that may leave the machine; whatever else an environment variable adds is dropped. */
const ALLOWED_HEADERS: readonly string[] = ["accept", "anthropic-version", "content-type", "user-agent"];

export interface SdkOptions {
	readonly apiKey: string;
	readonly baseUrl: string;
	readonly fetch: typeof globalThis.fetch;
	/** Until headers; the watchdog is what really ends a silent request. */
	readonly timeoutMs: number;
	/** Called for headers and for every piece of a body. The SDK hides pings, and a long thought sends nothing else. */
	readonly onBytes: () => void;
}

/**
 * A client of the SDK that no environment variable can change: every option is given, the variable that adds headers is
 * undone, and our own `fetch` lets only known headers through (DESIGN.md 8). It makes no retries: those are ours to bound.
 */
export function openSdkClient(Sdk: SdkClass, options: SdkOptions): Anthropic {
	const client = new Sdk({
		apiKey: options.apiKey,
		authToken: null,
		credentials: null,
		config: null,
		profile: null,
		webhookKey: null,
		baseURL: options.baseUrl,
		timeout: options.timeoutMs,
		fetchOptions: {},
		fetch: guardFetch(options),
		middleware: [],
		maxRetries: 0,
		defaultHeaders: {},
		defaultQuery: {},
		dangerouslyAllowBrowser: false,
		logLevel: "off",
		logger: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
		openTelemetry: false,
	});
	// ANTHROPIC_CUSTOM_HEADERS is merged under the option in the constructor; a malformed one would break every request.
	const inner: unknown = Reflect.get(client, "_options");
	if (isRecord(inner)) inner["defaultHeaders"] = {};
	return client;
}

function guardFetch(options: SdkOptions): typeof globalThis.fetch {
	return async (url, init) => {
		const sent = new Headers(init?.headers);
		const headers = new Headers({ authorization: `Bearer ${options.apiKey}` });
		for (const name of ALLOWED_HEADERS) {
			const value = sent.get(name);
			if (value !== null) headers.set(name, value);
		}
		// A redirect would carry the prompt to an address that nobody has configured.
		const response = await options.fetch(url, { ...init, headers, redirect: "error" });
		options.onBytes();
		if (response.body === null) return response;
		const watch = new TransformStream<Uint8Array, Uint8Array>({
			transform: (piece, controller) => {
				options.onBytes();
				controller.enqueue(piece);
			},
		});
		return new Response(response.body.pipeThrough(watch), {
			status: response.status,
			statusText: response.statusText,
			headers: response.headers,
		});
	};
}
