import type { ActionResult, ActionRun } from "../../src/demo/runner/run-action.ts";
import type { Scene } from "./start-scene.ts";

let runs = 100;

/** Ids of runs only grow, as on GitHub. */
export function nextRun(): string {
	runs += 1;
	return String(runs);
}

export interface Said {
	readonly result: ActionResult;
	readonly comment: number;
	/** Id of the run. */
	readonly run: string;
	/** Bodies of our replies, without the marker. */
	readonly replies: readonly string[];
	readonly reactions: readonly string[];
	/** The text of everything that was asked of GitHub in this run. */
	readonly operations: readonly string[];
}

/** Somebody comments, and the workflow runs for it. */
export async function say(
	s: Scene,
	body: string,
	options: { author?: string; number?: number; change?: Partial<ActionRun>; comment?: number } = {},
): Promise<Said> {
	const { author = "maintainer", number = s.number } = options;
	s.github.addUser(author);
	const comment = options.comment ?? s.github.addComment(number, { author, body });
	const run = options.change?.runId ?? nextRun();
	const before = s.github.requests.length;
	const result = await s.start({
		event: { name: "issue_comment", payload: s.github.commentPayload(number, comment, "created") },
		sha: s.base,
		ref: "refs/heads/main",
		actor: author,
		runId: run,
		...options.change,
	});
	return {
		result,
		comment,
		run,
		replies: repliesOf(s, number),
		reactions: s.github.reactions(comment).map((reaction) => reaction.content),
		operations: s.github.requests.slice(before).map((request) => request.operation ?? "?"),
	};
}

function repliesOf(s: Scene, number: number): readonly string[] {
	return s.github
		.comments(number)
		.filter((each) => each.body.startsWith("<!-- rookery:reply"))
		.map((each) => each.body.replace(/^<!--.*?-->\n/, ""));
}
