/** GitHub's repository roles, least first; the index is the rank. */
export const ROLES = ["none", "read", "triage", "write", "maintain", "admin"] as const;

export type Role = (typeof ROLES)[number];

/**
 * The role in an answer of the collaborator-permission endpoint: `role_name` first; a custom role is decided by
 * `permission`; anything else is no right at all (BR-31). The legacy `permission` alone shows triage as read and
 * maintain as write, which is why it comes second.
 */
export function readRole(answer: { readonly role_name?: unknown; readonly permission?: unknown }): Role {
	return toRole(answer.role_name) ?? toRole(answer.permission) ?? "none";
}

/** A role by its name; undefined for a custom role's name and for everything that is no text. */
export function toRole(name: unknown): Role | undefined {
	return ROLES.find((role) => role === name);
}

/** True when `role` is at least `minimum`. */
export function hasRole(role: Role, minimum: Role): boolean {
	return ROLES.indexOf(role) >= ROLES.indexOf(minimum);
}
