import { created, listOf, noContent, notFound, ok, pageOf, requireBodyLength, textOf, validationFailed } from "./answer.ts";
import { type Call, type HandlerTable, loginOf, numberParameter, repositoryOf } from "./handler.ts";
import { type CommentRecord, findIssue, type IssueRecord, type LoopbackState, type RepositoryRecord } from "./loopback-state.ts";
import { openIssue } from "./open-issue.ts";
import { ensureLabel, renderIssue, renderIssueComment, renderLabel, renderLabels } from "./render-issue.ts";

function issueOf(call: Call): { readonly repository: RepositoryRecord; readonly issue: IssueRecord } {
	const repository = repositoryOf(call);
	return { repository, issue: findIssue(repository, numberParameter(call, "issue_number")) };
}

/** Finds an issue comment by its id in the whole repository. */
export function findIssueComment(
	repository: RepositoryRecord,
	id: number,
): { readonly issue: IssueRecord; readonly comment: CommentRecord } {
	for (const issue of repository.issues.values()) {
		const comment = issue.comments.find((candidate) => candidate.id === id);
		if (comment !== undefined) return { issue, comment };
	}
	throw notFound();
}

/** Adds a comment to an issue or pull request and gives its record. */
export function addIssueComment(state: LoopbackState, issue: IssueRecord, author: string, body: string): CommentRecord {
	const now = state.now();
	const comment: CommentRecord = {
		id: state.nextId(),
		author,
		body,
		createdAt: now,
		updatedAt: now,
		minimized: null,
		reactions: [],
	};
	issue.comments.push(comment);
	issue.updatedAt = now;
	return comment;
}

function labelNames(call: Call): string[] {
	const list = Array.isArray(call.rawBody) ? call.rawBody : listOf(call.body, "labels");
	return list.map((label) => (typeof label === "string" ? label : String((label as { name?: unknown }).name)));
}

function requireComment(body: string | undefined): string {
	if (body === undefined || body.trim() === "") throw validationFailed("IssueComment", "data", "unprocessable", "Body cannot be blank");
	requireBodyLength("IssueComment", body);
	return body;
}

export const ISSUE_HANDLERS: HandlerTable = {
	"issues/get": async (call) => {
		const { repository, issue } = issueOf(call);
		return ok(renderIssue(call.state, repository, issue));
	},
	"issues/list-for-repo": async (call) => {
		const repository = repositoryOf(call);
		const wanted = call.query["state"] ?? "open";
		const label = call.query["labels"];
		const issues = [...repository.issues.values()]
			.filter((issue) => wanted === "all" || issue.state === wanted)
			.filter((issue) => label === undefined || label.split(",").every((name) => issue.labels.includes(name)))
			.reverse();
		const page = pageOf(issues, call);
		return ok(
			page.items.map((issue) => renderIssue(call.state, repository, issue)),
			page.headers,
		);
	},
	"issues/create": async (call) => {
		const repository = repositoryOf(call);
		requireBodyLength("Issue", textOf(call.body, "body"));
		const title = String(call.body["title"]);
		const issue = openIssue(call.state, repository, {
			title,
			body: textOf(call.body, "body") ?? null,
			author: loginOf(call),
			labels: labelNames(call),
		});
		return created(renderIssue(call.state, repository, issue));
	},
	"issues/update": async (call) => {
		const { repository, issue } = issueOf(call);
		requireBodyLength("Issue", textOf(call.body, "body"));
		const state = textOf(call.body, "state");
		issue.title = textOf(call.body, "title") ?? issue.title;
		if ("body" in call.body) issue.body = textOf(call.body, "body") ?? null;
		if ("labels" in call.body) issue.labels = labelNames(call);
		if ("assignees" in call.body) issue.assignees = listOf(call.body, "assignees").map(String);
		if (state === "open" || state === "closed") {
			issue.state = state;
			issue.closedAt = state === "closed" ? call.state.now() : null;
		}
		issue.updatedAt = call.state.now();
		return ok(renderIssue(call.state, repository, issue));
	},
	"issues/list-comments": async (call) => {
		const { repository, issue } = issueOf(call);
		const since = call.query["since"];
		const comments = issue.comments.filter((comment) => since === undefined || comment.updatedAt >= since);
		const page = pageOf(comments, call);
		return ok(
			page.items.map((comment) => renderIssueComment(call.state, repository, issue, comment)),
			page.headers,
		);
	},
	"issues/list-comments-for-repo": async (call) => {
		const repository = repositoryOf(call);
		const { since, sort, direction } = call.query;
		const order = sort === "updated" ? "updatedAt" : "createdAt";
		const found = [...repository.issues.values()]
			.flatMap((issue) => issue.comments.map((comment) => ({ issue, comment })))
			.filter(({ comment }) => since === undefined || comment.updatedAt >= since)
			.sort((a, b) => (a.comment[order] < b.comment[order] ? -1 : a.comment[order] > b.comment[order] ? 1 : a.comment.id - b.comment.id));
		const page = pageOf(direction === "desc" ? found.reverse() : found, call);
		return ok(
			page.items.map(({ issue, comment }) => renderIssueComment(call.state, repository, issue, comment)),
			page.headers,
		);
	},
	"issues/create-comment": async (call) => {
		const { repository, issue } = issueOf(call);
		const comment = addIssueComment(call.state, issue, loginOf(call), requireComment(textOf(call.body, "body")));
		return created(renderIssueComment(call.state, repository, issue, comment));
	},
	"issues/get-comment": async (call) => {
		const repository = repositoryOf(call);
		const { issue, comment } = findIssueComment(repository, numberParameter(call, "comment_id"));
		return ok(renderIssueComment(call.state, repository, issue, comment));
	},
	"issues/update-comment": async (call) => {
		const repository = repositoryOf(call);
		const { issue, comment } = findIssueComment(repository, numberParameter(call, "comment_id"));
		comment.body = requireComment(textOf(call.body, "body"));
		comment.updatedAt = call.state.now();
		return ok(renderIssueComment(call.state, repository, issue, comment));
	},
	"issues/delete-comment": async (call) => {
		const repository = repositoryOf(call);
		const { issue, comment } = findIssueComment(repository, numberParameter(call, "comment_id"));
		issue.comments.splice(issue.comments.indexOf(comment), 1);
		return noContent();
	},
};

export const LABEL_HANDLERS: HandlerTable = {
	"issues/list-labels-on-issue": async (call) => {
		const { repository, issue } = issueOf(call);
		const page = pageOf(issue.labels, call);
		return ok(renderLabels(call.state, repository, page.items), page.headers);
	},
	"issues/add-labels": async (call) => {
		const { repository, issue } = issueOf(call);
		issue.labels = [...new Set([...issue.labels, ...labelNames(call)])];
		return ok(renderLabels(call.state, repository, issue.labels));
	},
	"issues/set-labels": async (call) => {
		const { repository, issue } = issueOf(call);
		issue.labels = [...new Set(labelNames(call))];
		return ok(renderLabels(call.state, repository, issue.labels));
	},
	"issues/remove-label": async (call) => {
		const { repository, issue } = issueOf(call);
		const name = (call.parameters["name"] ?? "").toLowerCase();
		const rest = issue.labels.filter((label) => label.toLowerCase() !== name);
		if (rest.length === issue.labels.length) throw notFound();
		issue.labels = rest;
		return ok(renderLabels(call.state, repository, rest));
	},
	"issues/get-label": async (call) => {
		const repository = repositoryOf(call);
		const label = repository.labels.get((call.parameters["name"] ?? "").toLowerCase());
		if (label === undefined) throw notFound();
		return ok(renderLabel(call.state, repository, label));
	},
	"issues/create-label": async (call) => {
		const repository = repositoryOf(call);
		const name = String(call.body["name"]);
		if (repository.labels.has(name.toLowerCase())) throw validationFailed("Label", "name", "already_exists");
		const label = { ...ensureLabel(call.state, repository, name), description: textOf(call.body, "description") ?? null };
		repository.labels.set(name.toLowerCase(), { ...label, color: textOf(call.body, "color") ?? label.color });
		return created(renderLabel(call.state, repository, ensureLabel(call.state, repository, name)));
	},
};
