/** What one child has read, by repository path and SHA-256 of the content it saw (S-066). Never shared. */
export interface ReadState {
	record(path: string, sha256: string): void;
	hashOf(path: string): string | undefined;
}

export function createReadState(): ReadState {
	const hashes = new Map<string, string>();
	return {
		record: (path, sha256) => void hashes.set(path, sha256),
		hashOf: (path) => hashes.get(path),
	};
}

export type EditCheck = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** The rule for every later edit: this child has read this very content itself (S-036, A68). */
export function checkReadBeforeEdit(state: ReadState, path: string, currentSha256: string): EditCheck {
	const seen = state.hashOf(path);
	if (seen === undefined) return { ok: false, reason: `read first: this agent has not read ${path} itself` };
	if (seen !== currentSha256) return { ok: false, reason: `read again: ${path} has changed since this agent read it` };
	return { ok: true };
}
