/*
 * What no tool may read or write whatever a policy says (S-111), and what is read-only unless a policy names it.
 * Globs without a slash stand for a name in any folder.
 */

/** Files that hold secrets by their name. */
export const SENSITIVE_PATHS: readonly string[] = [
	".env",
	".env.*",
	"*.env",
	".envrc",
	"*.pem",
	"*.key",
	"*.p12",
	"*.pfx",
	"*.jks",
	"*.keystore",
	"*.kdbx",
	"*.ppk",
	"id_rsa*",
	"id_dsa*",
	"id_ecdsa*",
	"id_ed25519*",
	".netrc",
	"_netrc",
	".git-credentials",
	".pypirc",
	".pgpass",
	".htpasswd",
	".vault-token",
	".dockercfg",
	"credentials.json",
	"credentials.{yml,yaml}",
	"service-account*.json",
	"*.tfstate",
	"*.tfstate.backup",
	"**/.ssh/**",
	"**/.aws/**",
	"**/.gnupg/**",
	"**/.kube/**",
	"**/.docker/config.json",
];

/** Names that look like the above and are made to be shown. */
export const HARMLESS_PATHS: readonly string[] = [
	".env.example",
	".env.sample",
	".env.template",
	".env.dist",
	".env.defaults",
	"example.env",
	"sample.env",
	"*.pub",
];

/** Files that decide what runs, who reviews and what is allowed: a change of theirs is for a person to make (A51). */
export const PROTECTED_PATHS: readonly string[] = [
	".github/workflows/**",
	".github/actions/**",
	".github/copilot-instructions.md",
	"CODEOWNERS",
	"action.yml",
	"action.yaml",
	".gitmodules",
	".gitattributes",
	".lfsconfig",
	".husky/**",
	".githooks/**",
	".pre-commit-config.yaml",
	".rookery/**",
	".garuda/**",
	".claude/**",
	".mcp.json",
	"CLAUDE.md",
	"CLAUDE.local.md",
	"AGENTS.md",
	"GEMINI.md",
	".npmrc",
	".yarnrc.yml",
	"bunfig.toml",
	".worktreeinclude",
];
