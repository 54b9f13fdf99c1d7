import type { SyntaxService } from "../code-index/syntax-service.ts";
import type { ChangeSet } from "../domain/change-set.ts";
import type { Sha } from "../domain/ids.ts";
import type { ChildProgress } from "../engine/child-environment.ts";
import type {
	ArtifactStore,
	Clock,
	GitHistory,
	GitHostReader,
	GitHostWriter,
	Journal,
	JournalStore,
	Log,
	ModelClient,
	RepositoryReader,
	WorkspaceProvider,
} from "../seams.ts";

/** Everything of the outside that a run uses; made by the composition root, closed by it. */
export interface PipelineSeams {
	readonly clock: Clock;
	readonly log: Log;
	/** Cancels the run: SIGINT and SIGTERM of the runner, Ctrl-C of a person. */
	readonly signal: AbortSignal;
	/** Takes secrets out of text. */
	readonly redact: (text: string) => string;
	readonly history: GitHistory;
	readonly reader: RepositoryReader;
	readonly loadChangeSet: (mergeBase: Sha, head: Sha) => Promise<ChangeSet>;
	/** Worktrees of one commit. */
	readonly openWorkspaces: (head: Sha) => WorkspaceProvider & AsyncDisposable;
	readonly model: ModelClient;
	/** The only model there is, for a provider that has no choice of models. */
	readonly modelId?: string;
	/** Absent on the command line. */
	readonly host?: { readonly reader: GitHostReader; readonly writer: GitHostWriter };
	readonly journals: JournalStore & { openRun(): Journal };
	readonly artifacts: ArtifactStore;
	readonly syntax: SyntaxService;
	readonly sinks: {
		readonly stepSummary: (markdown: string) => Promise<void>;
		readonly outputs: (values: Readonly<Record<string, string>>) => Promise<void>;
	};
	readonly progress?: (progress: ChildProgress) => void;
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
