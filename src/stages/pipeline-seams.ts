import type { SyntaxService } from "../code-index/syntax-service.ts";
import type { ChangeSet } from "../domain/change-set.ts";
import type { Assignment } from "../domain/child-run.ts";
import type { Sha } from "../domain/ids.ts";
import type { PublishedAgent } from "../domain/review-state.ts";
import type { ChildProgress } from "../engine/child-environment.ts";
import type { AuditWriter } from "../guard/audit.ts";
import type { RunHookCommand } from "../guard/hooks.ts";
import type { PathRules } from "../guard/path-rules.ts";
import type {
	ArtifactStore,
	Clock,
	GitHistory,
	GitHostActivity,
	GitHostReader,
	GitHostWriter,
	Journal,
	JournalStore,
	Log,
	ModelClient,
	PatchTrees,
	RepositoryReader,
	Tool,
	ToolWorker,
	Workspace,
	WorkspaceProvider,
} from "../seams.ts";
import type { ToolContext } from "../tools/tool-context.ts";
import type { RunSandbox } from "./run-sandbox.ts";
import type { LiveView } from "./show-progress.ts";

/** Everything of the outside that a run uses; made by the composition root, closed by it. */
export interface PipelineSeams {
	readonly clock: Clock;
	readonly log: Log;
	/** Cancels the run: SIGINT and SIGTERM of the runner, Ctrl-C of a person. */
	readonly signal: AbortSignal;
	/** Takes secrets out of text. */
	readonly redact: (text: string) => string;
	/** From now on `redact` takes this value out too, in every form. */
	readonly hideSecret: (value: string) => void;
	readonly history: GitHistory;
	readonly reader: RepositoryReader;
	/** Applies patches in the object store; for work that is to become a commit. */
	readonly patchTrees: PatchTrees;
	readonly loadChangeSet: (mergeBase: Sha, head: Sha) => Promise<ChangeSet>;
	/** Worktrees of one commit; `include` names files of the checkout that a writer's tree gets as well (S-186). */
	readonly openWorkspaces: (
		head: Sha,
		include?: { readonly patterns: string; readonly refuse: (path: string) => string | undefined },
	) => WorkspaceProvider & AsyncDisposable;
	readonly model: ModelClient;
	/** The only model there is, for a provider that has no choice of models. */
	readonly modelId?: string;
	/** Fixed checks in the model's place, for when the provider is away; absent: there are none. */
	readonly fallback?: () => Promise<{ readonly model: ModelClient; readonly modelId: string }>;
	/** Absent on the command line. */
	readonly host?: {
		readonly reader: GitHostReader;
		readonly writer: GitHostWriter;
		/** Reactions on our comments; absent: none is known. */
		readonly activity?: Pick<GitHostActivity, "reactions">;
		/** Answers from the start of the run; absent: the reader is asked. */
		readonly early?: GitHostReader;
	};
	readonly journals: JournalStore & { openRun(): Journal };
	/** The agents of this run with the hashes of their journals, for later runs to check (S-163). */
	readonly listPublishedAgents?: () => Promise<readonly PublishedAgent[]>;
	readonly artifacts: ArtifactStore;
	readonly syntax: SyntaxService;
	readonly sinks: {
		readonly stepSummary: (markdown: string) => Promise<void>;
		readonly outputs: (values: Readonly<Record<string, string>>) => Promise<void>;
	};
	readonly progress?: (progress: ChildProgress) => void;
	/** Shows the run in the sticky comment while it goes on; absent where there is none. */
	readonly live?: LiveView;
	/** Runs commands of hooks in a child's tree, behind walls; absent where there is no sandbox. */
	readonly hookRunner?: (workspace: Workspace) => RunHookCommand;
	/** The sandbox of this machine, tried when it is needed; what follows from it is settled before the plan (`settleSandbox`). */
	readonly sandbox?: RunSandbox;
	/** Why there is no sandbox on this machine. */
	readonly noSandbox?: string;
	/** Puts a child's tools into a process of their own behind walls; absent: what reads is run in this process. */
	readonly openTools?: (child: ToolsOfChild) => Promise<ToolWorker>;
	/** Decisions of the gate; absent: they stand in the journals alone. */
	readonly audit?: AuditWriter;
	/** Where the audit of this run is kept, for reports that say whether its chain holds. */
	readonly auditFile?: string;
}

/** What a child's tools are and work on. */
export interface ToolsOfChild {
	readonly assignment: Assignment;
	readonly workspace: Workspace;
	readonly context: ToolContext;
	/** The granted tools, as they would run in this process. */
	readonly tools: readonly Tool[];
	readonly paths: PathRules;
}

/** Facts of a run that are no seams. */
export interface RunFacts {
	readonly runId: string;
	readonly attempt: number;
	/** Milliseconds since the epoch. */
	readonly startedAt: number;
	readonly version: string;
	/** Tells several installations in one repository apart. */
	readonly instance: string;
	readonly links?: { readonly repository: string; readonly run: string };
}
