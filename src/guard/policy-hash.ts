import type { TeamPolicy } from "../domain/team-policy.ts";
import { sha256 } from "./audit-entry.ts";

/** Names a revision of the policy: SHA-256 of its content, whatever the order of its keys (S-116). */
export function hashPolicy(policy: TeamPolicy): string {
	return hashValue(policy);
}

/** SHA-256 in hex of a JSON value, whatever the order of its keys. */
export function hashValue(content: object): string {
	return sha256(
		JSON.stringify(content, (_key, value: unknown) => (isRecord(value) ? Object.fromEntries(Object.entries(value).sort(byKey)) : value)),
	);
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
	return a < b ? -1 : a > b ? 1 : 0;
}
