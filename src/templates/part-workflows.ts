import type { ActionReference } from "./pinned-actions.ts";
import {
	CHECKOUT_STEP,
	expression,
	KEY_INPUT,
	outboxStep,
	PROVIDER_INPUT,
	rookeryStep,
	UPLOAD_STEP,
	uploadStep,
} from "./workflow-steps.ts";
import { IS_FORK, PULL_NUMBER, REVIEW_EVENTS } from "./workflows.ts";

/*
 * Reviews over several jobs: those that work hold a token that only reads, the one that publishes holds no key, asks no
 * model and runs no code of a pull request (X-05, DESIGN.md 12).
 */

/** First half for pull requests from forks: no secret, no right to write, nothing of theirs is run. */
export function renderForksWorkflow(action: ActionReference): string {
	return `# Reviews pull requests from forks with the offline analyst, which needs no key. The token of such a run may not comment: it
# leaves an outbox, which rookery-forks-publish.yml checks and publishes. For a full review, somebody with write access
# comments /review.
name: Rookery forks
run-name: "Review of #${PULL_NUMBER} from a fork"

on:
  pull_request:
    types: ${REVIEW_EVENTS}

permissions: {}

concurrency:
  group: rookery-forks-${PULL_NUMBER}
  cancel-in-progress: true

jobs:
  review:
    name: Review without secrets
    if: ${IS_FORK}
    runs-on: ubuntu-latest
    timeout-minutes: 20
    permissions:
      contents: read # to read the code
      pull-requests: read # to read the pull request
    steps:
${CHECKOUT_STEP}
${rookeryStep(action, "Review", ["mode: work", "provider: offline"])}
${outboxStep("1")}
`;
}

/** Second half: the default branch's workflow, which may write and believes nothing it can find out for itself. */
export function renderForksPublishWorkflow(action: ActionReference): string {
	const run = "github.event.workflow_run";
	return `# Publishes what "Rookery forks" has left. It runs from the default branch and with the right to comment: the outbox is
# refused unless it is that run's, about that pull request's present head, and of the right form; its text passes the
# outgoing filter once more. The checkout is the default branch. Of the fork, objects are read as data and nothing is run.
# It has the name of the review's workflow, because the summary comment belongs to it.
name: Rookery
run-name: "Publication of run ${expression(`${run}.id`)}"

on:
  # Nothing of the pull request is checked out or run with this token.
  workflow_run: # zizmor: ignore[dangerous-triggers]
    workflows: [Rookery forks]
    types: [completed]

permissions: {}

concurrency:
  group: rookery-publish-${expression(`${run}.head_repository.full_name`)}-${expression(`${run}.head_branch`)}
  cancel-in-progress: false # what is being written is written to its end

jobs:
  publish:
    name: Publish
    # Pull requests from branches skip the other workflow's job.
    if: >-
      ${run}.event == 'pull_request' &&
      ${run}.conclusion != 'skipped' && ${run}.conclusion != 'cancelled'
    runs-on: ubuntu-latest
    timeout-minutes: 10
    permissions:
      contents: read # to read the code
      pull-requests: write # for the review and the summary comment
      checks: write # for the check run with annotations
      actions: read # to fetch the outbox from the other run's artifacts
    steps:
${CHECKOUT_STEP}
${rookeryStep(action, "Publish", ["mode: publish"])}
${UPLOAD_STEP}
`;
}

/** Reviews of pull requests from branches, spread over machines. @param shards most jobs that work at once */
export function renderMatrixWorkflow(action: ActionReference, shards: number): string {
	const needs = "needs.plan.outputs";
	return `# Reviews pull requests from branches of this repository on up to ${shards} machines at once. Only the last job may write, and
# it holds no key; the jobs that hold the key may only read. Review and commands have one name, because the summary comment
# belongs to it.
name: Rookery
run-name: "Review of #${PULL_NUMBER}"

on:
  pull_request:
    types: ${REVIEW_EVENTS}

permissions: {}

concurrency:
  group: rookery-review-${PULL_NUMBER}
  cancel-in-progress: true # a newer push makes the older review pointless

jobs:
  plan:
    name: Plan
    if: ${IS_FORK.replace("!=", "==")}
    runs-on: ubuntu-latest
    timeout-minutes: 10
    permissions:
      contents: read # to read the code
      pull-requests: read # to read the pull request
    outputs:
      shards: ${expression("steps.rookery.outputs.shards")}
      plan: ${expression("steps.rookery.outputs.plan")}
    steps:
${CHECKOUT_STEP}
${rookeryStep(action, "Plan", ["mode: plan", `shards: ${shards}`, PROVIDER_INPUT])}

  work:
    name: Work
    needs: plan
    if: ${needs}.plan != '' && ${needs}.shards != '[]'
    strategy:
      fail-fast: false # one that fails does not take the others with it
      matrix:
        shard: ${expression(`fromJSON(${needs}.shards)`)}
    runs-on: ubuntu-latest
    timeout-minutes: 20
    permissions:
      contents: read # to read the code
      pull-requests: read # to read the pull request
    steps:
${CHECKOUT_STEP}
${rookeryStep(action, "Work", ["mode: work", `plan: ${expression(`${needs}.plan`)}`, `shard: ${expression("matrix.shard")}`, KEY_INPUT])}
${outboxStep(expression("matrix.shard"))}
${uploadStep(`-shard-${expression("matrix.shard")}`)}

  publish:
    name: Publish
    needs: [plan, work]
    # Also when a job has failed: what the others have found is published, and the rest named as not reviewed.
    if: ${expression(`!cancelled() && ${needs}.plan != ''`)}
    runs-on: ubuntu-latest
    timeout-minutes: 10
    permissions:
      contents: read # to read the code
      pull-requests: write # for the review and the summary comment
      checks: write # for the check run with annotations
      actions: read # to fetch the outboxes from this run's artifacts
    steps:
${CHECKOUT_STEP}
${rookeryStep(action, "Publish", ["mode: publish", `plan: ${expression(`${needs}.plan`)}`, PROVIDER_INPUT])}
${UPLOAD_STEP}
`;
}
