import { squeeze } from "../../facts/squeeze.ts";
import { type FlatNode, type FlatTree, NONE } from "../../flat-tree.ts";
import type { Definition, DefinitionKind, Parameters, TypeHint } from "../../types.ts";
import { bind } from "./bind.ts";
import { type Handlers, typeHint, valueHint, type Walk } from "./walk.ts";

function declareFunction(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	const name = tree.field(node, "name");
	const outer = tree.type(tree.parent(node)) === "decorated_definition" ? tree.parent(node) : node;
	const decorators = decoratorsOf(outer, walk);
	const owner = ownerClass(walk);
	const isProperty = decorators.some((text) => /^(?:functools\.)?(?:cached_)?property$|\.(?:setter|getter|deleter)$|property$/.test(text));
	const isStatic = decorators.some((text) => /^(?:static|class)method$/.test(text));
	const kind = owner === undefined ? "function" : isProperty ? "property" : tree.text(name) === "__init__" ? "constructor" : "method";
	const type = typeHint(tree, tree.field(node, "return_type"));
	const again = facts.boundIn(facts.scope(), tree.text(name)) !== undefined;
	const own = facts.define({
		name: tree.text(name),
		kind,
		index: tree.start(name),
		startIndex: tree.start(outer),
		endIndex: tree.end(outer),
		headEnd: tree.start(tree.field(node, "body")),
		exported: isExported(walk),
		...(owner === undefined ? { scope: bindScope(walk, tree.text(name)) } : {}),
		...(kind === "property" ? {} : { parameters: readParameters(tree, node, owner !== undefined && !decorators.includes("staticmethod")) }),
		...(type === undefined ? {} : { type }),
		...(isStatic ? { isStatic } : {}),
		...(decorators.length === 0 ? {} : { decorators }),
		...(walk.branches > 0 || again || decorators.some((text) => text.endsWith("overload")) ? { conditional: true } : {}),
	});
	facts.inDefinition(own, () => walkCallable(node, walk, own));
}

function bindScope(walk: Walk, name: string): number {
	const scope = walk.facts.scope();
	return walk.elsewhere.get(scope)?.get(name) ?? scope;
}

/** The class whose body is walked right now; a function in a method belongs to none. */
export function ownerClass(walk: Walk): number | undefined {
	const container = walk.facts.container();
	const scope = walk.facts.scope("function", "type", "file");
	const isClass = container !== undefined && walk.facts.definition(container).kind === "class";
	return isClass && scope === walk.facts.scope("type") && scope !== 0 ? container : undefined;
}

/** Names of a module and members of its classes are there for others; what is inside of a function is not. */
function isExported(walk: Walk): boolean {
	return walk.facts.container((definition) => definition.parameters !== undefined) === undefined;
}

function decoratorsOf(node: FlatNode, { tree }: Walk): readonly string[] {
	return tree
		.namedChildren(node)
		.filter((child) => tree.type(child) === "decorator")
		.map((child) => squeeze(tree.text(child)).replace(/^@\s*/, "").replace(/\(.*$/, ""));
}

function walkCallable(node: FlatNode, walk: Walk, own: number): void {
	const { tree, facts } = walk;
	const parameters = tree.namedChildren(tree.field(node, "parameters"));
	// Defaults and annotations are read where the function is made, not inside of it.
	for (const parameter of parameters) walk.visit(tree.field(parameter, "value"));
	facts.inScope({ kind: "function", startIndex: tree.start(node), endIndex: tree.end(node), definition: own }, () => {
		walk.visit(tree.field(node, "type_parameters"));
		for (const parameter of parameters) declareParameter(parameter, walk);
		visitType(tree.field(node, "return_type"), walk);
		const before = walk.branches;
		walk.branches = 0;
		const body = tree.field(node, "body");
		if (tree.type(body) === "block") walk.visitChildren(body);
		else walk.visit(body);
		walk.branches = before;
	});
}

export function visitType(node: FlatNode, walk: Walk): void {
	const before = walk.inType;
	walk.inType = true;
	walk.visit(node);
	walk.inType = before;
}

function nameOf(tree: FlatTree, parameter: FlatNode): FlatNode {
	const named = tree.field(parameter, "name");
	if (named !== NONE) return named;
	if (tree.type(parameter) === "identifier") return parameter;
	const inner = tree.namedChildren(parameter)[0] ?? NONE;
	return ["typed_parameter", "list_splat_pattern", "dictionary_splat_pattern"].includes(tree.type(parameter)) ? nameOf(tree, inner) : NONE;
}

function isSplat(tree: FlatTree, parameter: FlatNode): boolean {
	if (/_splat_pattern$/.test(tree.type(parameter))) return true;
	return tree.type(parameter) === "typed_parameter" && /_splat_pattern$/.test(tree.type(tree.namedChildren(parameter)[0] ?? NONE));
}

function declareParameter(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	const name = nameOf(tree, node);
	const annotation = tree.field(node, "type");
	visitType(annotation, walk);
	if (name === NONE) return;
	const type = isSplat(tree, node) ? undefined : (typeHint(tree, annotation) ?? valueHint(tree, tree.field(node, "value")));
	facts.define({
		name: tree.text(name),
		kind: "parameter",
		index: tree.start(name),
		startIndex: tree.start(node),
		endIndex: tree.end(node),
		scope: facts.scope(),
		exported: false,
		...(type === undefined ? {} : { type }),
	});
}

/** The receiver (`self`, `cls`) is not counted. */
function readParameters(tree: FlatTree, node: FlatNode, hasReceiver: boolean): Parameters {
	let required = 0;
	let optional = 0;
	let positionalOnly: number | undefined;
	let variadic = false;
	let anyKeyword = false;
	let behindStar = false;
	const names: string[] = [];
	const keywordOnly: { name: string; required: boolean }[] = [];
	const given = tree.namedChildren(tree.field(node, "parameters")).filter((child) => tree.type(child) !== "comment");
	for (const [position, parameter] of given.entries()) {
		const text = tree.text(parameter);
		if (tree.type(parameter) === "positional_separator") positionalOnly = names.length;
		else if (tree.type(parameter) === "keyword_separator") behindStar = true;
		else if (isSplat(tree, parameter)) {
			if (text.startsWith("**")) anyKeyword = true;
			else variadic = behindStar = true;
		} else if (position === 0 && hasReceiver) continue;
		else {
			const name = tree.text(nameOf(tree, parameter));
			const hasDefault = tree.field(parameter, "value") !== NONE;
			if (behindStar) keywordOnly.push({ name, required: !hasDefault });
			else {
				names.push(name);
				if (hasDefault) optional++;
				else required++;
			}
		}
	}
	return {
		...{ required, optional, variadic, names },
		...(keywordOnly.length === 0 ? {} : { keywordOnly }),
		...(anyKeyword ? { anyKeyword } : {}),
		...(positionalOnly === undefined ? {} : { positionalOnly }),
	};
}

function declareClass(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	const name = tree.field(node, "name");
	const outer = tree.type(tree.parent(node)) === "decorated_definition" ? tree.parent(node) : node;
	const bases = tree.namedChildren(tree.field(node, "superclasses")).filter((child) => tree.type(child) !== "keyword_argument");
	const decorators = decoratorsOf(outer, walk);
	const own = facts.define({
		name: tree.text(name),
		kind: "class",
		index: tree.start(name),
		startIndex: tree.start(outer),
		endIndex: tree.end(outer),
		headEnd: tree.start(tree.field(node, "body")),
		exported: isExported(walk),
		...(ownerClass(walk) === undefined ? { scope: bindScope(walk, tree.text(name)) } : {}),
		supertypes: bases.map((base) => tree.text(base).replace(/\s+/g, "").replace(/\[.*$/, "")),
		...(decorators.length === 0 ? {} : { decorators }),
		...(walk.branches > 0 ? { conditional: true } : {}),
	});
	walk.visit(tree.field(node, "superclasses"));
	facts.inDefinition(own, () =>
		facts.inScope({ kind: "type", startIndex: tree.start(node), endIndex: tree.end(node), definition: own }, () => {
			walk.visit(tree.field(node, "type_parameters"));
			const before = walk.branches;
			walk.branches = 0;
			walk.visitChildren(tree.field(node, "body"));
			walk.branches = before;
		}),
	);
}

function walkLambda(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	const parameters = tree.namedChildren(tree.field(node, "parameters"));
	for (const parameter of parameters) walk.visit(tree.field(parameter, "value"));
	facts.inScope({ kind: "function", startIndex: tree.start(node), endIndex: tree.end(node) }, () => {
		for (const parameter of parameters) declareParameter(parameter, walk);
		walk.visit(tree.field(node, "body"));
	});
}

/** Records a plain name in the innermost scope. */
export function declareName(node: FlatNode, kind: DefinitionKind, walk: Walk, type?: TypeHint, more: Partial<Definition> = {}): void {
	const { tree, facts } = walk;
	facts.define({
		...{ name: tree.text(node), kind, index: tree.start(node), startIndex: tree.start(node), endIndex: tree.end(node) },
		...{ scope: facts.scope(), exported: false },
		...(type === undefined ? {} : { type }),
		...more,
	});
}

export const DECLARATION_HANDLERS: Handlers = {
	function_definition: declareFunction,
	class_definition: declareClass,
	lambda: walkLambda,
	type_parameter: (node, walk) => {
		for (const child of walk.tree.namedChildren(node)) {
			const name = walk.tree.type(child) === "type" ? (walk.tree.namedChildren(child)[0] ?? NONE) : child;
			if (walk.tree.type(name) === "identifier") declareName(name, "typeParameter", walk);
			else walk.visit(child);
		}
	},
	type_alias_statement: (node, walk) => {
		const name = walk.tree.namedChildren(walk.tree.field(node, "left"))[0] ?? NONE;
		const right = walk.tree.field(node, "right");
		bind(name, walk, { hint: typeHint(walk.tree, right), whole: node, kind: "type" });
		visitType(right, walk);
	},
};
