import { resolveModel, type ResolvedModel } from "../agents/resolve-model.ts";
import type { Assignment } from "../domain/child-run.ts";
import { UserError } from "../domain/errors.ts";
import { MODEL_ALIASES, resolveModelAlias } from "../domain/model-table.ts";
import type { RunContext } from "../domain/run-context.ts";
import type { ChildIdentity } from "../engine/child-environment.ts";
import type { RequestPrefix } from "../engine/request-layout.ts";
import type { ChildResources } from "../engine/scheduler-options.ts";
import type { ChildHooks } from "../guard/hooks.ts";
import { createPathRules, type PathRules } from "../guard/path-rules.ts";
import type { Pack } from "../plan/build-pack.ts";
import { SHARED_SYSTEM } from "../plan/shared-system.ts";
import type { Journal, Tool, ToolWorker, Workspace, WorkspaceProvider } from "../seams.ts";
import { createReadOnlyTools } from "../tools/create-read-only-tools.ts";
import { createReadState } from "../tools/read-state.ts";
import { createTaskListTools } from "../tools/task-list-tools.ts";
import type { ToolContext } from "../tools/tool-context.ts";
import type { Change } from "./load-change.ts";
import type { Trusted } from "./load-trusted.ts";
import { createActingTools } from "./open-tools.ts";
import { hooksForAssignment, openChildGate, openChildHooks } from "./open-child-gate.ts";
import { type ChildTree, createChildTrees, type OnWork } from "./open-child-tree.ts";
import type { PipelineSeams } from "./pipeline-seams.ts";

export interface OpenChildInput {
	readonly context: RunContext;
	readonly trusted: Trusted;
	readonly change: Change;
	readonly pack: Pack;
	/** System text of children that do something else than review. */
	readonly system?: string;
}

/** What children are given: model, tools, tree, gate and the part of their requests that they share. */
export interface ChildOpener {
	modelOf(assignment: Assignment): ResolvedModel;
	effortOf(assignment: Assignment): Trusted["settings"]["effort"];
	/** Without the instructions for an agent that opted out of memory; all others share one prefix (S-062). */
	prefixOf(assignment: Assignment): RequestPrefix;
	/** The tools of an assignment's agent as requests name them. */
	shapesOf(assignment: Assignment): readonly Tool[];
	open(assignment: Assignment, identity: ChildIdentity, resumed: boolean): Promise<ChildResources>;
}

export function createChildOpener(
	input: OpenChildInput,
	seams: PipelineSeams,
	run: { readonly workspaces: WorkspaceProvider; readonly journal: Journal; readonly onWork?: OnWork },
): ChildOpener {
	const { pack, trusted } = input;
	const { settings, policy } = trusted;
	const trees = createChildTrees(run.workspaces, seams, run.onWork);
	const paths = createPathRules({ denyPaths: policy.denyPaths, protectedPaths: policy.protectedPaths });
	const system = [{ type: "text" as const, text: input.system ?? SHARED_SYSTEM }];
	const shared: RequestPrefix = { system, pack: pack.blocks };
	// The instructions are the pack's first block where there are any; the change itself is its last.
	const bare: RequestPrefix = { system, pack: pack.blocks.slice(-1) };
	const opener: ChildOpener = {
		modelOf: ({ agent }) => chooseModel(agent, trusted, seams.modelId),
		effortOf: (assignment) => assignment.agent.effort ?? settings.effort,
		prefixOf: (assignment) => (assignment.agent.memory ? shared : bare),
		shapesOf: (assignment) => makeTools(assignment, makeToolContext(input, seams, paths, assignment, ""), undefined),
		async open(assignment, identity, resumed) {
			const model = opener.modelOf(assignment);
			if (!model.ok) throw new UserError(model.reason, { code: model.code });
			const tree = trees.open({ assignment, session: identity.session, parent: identity.parent });
			const ending = new AbortController();
			let journal: Journal | undefined;
			const hooks = openHooks(input, seams, { assignment, identity, tree, run, ending, ownJournal: () => journal });
			const started = resumed ? undefined : await hooks?.start();
			if (started?.stop !== undefined) {
				await tree.close({ session: identity.session });
				throw new UserError(started.stop, { code: "E_POLICY" });
			}
			const gate = openChildGate({
				...input,
				assignment,
				session: identity.session,
				seams,
				hooks,
				stop: (reason) => ending.abort(new Error(`a hook ended it: ${reason}`)),
			});
			const worker = openWorker(assignment, hooks, (workspace) => makeToolContext(input, seams, paths, assignment, workspace.root), {
				seams,
				tree,
				paths,
				shape: makeToolContext(input, seams, paths, assignment, ""),
			});
			const assigned = new Set(assignment.files.map((file) => file.path));
			return {
				model: seams.model,
				modelId: model.model,
				effort: opener.effortOf(assignment),
				tools: gate.guard(worker),
				gate: gate.gate,
				recordRefusal: gate.recordRefusal,
				policyHash: gate.policyHash,
				brief: opener.prefixOf(assignment),
				briefFiles: [...pack.complete].filter((file) => assigned.has(file)),
				signal: AbortSignal.any([ending.signal, tree.failed]),
				...(started?.preface === undefined ? {} : { preface: started.preface }),
				...(hooks === undefined ? {} : { beforeEnd: hooks.beforeEnd }),
				useJournal: (own) => {
					journal = own;
				},
				async close(report) {
					await worker[Symbol.asyncDispose]();
					return tree.close(report);
				},
			};
		},
	};
	return opener;
}

/** The call has no say in a planned review: the agent's file, else the setting of its kind (S-152). */
function chooseModel(agent: Assignment["agent"], { settings, policy }: Trusted, only: string | undefined): ResolvedModel {
	if (only !== undefined) return { ok: true, model: only, source: "inherited", reason: "the provider has one model", warning: false };
	const kind = agent.kind === "reviewer" || agent.kind === "verifier" ? agent.kind : "specialist";
	const wished = settings.models[kind] ?? settings.model;
	return resolveModel({
		...(agent.model === undefined ? {} : { agent: agent.model }),
		inherited: resolveModelAlias(wished, settings.agentModels),
		aliases: { ...MODEL_ALIASES, ...settings.agentModels },
		...(policy.allowedModels === undefined ? {} : { allowed: policy.allowedModels }),
	});
}

function openHooks(
	input: OpenChildInput,
	seams: PipelineSeams,
	child: {
		readonly assignment: Assignment;
		readonly identity: ChildIdentity;
		readonly tree: ChildTree;
		readonly run: { readonly journal: Journal };
		readonly ending: AbortController;
		readonly ownJournal: () => Journal | undefined;
	},
): ChildHooks | undefined {
	const { assignment, identity } = child;
	const hooks = hooksForAssignment(input.trusted.hooks, assignment);
	if (hooks.length === 0) return undefined;
	// The plan has left such children out; a gate that cannot be asked is never taken for an open one.
	if (seams.hookRunner === undefined) throw new UserError(describeHooksWithoutSandbox(seams), { code: "E_SANDBOX" });
	return openChildHooks({
		hooks,
		assignment,
		session: identity.session,
		workspace: child.tree.workspace,
		runJournal: child.run.journal,
		ownJournal: child.ownJournal,
		signal: AbortSignal.any([seams.signal, child.ending.signal]),
		hookRunner: seams.hookRunner,
		journalFolder: seams.journals.folder,
	});
}

/** Why a child with hooks is not run on this runner. */
export function describeHooksWithoutSandbox(seams: Pick<PipelineSeams, "noSandbox">): string {
	const why = seams.noSandbox === undefined ? "" : ` (${seams.noSandbox})`;
	return `E_SANDBOX: hooks of the trusted ref apply to it, and without a sandbox no hook is run${why}; set up the sandbox or narrow the hooks' matchers`;
}

/** The tools that an agent's file grants, of those this run has. */
function makeTools(assignment: Assignment, context: ToolContext, hooks: ChildHooks | undefined): readonly Tool[] {
	const { agent } = assignment;
	const granted = new Set<string>(agent.tools.filter((name) => !agent.disallowedTools.includes(name)));
	const tasks = createTaskListTools(hooks === undefined ? {} : { before: hooks.beforeTask });
	return [...createReadOnlyTools(context), ...createActingTools(assignment, context), ...tasks].filter((tool) =>
		granted.has(tool.spec.name),
	);
}

/** Tools that wait for the tree when they are first used: the model's first answer takes longer than the tree (G13). */
function openWorker(
	assignment: Assignment,
	hooks: ChildHooks | undefined,
	contextOf: (workspace: Workspace) => ToolContext,
	parts: { readonly seams: PipelineSeams; readonly tree: ChildTree; readonly paths: PathRules; readonly shape: ToolContext },
): ToolWorker {
	const { seams, tree, paths } = parts;
	let opened: Promise<ToolWorker> | undefined;
	const openNow = async (): Promise<ToolWorker> => {
		const workspace = await tree.workspace;
		const context = contextOf(workspace);
		const tools = makeTools(assignment, context, undefined);
		if (seams.openTools !== undefined) return seams.openTools({ assignment, workspace, context, tools, paths });
		// There is no fallback to plain execution: what acts is not there (A76).
		const reading = tools.filter((tool) => tool.effect !== "execute" && tool.effect !== "write");
		return { tools: reading, [Symbol.asyncDispose]: async () => undefined };
	};
	const shapes = makeTools(assignment, parts.shape, hooks);
	return {
		tools: shapes.map((shape) =>
			shape.effect === "none"
				? shape
				: {
						...shape,
						run: async (value, signal, call) => {
							opened ??= openNow();
							const tool = (await opened).tools.find((candidate) => candidate.spec.name === shape.spec.name);
							if (tool === undefined) return { content: `${shape.spec.name} is not available here.`, isError: true, code: "E_SANDBOX" };
							return tool.run(value, signal, call);
						},
					},
		),
		[Symbol.asyncDispose]: async () => {
			await opened?.then(
				(worker) => worker[Symbol.asyncDispose](),
				() => undefined,
			);
		},
	};
}

function makeToolContext(
	{ context, change }: OpenChildInput,
	seams: PipelineSeams,
	paths: PathRules,
	assignment: Assignment,
	root: string,
): ToolContext {
	return {
		root,
		head: context.head,
		mergeBase: context.mergeBase,
		changedFiles: change.changeSet.files,
		assignedPaths: assignment.files.map((file) => file.path),
		readPatches: (files) => change.readPatches(files.map((file) => file.path)),
		readBase: (path) => seams.reader.readFile(context.mergeBase, path),
		listFiles: async () => (await seams.reader.listFiles(context.head)).map((file) => file.path),
		readHistory: async () => (await seams.reader.changedTogether?.(context.mergeBase)) ?? [],
		isDenied: (path) => paths.hiddenBy(path) !== undefined,
		syntax: seams.syntax,
		readState: createReadState(),
	};
}
