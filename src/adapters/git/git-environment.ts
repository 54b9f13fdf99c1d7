/** What a git call may reach over a network, and how it proves who it is. */
export interface GitAuthorization {
	/** Remote that the header is meant for; no other address ever sees it. */
	readonly url: string;
	/** Whole header line, for example `AUTHORIZATION: basic …`. Registered as a secret by the caller. */
	readonly header: string;
}

/** The settings of one git module: everything that a caller may vary about the environment of git. */
export interface GitEnvironmentOptions {
	/** Folders that programs are looked up in; the caller's own PATH is never used. */
	readonly searchPath?: string;
	/** Variables for proxies and certificates that the caller took from its own environment; other names are dropped. */
	readonly network?: Readonly<Record<string, string>>;
	/** Lets `file://` remotes through. Only for local copies and tests. */
	readonly allowFileProtocol?: boolean;
	readonly authorization?: GitAuthorization;
	/** Folder whose owner may differ from ours, as in container jobs (BR-47). */
	readonly safeDirectory?: string;
}

const SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin";
const NOWHERE = "/nonexistent";
const NULL_FILE = "/dev/null";

const NETWORK_VARIABLES = new Set([
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
	// Windows starts no program without it.
	"SystemRoot",
]);

/**
 * Settings that hold on every call. A repository's own configuration is read by git in any case; settings given
 * through the environment come last and win, so each program a repository could name is switched off here.
 */
const HARDENING: readonly (readonly [key: string, value: string])[] = [
	["core.hooksPath", NULL_FILE],
	["core.fsmonitor", "false"],
	["core.untrackedCache", "false"],
	["core.pager", "cat"],
	["core.editor", "false"],
	["core.sshCommand", "false"],
	["core.gitProxy", "false"],
	["core.alternateRefsCommand", "true"],
	["core.attributesFile", NULL_FILE],
	["core.excludesFile", NULL_FILE],
	["core.autocrlf", "false"],
	["core.sparseCheckout", "false"],
	["core.sparseCheckoutCone", "false"],
	["core.quotePath", "false"],
	["color.ui", "false"],
	["advice.detachedHead", "false"],
	["credential.helper", ""],
	["commit.gpgSign", "false"],
	["tag.gpgSign", "false"],
	["push.gpgSign", "false"],
	["log.showSignature", "false"],
	["gpg.program", "false"],
	["diff.external", ""],
	["diff.orderFile", NULL_FILE],
	["diff.noprefix", "false"],
	["diff.mnemonicPrefix", "false"],
	["diff.relative", "false"],
	["diff.suppressBlankEmpty", "false"],
	["diff.interHunkContext", "0"],
	["diff.algorithm", "default"],
	["diff.indentHeuristic", "true"],
	["safe.bareRepository", "explicit"],
	["submodule.recurse", "false"],
	["fetch.recurseSubmodules", "false"],
	["fetch.prune", "false"],
	["fetch.writeCommitGraph", "false"],
	["gc.auto", "0"],
	["maintenance.auto", "false"],
	["protocol.version", "2"],
	["filter.lfs.process", ""],
	["filter.lfs.smudge", ""],
	["filter.lfs.clean", ""],
	["filter.lfs.required", "false"],
];

/**
 * The whole environment of a git process, built from nothing (A49): no variable of the caller gets in unless it
 * is a proxy or certificate setting. `extra` settings come last and win.
 */
export function buildGitEnvironment(
	options: GitEnvironmentOptions,
	extra: readonly (readonly [key: string, value: string])[] = [],
): Record<string, string> {
	const environment: Record<string, string> = {
		PATH: options.searchPath ?? SEARCH_PATH,
		HOME: NOWHERE,
		LC_ALL: "C",
		GIT_CONFIG_NOSYSTEM: "1",
		GIT_CONFIG_GLOBAL: NULL_FILE,
		GIT_ATTR_NOSYSTEM: "1",
		GIT_TERMINAL_PROMPT: "0",
		GIT_ASKPASS: "",
		GIT_SSH_COMMAND: "false",
		GIT_PAGER: "cat",
		GIT_EDITOR: "false",
		GIT_LFS_SKIP_SMUDGE: "1",
		GIT_LITERAL_PATHSPECS: "1",
		GIT_NO_REPLACE_OBJECTS: "1",
		GIT_OPTIONAL_LOCKS: "0",
		GIT_PROTOCOL_FROM_USER: "0",
		// Overrides every protocol.* setting of the repository: `ext` and `ssh` can start programs.
		GIT_ALLOW_PROTOCOL: options.allowFileProtocol === true ? "https:http:file" : "https:http",
	};
	for (const [name, value] of Object.entries(options.network ?? {})) {
		if (NETWORK_VARIABLES.has(name)) environment[name] = value;
	}
	const settings = [...HARDENING, ...authorizationSettings(options.authorization), ...extra];
	if (options.safeDirectory !== undefined) settings.push(["safe.directory", options.safeDirectory]);
	environment["GIT_CONFIG_COUNT"] = String(settings.length);
	for (const [index, [key, value]] of settings.entries()) {
		environment[`GIT_CONFIG_KEY_${index}`] = key;
		environment[`GIT_CONFIG_VALUE_${index}`] = value;
	}
	return environment;
}

/**
 * The header in settings of the environment, never in an argument list or an address, where other processes
 * could read it. The empty value first drops a header that an earlier checkout step left in the repository's
 * configuration: two of them make GitHub answer 400.
 */
function authorizationSettings(authorization: GitAuthorization | undefined): [string, string][] {
	if (authorization === undefined) return [];
	const key = `http.${authorization.url}.extraheader`;
	return [
		[key, ""],
		[key, authorization.header],
		["http.followRedirects", "false"],
	];
}
