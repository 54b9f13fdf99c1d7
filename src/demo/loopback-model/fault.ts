/** What goes wrong with one request. */
export type Fault =
	/** An answer with this status instead of a message; `body` replaces the usual JSON, for proxies that answer in HTML. */
	| {
			readonly kind: "status";
			readonly status: number;
			readonly type: string;
			readonly message: string;
			readonly headers?: Readonly<Record<string, string>>;
			readonly body?: { readonly contentType: string; readonly text: string };
	  }
	/** HTTP 200, half of the answer, then an `error` event and the end of the stream. */
	| { readonly kind: "error-event"; readonly type: string; readonly message: string }
	/** The socket is destroyed in the middle of the first tool input, or of the text when there is no call. */
	| { readonly kind: "cut" }
	/** All content, but the stream ends before `message_stop`. */
	| { readonly kind: "no-message-stop" }
	/** Headers, or headers and `message_start`, and then nothing until the client hangs up. */
	| { readonly kind: "silence"; readonly after: "headers" | "message-start" }
	/** The answer comes, but only after this time, with pings (when streaming) or in silence. */
	| { readonly kind: "slow"; readonly ms: number; readonly pingEveryMs?: number }
	/** The JSON of each tool input is cut in the middle; the stop reason stays. */
	| { readonly kind: "truncated-input" };

/** 429 with a `retry-after` in seconds, or without one. */
export function rateLimited(retryAfterSeconds?: number): Fault {
	return {
		kind: "status",
		status: 429,
		type: "rate_limit_error",
		message: "This request would exceed the rate limit for your organization.",
		...(retryAfterSeconds === undefined ? {} : { headers: { "retry-after": String(retryAfterSeconds) } }),
	};
}

export function overloaded(): Fault {
	return { kind: "status", status: 529, type: "overloaded_error", message: "Overloaded" };
}

export function requestTooLarge(): Fault {
	return { kind: "status", status: 413, type: "request_too_large", message: "Request exceeds the maximum size" };
}

export function promptTooLong(): Fault {
	return { kind: "status", status: 400, type: "invalid_request_error", message: "prompt is too long: 1000001 tokens > 1000000 maximum" };
}

/** An empty account comes as a 400 (BR-76). */
export function creditExhausted(): Fault {
	return {
		kind: "status",
		status: 400,
		type: "invalid_request_error",
		message: "Your credit balance is too low to access the API. Please go to Plans & Billing to upgrade or purchase credits.",
	};
}

export function wrongKey(): Fault {
	return { kind: "status", status: 401, type: "authentication_error", message: "invalid x-api-key" };
}

/** What a gateway in between says when the service behind it is away. */
export function badGateway(): Fault {
	return {
		kind: "status",
		status: 502,
		type: "api_error",
		message: "",
		body: {
			contentType: "text/html",
			text: "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><center><h1>502 Bad Gateway</h1></center></body>\r\n</html>",
		},
	};
}
