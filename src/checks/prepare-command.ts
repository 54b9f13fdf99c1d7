/** A command line that also gives its results in a form that can be counted. */
export interface PreparedCommand {
	/** For a POSIX shell. */
	readonly line: string;
	/** Stands alone on a line before the reports behind the command's own output; absent when nothing is appended. */
	readonly mark?: string;
	/** What its standard output is, as far as that is known. */
	readonly form: "go events" | "text";
}

/** Reports beyond this many bytes are not read. */
const MAX_REPORT_BYTES = 2_000_000;

/**
 * The same run of the same tests, asked for a machine format where the tool has one of its own; never another tool and
 * never a second run (D-07). Commands that are not recognised run as they are, and what they print is read.
 * @param mark a text that the command cannot know, so that it cannot pose as the report by chance
 */
export function prepareCommand(command: string, mark: string): PreparedCommand {
	if (/^go test(?=\s|$)/.test(command) && !/\s-json\b/.test(command) && isOneCommand(command)) {
		return { line: command.replace(/^go test/, "go test -json"), form: "go events" };
	}
	const report = `"\${TMPDIR:-/tmp}/${mark}.xml"`;
	if (/(^|\s)pytest(?=\s|$)/.test(command) && !command.includes("--junit") && isOneCommand(command)) {
		const read = `head -c ${MAX_REPORT_BYTES} ${report}`;
		return { line: finishWith(`${command} --junitxml=${report}`, mark, `${read} && rm -f ${report}`), mark, form: "text" };
	}
	if (/(^|[\s/])(?:mvn|mvnw|gradle|gradlew)(?=\s|$)/.test(command)) {
		const started = `"\${TMPDIR:-/tmp}/${mark}.started"`;
		const fresh = `find . -name node_modules -prune -o -type f -name 'TEST-*.xml' -newer ${started} -size -4096 -exec cat {} + | head -c ${MAX_REPORT_BYTES}`;
		return { line: `: > ${started}\n${finishWith(command, mark, `${fresh}; rm -f ${started}`)}`, mark, form: "text" };
	}
	return { line: command, form: "text" };
}

/** A plain call: what is added at its end belongs to it. */
function isOneCommand(command: string): boolean {
	return !/[;&|<>()`$#\n\\]/.test(command);
}

/** Runs a command, prints the reports behind a mark and ends with the command's own exit code. */
function finishWith(command: string, mark: string, read: string): string {
	return `(\n${command}\n)\ncode=$?\nprintf '\\n%s\\n' ${mark}\n{ ${read}; } 2>/dev/null\nexit $code`;
}

/** Splits the standard output of a prepared command into its own and the reports. */
export function splitReports(stdout: string, mark: string | undefined): { readonly own: string; readonly reports: string } {
	const at = mark === undefined ? -1 : stdout.lastIndexOf(`\n${mark}\n`);
	if (mark === undefined || at < 0) return { own: stdout, reports: "" };
	return { own: stdout.slice(0, at), reports: stdout.slice(at + mark.length + 2) };
}
