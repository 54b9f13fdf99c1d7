import type { ToolName } from "../domain/agent.ts";
import type { ReasonCode } from "../domain/errors.ts";
import type { TrustTier } from "../domain/run-context.ts";
import type { TeamPolicy } from "../domain/team-policy.ts";
import type { CallFacts } from "./call-facts.ts";
import { isCommandAllowedBy, isCommandDeniedBy } from "./command-pattern.ts";
import { createPathRules, type PathRule, type PathRules } from "./path-rules.ts";
import {
	areCommandsAllowed,
	doesHostMatch,
	doesRuleAllow,
	doesRuleDeny,
	isCommandLineDenied,
	parseToolRule,
	type ToolNameResolver,
	type ToolRule,
} from "./tool-rule.ts";

/** What a rule said. `rule` is its id, for refusals, the journal and the audit (S-116). */
export type RuleDecision =
	| { readonly allow: true; readonly rule: string }
	| { readonly allow: false; readonly rule: string; readonly by: string; readonly code: ReasonCode; readonly reason: string };

/** The parts of an agent's definition that grant and restrict. */
export interface AgentGrants {
	readonly name: string;
	readonly tools: readonly ToolName[];
	readonly disallowedTools: readonly ToolName[];
	readonly toolPatterns?: Readonly<Partial<Record<ToolName, readonly string[]>>>;
	readonly disallowedPatterns?: Readonly<Partial<Record<ToolName, readonly string[]>>>;
}

export interface PermissionOptions {
	readonly policy: TeamPolicy;
	/** review: nothing is written. fix: the child's own worktree may be. */
	readonly mode: "review" | "fix";
	readonly tier: TrustTier;
	readonly tierReason: string;
	/** Why there is no sandbox; absent when there is one (E_SANDBOX). */
	readonly noSandbox?: string;
	readonly agent: AgentGrants;
	/** Rules of trusted settings beside the policy's, for example the test commands of the plan: `Bash(npm test:*)`. */
	readonly allowRules?: readonly string[];
	/** True for a child in the background, or one started by such (S-114). */
	readonly background?: boolean;
	/** Where a missing rule belongs; named in refusals. */
	readonly rulesFile?: string;
	readonly resolveTool: ToolNameResolver;
}

export interface Permissions {
	/** The team's word: what it denies is denied, whoever allows it (S-109). */
	decidePolicy(call: CallFacts): RuleDecision;
	/** Tier, mode, agent, paths and rules. */
	decidePermission(call: CallFacts): RuleDecision;
	readonly paths: PathRules;
}

/** Looks only, leaves nothing, and is needed for any review: allowed without a rule of anybody. */
const READING_COMMANDS = [
	...["diff", "log", "show", "status", "blame", "ls-files", "grep", "rev-parse", "merge-base", "cat-file", "shortlog"].map(
		(name) => `git ${name}:*`,
	),
	...["ls", "cat", "head", "tail", "wc", "nl", "grep", "diff", "cmp", "stat", "file", "pwd", "true", "echo", "cd"].map(
		(name) => `${name}:*`,
	),
];

/** Effects that need somebody's permission; reading within the path rules and thinking do not. */
const GOVERNED = new Set(["execute", "write", "network"]);

/** Compiles all rules once; throws `E_POLICY` for a rule that cannot be read. Later changes of the options change nothing (S-112). */
export function createPermissions(options: PermissionOptions): Permissions {
	const policy = structuredClone(options.policy);
	const parse = (texts: readonly string[] | undefined): readonly ToolRule[] =>
		(texts ?? []).map((text) => parseToolRule(text, options.resolveTool));
	const rules = {
		policyDeny: parse(policy.permissions.deny),
		policyAllow: policy.permissions.allow === undefined ? undefined : parse(policy.permissions.allow),
		settingsAllow: parse(options.allowRules),
	};
	const allow = [...(rules.policyAllow ?? []), ...rules.settingsAllow];
	const writablePaths = allow
		.filter((rule) => rule.tools.includes("edit_file") || rule.tools.includes("write_file"))
		.flatMap((rule) => rule.pattern ?? []);
	const paths = createPathRules({ denyPaths: policy.denyPaths, protectedPaths: policy.protectedPaths, writablePaths });
	const frozen: Frozen = { ...options, policy, agent: structuredClone(options.agent), rules, paths };
	return {
		paths,
		decidePolicy: (call) => decidePolicy(call, frozen),
		decidePermission: (call) => decidePermission(call, frozen),
	};
}

interface Frozen extends PermissionOptions {
	readonly rules: {
		readonly policyDeny: readonly ToolRule[];
		readonly policyAllow: readonly ToolRule[] | undefined;
		readonly settingsAllow: readonly ToolRule[];
	};
	readonly paths: PathRules;
}

function decidePolicy(call: CallFacts, options: Frozen): RuleDecision {
	const { policy, rules, paths } = options;
	const deny = (rule: string, reason: string): RuleDecision => ({ allow: false, rule, by: "policy", code: "E_POLICY", reason });
	const denied = rules.policyDeny.find((rule) => doesRuleDeny(rule, call));
	if (denied !== undefined) return deny(`permissions.deny ${denied.text}`, `Refused by team policy, rule ${denied.text}.`);
	const command = policy.denyCommands.find((pattern) => isCommandLineDenied(pattern, call));
	if (command !== undefined) {
		const why = call.command?.split.ok === false ? `, because the line cannot be taken apart (${call.command.split.reason})` : "";
		return deny(`denyCommands ${command}`, `Refused by team policy, rule denyCommands ${command}${why}.`);
	}
	const hidden = findHidden(call, paths);
	if (hidden?.kind === "denied") return deny(hidden.id, `Refused by team policy, rule ${hidden.id}.`);
	const readOnly =
		call.effect === "write"
			? call.paths.map((path) => paths.readOnlyBy(path)).find((rule) => rule?.id.startsWith("protectedPaths"))
			: undefined;
	if (readOnly !== undefined)
		return { ...deny(readOnly.id, `Refused by team policy, rule ${readOnly.id}.`), code: "E_PROTECTED" } as RuleDecision;
	if (call.url !== undefined && policy.allowHosts !== undefined) {
		const { url } = call;
		if (!policy.allowHosts.some((host) => doesHostMatch(host, url)))
			return deny("allowHosts", "Refused by team policy: the host is not in allowHosts.");
	}
	if (rules.policyAllow !== undefined && GOVERNED.has(call.effect) && !isCompanion(call)) {
		const allowed = findAllowing(rules.policyAllow, call);
		if (allowed === undefined) return { ...missingRule(call, options), by: "policy", rule: "permissions.allow" };
		return { allow: true, rule: `permissions.allow ${allowed.text}` };
	}
	return { allow: true, rule: "policy" };
}

function decidePermission(call: CallFacts, options: Frozen): RuleDecision {
	return checkTierAndMode(call, options) ?? checkPaths(call, options) ?? checkAgent(call, options) ?? checkGovernedEffect(call, options);
}

/** What the run as a whole may do, whoever asks. */
function checkTierAndMode(call: CallFacts, options: Frozen): RuleDecision | undefined {
	if (call.effect !== "execute" && call.effect !== "write") return undefined;
	const doing = call.effect === "execute" ? "Commands are not run" : "Nothing is written";
	if (options.tier === "T0") return refuse("tier T0", "E_FORK", `${doing} in this run: ${options.tierReason}.`);
	if (call.effect === "write" && options.mode === "review")
		return refuse("mode review", "E_POLICY", "Nothing is written in a review; describe the change instead.");
	if (options.noSandbox !== undefined) return refuse("sandbox", "E_SANDBOX", `${doing}: no sandbox on this runner (${options.noSandbox}).`);
	return undefined;
}

function checkPaths(call: CallFacts, { paths }: Frozen): RuleDecision | undefined {
	if (call.badPath !== undefined && call.effect !== "network" && call.effect !== "delegate") {
		const { code = "E_PATH", reason } = call.badPath;
		return {
			allow: false,
			rule: "path-guard",
			by: "path-guard",
			code,
			reason: `${JSON.stringify(call.badPath.path.slice(0, 200))}: ${reason}.`,
		};
	}
	const hidden = findHidden(call, paths);
	if (hidden !== undefined)
		return refuse(hidden.id, "E_POLICY", `Files that hold secrets by their name are out of reach (rule ${hidden.id}).`);
	if (call.effect !== "write") return undefined;
	const rule = call.paths.map((path) => ({ path, rule: paths.readOnlyBy(path) })).find((found) => found.rule !== undefined);
	if (rule?.rule === undefined) return undefined;
	return refuse(
		rule.rule.id,
		"E_PROTECTED",
		`${rule.path} is for a person to change (rule ${rule.rule.id}). To allow it, add "Edit(${rule.path})" to the policy's permissions.allow.`,
	);
}

/** The agent's own lists only ever take away. */
function checkAgent(call: CallFacts, { agent }: Frozen): RuleDecision | undefined {
	const tool = call.tool as ToolName;
	const id = `agent ${agent.name}`;
	if (call.effect !== "none" && (!agent.tools.includes(tool) || agent.disallowedTools.includes(tool))) {
		return refuse(id, "E_POLICY", `The agent ${agent.name} may not use ${call.tool}.`);
	}
	const denied = agent.disallowedPatterns?.[tool]?.find((pattern) => doesPatternDeny(pattern, call));
	if (denied !== undefined)
		return refuse(`${id}, not ${denied}`, "E_POLICY", `The agent ${agent.name} may not use ${call.tool} for ${denied}.`);
	const wanted = agent.toolPatterns?.[tool];
	if (wanted !== undefined && !isWithinPatterns(wanted, call)) {
		return refuse(id, "E_POLICY", `The agent ${agent.name} may use ${call.tool} only for ${wanted.join(", ")}.`);
	}
	return undefined;
}

function checkGovernedEffect(call: CallFacts, options: Frozen): RuleDecision {
	const { rules } = options;
	if (call.effect === "network") {
		const byHosts = call.url !== undefined && options.policy.allowHosts !== undefined;
		if (byHosts) return { allow: true, rule: "allowHosts" };
		const rule = findAllowing([...(rules.policyAllow ?? []), ...rules.settingsAllow], call);
		return rule === undefined ? missingRule(call, options) : { allow: true, rule: rule.text };
	}
	if (call.command !== undefined) return decideCommand(call, options);
	return { allow: true, rule: `tier ${options.tier}, mode ${options.mode}` };
}

/**
 * In a review only what a rule names is run: the reading commands, the settings' and the policy's rules, and what a
 * trusted agent file names in brackets. A fix may run any command in its sandbox, unless the policy keeps a list.
 */
function decideCommand(call: CallFacts, options: Frozen): RuleDecision {
	const { rules, agent } = options;
	const byAgent: ToolRule[] = (agent.toolPatterns?.bash ?? []).map((pattern) => ({
		text: `agent ${agent.name}: Bash(${pattern})`,
		tools: ["bash"],
		pattern,
	}));
	const reading: ToolRule[] = READING_COMMANDS.map((pattern) => ({ text: `reading ${pattern}`, tools: ["bash"], pattern }));
	const rule = areCommandsAllowed([...(rules.policyAllow ?? []), ...rules.settingsAllow, ...byAgent, ...reading], call);
	if (rule !== undefined) return { allow: true, rule: rule.text };
	if (options.mode === "fix" && rules.policyAllow === undefined) return { allow: true, rule: "mode fix, in the sandbox" };
	return missingRule(call, options);
}

function findHidden(call: CallFacts, paths: PathRules): PathRule | undefined {
	for (const path of [...call.paths, ...(call.command?.words ?? [])]) {
		const rule = paths.hiddenBy(path);
		if (rule !== undefined) return rule;
	}
	return undefined;
}

function findAllowing(rules: readonly ToolRule[], call: CallFacts): ToolRule | undefined {
	return call.command === undefined ? rules.find((rule) => doesRuleAllow(rule, call)) : areCommandsAllowed(rules, call);
}

/** Reads or ends what an allowed command started. */
function isCompanion(call: CallFacts): boolean {
	return call.tool === "bash_output" || call.tool === "kill_shell";
}

function isWithinPatterns(patterns: readonly string[], call: CallFacts): boolean {
	const own = patterns.map((pattern): ToolRule => ({ text: pattern, tools: [call.tool], pattern }));
	if (call.command !== undefined)
		return call.command.split.ok && call.command.split.parts.every((part) => patterns.some((pattern) => isCommandAllowedBy(pattern, part)));
	return own.some((rule) => doesRuleAllow(rule, call));
}

function doesPatternDeny(pattern: string, call: CallFacts): boolean {
	if (call.command !== undefined)
		return !call.command.split.ok || call.command.split.parts.some((part) => isCommandDeniedBy(pattern, part));
	return doesRuleDeny({ text: pattern, tools: [call.tool], pattern }, call);
}

function refuse(rule: string, code: ReasonCode, reason: string): RuleDecision {
	return { allow: false, rule, by: "permissions", code, reason };
}

/** Nobody is ever asked: the refusal says which rule would have allowed it (S-113, S-114). */
function missingRule(call: CallFacts, options: Frozen): RuleDecision & { readonly allow: false } {
	const unsplit = call.command?.split.ok === false ? ` The command cannot be taken apart: ${call.command.split.reason}.` : "";
	const nobody =
		options.background === true
			? "this agent runs in the background, where nobody can be asked"
			: "the run is unattended, so nobody can be asked";
	const file = options.rulesFile ?? ".rookery/policy.json";
	return {
		allow: false,
		rule: "no rule",
		by: "permissions",
		code: "E_POLICY",
		reason: `No rule allows this, and ${nobody}.${unsplit} To allow it, add ${JSON.stringify(suggestRule(call))} to permissions.allow in ${file} on the default branch.`,
	};
}

function suggestRule(call: CallFacts): string {
	if (call.command !== undefined) {
		const parts = call.command.split.ok ? call.command.split.parts : [];
		const missing = parts.find((part) => !READING_COMMANDS.some((pattern) => isCommandAllowedBy(pattern, part))) ?? parts[0];
		const words = missing?.words.map((word) => word.text) ?? [];
		// Two words where the second is a subcommand: `npm test`, not `npm`.
		const count = /^[a-z][\w:-]*$/.test(words[1] ?? "") ? 2 : 1;
		return words.length === 0 ? "Bash" : `Bash(${words.slice(0, count).join(" ")}:*)`;
	}
	if (call.url !== undefined) return URL.canParse(call.url) ? `WebFetch(domain:${new URL(call.url).hostname})` : "WebFetch";
	if (call.effect === "write") return call.paths[0] === undefined ? "Edit" : `Edit(${call.paths[0]})`;
	return call.tool;
}
