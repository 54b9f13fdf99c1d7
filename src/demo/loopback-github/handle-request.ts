import type { IncomingMessage, ServerResponse } from "node:http";
import { encodeAnswer } from "./answer.ts";
import { badGateway, beforeHandling, faultAnswer, type FaultList } from "./apply-fault.ts";
import { authorizeCall, identifyViewer } from "./authorize-call.ts";
import type { Router } from "./build-router.ts";
import type { ContractChecker } from "./check-contract.ts";
import { ARTIFACT_DOWNLOADS, findJob, JOB_LOGS } from "./handle-actions.ts";
import { handlerOf } from "./handlers.ts";
import { refreshAllPulls } from "./event-payloads.ts";
import type { Call, Viewer } from "./handler.ts";
import type { LoopbackState } from "./loopback-state.ts";
import { type Answer, type FaultAction, HttpProblem, type JsonObject, type RequestRecord, type Violation } from "./loopback-types.ts";
import { type GitRoute, refuseGit, routeGit, runHttpBackend } from "./serve-git.ts";

/** What `/graphql` gets: the parsed request, who asks, and the whole state. */
export interface GraphQLRequest {
	readonly query: string;
	readonly variables: JsonObject;
	readonly operationName: string | undefined;
	readonly viewer: Viewer;
	readonly state: LoopbackState;
}

/** Gives `{data, errors?}` as GraphQL answers. */
export type GraphQLHandler = (request: GraphQLRequest) => Promise<object>;

export interface RequestServices {
	readonly state: LoopbackState;
	readonly faults: FaultList;
	readonly requests: RequestRecord[];
	readonly violations: Violation[];
	/** Loaded at the first API request; git alone never needs it. */
	readonly contract: () => Promise<{ readonly router: Router; readonly checker: ContractChecker }>;
	readonly checkResponses: boolean;
	readonly graphql: GraphQLHandler | undefined;
}

/** One request with everything read from it once. */
interface Exchange {
	readonly services: RequestServices;
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	readonly url: URL;
	readonly record: { -readonly [key in keyof RequestRecord]: RequestRecord[key] };
	readonly fault: FaultAction | undefined;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks);
}

function parseJson(bytes: Buffer): unknown {
	if (bytes.length === 0) return undefined;
	try {
		return JSON.parse(bytes.toString("utf8")) as unknown;
	} catch {
		throw new HttpProblem(400, { message: "Problems parsing JSON" });
	}
}

function safeHeaders(request: IncomingMessage): Record<string, string> {
	const entries = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
	return Object.fromEntries(entries.map(([name, value]) => [name, name === "authorization" ? (value.split(" ")[0] ?? "") : value]));
}

function mediaOf(accept: string): Call["media"] {
	const match = /application\/vnd\.github(?:\.v3)?\.(diff|patch|raw)/.exec(accept);
	return (match?.[1] as Call["media"] | undefined) ?? "json";
}

function addViolation(exchange: Exchange, kind: Violation["kind"], messages: readonly string[]): void {
	const { method, path, operation } = exchange.record;
	for (const message of messages) exchange.services.violations.push({ kind, operation, request: `${method} ${path}`, message });
}

function send(exchange: Exchange, answer: Answer): void {
	const { response, request, record } = exchange;
	if (response.destroyed) return;
	const { bytes, headers } = encodeAnswer(answer);
	const unchanged = record.method === "GET" && headers["etag"] !== undefined && request.headers["if-none-match"] === headers["etag"];
	record.status = unchanged ? 304 : answer.status;
	record.durationMs = Date.now() - record.startedAt;
	response.writeHead(record.status, {
		"x-github-request-id": `LOOP:${record.sequence}`,
		"x-github-media-type": "github.v3; format=json",
		"x-ratelimit-limit": "5000",
		"x-ratelimit-remaining": String(Math.max(5000 - record.sequence, 0)),
		"x-ratelimit-used": String(record.sequence),
		"x-ratelimit-reset": String(Math.floor(Date.now() / 1000) + 3600),
		"x-ratelimit-resource": "core",
		...headers,
		...(unchanged || answer.status === 204 ? {} : { "content-length": String(bytes.length) }),
	});
	response.end(unchanged || record.method === "HEAD" ? undefined : bytes);
}

/** Routes, checks, authorizes and runs one API call; every refusal comes back as an answer. */
async function answerApi(exchange: Exchange, path: string): Promise<Answer> {
	const { services, record, request } = exchange;
	const { router, checker } = await services.contract();
	const route = router(record.method, path);
	const rawBody = parseJson(await readBody(request));
	record.body = rawBody;
	const viewer = identifyViewer(services.state, request.headers.authorization);
	record.login = viewer?.login ?? null;
	if (route === undefined) {
		addViolation(exchange, "route", [`no operation of the contract answers ${record.method} ${path}`]);
		throw new HttpProblem(404, { message: "Not Found" }, { "x-contract-violation": "no such operation" });
	}
	const { operation, parameters } = route;
	record.operation = operation.id;
	const wrong = checker.checkRequest(operation, { parameters, query: record.query, body: rawBody });
	if (wrong.length > 0) {
		addViolation(exchange, "request", wrong);
		throw new HttpProblem(
			422,
			{ message: `Invalid request.\n\n${wrong.join("\n")}` },
			{ "x-contract-violation": wrong.join("; ").replace(/[^\x20-\x7e]/g, "?") },
		);
	}
	const fullName = `${parameters["owner"] ?? ""}/${parameters["repo"] ?? ""}`.toLowerCase();
	authorizeCall(operation.id, record.method, viewer, services.state.repositories.get(fullName));
	const handler = handlerOf(operation.id);
	if (handler === undefined) throw new HttpProblem(501, { message: `${operation.id} has no handler` });
	const answer = await handler({
		state: services.state,
		viewer,
		operation: operation.id,
		parameters,
		query: record.query,
		body: typeof rawBody === "object" && rawBody !== null && !Array.isArray(rawBody) ? (rawBody as JsonObject) : {},
		rawBody,
		url: `${services.state.apiUrl}${path}`,
		media: mediaOf(request.headers.accept ?? ""),
	});
	if (services.checkResponses && answer.bytes === undefined) {
		const body = answer.body === undefined ? null : (JSON.parse(JSON.stringify(answer.body)) as unknown);
		addViolation(exchange, "response", checker.checkResponse(operation, answer.status, body));
	}
	return answer;
}

async function answerGraphQL(exchange: Exchange): Promise<Answer> {
	const { services, record, request } = exchange;
	const body = parseJson(await readBody(request)) as JsonObject | undefined;
	record.body = body;
	record.operation = "graphql";
	const viewer = identifyViewer(services.state, request.headers.authorization);
	record.login = viewer?.login ?? null;
	if (viewer === null) throw new HttpProblem(401, { message: "This endpoint requires you to be authenticated." });
	if (services.graphql === undefined) throw new HttpProblem(404, { message: "Not Found" });
	const answer = await services.graphql({
		query: String(body?.["query"] ?? ""),
		variables: (body?.["variables"] ?? {}) as JsonObject,
		operationName: typeof body?.["operationName"] === "string" ? body["operationName"] : undefined,
		viewer,
		state: services.state,
	});
	return { status: 200, body: answer };
}

/** The caller of a git request; undefined for an unknown token. */
function identifyGitViewer({ services, request }: Exchange): Viewer | undefined {
	try {
		return identifyViewer(services.state, request.headers.authorization);
	} catch {
		return undefined;
	}
}

async function serveGit(exchange: Exchange, route: GitRoute): Promise<void> {
	const { services, record, request, response, url, fault } = exchange;
	record.operation = route.operation;
	const headers = { "content-type": "text/plain", "www-authenticate": 'Basic realm="GitHub"' };
	const viewer = identifyGitViewer(exchange);
	if (viewer === undefined) {
		send(exchange, { status: 401, bytes: Buffer.from("Invalid username or token.\n"), headers });
		return;
	}
	record.login = viewer?.login ?? null;
	const refusal = refuseGit(viewer, route);
	if (refusal !== undefined) {
		send(exchange, { status: refusal.status, bytes: Buffer.from(refusal.text), headers });
		return;
	}
	const discard = fault?.kind === "applied-then-502" || fault?.kind === "applied-then-cut";
	const run = (): Promise<void> => runHttpBackend(request, response, route, { url, viewer, discard });
	if (route.operation !== "git/receive-pack" || record.method !== "POST") await run();
	else {
		await services.state.withLock(route.repository, run);
		await refreshAllPulls(services.state, route.repository);
	}
	record.status = response.statusCode;
	if (fault?.kind === "applied-then-502") send(exchange, badGateway());
	if (fault?.kind === "applied-then-cut") response.destroy();
}

function artifactBytes(state: LoopbackState, path: string): Answer {
	const id = Number(path.slice(ARTIFACT_DOWNLOADS.length));
	for (const repository of state.repositories.values()) {
		const artifact = repository.artifacts.find((candidate) => candidate.id === id);
		if (artifact !== undefined) return { status: 200, bytes: artifact.zip, headers: { "content-type": "application/zip" } };
	}
	return { status: 404, body: { message: "Not Found" } };
}

function logBytes(state: LoopbackState, path: string): Answer {
	const id = Number(path.slice(JOB_LOGS.length));
	const job = [...state.repositories.values()].map((repository) => findJob(repository, id)).find((found) => found !== undefined);
	if (job === undefined) return { status: 404, body: { message: "Not Found" } };
	return { status: 200, bytes: Buffer.from(job.log), headers: { "content-type": "text/plain; charset=utf-8" } };
}

function problemAnswer(error: unknown): Answer {
	if (error instanceof HttpProblem) return error.answer;
	return { status: 500, body: { message: `loopback failure: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}` } };
}

async function dispatch(exchange: Exchange): Promise<void> {
	const { services, record, url, fault, response } = exchange;
	if (fault !== undefined) {
		const instead = faultAnswer(fault);
		if (instead !== undefined) {
			send(exchange, instead);
			return;
		}
		if (await beforeHandling(fault, record)) {
			response.destroy();
			return;
		}
	}
	const gitRoute = routeGit(services.state, url.pathname, url.searchParams.get("service"));
	if (gitRoute !== undefined) {
		await serveGit(exchange, gitRoute);
		return;
	}
	const answer = await answerOf(exchange).catch(problemAnswer);
	if (fault?.kind === "applied-then-cut") response.destroy();
	else send(exchange, fault?.kind === "applied-then-502" ? badGateway() : answer);
}

async function answerOf(exchange: Exchange): Promise<Answer> {
	const { pathname } = exchange.url;
	if (pathname.startsWith(ARTIFACT_DOWNLOADS)) return artifactBytes(exchange.services.state, pathname);
	if (pathname.startsWith(JOB_LOGS)) return logBytes(exchange.services.state, pathname);
	if (pathname === "/graphql" || pathname === "/api/graphql") return answerGraphQL(exchange);
	return answerApi(exchange, pathname);
}

/** Answers one HTTP request and records it; never rejects. */
export async function handleRequest(services: RequestServices, request: IncomingMessage, response: ServerResponse): Promise<void> {
	const startedAt = Date.now();
	const url = new URL(request.url ?? "/", services.state.serverUrl);
	const method = request.method ?? "GET";
	const record = {
		sequence: services.requests.length + 1,
		method,
		path: url.pathname,
		operation: null,
		query: Object.fromEntries(url.searchParams),
		headers: safeHeaders(request),
		body: undefined,
		login: null,
		status: 0,
		durationMs: 0,
		startedAt,
	};
	services.requests.push(record);
	const exchange: Exchange = { services, request, response, url, record, fault: services.faults.take(method, url.pathname) };
	try {
		await dispatch(exchange);
	} catch (error) {
		if (!response.headersSent) send(exchange, problemAnswer(error));
		else response.destroy();
	} finally {
		record.durationMs = Date.now() - startedAt;
		// A body nobody read would keep the connection from being used again.
		request.resume();
	}
}
