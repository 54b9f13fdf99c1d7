import { errorText } from "../domain/errors.ts";
import type { Publication, PublicationResult } from "../domain/publication.ts";
import type { ApplyContext } from "./apply-context.ts";
import { applyPullRequest } from "./apply-pull-request.ts";
import { applyReply } from "./apply-reply.ts";
import { applyResolutions } from "./apply-resolutions.ts";
import { applyReview, leaveOutPosted, type ReviewOutcome } from "./apply-review.ts";
import { applySticky, isNewer, withAdditions } from "./apply-sticky.ts";
import { foldReviewState, readReplies } from "./read-replies.ts";
import { findStickies } from "./read-existing-state.ts";
import { pickLogAnnotations } from "./render/annotations.ts";
import { shortSha } from "./render/format.ts";
import { cutBalanced, MAX_CHECK_SUMMARY_CHARS } from "./size-packing.ts";
import { writeWithPatience } from "./write-with-patience.ts";

export type { ApplyContext } from "./apply-context.ts";

/** What earlier publications of the run mean for the later ones. */
interface Sequel {
	readonly notices: string[];
	readonly homeless: string[];
	stickyUrl: string;
}

/** What an older run leaves to the newer one. */
const ONLY_ONCE: ReadonlySet<Publication["kind"]> = new Set(["review", "resolve", "sticky"]);

/**
 * The only writer to GitHub. Publications are applied one after the other, the review before the summary that tells
 * about it; each is idempotent by its marker, and one that fails never stops the others. Never rejects.
 */
export async function applyPublications(
	publications: readonly Publication[],
	context: ApplyContext,
): Promise<readonly PublicationResult[]> {
	const sequel: Sequel = { notices: [], homeless: [], stickyUrl: "" };
	const superseded = await isSuperseded(publications, context);
	const results: PublicationResult[] = [];
	for (const publication of publications) {
		const onlyOnce = ONLY_ONCE.has(publication.kind);
		if (superseded !== undefined && (onlyOnce || (publication.kind === "check" && superseded.sameHead))) {
			results.push({ kind: publication.kind, state: "skipped", detail: superseded.reason });
			continue;
		}
		try {
			results.push(await applyOne(publication, context, sequel));
		} catch (error) {
			results.push({ kind: publication.kind, state: "failed", detail: errorText(error).split("\n", 1)[0] ?? "" });
		}
	}
	return results;
}

interface Superseded {
	readonly reason: string;
	/** The newer run was about the same commit, so that its check is enough. */
	readonly sameHead: boolean;
}

/** The reason when a newer run of ours has already written on this pull request; an older one then stays silent (R41). */
async function isSuperseded(publications: readonly Publication[], context: ApplyContext): Promise<Superseded | undefined> {
	const sticky = publications.find((publication) => publication.kind === "sticky");
	if (sticky === undefined) return undefined;
	try {
		const comments = await context.reader.issueComments(sticky.pullRequest);
		const { stoppedAt } = foldReviewState(readReplies(comments, context.identity));
		if (stoppedAt !== undefined && context.startedAt !== undefined && Date.parse(stoppedAt) > context.startedAt) {
			return { reason: "somebody stopped the reviews that were under way", sameHead: false };
		}
		const [current] = findStickies(comments, context.identity, context.instance);
		return current !== undefined && isNewer(current.marker, context)
			? { reason: `run ${current.marker.run} is newer and has written the summary`, sameHead: current.marker.head === context.head }
			: undefined;
	} catch {
		return undefined;
	}
}

async function applyOne(publication: Publication, context: ApplyContext, sequel: Sequel): Promise<PublicationResult> {
	switch (publication.kind) {
		case "review": {
			const notice = await headNotice(publication.pullRequest, context);
			if (notice !== undefined) sequel.notices.push(notice);
			const review = await leaveOutPosted(redactReview(publication, context.redact), context);
			const outcome: ReviewOutcome = await applyReview(review, context);
			sequel.notices.push(...outcome.notices);
			sequel.homeless.push(...outcome.homeless);
			return outcome.result;
		}
		case "sticky": {
			const body = withAdditions(publication.body, sequel.notices, sequel.homeless, publication.pullRequest);
			const result = await applySticky({ ...publication, body }, context);
			sequel.stickyUrl = result.url ?? "";
			if (result.state === "failed" || result.state === "degraded") sequel.notices.push(result.detail);
			return result;
		}
		case "resolve": {
			const result = await applyResolutions(publication, context);
			if (result.detail !== "") sequel.notices.push(`${result.detail}.`);
			return result;
		}
		case "check":
			return applyCheck(publication, context);
		case "reply":
			return applyReply(publication, context);
		case "pull-request":
			return applyPullRequest(publication, context);
		case "step-summary":
			await context.sinks.stepSummary(context.redact(stepSummaryWith(publication.markdown, sequel)));
			return { kind: "step-summary", state: "created", detail: "" };
		case "outputs": {
			const values = { ...publication.values, "summary-url": sequel.stickyUrl };
			await context.sinks.outputs(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, context.redact(value)])));
			return { kind: "outputs", state: "created", detail: "" };
		}
		case "file":
			return {
				kind: "file",
				state: "created",
				detail: "",
				url: await context.sinks.artifacts.write(publication.name, context.redact(publication.content)),
			};
	}
}

/** The head is read again right before the review: it may have moved while children worked (BR-20). */
async function headNotice(pullRequest: number, context: ApplyContext): Promise<string | undefined> {
	try {
		const now = await context.reader.pullRequest(pullRequest);
		if (now.head.sha === context.head) return undefined;
		return `the branch moved to \`${shortSha(now.head.sha)}\` during the review; all remarks are about \`${shortSha(context.head)}\`.`;
	} catch {
		return undefined;
	}
}

function redactReview(
	review: Extract<Publication, { kind: "review" }>,
	redact: (text: string) => string,
): Extract<Publication, { kind: "review" }> {
	return {
		...review,
		body: redact(review.body),
		comments: review.comments.map((comment) => ({ ...comment, body: redact(comment.body) })),
		fileComments: review.fileComments.map((comment) => ({ ...comment, body: redact(comment.body) })),
	};
}

/** Without permission for checks the worst findings go to the job's log as annotations (R26). */
async function applyCheck(check: Extract<Publication, { kind: "check" }>, context: ApplyContext): Promise<PublicationResult> {
	const { redact } = context;
	const summary = cutBalanced(redact(check.summary), { limit: MAX_CHECK_SUMMARY_CHARS, elsewhere: "in the job summary" });
	const annotations = check.annotations.map((each) => ({ ...each, title: redact(each.title), message: redact(each.message) }));
	const result = await writeWithPatience(
		() =>
			context.writer.createCheck(
				check.head,
				check.name,
				{ conclusion: check.conclusion, title: redact(check.title), summary },
				annotations,
			),
		context,
	);
	if (result.ok) return { kind: "check", state: "created", detail: "", url: result.value.url };
	const { shown, left } = pickLogAnnotations(annotations);
	for (const each of shown) {
		const line = `${each.path}:${each.startLine}: ${each.title}`;
		if (each.level === "failure") context.log.error(line);
		else if (each.level === "warning") context.log.warning(line);
		else context.log.notice(line);
	}
	if (left > 0) context.log.info(`${left} more findings are in the job summary.`);
	const why =
		result.reason === "not-permitted"
			? "this token may not write checks (it needs checks: write)"
			: `the check was not written: ${result.message}`;
	return { kind: "check", state: "degraded", detail: `${why}; findings are in the job's log` };
}

function stepSummaryWith(markdown: string, sequel: Sequel): string {
	return sequel.notices.length === 0 ? markdown : `${sequel.notices.map((notice) => `**Note:** ${notice}`).join("\n\n")}\n\n${markdown}`;
}
