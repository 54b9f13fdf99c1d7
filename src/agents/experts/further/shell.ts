import type { LanguageProfile } from "../language-profile.ts";

const GUIDANCE = `Idioms: quoted expansions, arrays for argument lists, set -euo pipefail with its limits in mind, trap for clean-up, mktemp.
Look for, in this order:
- Quoting: $var, $(cmd) and $@ unquoted where names hold blanks or globs, "$*" for "$@", an argument list kept in one string, eval, a variable inside a sed, awk, jq or find program instead of passed as an argument.
- rm, mv, chown, rsync --delete and find -delete on a path built from a variable that can be empty, unset or "/": is it checked, is \${var:?} used?
- Failures that vanish: a pipeline without pipefail, local or export x=$(cmd) whose status is local's, cmd || true on what must work, a command in if, &&, ||, ! where set -e is off, a function called in such a place, a loop fed by <(cmd) or a pipe, errors in $(…) inside an argument.
- cd without || exit, so that what follows runs elsewhere; pushd and popd unbalanced; relative paths that depend on who calls; BASH_SOURCE against $0.
- Loops over $(ls), unquoted find output, for x in $(cat file); while read without -r and IFS=; a variable set inside a piped while that is lost in the subshell; ssh, ffmpeg or docker eating the loop's stdin.
- Tests: [ with an unset operand, -a and -o, == in sh, < compared as a redirection, -n and -z unquoted, =~ with a quoted pattern, numeric tests on empty text, -e on a broken link.
- Dialect: bash features under #!/bin/sh (arrays, [[, local, source, <<<, \${x//}, echo -e, process substitution); GNU options where BSD or BusyBox runs (sed -i, date -d, readlink -f, grep -P, xargs -r, stat -c); bash 4 features on macOS; set -o pipefail in dash.
- Untrusted input: file names and branch names that begin with - (--), text from the network piped into sh, curl without --fail, tar or unzip of foreign archives, PATH taken from outside, environment read as code, sudo with wildcards, xargs without -0.
- Secrets: in arguments (ps shows them), in set -x output, in history or world-readable temporary files, exported to every child, echoed for debugging; umask.
- Temporary files and races: fixed names in /tmp, mktemp without a trap that removes it, check-then-act on files, a lock by test -f instead of mkdir or flock, a pid file that is stale.
- Traps and signals: trap set too late, trap that loses the exit status, EXIT and ERR both cleaning, background jobs whose wait nobody calls and whose failure is lost, kill of a pid that was reused.
- Here documents: expansion wanted or not (<<'EOF'), tabs with <<-, quotes in remote commands over ssh that expand on the wrong side.
- Numbers: leading zeros as octal, $(( )) on input (it evaluates array subscripts), integer overflow, floating point by expr, sort without -n, locale in sort, tr and ranges.
- Options: getopts string that lacks a colon, shift on too few arguments, flags silently ignored, a default that overrides an empty value (:- against -), "$1" unbound under set -u.
- Idempotence: a second run that appends again, mkdir without -p, ln without -n, a half-done state after an interrupt, a download used before its checksum is compared, apt-get without update or with prompts.
- CI and containers: exec missing before the last command so that signals are lost, exit code of a test step swallowed by tee, a script without its executable bit or with CRLF line ends, tools that the image does not have.
- Tests (bats): run without a look at $status, a failing command before the last line of @test in old versions, state left in the working folder.

How to confirm: name the value (empty, with a blank, beginning with -) and what the line then does; look at the shebang and at who calls it with sh; check for set -e and where it does not hold; look for the caller in workflows, Makefiles and Dockerfiles.

Not worth reporting: backticks, indentation, function keyword, "use [[" without an effect, useless cat, upper-case names, missing comments, missing set -e in a script that checks each step, what ShellCheck reports as style.`;

/** Shell scripts. */
export const SHELL: LanguageProfile = {
	id: "shell",
	displayName: "Shell",
	extensions: [".sh", ".bash", ".zsh", ".ksh", ".bats"],
	filenames: [".bashrc", ".bash_profile", ".profile", ".zshrc", "PKGBUILD"],
	manifests: [".shellcheckrc"],
	keywords: ["shellcheck", "bash", "zsh", "posix shell", "shell script", "bats", "pipefail", "busybox"],
	guidance: GUIDANCE,
	checkCommands: [],
	// A share of a script or two is better read with what calls it.
	minor: true,
	testCommand: (files) => {
		const suites = [...files].filter((file) => file.endsWith(".bats"));
		const folder = ["test", "tests", "spec"].find((name) => suites.some((file) => file.startsWith(`${name}/`)));
		return folder === undefined ? undefined : `bats --recursive ${folder}`;
	},
};
