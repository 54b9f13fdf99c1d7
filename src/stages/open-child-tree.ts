import type { Assignment, SubagentReport } from "../domain/child-run.ts";
import { errorText } from "../domain/errors.ts";
import type { Workspace, WorkspaceChanges, WorkspaceProvider } from "../seams.ts";
import { hideCredentials } from "./hide-credentials.ts";
import type { PipelineSeams } from "./pipeline-seams.ts";

/** The tree of one child. It is under way while the model answers the first request; tools wait for it (G13). */
export interface ChildTree {
	/** Rejects with a UserError (`E_WORKTREE`) when it could not be made. */
	readonly workspace: Promise<Workspace>;
	/** Aborts when it could not be made: a review of nothing is none. */
	readonly failed: AbortSignal;
	/** Takes the tree away; work in it is kept as a patch (S-192, S-193). Never rejects (S-195). */
	close(report: Pick<SubagentReport, "session">): Promise<SubagentReport["worktree"]>;
}

export interface ChildTrees {
	open(child: { readonly assignment: Assignment; readonly session: string; readonly parent: string | null }): ChildTree;
}

/** S-181: a child that may write and one whose file says so has a tree of its own; readers share one. */
export function needsOwnTree(assignment: Assignment): boolean {
	return assignment.access === "write" || assignment.agent.isolation === "worktree";
}

type TreeSeams = Pick<PipelineSeams, "artifacts" | "log" | "redact" | "hideSecret">;

/** Told of the work that a child leaves, in its own bytes: the artifact of it is redacted, and no commit is made from that. */
export type OnWork = (session: string, changes: WorkspaceChanges) => void;

/** Trees of a run's children. A child of an isolated child works in that one's tree, unless it is isolated itself (S-197). */
export function createChildTrees(workspaces: WorkspaceProvider, seams: TreeSeams, onWork?: OnWork): ChildTrees {
	const own = new Map<string, Promise<Workspace>>();
	const patches = new Map<string, Buffer>();
	const openOwn = (session: string): ChildTree => {
		const patch = patches.get(session);
		const workspace = workspaces.open({ kind: "own", session, ...(patch === undefined ? {} : { patch }) });
		own.set(session, workspace);
		return describeTree(workspace, async (report) => {
			own.delete(session);
			return closeOwn(await workspace, report, seams, (changes) => {
				patches.set(session, changes.patch);
				onWork?.(session, changes);
			});
		});
	};
	return {
		open({ assignment, session, parent }) {
			if (needsOwnTree(assignment)) return openOwn(session);
			const inherited = parent === null ? undefined : own.get(parent);
			if (inherited !== undefined) {
				own.set(session, inherited);
				return describeTree(inherited, async () => void own.delete(session));
			}
			const shared = workspaces.open({ kind: "shared", session });
			return describeTree(shared, async () => (await shared)[Symbol.asyncDispose]().then(() => undefined));
		},
	};
}

function describeTree(workspace: Promise<Workspace>, close: ChildTree["close"]): ChildTree {
	const failed = new AbortController();
	workspace.catch((error: unknown) => failed.abort(error));
	return {
		workspace,
		failed: failed.signal,
		close: async (report) => {
			try {
				return await close(report);
			} catch {
				// What could not be made has said so already, and has left nothing.
				return undefined;
			}
		},
	};
}

async function closeOwn(
	workspace: Workspace,
	report: Pick<SubagentReport, "session">,
	seams: TreeSeams,
	remember: (changes: WorkspaceChanges) => void,
): Promise<SubagentReport["worktree"]> {
	const { artifacts, log } = seams;
	try {
		const changes = await workspace.readChanges?.();
		if (changes === undefined) {
			await workspace[Symbol.asyncDispose]();
			return undefined;
		}
		remember(changes);
		const path = await artifacts.write(`${report.session}.patch`, await redactPatch(changes.patch, seams));
		await workspace[Symbol.asyncDispose]();
		// The caller of a cancelled child may be gone; this line names what is left (S-194).
		log.notice(`${report.session} left work in ${changes.files.length} files: ${path}`);
		return { path, kept: true };
	} catch (error) {
		await workspace.keep?.();
		await workspace[Symbol.asyncDispose]();
		const reason = errorText(error).trim();
		log.warning(`${report.session}: its worktree is kept at ${workspace.root}: ${reason}`);
		return { path: workspace.root, kept: true, reason };
	}
}

/** Bytes that are no text are left as they are: no secret pattern can be read in them. */
async function redactPatch(patch: Buffer, seams: TreeSeams): Promise<string | Buffer> {
	const text = patch.toString("utf8");
	if (!Buffer.from(text, "utf8").equals(patch)) return patch;
	await hideCredentials([text], seams);
	return seams.redact(text);
}
