import type { Severity } from "./finding.ts";
import type { MaintenanceJob } from "./maintenance.ts";
import type { Effort } from "./model-message.ts";

/** The merged settings: defaults, then `.garuda/settings.json`'s two blocks, then `.rookery/settings.json` of the trusted ref, then inputs. */
export interface Settings {
	/** Model of specialists, reviewers, verifier and synthesis; alias or full id. */
	readonly model: string;
	readonly models: Readonly<Partial<Record<"orchestrator" | "specialist" | "explore" | "reviewer" | "verifier", string>>>;
	/** Alias to full id, for example `sonnet` (S-152). */
	readonly agentModels: Readonly<Record<string, string>>;
	readonly effort: Effort;
	readonly moe: {
		readonly enabled: boolean;
		readonly maxSteps: number;
		readonly tokenBudget: number;
		/** Language for a task that nothing decides; absent means the generalist, never a guess (D-02). */
		readonly defaultLanguage?: string;
		/** Further languages and additions to built-in ones, by language id (S-013, S-015). */
		readonly experts: Readonly<Record<string, ExpertSettings>>;
	};
	readonly subagents: {
		readonly enabled: boolean;
		readonly maxSteps: number;
		readonly tokenBudget: number;
		/** Token budget of an explore child (S-078). */
		readonly exploreTokenBudget: number;
		readonly timeoutSeconds: number;
		readonly maxConcurrent: number;
		readonly maxDepth: number;
	};
	readonly review: {
		readonly auto: boolean;
		readonly drafts: boolean;
		/** Labels that start a review when they are added. */
		readonly labels: readonly string[];
		readonly paths: readonly string[];
		readonly pathsIgnore: readonly string[];
		readonly minConfidence: number;
		readonly maxInline: number;
		readonly maxInlinePerPullRequest: number;
		/** Automatic reviews of one pull request in one UTC day. */
		readonly maxRunsPerDay: number;
		/** Custom agents that take part in one automatic review. */
		readonly maxReviewers: number;
		/** Least severity that fails the check and the exit code; `never` for none. */
		readonly failOn: Severity | "never";
		/** Whether a second child tries to refute what the first ones found. */
		readonly verify: boolean;
		/**
		 * Whether the repository's own compilers and linters are asked before the reviewers. model: in runs with a model, always:
		 * in those of the offline analyst, too. Only ever in a trusted run with a sandbox.
		 */
		readonly facts: "model" | "always" | "off";
		/** Whether replacement text is offered for a finding. */
		readonly suggestions: boolean;
		/** Whether a model writes an overview above the findings; everything else of the summary stays as it is. */
		readonly overview: boolean;
		/** Which custom agents review what; see `ReviewerRuleSettings`. */
		readonly reviewers: readonly ReviewerRuleSettings[];
	};
	readonly budget: {
		readonly runUsd: number;
		readonly runTokens: number;
		/** US dollars over all runs of one pull request; absent for no bound. */
		readonly pullRequestUsd?: number;
		/** US dollars of a repository in one UTC day; absent for no bound. */
		readonly repositoryDayUsd?: number;
	};
	/** Test command by language id, instead of the detected one. */
	readonly checks: Readonly<Record<string, string>>;
	/** What holds for the files of one folder, by its path; the longest that fits counts. */
	readonly packages?: Readonly<Record<string, PackageSettings>>;
	readonly sandbox: {
		/** Folders that the workflow has installed and that commands may read: `node_modules`, `.venv`, `~/.cargo/registry`, … */
		readonly dependencies: readonly string[];
		/** Hosts that the commands of maintenance jobs may reach; none unless named. */
		readonly allowHosts: readonly string[];
	};
	/**
	 * How commits are made. api: through GitHub's API, signed by GitHub for the token's account. git: pushed with git, not
	 * signed. ssh: pushed with git and signed with the key of the input `signing-key`.
	 */
	readonly commit: "api" | "git" | "ssh";
	/** Named maintenance jobs (S-005). */
	readonly maintenance: Readonly<Record<string, MaintenanceJob>>;
	/** Hooks as written; the guard reads them. */
	readonly hooks?: unknown;
	readonly agents: {
		/** base: what is merged is consented to. pinned: the closure hash must be in the lock file. */
		readonly trust: "base" | "pinned";
	};
}

/** What a package of a monorepo wants for itself. */
export interface PackageSettings {
	/** Test command by language id, run in the package's folder. */
	readonly checks?: Readonly<Record<string, string>> | undefined;
	/** What its specialists are told besides. */
	readonly guidance?: string | undefined;
}

/** A language specialist of the settings: a new one, or text added behind a built-in one's (never in its place). */
export interface ExpertSettings {
	readonly displayName?: string;
	readonly extensions?: readonly string[];
	readonly filenames?: readonly string[];
	readonly manifests?: readonly string[];
	/** Command that runs the tests. */
	readonly test?: string;
	readonly guidance?: string;
	/** False takes the language out: its files go to the generalist. */
	readonly enabled?: boolean;
}

/** All conditions that are given must hold; each holds when any of its values matches. */
export interface ReviewerRuleSettings {
	readonly agent: string;
	readonly paths?: string[] | undefined;
	readonly pathsIgnore?: string[] | undefined;
	readonly labels?: string[] | undefined;
	readonly languages?: string[] | undefined;
	/** Owners of CODEOWNERS: holds for the files that one of them owns. */
	readonly owners?: string[] | undefined;
	readonly when: "matched" | "always" | "never";
}
