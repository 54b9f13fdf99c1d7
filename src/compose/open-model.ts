import { UserError } from "../domain/errors.ts";
import type { Provider } from "../intake/inputs.ts";
import type { Clock, ModelClient } from "../seams.ts";

export interface ModelOptions {
	readonly provider: Provider;
	readonly apiKey?: string;
	readonly baseUrl?: string;
	readonly clock: Clock;
}

/** A client, and the one model it has when there is no choice. */
export interface OpenedModel {
	readonly model: ModelClient;
	readonly modelId?: string;
	/** What can take the provider's place when it is away. */
	readonly fallback?: () => Promise<{ readonly model: ModelClient; readonly modelId: string }>;
}

/**
 * Opens the provider that was asked for. Each is loaded only when it is wanted: the SDK costs start-up time.
 * Throws a UserError for a provider without a key and for one that this version cannot reach.
 */
export async function openModel(options: ModelOptions): Promise<OpenedModel> {
	switch (options.provider) {
		case "offline":
			return openOfflineAnalyst();
		case "anthropic": {
			if (options.apiKey === undefined) {
				throw new UserError("input anthropic-api-key: empty; wanted a key for provider anthropic, or provider offline, which needs none");
			}
			const { createAnthropicClient } = await import("../adapters/anthropic/create-anthropic-client.ts");
			return {
				fallback: openOfflineAnalyst,
				model: createAnthropicClient({
					apiKey: options.apiKey,
					clock: options.clock,
					...(options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl }),
				}),
			};
		}
		case "bedrock":
		case "vertex":
		case "foundry":
		case "replay":
			throw new UserError(`input provider: ${options.provider} is not available in this version; wanted anthropic or offline`);
	}
}

async function openOfflineAnalyst(): Promise<{ readonly model: ModelClient; readonly modelId: string }> {
	const { createOfflineAnalyst, OFFLINE_MODEL } = await import("../adapters/offline-analyst/create-offline-analyst.ts");
	return { model: createOfflineAnalyst(), modelId: OFFLINE_MODEL };
}

/** Begins to load what the provider will need, so that it is there when the plan is made. */
export function preloadModel(provider: Provider): void {
	if (provider !== "anthropic") return;
	void import("../adapters/anthropic/create-anthropic-client.ts").catch(() => undefined);
	void import("@anthropic-ai/sdk").catch(() => undefined);
}
