import type { Publication, PublicationResult } from "../domain/publication.ts";
import type { HostPullRequest, WriteResult } from "../seams.ts";
import type { ApplyContext } from "./apply-context.ts";
import { isOurs } from "./marker.ts";
import { cutBalanced, MAX_BODY_CHARS } from "./size-packing.ts";
import { writeWithPatience } from "./write-with-patience.ts";

type Proposal = Extract<Publication, { kind: "pull-request" }>;
type Written = WriteResult<{ readonly id: number; readonly url: string }>;

/**
 * Leaves exactly one open pull request of the branch: ours is brought up to date in place, none means a new one. One
 * that a person has opened from the branch is left as it is. Looked up right before the write.
 */
export async function applyPullRequest(proposal: Proposal, context: ApplyContext): Promise<PublicationResult> {
	const whole = context.redact(proposal.body.startsWith(proposal.marker) ? proposal.body : `${proposal.marker}\n${proposal.body}`);
	const body = cutBalanced(whole, { limit: MAX_BODY_CHARS, elsewhere: "in the job summary" });
	const wanted = { ...proposal, body, title: context.redact(proposal.title) };
	const standing = await findOpen(proposal, context);
	if (standing === "unknown") return failed("the pull requests of the branch could not be listed");
	if (standing === undefined) return open(wanted, context);
	if (!isOurs(standing, context.identity)) {
		return {
			kind: "pull-request",
			state: "skipped",
			detail: `#${standing.number} was opened by ${standing.author.login}`,
			url: standing.url,
		};
	}
	return update(standing, wanted, context);
}

async function findOpen(proposal: Proposal, context: ApplyContext): Promise<HostPullRequest | undefined | "unknown"> {
	try {
		const found = await context.reader.pullRequestsOf(proposal.branch);
		return found.find((each) => each.state === "open" && each.base === proposal.base);
	} catch {
		return "unknown";
	}
}

async function open(proposal: Proposal, context: ApplyContext): Promise<PublicationResult> {
	const write = (): Promise<Written> => writeWithPatience(() => context.writer.createPullRequest(proposal), context);
	let result = await write();
	if (!result.ok && result.reason === "uncertain") {
		// It may be there all the same: looked up before anything is repeated (BR-45).
		const made = await findOpen(proposal, context);
		if (made === "unknown") return failed(result.message);
		result = made === undefined ? await write() : { ok: true, value: { id: made.number, url: made.url } };
	}
	if (!result.ok) return refused(result);
	const detail = await label(result.value.id, proposal.labels, context);
	return { kind: "pull-request", state: "created", detail, url: result.value.url };
}

async function update(standing: HostPullRequest, proposal: Proposal, context: ApplyContext): Promise<PublicationResult> {
	const missing = proposal.labels.filter((name) => !standing.labels.some((each) => each.toLowerCase() === name.toLowerCase()));
	const detail = await label(standing.number, missing, context);
	if (standing.body === proposal.body && standing.title === proposal.title) {
		return { kind: "pull-request", state: "unchanged", detail, url: standing.url };
	}
	const write = (): Promise<Written> => writeWithPatience(() => context.writer.updatePullRequest(standing.number, proposal), context);
	let result = await write();
	// Setting the same text twice is the same as once.
	if (!result.ok && result.reason === "uncertain") result = await write();
	if (!result.ok) return refused(result);
	return { kind: "pull-request", state: "updated", detail, url: result.value.url };
}

/** Gives what went wrong, or an empty text: labels are never worth a failed run. */
async function label(number: number, labels: readonly string[], context: ApplyContext): Promise<string> {
	if (labels.length === 0) return "";
	const result = await writeWithPatience(() => context.writer.addLabels(number, labels), context);
	return result.ok ? "" : `the labels were not set: ${result.message}`;
}

function failed(detail: string): PublicationResult {
	return { kind: "pull-request", state: "failed", detail };
}

/** GitHub answers 403 also where the repository does not let workflows open pull requests. */
function refused(result: Extract<Written, { ok: false }>): PublicationResult {
	if (result.reason !== "not-permitted") return failed(`the pull request was not written: ${result.message}`);
	const detail =
		"this token may not open pull requests: it needs pull-requests: write, and the repository setting 'Allow GitHub Actions to create and approve pull requests'";
	return { kind: "pull-request", state: "degraded", detail };
}
