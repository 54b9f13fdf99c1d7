import { parseArgs } from "node:util";

/** What options a command has: a flag, or one that takes a value. */
export type OptionSpecs = Readonly<Record<string, { readonly type: "boolean" | "string" }>>;

export type ParsedOptions =
	| {
			readonly ok: true;
			readonly flags: ReadonlySet<string>;
			readonly values: Readonly<Record<string, string>>;
			readonly words: readonly string[];
	  }
	| { readonly ok: false; readonly reason: string };

/** Options from the first line of a command's text. What is not known is refused: a misspelt wish would be lost silently. */
export function parseOptions(text: string, specs: OptionSpecs): ParsedOptions {
	const [line = ""] = text.split("\n", 1);
	// Quotation marks around a glob, as people write it in a shell.
	const args = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
	try {
		const { values, positionals } = parseArgs({ args, options: specs, strict: true, allowPositionals: true });
		const entries = Object.entries(values);
		return {
			ok: true,
			flags: new Set(entries.flatMap(([key, value]) => (value === true ? [key] : []))),
			values: Object.fromEntries(entries.flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : []))),
			words: positionals,
		};
	} catch {
		const known = Object.keys(specs).map((key) => `--${key}`);
		const wrong =
			args.find((arg) => arg.startsWith("-") && !known.includes(arg.split("=", 1)[0] ?? "")) ?? args.find((arg) => arg.startsWith("-"));
		return {
			ok: false,
			reason: `found the option \`${(wrong ?? "").replace(/`/g, "'").slice(0, 40)}\`; wanted one of ${known.join(", ")}`,
		};
	}
}
