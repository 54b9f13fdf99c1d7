import { UserError } from "../domain/errors.ts";
import type { RepositoryRef } from "../domain/ids.ts";

/** The runner's variables that a job needs, checked once. */
export interface RunnerEnvironment {
	readonly eventName: string;
	readonly eventPath: string;
	readonly repository: RepositoryRef;
	readonly workspace: string;
	readonly sha: string;
	readonly ref: string;
	readonly actor: string;
	readonly runId: string;
	readonly attempt: number;
	readonly workflow: string;
	readonly apiUrl: string;
	readonly serverUrl: string;
	readonly temp: string;
	/** Where programs are looked for, as the workflow has set it up. */
	readonly searchPath: string;
	readonly stepSummary?: string;
	readonly proxy: boolean;
	/** Proxy and certificate variables, for git. */
	readonly network: Readonly<Record<string, string>>;
}

const NETWORK = [
	"HTTPS_PROXY",
	"https_proxy",
	"HTTP_PROXY",
	"http_proxy",
	"ALL_PROXY",
	"all_proxy",
	"NO_PROXY",
	"no_proxy",
	"SSL_CERT_FILE",
	"SSL_CERT_DIR",
	"GIT_SSL_CAINFO",
] as const;

type Variables = Readonly<Record<string, string | undefined>>;

function need(environment: Variables, name: string): string {
	const value = environment[name];
	if (value === undefined || value === "") {
		throw new UserError(`${name}: not set; wanted the variable that GitHub's runner sets. On your own machine use "rookery review"`);
	}
	return value;
}

/** Reads what the runner sets. Throws a UserError that names the first variable that is missing or broken. */
export function readRunnerEnvironment(environment: Variables): RunnerEnvironment {
	const repository = need(environment, "GITHUB_REPOSITORY");
	const [owner, name, more] = repository.split("/");
	if (!owner || !name || more !== undefined)
		throw new UserError(`GITHUB_REPOSITORY: found ${JSON.stringify(repository)}, wanted owner/name`);
	const stepSummary = environment["GITHUB_STEP_SUMMARY"];
	const network = Object.fromEntries(NETWORK.flatMap((key) => (environment[key] ? [[key, environment[key]]] : [])));
	return {
		eventName: need(environment, "GITHUB_EVENT_NAME"),
		eventPath: need(environment, "GITHUB_EVENT_PATH"),
		repository: { owner, name },
		workspace: need(environment, "GITHUB_WORKSPACE"),
		sha: environment["GITHUB_SHA"] ?? "",
		ref: environment["GITHUB_REF"] ?? "",
		actor: environment["GITHUB_ACTOR"] ?? "",
		runId: environment["GITHUB_RUN_ID"] || "0",
		attempt: Number.parseInt(environment["GITHUB_RUN_ATTEMPT"] ?? "1", 10) || 1,
		workflow: environment["GITHUB_WORKFLOW"] || "rookery",
		apiUrl: environment["GITHUB_API_URL"] || "https://api.github.com",
		serverUrl: (environment["GITHUB_SERVER_URL"] || "https://github.com").replace(/\/+$/, ""),
		temp: need(environment, "RUNNER_TEMP"),
		searchPath: environment["PATH"] ?? "",
		proxy: ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"].some((key) => Boolean(environment[key])),
		network,
		...(stepSummary === undefined || stepSummary === "" ? {} : { stepSummary }),
	};
}
