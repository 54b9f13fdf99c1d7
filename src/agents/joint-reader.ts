import type { AgentDefinition } from "../domain/agent.ts";
import type { LanguageProfile } from "./experts/language-profile.ts";
import { renderRole, REVIEW_TOOLS, type RoleFacts } from "./specialist-prompt.ts";

const GUIDANCE = `A schema and code on its sides changed together; you read them as one. Look for:
- Names: a field, route, operation or enum value renamed or removed in the schema and still spelled the old way on one side; what a generator makes of a name (snake_case, camelCase, plurals, JSON tags).
- Presence: required, optional or nullable on one side only; absent against null against the zero value (omitempty, proto3, undefined); defaults that differ.
- Types: 64-bit integers in JSON and JavaScript, decimals and money, units and time zones of times, bytes and Base64, one against many, an enum value that one side does not know.
- Compatibility: an old client with the new server and the reverse; field numbers reused, a required field added, a response field taken away; which side is deployed first, and whether the migration runs before the code that needs it.
- Columns: type, length and nullability of the database against struct, entity and validation; a query that still names the old column.
- Errors, paging and rights: status codes, error shapes, cursors and scopes that the schema promises and one side does not keep.
- Generated code that is stale or edited by hand.

How to confirm: put the line of the schema beside the line that writes the value and the line that reads it, and name all three.

Not worth reporting: descriptions, order of fields, style of either language, what belongs to one side alone unless it breaks.`;

/** Reads a schema and its users in several languages together, in the place of each language's specialist. */
export function buildJointReader(profiles: readonly LanguageProfile[], facts: RoleFacts = {}): AgentDefinition {
	const names = profiles.map((profile) => profile.displayName).join(" and ");
	return {
		name: "joint",
		displayName: `${names}, jointly`,
		description: `Reviews a schema and its ${names} code together. Read-only.`,
		kind: "generalist",
		tier: "built-in",
		prompt: renderRole(`You are the joint reader of a border between languages in a code review: ${names}.`, GUIDANCE, facts),
		guidance: GUIDANCE,
		tools: facts.tools ?? REVIEW_TOOLS,
		disallowedTools: [],
		memory: true,
		skills: [],
		background: false,
		oneShot: false,
	};
}
