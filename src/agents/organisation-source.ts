import { UserError } from "../domain/errors.ts";
import { isSha, type RepositoryRef, type Sha } from "../domain/ids.ts";

/** Where the organisation keeps its agents: another repository, at one commit. */
export interface OrganisationSource {
	readonly repository: RepositoryRef;
	readonly commit: Sha;
	/** Folder of that repository; without it, its agent folders. */
	readonly folder?: string;
}

const FORM = /^([A-Za-z0-9][A-Za-z0-9-]{0,38})\/([A-Za-z0-9._-]{1,100})@([^:\s]+)(?::(.+))?$/;

/**
 * Reads the `agents-repo` input, `owner/name@<commit>` with an optional `:folder`. These agents run without a pin,
 * so the commit must be a full SHA: a branch or tag can move (S-038). Throws a UserError with `E_REF`.
 */
export function parseOrganisationSource(input: string): OrganisationSource {
	const match = FORM.exec(input.trim());
	const [, owner, name, ref, folder] = match ?? [];
	if (owner === undefined || name === undefined || ref === undefined) {
		throw new UserError(`input agents-repo: found ${JSON.stringify(input.slice(0, 120))}, wanted owner/name@<full commit SHA>[:folder]`, {
			code: "E_REF",
		});
	}
	const shownRef = JSON.stringify(ref.slice(0, 80));
	if (!isSha(ref)) {
		throw new UserError(
			`input agents-repo: found the ref ${shownRef}, wanted a full commit SHA of 40 hex digits; a branch or tag can move`,
			{ code: "E_REF" },
		);
	}
	if (folder !== undefined && (folder.startsWith("/") || folder.split("/").includes(".."))) {
		throw new UserError(`input agents-repo: found the folder ${JSON.stringify(folder.slice(0, 80))}, wanted a path inside the repository`, {
			code: "E_PATH",
		});
	}
	const trimmed = folder?.replace(/\/+$/, "");
	return { repository: { owner, name }, commit: ref, ...(trimmed ? { folder: trimmed } : {}) };
}
