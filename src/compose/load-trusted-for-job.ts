import type { GitHubHost } from "../adapters/github/create-github-host.ts";
import type { Sha } from "../domain/ids.ts";
import type { Inputs } from "../intake/inputs.ts";
import type { RepositoryReader } from "../seams.ts";
import { loadTrusted, type Trusted } from "../stages/load-trusted.ts";
import { settingsOverrides } from "./action-parts.ts";
import { readFurtherAgents } from "./read-further-agents.ts";
import { readManagedPolicies } from "./read-managed-policies.ts";

/**
 * What steers a job of the action: the trusted ref, and what the workflow's inputs add to it. Throws a UserError that
 * names the input or the file for whatever was asked for and cannot be read.
 */
export async function loadTrustedForJob(
	inputs: Inputs,
	reader: RepositoryReader,
	trusted: Sha,
	host: Pick<GitHubHost, "openCommits">,
): Promise<Trusted> {
	const [managedPolicies, furtherAgents] = await Promise.all([
		readManagedPolicies(inputs, reader, trusted),
		readFurtherAgents(inputs, host.openCommits),
	]);
	return loadTrusted({
		reader,
		trusted,
		settingsPath: inputs.settings,
		overrides: settingsOverrides(inputs),
		managedPolicies,
		furtherAgents,
	});
}
