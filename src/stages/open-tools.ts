import { checkCommandsFor } from "../agents/experts/language-profile.ts";
import { BUILT_IN_LANGUAGES, extendTable } from "../agents/experts/table.ts";
import { REVIEW_TOOLS } from "../agents/specialist-prompt.ts";
import type { ToolName } from "../domain/agent.ts";
import type { Assignment } from "../domain/child-run.ts";
import type { RunContext } from "../domain/run-context.ts";
import { DEFAULT_COMMAND_LIMITS } from "../domain/worker-protocol.ts";
import type { Tool, ToolWorker } from "../seams.ts";
import { createShellTools, createWriteTools } from "../tools/create-hosted-tools.ts";
import type { ToolContext } from "../tools/tool-context.ts";
import type { Trusted } from "./load-trusted.ts";
import type { PipelineSeams, ToolsOfChild } from "./pipeline-seams.ts";
import { type RunSandbox, SHELL_TOOLS } from "./run-sandbox.ts";

/** The rules of a run that its children's tools are opened under. */
export type ToolsRules = Pick<Trusted, "settings" | "policy">;

/**
 * Tools of the built-in reviewers. In a trusted run with a sandbox that has proved itself, the shell stands behind the
 * others, so that all of a run share one list (S-018). The offline analyst follows rules that need no command.
 */
export function chooseReviewTools(
	context: Pick<RunContext, "tier">,
	seams: Pick<PipelineSeams, "openTools" | "noSandbox" | "model">,
	reading: readonly ToolName[] = REVIEW_TOOLS,
): readonly ToolName[] {
	const commands = context.tier !== "T0" && seams.openTools !== undefined && seams.model.provider !== "offline";
	return commands ? [...reading, ...SHELL_TOOLS] : reading;
}

/**
 * The tools of a child that do something to its tree, in their fixed order. Commands are for built-in reviewers and for
 * writers: an automatic reviewer of the repository reads, whatever its file asks for (BR-55).
 */
export function createActingTools(assignment: Pick<Assignment, "agent" | "access">, context: ToolContext): readonly Tool[] {
	const { agent, access } = assignment;
	const shell = agent.tier === "built-in" || access === "write";
	return [
		...(access === "write" ? createWriteTools(context) : []),
		...(shell ? createShellTools({ root: context.root, limits: DEFAULT_COMMAND_LIMITS }).tools : []),
	];
}

/** A child's tools in one sandboxed process that the first call starts (D-54). */
export function openSandboxedTools(
	child: ToolsOfChild,
	rules: ToolsRules,
	sandbox: RunSandbox,
	seams: Pick<PipelineSeams, "log">,
): ToolWorker {
	const { tools, context, paths, workspace, assignment } = child;
	const { policy, settings } = rules;
	const runsCommands = tools.some((tool) => tool.effect === "execute");
	const listHidden = async () => ((await context.listFiles?.()) ?? []).filter((path) => paths.hiddenBy(path) !== undefined);
	const listProtected = async () => ((await context.listFiles?.()) ?? []).filter((path) => paths.readOnlyBy(path) !== undefined);
	return sandbox.openWorker({
		tools,
		root: context.root,
		head: context.head,
		mergeBase: context.mergeBase,
		changedFiles: context.changedFiles,
		...(context.assignedPaths === undefined ? {} : { assignedPaths: context.assignedPaths }),
		denyPaths: policy.denyPaths,
		writable: assignment.access === "write",
		// The other tools know these rules themselves; a command does not.
		...(runsCommands ? { commands: DEFAULT_COMMAND_LIMITS, hiddenPaths: listHidden, dependencies: settings.sandbox.dependencies } : {}),
		...(runsCommands && assignment.access === "write" ? { readOnlyPaths: listProtected } : {}),
		...(runsCommands && workspace.git !== undefined ? { git: workspace.git } : {}),
		answers: {
			readPatches: (files) => context.readPatches(files),
			readBase: (path) => context.readBase(path),
			...(context.listFiles === undefined ? {} : { listFiles: context.listFiles }),
			...(context.readHistory === undefined ? {} : { readHistory: context.readHistory }),
			isVisible: (path) => paths.isVisible(path),
		},
		onProblem: (text) => seams.log.info(text),
	});
}

/** Commands of the plan that a review may run: the tests and the other checks of the agent's language (S-018). */
export function listCheckCommands(assignment: Pick<Assignment, "agent" | "testCommand">, settings: Trusted["settings"]): readonly string[] {
	const profile = extendTable(BUILT_IN_LANGUAGES, settings.moe.experts, settings.checks).find(
		(each) => each.id === assignment.agent.language,
	);
	return [
		...(assignment.testCommand === undefined ? [] : [assignment.testCommand]),
		...(profile === undefined ? [] : checkCommandsFor(profile)),
	];
}
