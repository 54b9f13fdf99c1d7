import { type Node, type ParseError, parseTree, getNodeValue, printParseErrorCode } from "jsonc-parser";
import { type ReasonCode, UserError } from "../domain/errors.ts";

const MAX_CHARACTERS = 1_048_576;

/**
 * JSON with comments and trailing commas, a byte order mark allowed. Anything else that is not in order throws a
 * UserError with file, line and column; so does a key that stands there twice, since which of the two counts would
 * depend on the reader.
 */
export function parseJsonWithComments(text: string, file: string, code: ReasonCode): unknown {
	const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
	if (source.length > MAX_CHARACTERS)
		throw new UserError(`${file}: it has ${source.length} characters, at most ${MAX_CHARACTERS} are read`, { code });
	const errors: ParseError[] = [];
	let root: Node | undefined;
	try {
		root = parseTree(source, errors, { allowTrailingComma: true, disallowComments: false });
	} catch {
		throw new UserError(`${file}: it is nested too deeply`, { code });
	}
	const error = errors[0];
	if (error !== undefined || root === undefined) {
		const what = error === undefined ? "it is empty" : printParseErrorCode(error.error);
		throw new UserError(`${file}:${placeOf(source, error?.offset ?? 0)}: not valid JSON (${what}), wanted an object`, { code });
	}
	const repeated = findRepeatedKey(root);
	if (repeated !== undefined) {
		throw new UserError(`${file}:${placeOf(source, repeated.offset)}: the key ${String(repeated.value)} stands there twice`, { code });
	}
	return getNodeValue(root);
}

function findRepeatedKey(node: Node): Node | undefined {
	const seen = new Set<unknown>();
	for (const child of node.children ?? []) {
		if (node.type === "object") {
			const key = child.children?.[0];
			if (key !== undefined && seen.has(key.value)) return key;
			seen.add(key?.value);
		}
		const inner = findRepeatedKey(child);
		if (inner !== undefined) return inner;
	}
	return undefined;
}

function placeOf(text: string, offset: number): string {
	const before = text.slice(0, offset).split("\n");
	return `${before.length}:${(before.at(-1) ?? "").length + 1}`;
}
