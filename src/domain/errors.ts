/** Stable reason codes that tests and users may rely on (SECURITY.md 3.6). */
export type ReasonCode =
	| "E_ACTOR"
	| "E_FORK"
	| "E_STALE"
	| "E_REF"
	| "E_PATH"
	| "E_PROC"
	| "E_SANDBOX"
	| "E_NET"
	| "E_CONSENT"
	| "E_FRONTMATTER"
	| "E_POLICY"
	| "E_PROTECTED"
	| "E_SECRET"
	| "E_LINK"
	| "E_LOOP"
	| "E_LIMIT"
	| "E_WORKTREE"
	| "E_AUDIT"
	| "E_PUSH"
	| "E_OUTBOX";

/**
 * The user gave something we cannot work with: a broken settings file, an unknown input, a bad ref.
 * The message is one line that names the file or input, the key, what was found and what is wanted.
 * Entries print it without a stack and leave with exit code 2.
 */
export class UserError extends Error {
	override readonly name = "UserError";
	readonly code: ReasonCode | undefined;
	constructor(message: string, options: { readonly code?: ReasonCode; readonly cause?: unknown } = {}) {
		super(message, options.cause === undefined ? undefined : { cause: options.cause });
		this.code = options.code;
	}
}

/** The text of anything that was thrown, without a stack; never empty. */
export function errorText(error: unknown): string {
	if (error instanceof Error) return error.message || error.name;
	return String(error) || "unknown error";
}
