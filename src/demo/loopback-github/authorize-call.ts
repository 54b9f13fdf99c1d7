import type { OperationId } from "./contract-operations.ts";
import type { Viewer } from "./handler.ts";
import { HttpProblem, type ScopeAccess, type TokenPermissions, type TokenScope } from "./loopback-types.ts";
import type { LoopbackState, RepositoryRecord } from "./loopback-state.ts";

/** Reads the token out of `Authorization: token …`, `Bearer …` or `Basic base64(user:token)`. */
function readToken(header: string | undefined): string | undefined {
	const [scheme, value] = (header ?? "").split(" ", 2);
	if (scheme === undefined || value === undefined) return undefined;
	if (/^(token|bearer)$/i.test(scheme)) return value;
	if (!/^basic$/i.test(scheme)) return undefined;
	const decoded = Buffer.from(value, "base64").toString("utf8");
	return decoded.slice(decoded.indexOf(":") + 1);
}

/** The token's record; null without a token. An unknown token is refused, never taken for a guest. */
export function identifyViewer(state: LoopbackState, header: string | undefined): Viewer {
	if (header === undefined || header === "") return null;
	const record = state.tokens.get(readToken(header) ?? "");
	if (record === undefined) throw new HttpProblem(401, { message: "Bad credentials" });
	return record;
}

export function scopeAccess(permissions: TokenPermissions, scope: TokenScope): ScopeAccess {
	if (permissions === "admin") return "write";
	if (permissions === "write") return scope === "workflows" ? "none" : "write";
	if (permissions === "read") return "read";
	return permissions[scope] ?? (scope === "metadata" ? "read" : "none");
}

/** The scopes of which one is enough: comments on a pull request need `issues` or `pull-requests`. */
function scopesOf(operation: OperationId): readonly TokenScope[] {
	const [area, name] = operation.split("/") as [string, string];
	if (area === "pulls") return ["pull-requests"];
	if (area === "reactions") return name.includes("pull-request") ? ["pull-requests"] : ["issues", "pull-requests"];
	if (area === "issues") return ["issues", "pull-requests"];
	if (area === "checks") return ["checks"];
	if (area === "actions") return ["actions"];
	if (area === "git") return ["contents"];
	if (name.includes("status")) return ["statuses"];
	if (/content|commit|compare|branch|dispatch/.test(name)) return ["contents"];
	return ["metadata"];
}

const MESSAGES = {
	personal: "Resource not accessible by personal access token",
	workflow: "Resource not accessible by integration",
	installation: "Resource not accessible by integration",
} as const;

/**
 * Throws GitHub's no: 404 for a private repository the caller cannot see, 401 for a write without a token, 403 when
 * the token's scope is too small (the read-only token of a fork's event).
 */
export function authorizeCall(operation: OperationId, method: string, viewer: Viewer, repository: RepositoryRecord | undefined): void {
	const write = method !== "GET";
	if (viewer === null) {
		if (repository?.private === true) throw new HttpProblem(404, { message: "Not Found" });
		if (write) throw new HttpProblem(401, { message: "Requires authentication" });
		return;
	}
	const refused = new HttpProblem(403, { message: MESSAGES[viewer.kind] });
	if (operation === "repos/get-branch-protection" && viewer.permissions !== "admin") throw refused;
	const best = scopesOf(operation).map((scope) => scopeAccess(viewer.permissions, scope));
	if (write && !best.includes("write")) throw refused;
	if (!write && repository?.private === true && best.every((access) => access === "none")) throw refused;
}
