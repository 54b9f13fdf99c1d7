import type { Limit } from "./stop-conditions.ts";

/** Why the loop ended. */
export type LoopEnd =
	| { readonly kind: "done"; readonly text: string }
	| { readonly kind: "limit"; readonly limit: Limit; readonly detail: string }
	/** `incomplete` work counts for what it is; without it nothing was reviewed. */
	| { readonly kind: "failed"; readonly error: string; readonly incomplete: boolean; readonly outage?: true }
	| { readonly kind: "cancelled" };
