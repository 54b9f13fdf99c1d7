import type { Answer, Fault, FaultAction, RequestRecord } from "./loopback-types.ts";

export interface FaultList {
	/** Adds a fault behind the others; gives a function that takes it back. */
	add(fault: Fault): () => void;
	clear(): void;
	/** Faults that have strikes left. */
	readonly pending: readonly Fault[];
	/** The action for a request, counted down; undefined when none fits. */
	take(method: string, path: string): FaultAction | undefined;
}

interface Armed {
	readonly fault: Fault;
	after: number;
	times: number;
}

export function createFaultList(): FaultList {
	let armed: Armed[] = [];
	return {
		add(fault) {
			const item: Armed = { fault, after: fault.after ?? 0, times: fault.times ?? 1 };
			armed.push(item);
			return () => {
				armed = armed.filter((candidate) => candidate !== item);
			};
		},
		clear() {
			armed = [];
		},
		get pending() {
			return armed.map((item) => item.fault);
		},
		take(method, path) {
			const item = armed.find(({ fault }) => (fault.method ?? method) === method && path.search(fault.path) >= 0);
			if (item === undefined) return undefined;
			if (item.after > 0) {
				item.after -= 1;
				return undefined;
			}
			item.times -= 1;
			if (item.times <= 0) armed = armed.filter((candidate) => candidate !== item);
			return item.fault.action;
		},
	};
}

const HTML_502 = "<html>\n<head><title>502 Bad Gateway</title></head>\n<body><center><h1>502 Bad Gateway</h1></center></body>\n</html>\n";

export function badGateway(): Answer {
	return { status: 502, bytes: Buffer.from(HTML_502), headers: { "content-type": "text/html; charset=utf-8" } };
}

/** The answer of a fault that stands in for the normal handling; undefined for faults that only go along with it. */
export function faultAnswer(action: FaultAction): Answer | undefined {
	switch (action.kind) {
		case "answer":
			return { status: action.status, headers: action.headers ?? {}, body: action.body ?? { message: `Answer ${action.status}` } };
		case "secondary-limit":
			return {
				status: action.status ?? 403,
				headers: action.retryAfterSeconds === undefined ? {} : { "retry-after": String(action.retryAfterSeconds) },
				body: {
					message: "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
					documentation_url: "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits",
				},
			};
		case "primary-limit":
			return {
				status: 403,
				headers: {
					"x-ratelimit-limit": "5000",
					"x-ratelimit-remaining": "0",
					"x-ratelimit-used": "5000",
					"x-ratelimit-reset": String(Math.floor(Date.now() / 1000) + action.resetInSeconds),
				},
				body: { message: "API rate limit exceeded for installation.", documentation_url: "https://docs.github.com/rest/rate-limit" },
			};
		case "html-502":
			return badGateway();
		case "slow":
		case "cut":
		case "hook":
		case "applied-then-502":
		case "applied-then-cut":
			return undefined;
	}
}

/** What happens before the normal handling; true when the connection is to be cut instead of handled. */
export async function beforeHandling(action: FaultAction, request: RequestRecord): Promise<boolean> {
	if (action.kind === "slow") await new Promise((resolve) => setTimeout(resolve, action.milliseconds));
	if (action.kind === "hook") await action.run(request);
	return action.kind === "cut";
}
