import { createHash } from "node:crypto";
import { type Answer, HttpProblem, type JsonObject } from "./loopback-types.ts";

export function ok(body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
	return { status: 200, body, headers };
}

export function created(body: unknown): Answer {
	return { status: 201, body };
}

export function noContent(): Answer {
	return { status: 204 };
}

export function notFound(): HttpProblem {
	return new HttpProblem(404, { message: "Not Found" });
}

/** `Validation Failed` with GitHub's error objects. */
export function validationFailed(resource: string, field: string, code: string, message?: string): HttpProblem {
	return new HttpProblem(422, {
		message: "Validation Failed",
		errors: [{ resource, code, field, ...(message === undefined ? {} : { message }) }],
	});
}

/** `Unprocessable Entity` with error strings, as reviews answer. */
export function unprocessable(...errors: readonly string[]): HttpProblem {
	return new HttpProblem(422, { message: "Unprocessable Entity", errors });
}

/** GitHub's limit for issue comments, review bodies, review comments and pull request bodies (BR-43). */
const BODY_CHARACTERS = 65_536;

/** Refuses a body that is too long, counted in UTF-16 units: never more generous than GitHub. */
export function requireBodyLength(resource: string, body: string | null | undefined): void {
	if (typeof body === "string" && body.length > BODY_CHARACTERS) {
		const message = `Body is too long (maximum is ${BODY_CHARACTERS} characters)`;
		throw validationFailed(resource, "data", "unprocessable", message);
	}
}

export interface PageRequest {
	/** Absolute URL of the request without its query. */
	readonly url: string;
	readonly query: Readonly<Record<string, string>>;
}

/** One page of a list with its `Link` header; `per_page` above 100 counts as 100. */
export function pageOf<T>(
	items: readonly T[],
	request: PageRequest,
): { readonly items: readonly T[]; readonly headers: Record<string, string> } {
	const size = Math.min(Math.max(Number(request.query["per_page"] ?? "30") || 30, 1), 100);
	const page = Math.max(Number(request.query["page"] ?? "1") || 1, 1);
	const last = Math.max(Math.ceil(items.length / size), 1);
	const link = (to: number, relation: string): string => {
		const query = new URLSearchParams({ ...request.query, page: String(to) });
		return `<${request.url}?${query.toString()}>; rel="${relation}"`;
	};
	const links = [
		...(page > 1 ? [link(page - 1, "prev")] : []),
		...(page < last ? [link(page + 1, "next"), link(last, "last")] : []),
		...(page > 1 ? [link(1, "first")] : []),
	];
	const headers: Record<string, string> = links.length === 0 ? {} : { link: links.join(", ") };
	return { items: items.slice((page - 1) * size, page * size), headers };
}

/** Turns an answer's JSON into bytes with a weak entity tag for reads. */
export function encodeAnswer(answer: Answer): { readonly bytes: Buffer; readonly headers: Record<string, string> } {
	const headers: Record<string, string> = { ...answer.headers };
	if (answer.bytes !== undefined) return { bytes: answer.bytes, headers };
	if (answer.body === undefined) return { bytes: Buffer.alloc(0), headers };
	const bytes = Buffer.from(JSON.stringify(answer.body));
	headers["content-type"] ??= "application/json; charset=utf-8";
	if (answer.status === 200) headers["etag"] ??= `W/"${createHash("sha256").update(bytes).digest("hex")}"`;
	return { bytes, headers };
}

export function textOf(body: JsonObject, key: string): string | undefined {
	const value = body[key];
	return typeof value === "string" ? value : undefined;
}

export function numberOf(body: JsonObject, key: string): number | undefined {
	const value = body[key];
	return typeof value === "number" ? value : undefined;
}

export function listOf(body: JsonObject, key: string): readonly unknown[] {
	const value = body[key];
	return Array.isArray(value) ? value : [];
}
