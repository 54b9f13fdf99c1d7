import { listOf, notFound, numberOf, ok, pageOf, requireBodyLength, textOf, unprocessable, validationFailed } from "./answer.ts";
import { type Anchor, type AnchorRequest, checkAnchor, reviewErrorText } from "./check-anchor.ts";
import { type Call, type HandlerTable, loginOf, numberParameter, pullOf } from "./handler.ts";
import type { JsonObject } from "./loopback-types.ts";
import type { LoopbackState, PullIssue, RepositoryRecord, ReviewCommentRecord, ReviewRecord } from "./loopback-state.ts";
import { isPullCommit, pullFiles } from "./refresh-pull.ts";
import { renderReview, renderReviewComment } from "./render-review.ts";

const STATES = { APPROVE: "APPROVED", REQUEST_CHANGES: "CHANGES_REQUESTED", COMMENT: "COMMENTED" } as const;

function sideOf(body: JsonObject, key: string): "LEFT" | "RIGHT" | undefined {
	const value = body[key];
	return value === "LEFT" || value === "RIGHT" ? value : undefined;
}

export function readAnchorRequest(body: JsonObject): AnchorRequest {
	return {
		path: textOf(body, "path") ?? "",
		subjectType: body["subject_type"] === "file" ? "file" : "line",
		line: numberOf(body, "line"),
		side: sideOf(body, "side"),
		startLine: numberOf(body, "start_line"),
		startSide: sideOf(body, "start_side"),
		position: numberOf(body, "position"),
	};
}

export interface NewReviewComment {
	readonly author: string;
	readonly body: string;
	readonly commit: string;
	readonly reviewId: number;
	readonly inReplyTo: number | null;
	readonly anchor: Anchor;
}

export function addReviewComment(state: LoopbackState, issue: PullIssue, comment: NewReviewComment): ReviewCommentRecord {
	const now = state.now();
	const { anchor, ...rest } = comment;
	const record: ReviewCommentRecord = {
		...rest,
		...anchor,
		id: state.nextId(),
		createdAt: now,
		updatedAt: now,
		minimized: null,
		reactions: [],
	};
	issue.pull.reviewComments.push(record);
	issue.updatedAt = now;
	return record;
}

export function addReview(
	state: LoopbackState,
	issue: PullIssue,
	review: { readonly author: string; readonly body: string; readonly state: ReviewRecord["state"]; readonly commit: string },
): ReviewRecord {
	const record: ReviewRecord = { ...review, id: state.nextId(), submittedAt: state.now() };
	issue.pull.reviews.push(record);
	issue.updatedAt = record.submittedAt;
	return record;
}

/** Who may say what: own pull requests, the job's token, blank bodies, a second pending review. */
function requireAllowedEvent(call: Call, issue: PullIssue, event: keyof typeof STATES | undefined, body: string): void {
	const login = loginOf(call);
	const own = login === issue.author;
	if (event === "APPROVE" && own) throw unprocessable("Review Can not approve your own pull request");
	if (event === "REQUEST_CHANGES" && own) throw unprocessable("Review Can not request changes on your own pull request");
	if (event === "APPROVE" && call.viewer?.kind === "workflow") {
		throw unprocessable("GitHub Actions is not permitted to approve pull requests.");
	}
	if (event === "REQUEST_CHANGES" && body === "") throw unprocessable("Review body can't be blank");
	if (event === undefined && issue.pull.reviews.some((review) => review.state === "PENDING" && review.author === login)) {
		throw unprocessable("User can only have one pending review per pull request");
	}
}

/** All comments of a review or none: one bad anchor refuses the whole review, without naming it (BR-14). */
async function checkComments(
	repository: RepositoryRecord,
	issue: PullIssue,
	commit: string,
	comments: readonly JsonObject[],
): Promise<Anchor[]> {
	const files = comments.length === 0 ? [] : await pullFiles(repository, issue, commit);
	const anchors: Anchor[] = [];
	const problems: string[] = [];
	for (const comment of comments) {
		const result = checkAnchor(files, readAnchorRequest(comment));
		if (result.ok) anchors.push(result.anchor);
		else problems.push(reviewErrorText(result.problems));
		const body = textOf(comment, "body") ?? "";
		if (body.trim() === "") problems.push("Pull request review comment body can't be blank");
		requireBodyLength("PullRequestReviewComment", body);
	}
	if (problems.length > 0) throw unprocessable(...problems);
	return anchors;
}

function reviewOf(call: Call, issue: PullIssue): ReviewRecord {
	const id = numberParameter(call, "review_id");
	const review = issue.pull.reviews.find((candidate) => candidate.id === id);
	if (review === undefined) throw notFound();
	return review;
}

function visibleReviews(call: Call, issue: PullIssue): ReviewRecord[] {
	return issue.pull.reviews.filter((review) => review.state !== "PENDING" || review.author === loginOf(call));
}

export const REVIEW_HANDLERS: HandlerTable = {
	"pulls/create-review": async (call) => {
		const { repository, issue } = await pullOf(call);
		const event = textOf(call.body, "event") as keyof typeof STATES | undefined;
		const body = textOf(call.body, "body") ?? "";
		const comments = listOf(call.body, "comments") as readonly JsonObject[];
		const commit = textOf(call.body, "commit_id") ?? issue.pull.head.sha;
		requireAllowedEvent(call, issue, event, body);
		requireBodyLength("PullRequestReview", body);
		if (event === "COMMENT" && body === "" && comments.length === 0) throw unprocessable("Review body can't be blank");
		if (!(await isPullCommit(repository, issue, commit))) throw unprocessable("Start commit oid is not part of the pull request");
		const anchors = await checkComments(repository, issue, commit, comments);
		const author = loginOf(call);
		const review = addReview(call.state, issue, { author, body, state: event === undefined ? "PENDING" : STATES[event], commit });
		for (const [index, anchor] of anchors.entries()) {
			const text = textOf(comments[index] ?? {}, "body") ?? "";
			addReviewComment(call.state, issue, { author, body: text, commit, reviewId: review.id, inReplyTo: null, anchor });
		}
		return ok(renderReview(call.state, repository, issue, review));
	},
	"pulls/list-reviews": async (call) => {
		const { repository, issue } = await pullOf(call);
		const page = pageOf(visibleReviews(call, issue), call);
		return ok(
			page.items.map((review) => renderReview(call.state, repository, issue, review)),
			page.headers,
		);
	},
	"pulls/get-review": async (call) => {
		const { repository, issue } = await pullOf(call);
		return ok(renderReview(call.state, repository, issue, reviewOf(call, issue)));
	},
	"pulls/update-review": async (call) => {
		const { repository, issue } = await pullOf(call);
		const review = reviewOf(call, issue);
		const body = textOf(call.body, "body") ?? "";
		if (body === "") throw validationFailed("PullRequestReview", "body", "missing_field");
		requireBodyLength("PullRequestReview", body);
		review.body = body;
		return ok(renderReview(call.state, repository, issue, review));
	},
	"pulls/list-comments-for-review": async (call) => {
		const { repository, issue } = await pullOf(call);
		const review = reviewOf(call, issue);
		const comments = issue.pull.reviewComments.filter((comment) => comment.reviewId === review.id);
		const page = pageOf(comments, call);
		return ok(await Promise.all(page.items.map((comment) => renderReviewComment(call.state, repository, issue, comment))), page.headers);
	},
};
