import { splitCommand } from "../guard/split-command.ts";

/** Programs whose first argument says nothing yet: `npm run build` is about `build`. */
const RUNNERS = new Set(["run", "exec", "dlx", "x", "tool"]);

/**
 * Rules that let exactly these commands run, with any arguments behind them: `go test ./...` gives `Bash(go test:*)`.
 * A command that cannot be taken apart gives none.
 */
export function rulesForCommands(commands: readonly string[]): readonly string[] {
	return [...new Set(commands.flatMap(rulesForCommand))];
}

function rulesForCommand(command: string): readonly string[] {
	const split = splitCommand(command);
	if (!split.ok) return [];
	return split.parts.flatMap((part) => {
		if (part.words.some((word) => word.dynamic)) return [];
		const words = part.words.map((word) => word.text);
		const named = words.slice(0, countNamingWords(words)).join(" ");
		// A rule is one text: a bracket or a star in it would mean something else.
		return named === "" || /[()*]/.test(named) ? [] : [`Bash(${named}:*)`];
	});
}

/** How many words say what is run: the program, its subcommand, and what that one runs. */
function countNamingWords(words: readonly string[]): number {
	const [, second = "", third = ""] = words;
	if (second === "-m" && third !== "") return 3;
	if (RUNNERS.has(second) && third !== "" && !third.startsWith("-")) return 3;
	if (/^[a-z][\w:-]*$/.test(second)) return 2;
	// Only options or paths: all of it is the command.
	return words.length;
}
