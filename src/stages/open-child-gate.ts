import path from "node:path";
import { claudeCodeNamesOf, resolveToolName } from "../agents/tool-names.ts";
import type { Assignment } from "../domain/child-run.ts";
import { type AuditWriter, createAuditWriter } from "../guard/audit.ts";
import { createGate, type ToolGate } from "../guard/gate.ts";
import { type ChildHooks, createChildHooks, findHooksFor, type RunHookCommand } from "../guard/hooks.ts";
import type { Hook } from "../guard/hooks/hook-settings.ts";
import type { RunContext } from "../domain/run-context.ts";
import type { Clock, Journal, Workspace } from "../seams.ts";
import type { Trusted } from "./load-trusted.ts";
import { listCheckCommands } from "./open-tools.ts";
import type { PipelineSeams } from "./pipeline-seams.ts";
import { rulesForCommands } from "./rules-for-commands.ts";

/** Which hooks of the trusted ref could be asked about an assignment's child. */
export function hooksForAssignment(hooks: readonly Hook[], assignment: Assignment): readonly Hook[] {
	const { agent } = assignment;
	const tools = agent.tools.filter((tool) => !agent.disallowedTools.includes(tool));
	return findHooksFor(hooks, { agent: agent.name, tools }, claudeCodeNamesOf);
}

export interface ChildHooksInput {
	readonly hooks: readonly Hook[];
	readonly assignment: Assignment;
	readonly session: string;
	readonly workspace: Promise<Workspace>;
	readonly runJournal: Journal;
	/** The child's own journal, once there is one. */
	readonly ownJournal: () => Journal | undefined;
	readonly signal: AbortSignal;
	readonly hookRunner: (workspace: Workspace) => RunHookCommand;
	readonly journalFolder: string;
}

/** The hooks of one child; each command waits for the child's tree and runs in it (S-180). */
export function openChildHooks(input: ChildHooksInput): ChildHooks {
	const { assignment, session, workspace } = input;
	return createChildHooks({
		hooks: input.hooks,
		subject: {
			session,
			agent: assignment.agent.name,
			transcript: path.join(input.journalFolder, `${session}.jsonl`),
			permissionMode: assignment.access === "write" ? "acceptEdits" : "plan",
			folder: async () => (await workspace).root,
		},
		run: async (command, signal) => input.hookRunner(await workspace)(command, signal),
		signal: input.signal,
		namesOf: claudeCodeNamesOf,
		report: async (to, text) => {
			const journal = to === "child" ? (input.ownJournal() ?? input.runJournal) : input.runJournal;
			await journal.append({ type: "note", text });
		},
	});
}

/** The check before each call: policy, tier, the agent's own lists and brackets, then hooks (S-107, S-043). */
export function openChildGate(input: {
	readonly assignment: Assignment;
	readonly session: string;
	readonly context: RunContext;
	readonly trusted: Trusted;
	readonly seams: Pick<PipelineSeams, "clock" | "noSandbox" | "audit" | "openTools">;
	readonly hooks: ChildHooks | undefined;
	readonly stop: (reason: string) => void;
}): ToolGate {
	const { assignment, context, trusted, seams, hooks } = input;
	const { agent } = assignment;
	const noSandbox = seams.openTools === undefined ? (seams.noSandbox ?? "none was opened") : undefined;
	return createGate({
		child: input.session,
		policy: trusted.policy,
		mode: assignment.access === "write" ? "fix" : "review",
		tier: context.tier,
		tierReason: context.tierReason,
		agent,
		allowRules: rulesForCommands(listCheckCommands(assignment, trusted.settings)),
		background: agent.background,
		resolveTool: (name) => {
			const found = resolveToolName(name);
			return found.kind === "tool" ? found.tools : [];
		},
		audit: seams.audit ?? createUnkeptAudit(seams.clock),
		// What cannot be recorded is not done, in a review as well: a gap in the chain would look like nothing (D-46).
		auditRequired: true,
		clock: seams.clock,
		...(noSandbox === undefined ? {} : { noSandbox }),
		...(hooks === undefined ? {} : { hooks: hooks.tools, onStop: input.stop }),
	});
}

/** Where no audit was opened (tests, questions on the command line) decisions stand in the journals alone. */
function createUnkeptAudit(clock: Clock): AuditWriter {
	const file = { path: "", existing: "", append: async () => undefined, close: async () => undefined };
	return createAuditWriter({ file, clock, redact: (text) => text });
}
