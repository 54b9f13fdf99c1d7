import type { OperationId } from "./contract-operations.ts";
import { ACTION_HANDLERS } from "./handle-actions.ts";
import { CHECK_HANDLERS } from "./handle-checks.ts";
import { CONTENT_HANDLERS } from "./handle-contents.ts";
import { OBJECT_HANDLERS, REF_HANDLERS } from "./handle-git-data.ts";
import { ISSUE_HANDLERS, LABEL_HANDLERS } from "./handle-issues.ts";
import { PULL_HANDLERS } from "./handle-pulls.ts";
import { REACTION_HANDLERS } from "./handle-reactions.ts";
import { REPOSITORY_HANDLERS } from "./handle-repository.ts";
import { REVIEW_COMMENT_HANDLERS } from "./handle-review-comments.ts";
import { REVIEW_HANDLERS } from "./handle-reviews.ts";
import { USER_HANDLERS } from "./handle-users.ts";
import type { Handler, HandlerTable } from "./handler.ts";

const HANDLERS: HandlerTable = {
	...ACTION_HANDLERS,
	...CHECK_HANDLERS,
	...CONTENT_HANDLERS,
	...ISSUE_HANDLERS,
	...LABEL_HANDLERS,
	...OBJECT_HANDLERS,
	...PULL_HANDLERS,
	...REACTION_HANDLERS,
	...REF_HANDLERS,
	...REPOSITORY_HANDLERS,
	...REVIEW_COMMENT_HANDLERS,
	...REVIEW_HANDLERS,
	...USER_HANDLERS,
};

/** The handler of an operation; a test asserts that every operation of the contract has one. */
export function handlerOf(operation: OperationId): Handler | undefined {
	return HANDLERS[operation];
}
