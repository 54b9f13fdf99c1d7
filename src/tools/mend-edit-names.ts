/** Models know these tools under other argument names; they mean the same (S-043). */
const NAMES: Readonly<Record<string, string>> = {
	file_path: "path",
	filePath: "path",
	old_string: "oldText",
	oldString: "oldText",
	new_string: "newText",
	newString: "newText",
	replace_all: "replaceAll",
};

/** Puts argument names into the form the schema has, also inside `edits`; values stay as they are. */
export function mendEditNames(input: unknown): unknown {
	if (typeof input !== "object" || input === null || Array.isArray(input)) return input;
	const entries = Object.entries(input).map(([key, value]): [string, unknown] => {
		const name = Object.hasOwn(NAMES, key) && !Object.hasOwn(input, NAMES[key] ?? "") ? (NAMES[key] ?? key) : key;
		return [name, name === "edits" && Array.isArray(value) ? value.map(mendEditNames) : value];
	});
	return Object.fromEntries(entries.filter(([, value]) => value !== null));
}
