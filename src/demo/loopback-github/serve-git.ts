import { spawn } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";
import { scopeAccess } from "./authorize-call.ts";
import { GIT_ENVIRONMENT } from "./git-command.ts";
import type { Viewer } from "./handler.ts";
import type { LoopbackState, RepositoryRecord } from "./loopback-state.ts";

export interface GitRoute {
	readonly repository: RepositoryRecord;
	/** Path behind `/OWNER/NAME.git`. */
	readonly rest: string;
	readonly operation: "git/upload-pack" | "git/receive-pack" | "git/dumb";
}

/** Recognises `/OWNER/NAME(.git)/info/refs`, `…/git-upload-pack` and `…/git-receive-pack`. */
export function routeGit(state: LoopbackState, path: string, service: string | null): GitRoute | undefined {
	const match = /^\/([^/]+)\/([^/]+?)(?:\.git)?(\/info\/refs|\/git-upload-pack|\/git-receive-pack|\/HEAD|\/objects\/.+)$/.exec(path);
	const repository = match === null ? undefined : state.repositories.get(`${match[1]}/${match[2]}`.toLowerCase());
	if (match === null || repository === undefined) return undefined;
	const rest = match[3] ?? "";
	const name = rest === "/info/refs" ? service : rest.slice(1);
	if (name === "git-upload-pack") return { repository, rest, operation: "git/upload-pack" };
	return { repository, rest, operation: name === "git-receive-pack" ? "git/receive-pack" : "git/dumb" };
}

/** Status and text of a refusal; undefined when the caller may go on. */
export function refuseGit(viewer: Viewer, route: GitRoute): { readonly status: 401 | 403 | 404; readonly text: string } | undefined {
	const write = route.operation === "git/receive-pack";
	if (viewer === null) {
		if (!write && !route.repository.private) return undefined;
		return { status: 401, text: "Authentication required.\n" };
	}
	const access = scopeAccess(viewer.permissions, "contents");
	if (write && access !== "write") {
		const name = `${route.repository.owner}/${route.repository.name}`;
		return { status: 403, text: `Permission to ${name}.git denied to ${viewer.login}.\n` };
	}
	if (access === "none" && route.repository.private) return { status: 404, text: "Repository not found.\n" };
	return undefined;
}

function cgiEnvironment(request: IncomingMessage, route: GitRoute, url: URL, viewer: Viewer): Record<string, string> {
	const header = (name: string): string => String(request.headers[name] ?? "");
	return {
		...GIT_ENVIRONMENT,
		GIT_PROJECT_ROOT: route.repository.bare,
		GIT_HTTP_EXPORT_ALL: "1",
		GIT_PROTOCOL: header("git-protocol"),
		GIT_CONFIG_COUNT: "2",
		GIT_CONFIG_KEY_0: "safe.directory",
		GIT_CONFIG_VALUE_0: "*",
		GIT_CONFIG_KEY_1: "gc.auto",
		GIT_CONFIG_VALUE_1: "0",
		PATH_INFO: route.rest,
		QUERY_STRING: url.search.slice(1),
		REQUEST_METHOD: request.method ?? "GET",
		CONTENT_TYPE: header("content-type"),
		HTTP_CONTENT_ENCODING: header("content-encoding"),
		REMOTE_ADDR: "127.0.0.1",
		REMOTE_USER: viewer?.login ?? "",
		LOOPBACK_WORKFLOWS: viewer !== null && scopeAccess(viewer.permissions, "workflows") === "write" ? "yes" : "no",
	};
}

/** Copies a CGI program's header block into the response and gives what follows it. */
function writeCgiHeaders(response: ServerResponse, head: string): void {
	let status = 200;
	for (const line of head.split(/\r?\n/)) {
		const colon = line.indexOf(":");
		if (colon < 0) continue;
		const [name, value] = [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
		if (name.toLowerCase() === "status") status = Number(value.slice(0, 3)) || 200;
		else response.setHeader(name, value);
	}
	response.writeHead(status);
}

function headerEnd(buffer: Buffer): { readonly at: number; readonly length: number } | undefined {
	const crlf = buffer.indexOf("\r\n\r\n");
	if (crlf >= 0) return { at: crlf, length: 4 };
	const lf = buffer.indexOf("\n\n");
	return lf < 0 ? undefined : { at: lf, length: 2 };
}

/**
 * Answers one git request with `git http-backend`. `discard` runs it all the same but keeps the answer back, for the
 * fault in which a push arrives and its answer does not. Resolves when the program has ended.
 */
export async function runHttpBackend(
	request: IncomingMessage,
	response: ServerResponse,
	route: GitRoute,
	options: { readonly url: URL; readonly viewer: Viewer; readonly discard: boolean },
): Promise<void> {
	await new Promise<void>((resolve) => {
		const child = spawn("git", ["http-backend"], {
			env: cgiEnvironment(request, route, options.url, options.viewer),
			stdio: ["pipe", "pipe", "ignore"],
		});
		let head: Buffer | undefined = Buffer.alloc(0);
		child.stdout.on("data", (chunk: Buffer) => {
			if (options.discard) return;
			if (head === undefined) {
				response.write(chunk);
				return;
			}
			head = Buffer.concat([head, chunk]);
			const end = headerEnd(head);
			if (end === undefined) return;
			writeCgiHeaders(response, head.subarray(0, end.at).toString("latin1"));
			response.write(head.subarray(end.at + end.length));
			head = undefined;
		});
		child.stdin.on("error", () => undefined);
		child.on("error", () => resolve());
		child.on("close", () => {
			if (!options.discard) {
				if (!response.headersSent) response.writeHead(500);
				response.end();
			}
			resolve();
		});
		response.on("close", () => {
			if (!response.writableEnded && !options.discard) child.kill();
		});
		request.pipe(child.stdin);
	});
}
