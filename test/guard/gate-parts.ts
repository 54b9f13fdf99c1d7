import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { openAuditFile } from "../../src/adapters/audit-file/open-audit-file.ts";
import type { ToolName } from "../../src/domain/agent.ts";
import { NO_POLICY, type TeamPolicy } from "../../src/domain/team-policy.ts";
import { type AuditWriter, createAuditWriter } from "../../src/guard/audit.ts";
import type { AuditEntry } from "../../src/guard/audit-entry.ts";
import type { GatedCall } from "../../src/guard/call-facts.ts";
import { createGate, type GateOptions, type ToolGate } from "../../src/guard/gate.ts";
import { resolveToolName } from "../../src/agents/tool-names.ts";
import type { Clock, Tool, ToolEffect, ToolOutput } from "../../src/seams.ts";

export const clock: Clock = {
	now: () => Date.now(),
	sleep: (ms, signal) =>
		new Promise((resolve) => {
			const timer = setTimeout(resolve, ms);
			signal?.addEventListener("abort", () => {
				clearTimeout(timer);
				resolve();
			});
		}),
};

export const resolveTool = (name: string): readonly ToolName[] => {
	const named = resolveToolName(name);
	return named.kind === "tool" ? named.tools : [];
};

const ALL_TOOLS: readonly ToolName[] = [
	...["read_file", "glob", "grep", "diagnose", "edit_file", "multi_edit", "write_file"],
	...["bash", "bash_output", "kill_shell", "web_fetch", "explore", "agent", "submit_report"],
] as ToolName[];

export function policy(change: Partial<TeamPolicy> = {}): TeamPolicy {
	return { ...NO_POLICY, ...change };
}

export interface GateRig extends AsyncDisposable {
	readonly gate: ToolGate;
	readonly audit: AuditWriter;
	readonly folder: string;
	entries(): Promise<readonly AuditEntry[]>;
}

/** A gate of a trusted fix run with a real audit file, unless changed. */
export async function makeGate(change: Partial<GateOptions> = {}, redact: (text: string) => string = (text) => text): Promise<GateRig> {
	const folder = await mkdtemp(path.join(os.tmpdir(), "rookery-gate-"));
	const file = path.join(folder, "audit.jsonl");
	const audit = change.audit ?? createAuditWriter({ file: await openAuditFile(file), clock, redact });
	const open = (): ToolGate =>
		createGate({
			policy: NO_POLICY,
			mode: "fix",
			tier: "T1",
			tierReason: "author and actor have write access",
			agent: { name: "fixer", tools: ALL_TOOLS, disallowedTools: [] },
			child: "moe-go-1",
			clock,
			resolveTool,
			...change,
			audit,
		});
	let gate: ToolGate;
	try {
		gate = open();
	} catch (error) {
		await audit.close();
		await rm(folder, { recursive: true, force: true });
		throw error;
	}
	return {
		...{ gate, audit, folder },
		entries: async () =>
			(await readFile(file, "utf8"))
				.split("\n")
				.slice(0, -1)
				.map((line) => JSON.parse(line) as AuditEntry),
		[Symbol.asyncDispose]: async () => {
			await audit.close();
			await rm(folder, { recursive: true, force: true });
		},
	};
}

const EFFECTS: Readonly<Record<string, ToolEffect>> = {
	...{
		edit_file: "write",
		multi_edit: "write",
		write_file: "write",
		bash: "execute",
		web_fetch: "network",
		explore: "delegate",
		agent: "delegate",
		submit_report: "none",
	},
};

let count = 0;
export function call(tool: string, input: unknown): GatedCall {
	count += 1;
	return { id: `call_${count}`, tool, effect: EFFECTS[tool] ?? "read", input };
}

export function bash(command: string): GatedCall {
	return call("bash", { command });
}

/** A tool that says what it is given. */
export function fakeTool(name: string, run: Tool["run"] = async () => ({ content: "done" })): Tool {
	return {
		spec: { name, description: "", inputSchema: {} },
		effect: EFFECTS[name] ?? "read",
		timeoutMs: 1_000,
		parse: (value) => ({ ok: true, value }),
		run,
	};
}

/** Asks the gate and runs the guarded tool, as the engine does. */
export async function pass(
	gate: ToolGate,
	tool: Tool,
	wanted: GatedCall,
	signal = new AbortController().signal,
): Promise<ToolOutput | undefined> {
	const decision = await gate.gate(wanted);
	if (!decision.allow) return undefined;
	const guarded = gate.guard({ tools: [tool], [Symbol.asyncDispose]: async () => undefined });
	return guarded.tools[0]?.run(wanted.input, signal, { id: wanted.id });
}
