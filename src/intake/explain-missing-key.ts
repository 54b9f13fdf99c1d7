import { foldLogin } from "./same-login.ts";

/**
 * Why a workflow that names a provider has no key in this run, and where the key must be put; said before any work,
 * so that it is a neutral end and no red check (BR-29).
 */
export function explainMissingKey(facts: {
	readonly provider: string;
	readonly event: string;
	readonly actor: string;
	readonly fork: boolean;
}): string {
	const start = `the provider ${facts.provider} is not configured for this run: the input anthropic-api-key is empty`;
	if (facts.fork && facts.event === "pull_request") {
		return `E_FORK: ${start}, since pull requests from forks get no secrets; somebody with write access can start a review with the comment /review, or leave the provider empty to let the offline analyst review them`;
	}
	if (foldLogin(facts.actor) === "dependabot")
		return `${start}; runs started by Dependabot read the repository's Dependabot secrets, so the key must be there, too`;
	return `${start}; put the key into the repository's Actions secrets and hand it over in the workflow`;
}
