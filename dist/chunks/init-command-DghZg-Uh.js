import{execFile as e}from"node:child_process";import{mkdir as t,readFile as n,stat as r,writeFile as i}from"node:fs/promises";import a from"node:path";import{promisify as o}from"node:util";import{n as s,t as c}from"./errors-CjH_eMqC.js";import{n as l}from"./ids-Bz_taEo_.js";import{t as u}from"./version-CPunTYCY.js";function d(e){return`{
	"$schema": "https://raw.githubusercontent.com/${e.repository}/${e.sha}/schemas/settings.schema.json",

	// Read on the base branch of a pull request, never from its head. Comments and trailing commas are fine.
	"model": "sonnet",

	"review": {
		// Review pull requests without being asked; false leaves it to the comment command.
		"auto": true,
		"drafts": false,
		// Files that nobody needs to read.
		"pathsIgnore": [],
		// Least severity that fails the check: critical, important, minor, nit, never.
		"failOn": "never"
	},

	"budget": {
		// US dollars of one run; it ends in order when they are spent.
		"runUsd": 2
		// "pullRequestUsd": 10
	}

	// Test command by language, where the detected one is not right.
	// "checks": { "go": "go test ./...", "typescript": "npm test" },

	// merged agents may run (base), or only those that .rookery/trust.json pins (pinned).
	// "agents": { "trust": "base" }
}
`}const f=`actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2`;function p(e){return`${e.repository}@${e.sha} # v${e.version}`}function m(e){return`\${{ ${e} }}`}const h=`      - name: Check the repository out
        uses: actions/checkout@8e8c483db84b4bee98b60c0593521ed34d9990e8 # v6.0.1
        with:
          fetch-depth: 0 # the merge base must be there
          persist-credentials: false`;function g(e,t,n){return[`      - name: ${t}`,`        id: rookery`,`        uses: ${p(e)}`,...n.length===0?[]:[`        with:`,...n.map(e=>`          ${e}`)]].join(`
`)}function _(e){return`      - name: Keep journals, audit and report
        if: ${m(`!cancelled() && steps.rookery.outputs.journals != ''`)}
        uses: ${f}
        with:
          name: rookery-run-${m(`github.run_id`)}-${m(`github.run_attempt`)}${e}
          path: |
            ${m(`runner.temp`)}/rookery/sessions
            ${m(`runner.temp`)}/rookery/audit
            ${m(`runner.temp`)}/rookery/reports
          if-no-files-found: ignore
          retention-days: 14`}function v(e){return`      - name: Leave the outbox
        if: ${m(`!cancelled() && steps.rookery.outputs.outbox != ''`)}
        uses: ${f}
        with:
          name: rookery-outbox-${e}-${m(`github.run_attempt`)}
          path: ${m(`steps.rookery.outputs.outbox`)}
          if-no-files-found: error
          retention-days: 7`}const y=`anthropic-api-key: ${m(`secrets.ANTHROPIC_API_KEY`)} # without it, the offline analyst reviews at no cost`,b=_(``),x=`provider: ${m(`secrets.ANTHROPIC_API_KEY != '' && 'anthropic' || 'offline'`)}`,S=`[opened, reopened, ready_for_review, synchronize]`,C=`github.event.pull_request.head.repo.full_name != github.repository`,w=m(`github.event.pull_request.number`);function T(e){return`# Reviews pull requests from branches of this repository. Those from forks get no secrets and a token that only
# reads: rookery-forks.yml is theirs. Review and commands have one name, because the summary comment belongs to it.
name: Rookery
run-name: "Review of #${w}"

on:
  pull_request:
    types: ${S}

permissions: {}

concurrency:
  group: rookery-review-${w}
  cancel-in-progress: true # a newer push makes the older review pointless

jobs:
  review:
    name: Review
    if: ${C.replace(`!=`,`==`)}
    runs-on: ubuntu-latest
    timeout-minutes: 20
    permissions:
      contents: read # to read the code
      pull-requests: write # for the review and the summary comment
      checks: write # for the check run with annotations
    steps:
${h}
${g(e,`Review`,[y])}
${b}
`}function E(e){return`# Answers commands in comments, such as /review, /explore QUESTION or /help. Who may use them is asked of the
# permission API in each run; a comment that holds no command ends without a word.
name: Rookery
run-name: "Comment on #${m(`github.event.issue.number || github.event.pull_request.number`)}"

on:
  # No code of a pull request is checked out or run with this token, and roles are asked for before anything else.
  issue_comment: # zizmor: ignore[dangerous-triggers]
    types: [created, edited]
  pull_request_review_comment:
    types: [created]

permissions: {}

concurrency:
  group: rookery-command-${m(`github.event.comment.id`)} # one run a comment; others are not held up
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
${h}
${g(e,`Carry the command out`,[`setup-sandbox: true # /fix writes and runs nothing without one`,y])}
${b}
`}function D(e){return`# Runs a maintenance job that is named under "maintenance" in .rookery/settings.json. Its fixes come as one pull request
# from a branch of its own, never as a push to the default branch. Code is only run behind the walls of the sandbox, which
# has no network and sees no secret.
name: Rookery maintenance
run-name: "Maintenance: ${m(`inputs.job || github.event.schedule`)}"

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
  group: rookery-maintenance-${m(`inputs.job || 'scheduled'`)}
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
${h}
${g(e,`Run the job`,[`job: ${m(`inputs.job || ''`)}`,`setup-sandbox: true # nothing is run or written without one`,y])}
${b}
`}function O(e){return`# Reviews pull requests from forks with the offline analyst, which needs no key. The token of such a run may not comment: it
# leaves an outbox, which rookery-forks-publish.yml checks and publishes. For a full review, somebody with write access
# comments /review.
name: Rookery forks
run-name: "Review of #${w} from a fork"

on:
  pull_request:
    types: ${S}

permissions: {}

concurrency:
  group: rookery-forks-${w}
  cancel-in-progress: true

jobs:
  review:
    name: Review without secrets
    if: ${C}
    runs-on: ubuntu-latest
    timeout-minutes: 20
    permissions:
      contents: read # to read the code
      pull-requests: read # to read the pull request
    steps:
${h}
${g(e,`Review`,[`mode: work`,`provider: offline`])}
${v(`1`)}
`}function k(e){let t=`github.event.workflow_run`;return`# Publishes what "Rookery forks" has left. It runs from the default branch and with the right to comment: the outbox is
# refused unless it is that run's, about that pull request's present head, and of the right form; its text passes the
# outgoing filter once more. The checkout is the default branch. Of the fork, objects are read as data and nothing is run.
# It has the name of the review's workflow, because the summary comment belongs to it.
name: Rookery
run-name: "Publication of run ${m(`${t}.id`)}"

on:
  # Nothing of the pull request is checked out or run with this token.
  workflow_run: # zizmor: ignore[dangerous-triggers]
    workflows: [Rookery forks]
    types: [completed]

permissions: {}

concurrency:
  group: rookery-publish-${m(`${t}.head_repository.full_name`)}-${m(`${t}.head_branch`)}
  cancel-in-progress: false # what is being written is written to its end

jobs:
  publish:
    name: Publish
    # Pull requests from branches skip the other workflow's job.
    if: >-
      ${t}.event == 'pull_request' &&
      ${t}.conclusion != 'skipped' && ${t}.conclusion != 'cancelled'
    runs-on: ubuntu-latest
    timeout-minutes: 10
    permissions:
      contents: read # to read the code
      pull-requests: write # for the review and the summary comment
      checks: write # for the check run with annotations
      actions: read # to fetch the outbox from the other run's artifacts
    steps:
${h}
${g(e,`Publish`,[`mode: publish`])}
${b}
`}function A(e,t){let n=`needs.plan.outputs`;return`# Reviews pull requests from branches of this repository on up to ${t} machines at once. Only the last job may write, and
# it holds no key; the jobs that hold the key may only read. Review and commands have one name, because the summary comment
# belongs to it.
name: Rookery
run-name: "Review of #${w}"

on:
  pull_request:
    types: ${S}

permissions: {}

concurrency:
  group: rookery-review-${w}
  cancel-in-progress: true # a newer push makes the older review pointless

jobs:
  plan:
    name: Plan
    if: ${C.replace(`!=`,`==`)}
    runs-on: ubuntu-latest
    timeout-minutes: 10
    permissions:
      contents: read # to read the code
      pull-requests: read # to read the pull request
    outputs:
      shards: ${m(`steps.rookery.outputs.shards`)}
      plan: ${m(`steps.rookery.outputs.plan`)}
    steps:
${h}
${g(e,`Plan`,[`mode: plan`,`shards: ${t}`,x])}

  work:
    name: Work
    needs: plan
    if: ${n}.plan != '' && ${n}.shards != '[]'
    strategy:
      fail-fast: false # one that fails does not take the others with it
      matrix:
        shard: ${m(`fromJSON(${n}.shards)`)}
    runs-on: ubuntu-latest
    timeout-minutes: 20
    permissions:
      contents: read # to read the code
      pull-requests: read # to read the pull request
    steps:
${h}
${g(e,`Work`,[`mode: work`,`plan: ${m(`${n}.plan`)}`,`shard: ${m(`matrix.shard`)}`,y])}
${v(m(`matrix.shard`))}
${_(`-shard-${m(`matrix.shard`)}`)}

  publish:
    name: Publish
    needs: [plan, work]
    # Also when a job has failed: what the others have found is published, and the rest named as not reviewed.
    if: ${m(`!cancelled() && ${n}.plan != ''`)}
    runs-on: ubuntu-latest
    timeout-minutes: 10
    permissions:
      contents: read # to read the code
      pull-requests: write # for the review and the summary comment
      checks: write # for the check run with annotations
      actions: read # to fetch the outboxes from this run's artifacts
    steps:
${h}
${g(e,`Publish`,[`mode: publish`,`plan: ${m(`${n}.plan`)}`,x])}
${b}
`}const j=`.github/workflows/rookery-review.yml`,M={[j]:T,".github/workflows/rookery-commands.yml":E,".github/workflows/rookery-maintenance.yml":D,".github/workflows/rookery-forks.yml":O,".github/workflows/rookery-forks-publish.yml":k,".rookery/settings.json":d};async function N(e){if((await r(e.folder).catch(()=>void 0))?.isDirectory()!==!0)throw new c(`option --dir: found ${e.folder}, wanted the top folder of a repository`);let t=e.action===void 0?await L(e.bundleFolder):I(e.action),n=[],{shards:i}=e,o=i===void 0?M:{...M,[j]:e=>A(e,i)};for(let[r,i]of Object.entries(o)){let o=await F(a.join(e.folder,r),i(t),e.force);o===`kept`&&n.push(r),e.write(`${o.padEnd(9)} ${r}`)}return n.length>0?e.write(`\n${n.length===1?`One file differs and was`:`${n.length} files differ and were`} left as found; --force overwrites.`):e.write(P),+(n.length>0)}const P=`
Next:
  1. Put a key into the repository's Actions secrets as ANTHROPIC_API_KEY, or do without: then the offline analyst reviews.
  2. Commit these files to the default branch; comments and settings count from there.
  3. Check the set-up with: rookery doctor`;async function F(e,r,o){try{await t(a.dirname(e),{recursive:!0});let s=await n(e,`utf8`).catch(e=>{if(!(e instanceof Error&&`code`in e&&e.code===`ENOENT`))throw e});return s===r?`unchanged`:s!==void 0&&!o?`kept`:(await i(e,r,{flag:o?`w`:`wx`}),s===void 0?`written`:`replaced`)}catch(t){throw new c(`${e}: cannot be written: ${s(t)}`,{cause:t})}}function I(e){let[,t=``,n=``]=/^([A-Za-z0-9][A-Za-z0-9-]{0,38}\/[A-Za-z0-9._-]{1,100})@(.+)$/.exec(e)??[];if(!l(n))throw new c(`option --action: found ${JSON.stringify(e.slice(0,120))}, wanted owner/name@<full commit SHA of 40 hex digits>`);return{repository:t,sha:n,version:u}}async function L(t){let n=async(...n)=>{try{let{stdout:r}=await o(e)(`git`,[`-C`,t,...n],{encoding:`utf8`,timeout:1e4});return r.trim()}catch{return}},r=await n(`rev-parse`,`--verify`,`HEAD^{commit}`);if(r===void 0||!l(r))throw new c(`option --action: this program runs from no clone whose commit could be pinned; wanted --action owner/name@<full commit SHA>`);let i=await n(`remote`,`get-url`,`origin`)??``;return{repository:/github\.com[/:]([A-Za-z0-9-]+\/[A-Za-z0-9._-]+?)(?:\.git)?\/?$/.exec(i)?.[1]??`rookery/rookery`,sha:r,version:u}}export{N as runInit};