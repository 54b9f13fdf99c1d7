import { UserError } from "../domain/errors.ts";
import type { Sha } from "../domain/ids.ts";
import type { OpenedRun } from "./open-run.ts";

/** Sees to it that the default branch's commit is in the clone. Throws a UserError when it cannot be had. */
export async function needCommit(sha: Sha, run: Pick<OpenedRun, "seams">): Promise<void> {
	const { history } = run.seams;
	if (await history.commitExists(sha)) return;
	const fetched = await history.fetchCommit(sha);
	if (fetched.ok) return;
	throw new UserError(`the default branch's commit ${sha} is not in this clone (${fetched.reason}); check it out with actions/checkout`);
}
