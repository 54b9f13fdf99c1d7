import type { ActionReference } from "./pinned-actions.ts";
import { CHECKOUT_STEP, expression, KEY_INPUT, rookeryStep, UPLOAD_STEP } from "./workflow-steps.ts";

/*
 * The workflows that `rookery init` writes. Every action is pinned to a full commit, every job names the permissions it
 * needs and why, and nothing of a pull request is expanded into a script (A101).
 */

export const REVIEW_EVENTS = "[opened, reopened, ready_for_review, synchronize]";
export const IS_FORK = "github.event.pull_request.head.repo.full_name != github.repository";
export const PULL_NUMBER = expression("github.event.pull_request.number");

/** Reviews of pull requests from branches of the repository. */
export function renderReviewWorkflow(action: ActionReference): string {
	return `# Reviews pull requests from branches of this repository. Those from forks get no secrets and a token that only
# reads: rookery-forks.yml is theirs. Review and commands have one name, because the summary comment belongs to it.
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
  review:
    name: Review
    if: ${IS_FORK.replace("!=", "==")}
    runs-on: ubuntu-latest
    timeout-minutes: 20
    permissions:
      contents: read # to read the code
      pull-requests: write # for the review and the summary comment
      checks: write # for the check run with annotations
    steps:
${CHECKOUT_STEP}
${rookeryStep(action, "Review", [KEY_INPUT])}
${UPLOAD_STEP}
`;
}

/** Comment commands on pull requests and issues. */
export function renderCommandsWorkflow(action: ActionReference): string {
	return `# Answers commands in comments, such as /review, /explore QUESTION or /help. Who may use them is asked of the
# permission API in each run; a comment that holds no command ends without a word.
name: Rookery
run-name: "Comment on #${expression("github.event.issue.number || github.event.pull_request.number")}"

on:
  # No code of a pull request is checked out or run with this token, and roles are asked for before anything else.
  issue_comment: # zizmor: ignore[dangerous-triggers]
    types: [created, edited]
  pull_request_review_comment:
    types: [created]

permissions: {}

concurrency:
  group: rookery-command-${expression("github.event.comment.id")} # one run a comment; others are not held up
  cancel-in-progress: false

jobs:
  command:
    name: Command
    # Only so that no runner starts for every remark; the comment is read properly in the run.
    if: >-
      github.event.comment.user.type != 'Bot' &&
      (contains(github.event.comment.body, '/') || contains(github.event.comment.body, '@rookery'))
    runs-on: ubuntu-latest
    timeout-minutes: 20
    permissions:
      contents: read # to read the code; write lets /fix push its commit and /trust propose its file
      pull-requests: write # for reviews, replies and reactions
      issues: write # for replies and reactions on issues
      checks: write # for the check run of /review
      actions: read # /continue, /session and /audit read the artifacts of earlier runs
    steps:
${CHECKOUT_STEP}
${rookeryStep(action, "Carry the command out", ["setup-sandbox: true # /fix writes and runs nothing without one", KEY_INPUT])}
${UPLOAD_STEP}
`;
}

/** Named jobs of the settings, by hand and on a schedule. */
export function renderMaintenanceWorkflow(action: ActionReference): string {
	return `# Runs a maintenance job that is named under "maintenance" in .rookery/settings.json. Its fixes come as one pull request
# from a branch of its own, never as a push to the default branch. Code is only run behind the walls of the sandbox, which
# has no network and sees no secret.
name: Rookery maintenance
run-name: "Maintenance: ${expression("inputs.job || github.event.schedule")}"

on:
  workflow_dispatch:
    inputs:
      job:
        description: Name of the job in the settings
        required: true
        type: string
  # To run jobs by themselves, take the marks away: a scheduled run takes the jobs whose "schedule" is the same line.
  # schedule:
  #   - cron: "17 3 * * 1"

permissions: {}

concurrency:
  group: rookery-maintenance-${expression("inputs.job || 'scheduled'")}
  cancel-in-progress: false

jobs:
  maintain:
    name: Maintain
    runs-on: ubuntu-latest
    timeout-minutes: 60
    permissions:
      contents: write # to push the job's own branch
      pull-requests: write # to open and update its pull request
      actions: read # to count how often the job was tried on the same commit
    steps:
${CHECKOUT_STEP}
${rookeryStep(action, "Run the job", [`job: ${expression("inputs.job || ''")}`, "setup-sandbox: true # nothing is run or written without one", KEY_INPUT])}
${UPLOAD_STEP}
`;
}
