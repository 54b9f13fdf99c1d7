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
`}function f(e){return`${e.repository}@${e.sha} # v${e.version}`}function p(e){return`\${{ ${e} }}`}const m=`      - name: Check the repository out
        uses: actions/checkout@8e8c483db84b4bee98b60c0593521ed34d9990e8 # v6.0.1
        with:
          fetch-depth: 0 # the merge base must be there
          persist-credentials: false`;function h(e,t,n){return[`      - name: ${t}`,`        id: rookery`,`        uses: ${f(e)}`,...n.length===0?[]:[`        with:`,...n.map(e=>`          ${e}`)]].join(`
`)}const g=`      - name: Keep journals, audit and report
        if: ${p(`!cancelled() && steps.rookery.outputs.journals != ''`)}
        uses: actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2
        with:
          name: rookery-run-${p(`github.run_id`)}-${p(`github.run_attempt`)}
          path: |
            ${p(`runner.temp`)}/rookery/sessions
            ${p(`runner.temp`)}/rookery/audit
            ${p(`runner.temp`)}/rookery/reports
          if-no-files-found: ignore
          retention-days: 14`,_=`anthropic-api-key: ${p(`secrets.ANTHROPIC_API_KEY`)} # without it, the offline analyst reviews at no cost`,v=`[opened, reopened, ready_for_review, synchronize]`,y=`github.event.pull_request.head.repo.full_name != github.repository`,b=p(`github.event.pull_request.number`);function x(e){return`# Reviews pull requests from branches of this repository. Those from forks get no secrets and a token that only
# reads: rookery-forks.yml is theirs. Review and commands have one name, because the summary comment belongs to it.
name: Rookery
run-name: "Review of #${b}"

on:
  pull_request:
    types: ${v}

permissions: {}

concurrency:
  group: rookery-review-${b}
  cancel-in-progress: true # a newer push makes the older review pointless

jobs:
  review:
    name: Review
    if: ${y.replace(`!=`,`==`)}
    runs-on: ubuntu-latest
    timeout-minutes: 20
    permissions:
      contents: read # to read the code
      pull-requests: write # for the review and the summary comment
      checks: write # for the check run with annotations
    steps:
${m}
${h(e,`Review`,[_])}
${g}
`}function S(e){return`# Answers commands in comments, such as /review, /explore QUESTION or /help. Who may use them is asked of the
# permission API in each run; a comment that holds no command ends without a word.
name: Rookery
run-name: "Comment on #${p(`github.event.issue.number || github.event.pull_request.number`)}"

on:
  # No code of a pull request is checked out or run with this token, and roles are asked for before anything else.
  issue_comment: # zizmor: ignore[dangerous-triggers]
    types: [created, edited]
  pull_request_review_comment:
    types: [created]

permissions: {}

concurrency:
  group: rookery-command-${p(`github.event.comment.id`)} # one run a comment; others are not held up
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
      contents: read # to read the code; /trust needs write to propose its file
      pull-requests: write # for reviews, replies and reactions
      issues: write # for replies and reactions on issues
      checks: write # for the check run of /review
      actions: read # /continue, /session and /audit read the artifacts of earlier runs
    steps:
${m}
${h(e,`Carry the command out`,[_])}
${g}
`}function C(e){return`# Runs a maintenance job that is named under "maintenance" in .rookery/settings.json. Its fixes come as one pull request
# from a branch of its own, never as a push to the default branch. Code is only run behind the walls of the sandbox, which
# has no network and sees no secret.
name: Rookery maintenance
run-name: "Maintenance: ${p(`inputs.job || github.event.schedule`)}"

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
  group: rookery-maintenance-${p(`inputs.job || 'scheduled'`)}
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
${m}
${h(e,`Run the job`,[`job: ${p(`inputs.job || ''`)}`,`setup-sandbox: true # nothing is run or written without one`,_])}
${g}
`}function w(e){return`# Reviews pull requests from forks with the offline analyst, which needs no key. The result stands in the job's summary,
# since the token of such a run may not comment. For a full review, somebody with write access comments /review.
name: Rookery forks
run-name: "Review of #${b} from a fork"

on:
  pull_request:
    types: ${v}

permissions: {}

concurrency:
  group: rookery-forks-${b}
  cancel-in-progress: true

jobs:
  review:
    name: Review without secrets
    if: ${y}
    runs-on: ubuntu-latest
    timeout-minutes: 20
    permissions:
      contents: read # to read the code
      pull-requests: read # to read the pull request
    steps:
${m}
${h(e,`Review`,[`provider: offline`,`publish: summary`])}
`}const T={".github/workflows/rookery-review.yml":x,".github/workflows/rookery-commands.yml":S,".github/workflows/rookery-maintenance.yml":C,".github/workflows/rookery-forks.yml":w,".rookery/settings.json":d};async function E(e){if((await r(e.folder).catch(()=>void 0))?.isDirectory()!==!0)throw new c(`option --dir: found ${e.folder}, wanted the top folder of a repository`);let t=e.action===void 0?await A(e.bundleFolder):k(e.action),n=[];for(let[r,i]of Object.entries(T)){let o=await O(a.join(e.folder,r),i(t),e.force);o===`kept`&&n.push(r),e.write(`${o.padEnd(9)} ${r}`)}return n.length>0?e.write(`\n${n.length===1?`One file differs and was`:`${n.length} files differ and were`} left as found; --force overwrites.`):e.write(D),+(n.length>0)}const D=`
Next:
  1. Put a key into the repository's Actions secrets as ANTHROPIC_API_KEY, or do without: then the offline analyst reviews.
  2. Commit these files to the default branch; comments and settings count from there.
  3. Check the set-up with: rookery doctor`;async function O(e,r,o){try{await t(a.dirname(e),{recursive:!0});let s=await n(e,`utf8`).catch(e=>{if(!(e instanceof Error&&`code`in e&&e.code===`ENOENT`))throw e});return s===r?`unchanged`:s!==void 0&&!o?`kept`:(await i(e,r,{flag:o?`w`:`wx`}),s===void 0?`written`:`replaced`)}catch(t){throw new c(`${e}: cannot be written: ${s(t)}`,{cause:t})}}function k(e){let[,t=``,n=``]=/^([A-Za-z0-9][A-Za-z0-9-]{0,38}\/[A-Za-z0-9._-]{1,100})@(.+)$/.exec(e)??[];if(!l(n))throw new c(`option --action: found ${JSON.stringify(e.slice(0,120))}, wanted owner/name@<full commit SHA of 40 hex digits>`);return{repository:t,sha:n,version:u}}async function A(t){let n=async(...n)=>{try{let{stdout:r}=await o(e)(`git`,[`-C`,t,...n],{encoding:`utf8`,timeout:1e4});return r.trim()}catch{return}},r=await n(`rev-parse`,`--verify`,`HEAD^{commit}`);if(r===void 0||!l(r))throw new c(`option --action: this program runs from no clone whose commit could be pinned; wanted --action owner/name@<full commit SHA>`);let i=await n(`remote`,`get-url`,`origin`)??``;return{repository:/github\.com[/:]([A-Za-z0-9-]+\/[A-Za-z0-9._-]+?)(?:\.git)?\/?$/.exec(i)?.[1]??`rookery/rookery`,sha:r,version:u}}export{E as runInit};