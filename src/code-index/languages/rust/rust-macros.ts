import { type FlatNode, NONE } from "../../flat-tree.ts";
import type { Expression } from "../expressions.ts";
import { partsOf } from "../tree-parts.ts";
import { usePath } from "./rust-uses.ts";
import { type Handlers, moveTree, type RustWalk } from "./rust-walk.ts";

/**
 * A macro's body is flat tokens to the parser. Bodies that read as items, as arguments or as statements are parsed
 * again and walked where they stand (INDEX.md 2.2, A8); of all others the bare names are taken.
 */
export const MACRO_HANDLERS: Handlers = {
	macro_invocation: visitMacro,
	token_tree: visitTokens,
};

const ITEM = /\b(?:fn|struct|enum|trait|impl|mod|use|static|const|union|type)\b/;
/** Bodies with such a word are items even where a part of them cannot be read. */
const SURE_ITEM = /\b(?:fn|struct|enum|trait|impl)\b/;

/** What a body is tried as: the text around it that makes it a whole file. */
const AS_ITEMS = ["", ""] as const;
const AS_ARGUMENTS = ["fn m(){m(", ");}"] as const;
const AS_STATEMENTS = ["fn m(){", "}"] as const;

function visitMacro(walk: RustWalk, node: FlatNode): void {
	usePath(walk, walk.tree.field(node, "macro"), "call");
	const body = partsOf(walk.tree, node).find((part) => walk.tree.type(part) === "token_tree");
	if (body !== undefined) visitBody(walk, body);
}

function visitBody(walk: RustWalk, node: FlatNode): void {
	const whole = walk.tree.text(node);
	const text = whole.slice(1, -1);
	if (text.trim() === "") return;
	const start = walk.tree.start(node) + 1;
	const braces = whole.startsWith("{");
	if (ITEM.test(text) && tryBody(walk, text, start, AS_ITEMS, braces && SURE_ITEM.test(text) && !/=>/.test(text))) return;
	if (tryBody(walk, text, start, AS_ARGUMENTS, false) || tryBody(walk, text, start, AS_STATEMENTS, false)) return;
	if (ITEM.test(text) && SURE_ITEM.test(text) && tryBody(walk, text, start, AS_ITEMS, true)) return;
	visitTokens(walk, node);
}

function tryBody(
	walk: RustWalk,
	text: string,
	start: number,
	[before, after]: readonly [string, string],
	evenWithErrors: boolean,
): boolean {
	const parsed = walk.parse(before + text + after);
	if (parsed === undefined || (parsed.hasError && !evenWithErrors)) return false;
	const tree = moveTree(parsed.tree, start - before.length);
	walk.inTree(tree, () => {
		if (before === "") walk.visitChildren(0);
		else {
			const made = tree.childOfType(0, "function_item");
			walk.inScope("block", made, () => walk.visitChildren(inside(walk, tree.field(made, "body"), before)));
		}
	});
	return true;
}

/** The node whose children are the body's own: the arguments of the call around them, or the block itself. */
function inside(walk: RustWalk, block: FlatNode, before: string): FlatNode {
	if (before !== AS_ARGUMENTS[0]) return block;
	const statement = partsOf(walk.tree, block)[0] ?? NONE;
	const call = walk.tree.type(statement) === "expression_statement" ? (partsOf(walk.tree, statement)[0] ?? NONE) : statement;
	return walk.tree.field(call, "arguments");
}

/** Names among tokens: what follows a dot has a receiver that only simple chains tell. */
function visitTokens(walk: RustWalk, node: FlatNode): void {
	let chain: Expression | undefined;
	let path: readonly string[] = [];
	let before = "";
	for (let part = walk.tree.child(node); part !== NONE; part = walk.tree.next(part)) {
		const type = walk.tree.type(part);
		const text = walk.tree.text(part);
		if (type === "token_tree") {
			const declares = text.startsWith("{");
			if (declares) visitBody(walk, part);
			else visitTokens(walk, part);
			if (before !== "." && before !== "::") chain = undefined;
		} else if (type === "identifier" || type === "self" || type === "crate" || type === "super") {
			const at = walk.tree.start(part);
			const args = isCalled(walk, part) ? { args: 0, spread: true } : {};
			const role = isCalled(walk, part) ? "call" : "read";
			if (before === ".") {
				walk.facts.use({ name: text, at, role, receiver: chain ?? false, ...args });
				chain = chain === undefined || isCalled(walk, part) ? undefined : { k: "member", of: chain, name: text };
				path = [];
			} else if (before === "::") {
				if (type === "identifier")
					walk.facts.use({ name: text, at, role, receiver: path.length === 0 ? false : { k: "scope", path, at }, ...args });
				path = path.length === 0 ? [] : [...path, text];
				chain = undefined;
			} else {
				if (type === "identifier") walk.facts.use({ name: text, at, role, ...args });
				path = [text];
				chain = isCalled(walk, part) ? undefined : { k: "name", name: text, at };
			}
		} else if (text !== "." && text !== "::") {
			chain = undefined;
			path = [];
		}
		before = type === "token_tree" ? "" : text;
	}
}

function isCalled(walk: RustWalk, node: FlatNode): boolean {
	const next = walk.tree.next(node);
	return next !== NONE && walk.tree.type(next) === "token_tree" && walk.tree.text(next).startsWith("(");
}
