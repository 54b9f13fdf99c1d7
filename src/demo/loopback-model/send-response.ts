import type { IncomingMessage, ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import type { StreamEvent, StreamPlan } from "./build-events.ts";
import type { Fault } from "./fault.ts";
import type { Refusal } from "./wire-request.ts";

const MOST_BYTES = 32 * 1024 * 1024;

/** The whole body, or undefined when it is larger than the API takes. Rejects when the client hangs up. */
export async function readBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of incoming as AsyncIterable<Buffer>) {
		size += chunk.length;
		if (size <= MOST_BYTES) chunks.push(chunk);
	}
	return size > MOST_BYTES ? undefined : Buffer.concat(chunks);
}

/** An error in the API's form, or with a proxy's body instead of it. */
export function sendRefusal(
	response: ServerResponse,
	requestId: string,
	refusal: Refusal,
	headers: Readonly<Record<string, string>> = {},
	body?: { readonly contentType: string; readonly text: string },
): void {
	if (body !== undefined) {
		response.writeHead(refusal.status, { "content-type": body.contentType, ...headers }).end(body.text);
		return;
	}
	const error = { type: "error", error: { type: refusal.type, message: refusal.message }, request_id: requestId };
	sendJson(response, refusal.status, requestId, error, headers);
}

export function sendJson(
	response: ServerResponse,
	status: number,
	requestId: string,
	value: unknown,
	headers: Readonly<Record<string, string>> = {},
): void {
	response.writeHead(status, { "content-type": "application/json", "request-id": requestId, ...headers }).end(JSON.stringify(value));
}

/** Server-sent events as planned; `onEvent` is called before each one is written. Stops when the client is gone. */
export async function sendStream(
	response: ServerResponse,
	requestId: string,
	plan: StreamPlan,
	fault: Fault | undefined,
	onEvent: (event: StreamEvent) => void,
): Promise<void> {
	response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache", "request-id": requestId });
	response.flushHeaders();
	if (fault?.kind === "slow") await pingFor(response, fault.ms, fault.pingEveryMs);
	for (const event of plan.events) {
		if (response.destroyed) return;
		onEvent(event);
		response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
	}
	if (plan.end === "end") response.end();
	// What was written must reach the client before the socket goes, or the cut would come before the first event.
	if (plan.end === "destroy") response.write(": cut\n\n", () => setImmediate(() => response.destroy()));
}

async function pingFor(response: ServerResponse, ms: number, everyMs: number | undefined): Promise<void> {
	const end = performance.now() + ms;
	for (let left = ms; left > 0 && !response.destroyed; left = end - performance.now()) {
		await wait(Math.max(1, Math.min(everyMs ?? ms, left)));
		if (everyMs !== undefined && !response.destroyed) response.write('event: ping\ndata: {"type": "ping"}\n\n');
	}
}
