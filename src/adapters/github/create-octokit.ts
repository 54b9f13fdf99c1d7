import type { Octokit } from "@octokit/rest";
import type { Log } from "../../seams.ts";

export interface OctokitOptions {
	readonly token: string;
	/** `https://api.github.com`, or a server's `…/api/v3`. */
	readonly baseUrl: string;
	readonly userAgent?: string;
	/** Spacing of writes (3 s between comments); false for tests. */
	readonly throttle?: boolean;
	/** Tries of reads after the first; writes are never repeated here (BR-45). */
	readonly readRetries?: number;
	/** Unit of the retry plugin's waits. */
	readonly retryBaseMs?: number;
	/** Milliseconds one request may take. */
	readonly timeoutMs?: number;
	/** Waits for limits of reads that are longer than this end as errors. */
	readonly maxLimitWaitSeconds?: number;
	/** Set when the job has a proxy: requests then go through the runner's own agent. */
	readonly proxy?: boolean;
	readonly log?: Log;
}

/** Loaded on first use: a run without GitHub should not pay for the client at its start. */
export async function createOctokit(options: OctokitOptions): Promise<Octokit> {
	const [{ Octokit }, { retry }, { throttling }] = await Promise.all([
		import("@octokit/rest"),
		import("@octokit/plugin-retry"),
		import("@octokit/plugin-throttling"),
	]);
	const maxWait = options.maxLimitWaitSeconds ?? 90;
	// Writes that hit a limit are repeated by `writeWithPatience` with the run's own budget; here only reads wait.
	const onLimit = (retryAfter: number, request: { readonly method?: unknown }, _octokit: unknown, tries: number): boolean =>
		request.method === "GET" && tries < 2 && retryAfter <= maxWait;
	const quiet = (): void => {};
	const client = Octokit.plugin(retry, throttling);
	return new client({
		auth: options.token,
		baseUrl: options.baseUrl.replace(/\/+$/, ""),
		userAgent: options.userAgent ?? "rookery",
		log: { debug: quiet, info: quiet, warn: (text: string) => options.log?.info(text), error: quiet },
		request: { fetch: await createFetch(options) },
		retry: {
			retries: options.readRetries ?? 3,
			...(options.retryBaseMs === undefined ? {} : { retryAfterBaseValue: options.retryBaseMs }),
		},
		throttle: { enabled: options.throttle ?? true, onRateLimit: onLimit, onSecondaryRateLimit: onLimit },
	});
}

async function createFetch(options: OctokitOptions): Promise<typeof fetch> {
	const timeout = options.timeoutMs ?? 30_000;
	const inner = options.proxy === true ? await loadProxyFetch() : fetch;
	return (input, init) => {
		const deadline = AbortSignal.timeout(timeout);
		const signal = init?.signal == null ? deadline : AbortSignal.any([deadline, init.signal]);
		return inner(input, { ...init, signal });
	};
}

/** `@actions/github` knows the runner's proxy settings; it costs about 120 ms to load, so only where needed. */
async function loadProxyFetch(): Promise<typeof fetch> {
	const { defaults } = await import("@actions/github/lib/utils");
	const proxied: unknown = defaults.request?.fetch;
	return typeof proxied === "function" ? (proxied as typeof fetch) : fetch;
}
