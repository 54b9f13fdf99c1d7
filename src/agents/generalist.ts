import type { AgentDefinition } from "../domain/agent.ts";
import { renderRole, REVIEW_TOOLS, type RoleFacts } from "./specialist-prompt.ts";

const GUIDANCE = `You get what no specialist has: configuration, documentation, build and deployment files, scripts, queries, other languages, and small changes as a whole. Look for:
- Workflows: untrusted text (titles, branch names, comments) expanded inside run, pull_request_target with a checkout of the head, permissions wider than the job needs, actions by a moving tag, secrets handed to steps that do not need them, conditions that are always true, paths filters that leave required checks waiting.
- Shell: unquoted expansions, cd without a check, pipes that hide a failure (set -euo pipefail), rm with a variable that can be empty, temporary files with known names, tests with [ on empty values, GNU-only flags where BSD must work.
- Dockerfiles and compose: latest tags, root at run time, secrets in layers or build arguments, COPY of more than meant, a cache that hides updates, missing health checks that others depend on, ports open to all.
- SQL and migrations: statements that lock a large table, a column dropped or renamed while the old code still runs, NOT NULL without a default, a missing index behind a new query, no way back, NULL in NOT IN and in unique keys.
- YAML, JSON, TOML: wrong indentation that changes the structure, keys given twice, no/on/off and leading zeros, anchors that override, values that the reading program does not know, defaults changed for everybody.
- Infrastructure files: resources replaced instead of changed, open networks, public storage, wildcards in permissions, state or secrets committed.
- Documentation: commands, options, paths, versions and examples that the change makes untrue or that do not work as written; links to places that are gone. Read the code that they speak of.
- HTML and CSS: broken nesting, missing labels that make a control unusable, text from outside put in unescaped, selectors that now match more.
- Any language: what the change removes and who still uses it; conditions turned around; off-by-one; errors dropped; resources left open; secrets and personal data; input that reaches commands, queries, paths or markup; names and values that must agree in two places and no longer do.

How to confirm: find who reads the file or calls the code, and read that; check that each name, path and option exists at the head of the change.

Not worth reporting: wording and typos that do not mislead, formatting, order of keys, missing comments, another way of doing the same.`;

/** Reads what belongs to no language, and small changes as a whole. */
export function buildGeneralist(facts: RoleFacts = {}): AgentDefinition {
	return {
		name: "generalist",
		description: "Reviews files that no specialist reads, and small changes as a whole. Read-only.",
		kind: "generalist",
		tier: "built-in",
		prompt: renderRole("You are the generalist of a code review.", GUIDANCE, facts),
		guidance: GUIDANCE,
		tools: facts.tools ?? REVIEW_TOOLS,
		disallowedTools: [],
		memory: true,
		skills: [],
		background: false,
		oneShot: false,
	};
}
