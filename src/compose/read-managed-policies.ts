import { UserError } from "../domain/errors.ts";
import type { Sha } from "../domain/ids.ts";
import type { Inputs } from "../intake/inputs.ts";
import type { RepositoryReader } from "../seams.ts";

/**
 * The further policy file that the workflow names, as it stands on the trusted ref. Throws `E_POLICY` when it is not
 * there: a policy that somebody asked for and that is not read would be no policy (S-108).
 */
export async function readManagedPolicies(
	inputs: Pick<Inputs, "policy">,
	reader: Pick<RepositoryReader, "readFile">,
	trusted: Sha,
): Promise<readonly { readonly source: string; readonly text: string }[]> {
	if (inputs.policy === undefined) return [];
	const bytes = await reader.readFile(trusted, inputs.policy);
	if (bytes === undefined) {
		throw new UserError(`input policy: ${inputs.policy} does not exist at ${trusted.slice(0, 12)}; wanted a file on the base branch`, {
			code: "E_POLICY",
		});
	}
	return [{ source: `${inputs.policy} (input policy)`, text: bytes.toString("utf8") }];
}
