/** A `::name key=value::data` line as the runner reads it from standard output and standard error. */
export interface RunnerCommand {
	readonly name: string;
	readonly properties: Readonly<Record<string, string>>;
	readonly data: string;
}

const COMMAND_LINE = /^::([a-zA-Z-]+)(?: ([^:]*(?::(?!:)[^:]*)*))?::(.*)$/;

function unescapeCommand(text: string): string {
	return text.replace(/%0D/g, "\r").replace(/%0A/g, "\n").replace(/%3A/g, ":").replace(/%2C/g, ",").replace(/%25/g, "%");
}

/** Commands in the order of their lines; `stop-commands` is honoured until its token comes back. */
export function parseStandardOutput(text: string): readonly RunnerCommand[] {
	const commands: RunnerCommand[] = [];
	let stopped: string | undefined;
	for (const line of text.split(/\r?\n/)) {
		const match = COMMAND_LINE.exec(line);
		if (match === null) continue;
		const name = match[1] ?? "";
		if (stopped !== undefined) {
			if (name === stopped) stopped = undefined;
			continue;
		}
		const properties = Object.fromEntries(
			(match[2] ?? "").split(",").flatMap((pair) => {
				const at = pair.indexOf("=");
				return at > 0 ? [[pair.slice(0, at), unescapeCommand(pair.slice(at + 1))]] : [];
			}),
		);
		const data = unescapeCommand(match[3] ?? "");
		if (name === "stop-commands") stopped = data;
		commands.push({ name, properties, data });
	}
	return commands;
}

/**
 * Reads a `GITHUB_OUTPUT`-like file: `NAME=VALUE` or `NAME<<DELIMITER` … `DELIMITER`.
 * Throws for a delimiter that never comes, as the runner fails the step then.
 */
export function parseFileCommand(text: string): Readonly<Record<string, string>> {
	const values: Record<string, string> = {};
	const lines = text.split("\n");
	for (let index = 0; index < lines.length; index++) {
		const line = (lines[index] ?? "").replace(/\r$/, "");
		if (line === "") continue;
		const heredoc = /^([^=]+?)<<(.+)$/.exec(line);
		if (heredoc === null) {
			const at = line.indexOf("=");
			if (at < 1) throw new Error(`invalid file command line: ${line}`);
			values[line.slice(0, at)] = line.slice(at + 1);
			continue;
		}
		const value: string[] = [];
		const delimiter = heredoc[2];
		for (index++; (lines[index] ?? "").replace(/\r$/, "") !== delimiter; index++) {
			if (index >= lines.length) throw new Error(`file command ${heredoc[1]}: delimiter ${delimiter} not found`);
			value.push(lines[index] ?? "");
		}
		values[heredoc[1] ?? ""] = value.join("\n");
	}
	return values;
}
