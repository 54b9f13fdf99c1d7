import { created, ok, pageOf, requireBodyLength, textOf, validationFailed } from "./answer.ts";
import { type Call, type HandlerTable, loginOf, pullOf, repositoryOf } from "./handler.ts";
import { type Answer, HttpProblem } from "./loopback-types.ts";
import { isPull, type PullIssue, type RepositoryRecord } from "./loopback-state.ts";
import { openPull } from "./open-issue.ts";
import { listCommits, readBranch } from "./read-commits.ts";
import { readDiffText, readPatchText } from "./read-diff.ts";
import { pullFiles, pullMergeBase, refreshPull } from "./refresh-pull.ts";
import { renderCommit, renderDiffFile } from "./render-commit.ts";
import { renderPull, renderPullSimple } from "./render-pull.ts";

const DIFF_FILES = 300;
const DIFF_LINES = 20_000;
const LISTED_FILES = 3_000;
const LISTED_COMMITS = 250;

function tooLarge(what: string): HttpProblem {
	return new HttpProblem(406, {
		message: `Sorry, the diff exceeded the maximum number of ${what}. Consider using 'List pull requests files' API or locally cloning the repository instead.`,
		errors: [{ resource: "PullRequest", field: "diff", code: "too_large" }],
	});
}

/** The diff or patch media type; refused above 300 files or 20,000 lines (BR-11, R28). */
async function diffAnswer(call: Call, repository: RepositoryRecord, issue: PullIssue): Promise<Answer> {
	const files = await pullFiles(repository, issue);
	if (files.length > DIFF_FILES) throw tooLarge(`files (${DIFF_FILES})`);
	const mergeBase = await pullMergeBase(repository, issue);
	const read = call.media === "diff" ? readDiffText : readPatchText;
	const bytes = await read(repository.bare, mergeBase, issue.pull.head.sha);
	if (bytes.filter((byte) => byte === 10).length > DIFF_LINES) throw tooLarge(`lines (${DIFF_LINES})`);
	return { status: 200, bytes, headers: { "content-type": `application/vnd.github.v3.${call.media}; charset=utf-8` } };
}

async function listedPulls(call: Call): Promise<PullIssue[]> {
	const repository = repositoryOf(call);
	const wanted = call.query["state"] ?? "open";
	const { head, base } = call.query;
	const pulls = [...repository.issues.values()].filter(isPull).filter((issue) => {
		if (wanted !== "all" && issue.state !== wanted) return false;
		if (base !== undefined && issue.pull.base.ref !== base) return false;
		return head === undefined || head === `${issue.pull.head.owner}:${issue.pull.head.ref}`;
	});
	for (const issue of pulls) await refreshPull(call.state, repository, issue);
	return call.query["direction"] === "asc" ? pulls : pulls.reverse();
}

export const PULL_HANDLERS: HandlerTable = {
	"pulls/get": async (call) => {
		const { repository, issue } = await pullOf(call);
		if (call.media === "diff" || call.media === "patch") return diffAnswer(call, repository, issue);
		return ok(await renderPull(call.state, repository, issue));
	},
	"pulls/list": async (call) => {
		const repository = repositoryOf(call);
		const page = pageOf(await listedPulls(call), call);
		return ok(
			page.items.map((issue) => renderPullSimple(call.state, repository, issue)),
			page.headers,
		);
	},
	"pulls/create": async (call) => {
		const repository = repositoryOf(call);
		requireBodyLength("PullRequest", textOf(call.body, "body"));
		const [owner, branch] = String(call.body["head"]).includes(":")
			? String(call.body["head"]).split(":", 2)
			: [repository.owner, String(call.body["head"])];
		const network = [...call.state.repositories.values()].find(
			(candidate) =>
				candidate.owner === owner &&
				(candidate === repository || candidate.parent === `${repository.owner}/${repository.name}`.toLowerCase()),
		);
		const issue = await openPull(call.state, repository, {
			title: String(call.body["title"] ?? branch),
			body: textOf(call.body, "body") ?? null,
			author: loginOf(call),
			base: String(call.body["base"]),
			head: branch ?? "",
			headRepository: network === undefined ? `${owner}/${repository.name}` : `${network.owner}/${network.name}`,
			draft: call.body["draft"] === true,
		});
		return created(await renderPull(call.state, repository, issue));
	},
	"pulls/update": async (call) => {
		const { repository, issue } = await pullOf(call);
		requireBodyLength("PullRequest", textOf(call.body, "body"));
		const state = textOf(call.body, "state");
		const base = textOf(call.body, "base");
		if (base !== undefined && (await readBranch(repository.bare, base)) === undefined) {
			throw validationFailed("PullRequest", "base", "invalid");
		}
		issue.pull.base.ref = base ?? issue.pull.base.ref;
		issue.title = textOf(call.body, "title") ?? issue.title;
		if ("body" in call.body) issue.body = textOf(call.body, "body") ?? null;
		if (state === "open" || state === "closed") {
			issue.state = state;
			issue.closedAt = state === "closed" ? call.state.now() : null;
		}
		issue.updatedAt = call.state.now();
		return ok(await renderPull(call.state, repository, issue));
	},
	"pulls/list-files": async (call) => {
		const { repository, issue } = await pullOf(call);
		const files = (await pullFiles(repository, issue)).slice(0, LISTED_FILES);
		const page = pageOf(files, call);
		return ok(
			page.items.map((file) => renderDiffFile(call.state, repository, issue.pull.head.sha, file)),
			page.headers,
		);
	},
	"pulls/list-commits": async (call) => {
		const { repository, issue } = await pullOf(call);
		const mergeBase = await pullMergeBase(repository, issue);
		const commits = await listCommits(repository.bare, ["--reverse", `${mergeBase}..${issue.pull.head.sha}`]);
		const page = pageOf(commits.slice(0, LISTED_COMMITS), call);
		return ok(
			page.items.map((commit) => renderCommit(call.state, repository, commit)),
			page.headers,
		);
	},
	"repos/list-pull-requests-associated-with-commit": async (call) => {
		const repository = repositoryOf(call);
		const sha = call.parameters["commit_sha"] ?? "";
		const found: PullIssue[] = [];
		for (const issue of [...repository.issues.values()].filter(isPull)) {
			await refreshPull(call.state, repository, issue);
			if (issue.pull.head.sha === sha) found.push(issue);
		}
		const page = pageOf(found, call);
		return ok(
			page.items.map((issue) => renderPullSimple(call.state, repository, issue)),
			page.headers,
		);
	},
};
