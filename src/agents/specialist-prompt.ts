import { type AgentDefinition, READ_ONLY_TOOLS, type ToolName } from "../domain/agent.ts";
import { checkCommandsFor, type LanguageProfile } from "./experts/language-profile.ts";

/** What a built-in reviewer may use in a review: it reads, asks the code index, and ends with its report (S-018). */
export const REVIEW_TOOLS: readonly ToolName[] = [...READ_ONLY_TOOLS, "submit_report"];

/** Facts of the run that belong into a role. */
export interface RoleFacts {
	/** The command that runs the tests here, when it is known (D-08). */
	readonly testCommand?: string | undefined;
	/** Tools of the review, when there are more than the fixed ones (code index). */
	readonly tools?: readonly ToolName[];
}

/**
 * What every reviewer of a run is held to, whatever its language. It stands in the system text that all children share,
 * so that it is written to the cache once and not once a child (COST.md G4). Every child pays for each word at every
 * step, so it holds what changes a review and nothing else (G1).
 */
export const REVIEW_RULES = `What \`diagnose\` establishes is true. Read only what decides whether a change is right. Follow each suspicion to the input or order of events and the wrong outcome, or leave it out. Make independent tool calls in one step.

submit_report takes, for each finding: quote, the exact code at the head (lines are found by it); severity: critical (data loss, security hole, crash or wrong result in ordinary use, broken build), important (wrong in cases that will happen), minor (rare, yet wrong), nit (nothing breaks); confidence, 0 to 100: 90 when you can name input and wrong outcome from code you read, below 80 it is not shown; evidence: traced as path:line, or stated; suggestion: only text that replaces the quoted lines. No finding is a good report when the change is sound; put what you could not check into open.

Do not report what linters and compilers say, faults that were there before, guesses, "consider", praise, or missing tests in general.`;

/** A built-in reviewer's own part: who it is, what it looks for, and what is known about running the tests. */
export function renderRole(opening: string, guidance: string, facts: RoleFacts, checks: readonly string[] = []): string {
	const { testCommand } = facts;
	const test = testCommand === undefined ? "How tests are run here is not known." : `Tests are run here with \`${testCommand}\`.`;
	const others = checks.length === 0 ? "" : ` Other checks: ${checks.map((check) => `\`${check}\``).join(", ")}.`;
	const running = `${test}${others} You only read; name the command that would show a finding.`;
	return [opening, guidance, running].filter((part) => part !== "").join("\n\n");
}

/** The agent of a language: role text, read-only tools, no instructions of its own beyond them (S-015, S-018, S-024). */
export function buildSpecialist(profile: LanguageProfile, facts: RoleFacts = {}): AgentDefinition {
	const opening = `You are the ${profile.displayName} specialist of a code review: you speak up only when code fails.`;
	return {
		name: profile.id,
		displayName: profile.displayName,
		description: `Reviews changes in ${profile.displayName}. Read-only.`,
		kind: "specialist",
		tier: "built-in",
		language: profile.id,
		prompt: renderRole(opening, joinGuidance(profile), facts, checkCommandsFor(profile)),
		guidance: profile.guidance,
		tools: facts.tools ?? REVIEW_TOOLS,
		disallowedTools: [],
		memory: true,
		skills: [],
		background: false,
		oneShot: false,
	};
}

/** Built-in text first, the repository's behind it and never in its place (S-015). */
function joinGuidance({ guidance, addedGuidance }: LanguageProfile): string {
	if (addedGuidance === undefined) return guidance;
	return guidance === "" ? addedGuidance : `${guidance}\n\nIn this repository, too:\n${addedGuidance}`;
}
