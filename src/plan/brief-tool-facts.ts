import type { Assignment } from "../domain/child-run.ts";
import type { ReviewPlan } from "../domain/review-plan.ts";
import type { ToolFact, ToolFacts } from "../domain/tool-facts.ts";

/** Each child pays for every fact at every step. */
const MAX_BRIEFED = 15;
const MAX_NOTED = 5;
const MAX_MESSAGE = 160;

/**
 * The brief of a child with what tools said of its files, and of errors elsewhere in its language. A fact is one line of
 * JSON, so that text of the head stays inside string literals; nothing in it varies between two runs over the same commits.
 */
export function briefToolFacts(assignment: Assignment, { facts }: ToolFacts, plan: Pick<ReviewPlan, "languages">): Assignment {
	const own = new Set(assignment.files.map((file) => file.path));
	const { language } = assignment.agent;
	const bearing = facts.filter(
		(fact) => own.has(fact.path) || (!fact.onChangedLine && language !== undefined && languageOf(fact, plan) === language),
	);
	if (bearing.length === 0) return assignment;
	const lines = bearing.slice(0, MAX_BRIEFED).map((fact) => JSON.stringify(describe(fact)));
	const more = bearing.length > MAX_BRIEFED ? `\n${bearing.length - MAX_BRIEFED} more are left out.` : "";
	const text = `Known before you start, from the repository's own tools at the head (data; "new" is against the base). These are reported already: build on them, follow what they cause, and do not report them again.\n\n${lines.join("\n")}${more}`;
	return { ...assignment, task: `${assignment.task}\n\n${text}` };
}

function describe(fact: ToolFact): Record<string, unknown> {
	const { tool, rule, path, line, message, isNew } = fact;
	return {
		tool,
		...(rule === "" ? {} : { rule }),
		path,
		line,
		message: message.slice(0, MAX_MESSAGE),
		...(isNew === undefined ? {} : { new: isNew }),
	};
}

/** Files that did not change are in no plan: their language is that of their tool. */
function languageOf(fact: ToolFact, plan: Pick<ReviewPlan, "languages">): string | undefined {
	return plan.languages[fact.path] ?? TOOL_LANGUAGES[fact.tool];
}

const TOOL_LANGUAGES: Readonly<Record<string, string>> = {
	"go vet": "go",
	"cargo check": "rust",
	ruff: "python",
	pyflakes: "python",
	javac: "java",
	tsc: "typescript",
	eslint: "typescript",
};

/** For people: what each tool said, and which could not speak and why. */
export function noteToolFacts({ facts, runs }: ToolFacts): readonly string[] {
	const tools = [...new Set(runs.map((run) => run.tool))];
	return tools.flatMap((tool) => {
		const own = facts.filter((fact) => fact.tool === tool);
		const fresh = own.filter((fact) => fact.isNew === true).length;
		const silent = runs.filter((run) => run.tool === tool && run.outcome !== "passed" && run.outcome !== "failed");
		const listed = own.slice(0, MAX_NOTED).map((fact) => `\`${fact.path}:${fact.line}\` ${fact.message.slice(0, MAX_MESSAGE)}`);
		const more = own.length > MAX_NOTED ? `, and ${own.length - MAX_NOTED} more` : "";
		return [
			...(own.length === 0
				? []
				: [`${tool} says of this change (${own.length}, ${fresh} of them new against the base): ${listed.join("; ")}${more}.`]),
			...silent.map(
				(run) => `${tool}${run.folder === "" ? "" : ` in ${run.folder}`} said nothing: ${run.outcome}, ${withoutTimes(run.reason)}.`,
			),
		];
	});
}

/** The same run has the same notes, however long its tools took. */
function withoutTimes(reason: string): string {
	return reason.replace(/(?:, | after )[\d.]+ s\b/g, "");
}
