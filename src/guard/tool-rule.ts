import picomatch from "picomatch";
import { UserError } from "../domain/errors.ts";
import { isCommandAllowedBy, isCommandDeniedBy } from "./command-pattern.ts";
import type { CallFacts } from "./call-facts.ts";

/** A rule such as `Bash(npm test:*)`, `Edit(docs/**)`, `WebFetch(domain:example.com)` or `Edit` alone. */
export interface ToolRule {
	/** As written: what refusals and the audit name. */
	readonly text: string;
	readonly tools: readonly string[];
	readonly pattern?: string;
}

/** The engine's tools behind a name in anybody's spelling; empty when there is none. */
export type ToolNameResolver = (name: string) => readonly string[];

/** Throws `E_POLICY` for a rule that cannot be obeyed: a broken rule never means "no rule" (BR-77). */
export function parseToolRule(text: string, resolve: ToolNameResolver): ToolRule {
	const match = /^([A-Za-z_][\w-]*)(?:\((.+)\))?$/s.exec(text.trim());
	const tools = match?.[1] === undefined ? [] : resolve(match[1]);
	const pattern = match?.[2]?.trim();
	if (match === null || tools.length === 0 || (pattern !== undefined && /:\*(?!$)/.test(pattern))) {
		throw new UserError(
			`permissions: found ${JSON.stringify(text)}, wanted a tool such as Edit, or a tool and a pattern such as Bash(npm test:*)`,
			{
				code: "E_POLICY",
			},
		);
	}
	return { text, tools, ...(pattern === undefined || pattern === "*" ? {} : { pattern }) };
}

/** True when the rule allows all of a call: of a compound command that is this rule's part only; see `allowedParts`. */
export function doesRuleAllow(rule: ToolRule, call: CallFacts): boolean {
	if (!rule.tools.includes(call.tool)) return false;
	if (rule.pattern === undefined) return true;
	const { pattern } = rule;
	if (call.url !== undefined) return doesHostMatch(pattern.replace(/^domain:/, ""), call.url);
	return call.paths.length > 0 && call.paths.every((path) => matchesGlob(pattern, path));
}

/** Every simple command of the line needs some rule; a rule without a pattern covers whatever the line is. */
export function areCommandsAllowed(rules: readonly ToolRule[], call: CallFacts): ToolRule | undefined {
	const own = rules.filter((rule) => rule.tools.includes(call.tool));
	const whole = own.find((rule) => rule.pattern === undefined);
	if (whole !== undefined) return whole;
	if (call.command?.split.ok !== true) return undefined;
	let last: ToolRule | undefined;
	for (const part of call.command.split.parts) {
		last = own.find((rule) => rule.pattern !== undefined && isCommandAllowedBy(rule.pattern, part));
		if (last === undefined) return undefined;
	}
	return last;
}

/** True when a rule of a deny list covers any part of a call. A command line that cannot be split may hold anything. */
export function doesRuleDeny(rule: ToolRule, call: CallFacts): boolean {
	if (!rule.tools.includes(call.tool)) return false;
	const { pattern } = rule;
	if (pattern === undefined) return true;
	if (call.command !== undefined) return isCommandLineDenied(pattern, call);
	if (call.url !== undefined) return doesHostMatch(pattern.replace(/^domain:/, ""), call.url);
	return call.paths.some((path) => matchesGlob(pattern, path));
}

export function isCommandLineDenied(pattern: string, call: CallFacts): boolean {
	if (call.command === undefined) return false;
	return !call.command.split.ok || call.command.split.parts.some((part) => isCommandDeniedBy(pattern, part));
}

/** `*.example.com` stands for every host below, never for the domain itself. */
export function doesHostMatch(pattern: string, url: string): boolean {
	if (!URL.canParse(url)) return false;
	const { hostname, host, protocol } = new URL(url);
	if (protocol !== "https:" && protocol !== "http:") return false;
	const wanted = pattern.toLowerCase();
	const found = wanted.includes(":") ? host : hostname;
	return wanted.startsWith("*.") ? found.endsWith(wanted.slice(1)) && found.length > wanted.length - 1 : found === wanted;
}

function matchesGlob(pattern: string, path: string): boolean {
	const trimmed = pattern.replace(/^(\.?\/)+/, "").replace(/\/+$/, "");
	const anywhere = trimmed.includes("/") ? trimmed : `**/${trimmed}`;
	return picomatch.isMatch(path, [anywhere, `${anywhere}/**`], { dot: true, nocase: true, nonegate: true });
}
