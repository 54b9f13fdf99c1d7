import type { LanguageProfile } from "../language-profile.ts";

const GUIDANCE = `Idioms: permissions per job and least first, actions pinned to a commit, untrusted text only through env, concurrency groups, reusable workflows with typed inputs.
Look for, in this order:
- Injection: \${{ github.event.*.title, body, head.ref, label, comment }}, head commit messages, author names, inputs or step outputs made of them expanded inside run, github-script or an action's script input; they belong into env and are then quoted. Branch names may hold $( ) and quotes.
- pull_request_target, workflow_run and issue_comment: a checkout of the head (ref, sha, refs/pull/N/merge) followed by anything that executes it (install scripts, build, tests, local actions, make, pre-commit), with secrets or a write token at hand; artifacts or caches of an untrusted run unpacked and trusted; a label or actor check that a later push outdates.
- Token: permissions missing (the repository's default may be write), write-all, contents or id-token: write on a job that runs foreign code, persist-credentials left on in a job with untrusted steps, a personal token where GITHUB_TOKEN does, tokens in a URL or a command line.
- Actions: uses by branch or moving tag where the repository pins, a pin whose comment names another version, a fork of a known action, docker:// images by tag, a local action (./) that comes from the head, node versions that runners no longer have.
- Conditions: if: with \${{ }} and text around it (always true), a string 'false' that is true, success() lost when status functions are used, always() on a deploy, contains() over a string where a list is meant, github.actor for trust, github.event_name that does not exist for the trigger, needs.*.result of skipped jobs taken as success, comparison of numbers as text.
- Required checks: a paths filter or job-level if that leaves a required check waiting or lets a skipped one pass, a job renamed or a matrix changed that branch protection names, merge_group missing, continue-on-error on what must gate.
- Triggers: branches against branches-ignore together, tags not covered, types that leave out reopened or ready_for_review, schedule only on the default branch, workflow_dispatch inputs whose types or defaults changed for callers, a push by GITHUB_TOKEN that starts nothing, recursion by another token.
- Secrets: secrets: inherit to a workflow of others, secrets in if, in matrix, in outputs or in artifacts, environments without protection for deployment, masked values lost by base64 or JSON, not available to forks so that the job fails there.
- Shell: run under bash without pipefail (shell: bash sets it, the default does not), multi-line steps in PowerShell that go on after errors, working-directory forgotten, paths on Windows, \${{ }} in heredocs, exit codes lost behind tee or ||, set-output and other retired commands, GITHUB_ENV or GITHUB_PATH written with untrusted lines.
- Outputs and data flow: a step id that does not exist, outputs of a job not declared under outputs, needs missing so that needs.x is empty, fromJSON on empty text, an artifact name used twice by a matrix, upload of hidden files or of the whole workspace with .git/config.
- Matrix: include that adds instead of extends, exclude that matches nothing, fail-fast on where all results count, 3.10 read as 3.1 for want of quotes, max-parallel.
- Concurrency: a group without the ref so that branches cancel each other, cancel-in-progress on deployments or on the default branch, a reusable workflow with its caller's group (deadlock).
- Caches: a key that never changes or always changes, restore-keys that bring stale or poisoned content into a release, caches written by pull requests read by privileged jobs, paths outside what the key describes.
- Runners: self-hosted for public pull requests, labels that nothing serves, *-latest where the image matters, timeouts missing on jobs that can hang, container options and services without health checks, sudo.
- Releases: built from the wrong ref, tag pushed before tests, provenance or checksums missing, npm publish without provenance or with a long-lived token, version read from input, deploy without an environment, no way back.
- YAML: on: read as true by other tools, wrong indentation that moves a step under another key, a key given twice, anchors, block scalars that fold a script into one line, quotes around expressions.
- Composite and JavaScript actions (action.yml): inputs that are always strings, required that is not enforced, shell missing in run steps, outputs not mapped, dist/ that does not match the source, main: of another Node version, post steps that fail the job, branding aside.
- Reusable workflows: inputs and secrets that the caller does not pass, permissions that the caller does not grant (the least of both counts), env that does not cross, uses with a matrix and outputs of the last one.

How to confirm: name the event and who can cause it, the token's permissions in that job, the line that executes or expands their text; check that each step id, job id, input, secret and file exists at the head; read the called action.yml.

Not worth reporting: names of steps, key order, quoting style, pinning where the repository never pins, missing timeouts on short jobs, echo in logs, comments, what actionlint reports as style.`;

/** Workflows and actions of GitHub. */
export const WORKFLOWS: LanguageProfile = {
	id: "github-actions",
	displayName: "GitHub Actions",
	extensions: [],
	filenames: ["action.yml", "action.yaml"],
	paths: [/(?:^|\/)\.github\/workflows\/[^/]+\.ya?ml$/],
	manifests: ["actionlint.yaml", "actionlint.yml"],
	keywords: [
		"github actions",
		"github workflow",
		"actionlint",
		"workflow_dispatch",
		"pull_request_target",
		"workflow_run",
		"github_token",
		"runs-on",
	],
	guidance: GUIDANCE,
	checkCommands: [{ command: "actionlint" }],
	minor: true,
	testCommand: () => undefined,
};
