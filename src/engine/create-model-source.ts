import type { ModelClient } from "../seams.ts";

/**
 * A model client that is made when it is first needed and kept once it works. A start that failed is not kept: the
 * next call tries again (S-092).
 */
export function createModelSource(start: () => Promise<ModelClient>): () => Promise<ModelClient> {
	let started: Promise<ModelClient> | undefined;
	return () => {
		started ??= start().catch((error: unknown) => {
			started = undefined;
			throw error;
		});
		return started;
	};
}
