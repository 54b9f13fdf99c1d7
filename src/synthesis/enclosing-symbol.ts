const MODIFIERS =
	"(?:(?:export|default|declare|public|private|protected|internal|static|final|abstract|override|virtual|sealed|async|unsafe|extern|const|pub(?:\\([^)]*\\))?)\\s+)*";

/** Lines that open a definition, in the languages the experts read; the first group is the name. */
const DEFINITIONS: readonly RegExp[] = [
	new RegExp(`^\\s*${MODIFIERS}(?:function\\*?|class|interface|enum|struct|trait|mod|module|namespace|def|fn|record|object)\\s+([\\w$.]+)`),
	/^\s*func\s+(?:\([^)]*\)\s*)?(\w+)/,
	/^\s*type\s+(\w+)/,
	/^\s*impl(?:<[^>]*>)?\s+([^{]+?)\s*\{?\s*$/,
	/^\s*(?:export\s+)?(?:const|let|var)\s+([\w$]+)[^=]*=\s*(?:async\s*)?(?:function\b|\([^)]*\)[^=]*=>|[\w$]+\s*=>)/,
	/^\s*(?:(?:public|private|protected|static|final|abstract|synchronized|override|async)\s+)+[\w<>[\],.?\s]*?\b([\w$]+)\s*\(/,
	/^\s+(?:(?:async|static|get|set)\s+)*(?!(?:if|for|while|switch|catch|with|return|function)\b)([\w$#]+)\s*\([^;]*\)\s*(?::[^{;]+)?\{\s*$/,
];

/**
 * Name of the definition around a line, found by its indentation alone; empty at top level. It is used where no
 * symbol index is at hand. A hunk's section text is not: it changes when the hunk grows upwards, and a finding
 * whose identity changes is posted again (BR-68).
 */
export function enclosingSymbol(lines: readonly string[], line: number): string {
	const own = lines[line - 1];
	if (own === undefined) return "";
	const ownName = definitionName(own);
	if (ownName !== undefined) return ownName;
	let indent = own.trim() === "" ? Number.POSITIVE_INFINITY : indentOf(own);
	for (let index = line - 2; index >= 0; index -= 1) {
		const text = lines[index] ?? "";
		if (text.trim() === "" || indentOf(text) >= indent) continue;
		const name = definitionName(text);
		if (name !== undefined) return name;
		indent = indentOf(text);
		if (indent === 0) return "";
	}
	return "";
}

function definitionName(text: string): string | undefined {
	for (const definition of DEFINITIONS) {
		const name = definition.exec(text)?.[1];
		if (name !== undefined) return name.trim();
	}
	return undefined;
}

/** Width of the leading blanks; a tab counts as one step, which is enough to compare lines of one file. */
function indentOf(text: string): number {
	return text.length - text.trimStart().length;
}
