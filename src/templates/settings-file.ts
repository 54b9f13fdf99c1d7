import type { ActionReference } from "./pinned-actions.ts";

/** A first `.rookery/settings.json`: every line that is not commented out says what holds anyway. */
export function renderSettingsFile(action: ActionReference): string {
	return `{
	"$schema": "https://raw.githubusercontent.com/${action.repository}/${action.sha}/schemas/settings.schema.json",

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
`;
}
