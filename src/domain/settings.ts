import type { Effort } from "./model-message.ts";
import type { Severity } from "./finding.ts";

/** The merged settings: defaults, then `.garuda/settings.json`'s two blocks, then `.rookery/settings.json` of the trusted ref, then inputs. */
export interface Settings {
	/** Model of specialists, reviewers, verifier and synthesis; alias or full id. */
	readonly model: string;
	readonly models: Readonly<Partial<Record<"orchestrator" | "specialist" | "explore" | "reviewer" | "verifier", string>>>;
	/** Alias to full id, for example `sonnet` (S-152). */
	readonly agentModels: Readonly<Record<string, string>>;
	readonly effort: Effort;
	readonly moe: { readonly enabled: boolean; readonly maxSteps: number; readonly tokenBudget: number };
	readonly subagents: {
		readonly enabled: boolean;
		readonly maxSteps: number;
		readonly tokenBudget: number;
		readonly timeoutSeconds: number;
		readonly maxConcurrent: number;
		readonly maxDepth: number;
	};
	readonly review: {
		readonly auto: boolean;
		readonly drafts: boolean;
		readonly paths: readonly string[];
		readonly pathsIgnore: readonly string[];
		readonly minConfidence: number;
		readonly maxInline: number;
		readonly maxInlinePerPullRequest: number;
		/** Least severity that fails the check and the exit code; `never` for none. */
		readonly failOn: Severity | "never";
	};
	readonly budget: { readonly runUsd: number; readonly runTokens: number };
	/** Test command by language id, instead of the detected one. */
	readonly checks: Readonly<Record<string, string>>;
}
