import picomatch from "picomatch";
import type { AgentDefinition, ToolName } from "../domain/agent.ts";
import { READ_ONLY_TOOLS } from "../domain/agent.ts";
import type { ReviewerRuleSettings } from "../domain/settings.ts";
import type { OwnersOf } from "./code-owners.ts";
import { canWrite } from "./invoke-agent.ts";

/** What the rules are matched against. */
export interface ReviewerSubject {
	readonly files: readonly { readonly path: string; readonly previousPath?: string }[];
	/** Language id by path. */
	readonly languages: Readonly<Record<string, string>>;
	readonly labels: readonly string[];
	/** Owners of a path by CODEOWNERS of the trusted ref; nobody owns anything without it. */
	readonly ownersOf?: OwnersOf;
}

export interface ReviewerSelection {
	readonly selected: readonly {
		/** The definition with at most the read-only set, whatever its file says (BR-55). */
		readonly agent: AgentDefinition;
		/** Changed files it is to read. */
		readonly files: readonly string[];
		readonly reason: string;
		/** Tools of its file that an automatic review does not give. */
		readonly withheld: readonly ToolName[];
	}[];
	readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

/** More readers cost more than they find; the rest is listed. */
export const MAX_CUSTOM_REVIEWERS = 4;

/**
 * Which custom agents take part in an automatic review: those a rule selects, in the order of the rules, then
 * every read-only one that no rule speaks of, in the catalogue's order; at most four, the rest with the reason.
 * `when: always` needs no condition, `when: never` keeps an agent out of automatic reviews.
 * @param rules `review.reviewers` of the settings; paths also match the old name of a renamed file
 */
export function selectReviewers(
	agents: readonly AgentDefinition[],
	rules: readonly ReviewerRuleSettings[],
	subject: ReviewerSubject,
	limit: number = MAX_CUSTOM_REVIEWERS,
): ReviewerSelection {
	const reviewers = agents.filter((agent) => agent.tier !== "built-in" && agent.kind === "reviewer");
	const skipped: { name: string; reason: string }[] = [];
	const wanted: { agent: AgentDefinition; files: readonly string[]; reason: string; rank: number }[] = [];
	for (const [position, agent] of reviewers.entries()) {
		const own = rules.map((rule, index) => ({ rule, index })).filter(({ rule }) => rule.agent === agent.name);
		const choice = own.length > 0 ? chooseByRules(own, subject) : chooseByDefault(agent, subject);
		if (!choice.selected) skipped.push({ name: agent.name, reason: choice.reason });
		else wanted.push({ agent, files: choice.files, reason: choice.reason, rank: choice.ruleIndex ?? rules.length + position });
	}
	for (const rule of rules) {
		if (!reviewers.some((agent) => agent.name === rule.agent)) {
			skipped.push({ name: rule.agent, reason: "a rule names it, but there is no such custom agent on the trusted ref" });
		}
	}
	wanted.sort((a, b) => a.rank - b.rank);
	const selected: ReviewerSelection["selected"][number][] = [];
	for (const { agent, files, reason } of wanted) {
		const { reader, withheld } = clampToReadOnly(agent);
		if (reader.tools.length === 0) {
			skipped.push({ name: agent.name, reason: `none of its tools is read-only (${agent.tools.join(", ") || "it names none"})` });
		} else if (selected.length >= limit) {
			skipped.push({
				name: agent.name,
				reason: `${limit} custom reviewers take part already (${selected.map((one) => one.agent.name).join(", ")}); ${reason}`,
			});
		} else selected.push({ agent: reader, files, reason, withheld });
	}
	return { selected, skipped };
}

type Choice =
	| { readonly selected: true; readonly files: readonly string[]; readonly reason: string; readonly ruleIndex?: number }
	| { readonly selected: false; readonly reason: string };

function chooseByDefault(agent: AgentDefinition, subject: ReviewerSubject): Choice {
	if (canWrite(agent)) return { selected: false, reason: "it can write or run commands, and no rule in review.reviewers selects it" };
	return { selected: true, files: subject.files.map((file) => file.path), reason: "read-only, and no rule speaks of it" };
}

function chooseByRules(own: readonly { readonly rule: ReviewerRuleSettings; readonly index: number }[], subject: ReviewerSubject): Choice {
	const never = own.find(({ rule }) => rule.when === "never");
	if (never !== undefined) return { selected: false, reason: `review.reviewers[${never.index}] says when: never` };
	for (const { rule, index } of own) {
		const match = matchRule(rule, subject);
		if (match !== undefined)
			return { selected: true, files: match.files, reason: `review.reviewers[${index}]: ${match.reason}`, ruleIndex: index };
	}
	return { selected: false, reason: `no rule of it matches (${own.map(({ index }) => `review.reviewers[${index}]`).join(", ")})` };
}

function matchRule(
	rule: ReviewerRuleSettings,
	subject: ReviewerSubject,
): { readonly files: readonly string[]; readonly reason: string } | undefined {
	const isIgnored = picomatch([...(rule.pathsIgnore ?? [])], { dot: true });
	const isListed = picomatch([...(rule.paths ?? ["**"])], { dot: true });
	const files = subject.files
		.filter(({ path, previousPath }) => [path, previousPath].some((name) => name !== undefined && isListed(name)) && !isIgnored(path))
		.filter(({ path }) => rule.languages === undefined || rule.languages.includes(subject.languages[path] ?? ""))
		.filter(({ path, previousPath }) => rule.owners === undefined || isOwned(subject, rule.owners, [path, previousPath ?? path]))
		.map((file) => file.path);
	if (rule.when === "always") return { files: files.length > 0 ? files : subject.files.map((file) => file.path), reason: "always" };
	if (files.length === 0) return undefined;
	const wantedLabels = rule.labels?.map((label) => label.toLowerCase());
	const label = subject.labels.find((candidate) => wantedLabels?.includes(candidate.toLowerCase()));
	if (wantedLabels !== undefined && label === undefined) return undefined;
	const reasons = [
		...(rule.paths === undefined ? [] : [`paths ${rule.paths.join(", ")}`]),
		...(rule.languages === undefined ? [] : [`languages ${rule.languages.join(", ")}`]),
		...(rule.owners === undefined ? [] : [`owners ${rule.owners.join(", ")}`]),
		...(label === undefined ? [] : [`label ${label}`]),
	];
	return { files, reason: reasons.length === 0 ? "no condition" : `matches ${reasons.join(" and ")}` };
}

/** GitHub's names know no case. */
function isOwned(subject: ReviewerSubject, owners: readonly string[], paths: readonly string[]): boolean {
	const wanted = owners.map((owner) => owner.toLowerCase());
	return paths.some((path) => subject.ownersOf?.(path).some((owner) => wanted.includes(owner.toLowerCase())) === true);
}

/** Touch nothing but the agent's own list: no more than thinking aloud (S-067). */
const OWN_LIST_TOOLS: readonly ToolName[] = ["todo_write", "task_create", "task_update", "task_list", "task_get"];

/** A reviewer that nobody called reads, whatever its file asks for (BR-55). */
function clampToReadOnly(agent: AgentDefinition): { readonly reader: AgentDefinition; readonly withheld: readonly ToolName[] } {
	const usable = agent.tools.filter((tool) => !agent.disallowedTools.includes(tool));
	const reads = usable.some((tool) => READ_ONLY_TOOLS.includes(tool));
	const tools = reads ? usable.filter((tool) => READ_ONLY_TOOLS.includes(tool) || OWN_LIST_TOOLS.includes(tool)) : [];
	return { reader: { ...agent, tools }, withheld: usable.filter((tool) => !tools.includes(tool)) };
}
