/**
 * The options of every `git diff` this program runs. Whatever the user or the repository has configured, the
 * output is the same (BR-09); prefixes are fixed, renames are looked for without a limit that would skip them
 * silently, and merges are never asked for (BR-08).
 */
export const DIFF_ARGUMENTS: readonly string[] = [
	"diff",
	"--no-ext-diff",
	"--no-textconv",
	"--no-color",
	"--src-prefix=a/",
	"--dst-prefix=b/",
	"--no-relative",
	"--full-index",
	"--find-renames=50%",
	"-l0",
	"--inter-hunk-context=0",
	"--submodule=short",
	"--ignore-submodules=none",
];

/** Lines of context in a patch. */
export const CONTEXT_ARGUMENT = "--unified=3";
