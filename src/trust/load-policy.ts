import { UserError } from "../domain/errors.ts";
import type { Sha } from "../domain/ids.ts";
import type { TeamPolicy } from "../domain/team-policy.ts";
import type { RepositoryReader } from "../seams.ts";
import { mergePolicies } from "./merge-policies.ts";
import { parsePolicyFile } from "./policy-file.ts";
import { readTrustedFile } from "./read-trusted-file.ts";

const POLICY_PATH = ".rookery/policy.json";

/**
 * The policy in force: the repository's at the trusted ref and the managed ones, merged. What the head says about
 * policy is never read here (S-108, A32). Throws a UserError with `E_POLICY` when any of them is broken.
 * @param options.managed text of the organisation's policy and of the `policy` input, with the name to show
 */
export async function loadPolicy(options: {
	readonly reader: RepositoryReader;
	readonly trusted: Sha;
	readonly managed?: readonly { readonly source: string; readonly text: string }[];
}): Promise<TeamPolicy> {
	const policies = (options.managed ?? []).map(({ source, text }) => ({ source, file: parsePolicyFile(text, source) }));
	const found = await readTrustedFile(options.reader, options.trusted, POLICY_PATH);
	if (found.kind === "link") {
		throw new UserError(`${POLICY_PATH}: found a symbolic link to ${JSON.stringify(found.target.slice(0, 80))}, wanted a file`, {
			code: "E_POLICY",
		});
	}
	if (found.kind === "file") policies.push({ source: POLICY_PATH, file: parsePolicyFile(found.bytes.toString("utf8"), POLICY_PATH) });
	return mergePolicies(policies);
}
