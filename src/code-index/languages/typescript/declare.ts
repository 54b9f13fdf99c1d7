import { type FlatNode, NONE } from "../../flat-tree.ts";
import type { NewDefinition } from "../../facts/facts-builder.ts";
import type { DefinitionKind, TypeHint } from "../../types.ts";
import { bindRequire } from "./bindings.ts";
import { annotationHint, patternOf, readParameters, valueHint } from "./hints.ts";
import { declarePattern } from "./patterns.ts";
import { type Handlers, hasToken, type Walk } from "./walk.ts";

const FUNCTION_VALUES: ReadonlySet<string> = new Set(["arrow_function", "function_expression", "generator_function"]);

/** Parameters, result type and body of anything that can be called, in a scope of its own. */
export function walkCallable(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	facts.inScope({ kind: "function", startIndex: tree.start(node), endIndex: tree.end(node) }, () => {
		walk.visit(tree.field(node, "type_parameters"));
		const single = tree.field(node, "parameter");
		if (single !== NONE) declareParameter(single, walk);
		for (const parameter of tree.namedChildren(tree.field(node, "parameters"))) declareParameter(parameter, walk);
		const result = tree.field(node, "return_type");
		walk.visit(result);
		const type = tree.field(node, "type");
		if (type !== result) walk.visit(type);
		const body = tree.field(node, "body");
		const expected = annotationHint(tree, result);
		if (expected !== undefined) walk.expected.set(node, `(_ as ${expected.text})`);
		if (tree.type(body) === "statement_block") walk.visitChildren(body);
		else walk.visit(body);
	});
}

function declareParameter(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	if (tree.type(node) === "comment") return;
	if (tree.type(node) === "decorator") {
		walk.visit(node);
		return;
	}
	for (const decorator of tree.fields(node, "decorator")) walk.visit(decorator);
	const type = tree.field(node, "type");
	const value = tree.type(node) === "assignment_pattern" ? tree.field(node, "right") : tree.field(node, "value");
	const pattern = patternOf(tree, node);
	const hint = annotationHint(tree, type) ?? valueHint(tree, value);
	const first = declarePattern(pattern, walk, { kind: "parameter", scope: facts.scope(), hint, whole: node, exported: false });
	if (first !== undefined) facts.inDefinition(first, () => walk.visit(type));
	else walk.visit(type);
	walk.visit(value);
	const isProperty = hasToken(tree, node, "accessibility_modifier") || hasToken(tree, node, "readonly");
	if (isProperty && tree.type(pattern) === "identifier") declareParameterProperty(pattern, node, hint, walk);
}

/** `constructor(private readonly name: Type)` declares a field of the class, too. */
function declareParameterProperty(name: FlatNode, node: FlatNode, hint: TypeHint | undefined, walk: Walk): void {
	const { tree, facts } = walk;
	const owner = facts.container((definition) => definition.kind === "class");
	if (owner === undefined) return;
	facts.inDefinition(owner, () =>
		facts.define({
			...place(name, node, walk),
			kind: "field",
			exported: false,
			...(hint === undefined ? {} : { type: hint }),
			name: tree.text(name),
		}),
	);
}

function place(name: FlatNode, whole: FlatNode, { tree }: Walk): Pick<NewDefinition, "name" | "index" | "startIndex" | "endIndex"> {
	return { name: tree.text(name), index: tree.start(name), startIndex: tree.start(whole), endIndex: tree.end(whole) };
}

interface DeclareOptions {
	readonly scope?: number | undefined;
	readonly headEnd?: FlatNode;
	readonly more?: Partial<NewDefinition>;
}

/** Records a declaration whose name is the node `name`; an `export` around it is taken up by the first one. */
export function declare(name: FlatNode, whole: FlatNode, kind: DefinitionKind, walk: Walk, options: DeclareOptions = {}): number {
	const { tree, facts } = walk;
	const outer = tree.type(tree.parent(whole)) === "export_statement" ? tree.parent(whole) : whole;
	const head = options.headEnd ?? NONE;
	const exported = walk.exporting;
	walk.exporting = false;
	const quoted = tree.type(name) === "string";
	return facts.define({
		name: quoted ? tree.text(name).slice(1, -1) : tree.text(name),
		index: tree.start(name) + (quoted ? 1 : 0),
		startIndex: tree.start(outer),
		endIndex: tree.end(outer),
		kind,
		exported,
		...(options.scope === undefined ? {} : { scope: options.scope }),
		...(head === NONE ? {} : { headEnd: tree.start(head) }),
		...options.more,
	});
}

function declareFunction(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	const name = tree.field(node, "name");
	const type = annotationHint(tree, tree.field(node, "return_type"));
	const own = declare(name, node, "function", walk, {
		scope: facts.scope(),
		headEnd: tree.field(node, "body"),
		more: { parameters: readParameters(tree, node), ...(type === undefined ? {} : { type }) },
	});
	facts.inDefinition(own, () => walkCallable(node, walk));
}

/** A function or class that is a value; its own name, where it has one, is known inside alone. */
function walkFunctionValue(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	const name = tree.field(node, "name");
	if (name === NONE) {
		walkCallable(node, walk);
		return;
	}
	facts.inScope({ kind: "block", startIndex: tree.start(node), endIndex: tree.end(node) }, () => declareFunction(node, walk));
}

function declareVariables(node: FlatNode, walk: Walk): void {
	const { tree } = walk;
	const exported = walk.exporting;
	for (const child of tree.namedChildren(node)) {
		walk.exporting = exported;
		if (tree.type(child) !== "variable_declarator") walk.visit(child);
		else if (!bindRequire(child, walk)) declareVariable(child, tree.type(node) === "variable_declaration", walk);
	}
	walk.exporting = false;
}

function declareVariable(node: FlatNode, hoisted: boolean, walk: Walk): void {
	const { tree, facts } = walk;
	const declaration = tree.parent(node);
	const name = tree.field(node, "name");
	const value = tree.field(node, "value");
	const type = tree.field(node, "type");
	const hint = annotationHint(tree, type) ?? valueHint(tree, value);
	const isFunction = FUNCTION_VALUES.has(tree.type(value));
	const plain = hasToken(tree, declaration, "const") ? "constant" : "variable";
	const kind = isFunction ? "function" : tree.type(value) === "class" ? "class" : plain;
	const result = isFunction && type === NONE ? annotationHint(tree, tree.field(value, "return_type")) : hint;
	const body = tree.field(value, "body");
	const own = declarePattern(name, walk, {
		kind: tree.type(name) === "identifier" ? kind : plain,
		scope: hoisted ? facts.scope("function", "module", "file") : facts.scope(),
		hint: result,
		whole: tree.type(tree.parent(declaration)) === "export_statement" ? tree.parent(declaration) : declaration,
		exported: walk.exporting,
		...(body === NONE ? {} : { headEnd: tree.start(body) }),
		more: {
			...(isFunction ? { parameters: readParameters(tree, value) } : {}),
			...(kind === "class" ? { supertypes: readSupertypes(value, walk) } : {}),
		},
	});
	walk.exporting = false;
	if (type !== NONE) walk.expected.set(value, `(_ as ${annotationHint(tree, type)?.text ?? ""})`);
	const walkParts = (): void => {
		walk.visit(type);
		if (kind === "class") walkClassParts(value, walk);
		else walk.visit(value);
	};
	if (own === undefined || tree.type(name) !== "identifier") walkParts();
	else facts.inDefinition(own, walkParts);
}

function declareClass(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	const name = tree.field(node, "name");
	if (name === NONE) {
		walkClassParts(node, walk);
		return;
	}
	const declareIt = (): void => {
		const decorators = tree.fields(node, "decorator").map((each) => tree.text(each).slice(1, 100));
		const own = declare(name, node, "class", walk, {
			scope: facts.scope(),
			headEnd: tree.field(node, "body"),
			more: { supertypes: readSupertypes(node, walk), ...(decorators.length === 0 ? {} : { decorators }) },
		});
		facts.inDefinition(own, () => walkClassParts(node, walk));
	};
	if (tree.type(node) !== "class") declareIt();
	else facts.inScope({ kind: "block", startIndex: tree.start(node), endIndex: tree.end(node) }, declareIt);
}

export function walkClassParts(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	facts.inScope({ kind: "type", startIndex: tree.start(node), endIndex: tree.end(node) }, () => {
		for (const child of tree.namedChildren(node)) if (tree.fieldName(child) !== "name") walk.visit(child);
	});
}

/** What a class or interface extends and implements, without type arguments. */
export function readSupertypes(node: FlatNode, { tree }: Walk): readonly string[] {
	const clauses = tree
		.namedChildren(node)
		.flatMap((child) => (tree.type(child) === "class_heritage" ? [child, ...tree.namedChildren(child)] : [child]));
	const named = clauses.filter((clause) => ["extends_clause", "extends_type_clause", "implements_clause"].includes(tree.type(clause)));
	// JavaScript's grammar has the expression right in the heritage.
	const plain = clauses.filter((clause) => tree.type(clause) === "class_heritage" && hasToken(tree, clause, "extends"));
	const types = [...named, ...plain].flatMap((clause) =>
		tree.namedChildren(clause).filter((child) => tree.type(child) !== "type_arguments" && !/_clause$/.test(tree.type(child))),
	);
	return types.map((type) => tree.text(tree.type(type) === "generic_type" ? tree.field(type, "name") : type).replace(/\s+/g, ""));
}

function declareInterface(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	const own = declare(tree.field(node, "name"), node, "interface", walk, {
		scope: facts.scope(),
		headEnd: tree.field(node, "body"),
		more: { supertypes: readSupertypes(node, walk) },
	});
	facts.inDefinition(own, () => walkClassParts(node, walk));
}

function declareAlias(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	const type = annotationHint(tree, tree.field(node, "value"));
	const own = declare(tree.field(node, "name"), node, "type", walk, { scope: facts.scope(), more: type === undefined ? {} : { type } });
	facts.inDefinition(own, () => walkClassParts(node, walk));
}

function declareEnum(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	const body = tree.field(node, "body");
	const own = declare(tree.field(node, "name"), node, "enum", walk, { scope: facts.scope(), headEnd: body });
	facts.inDefinition(own, () =>
		facts.inScope({ kind: "type", startIndex: tree.start(body), endIndex: tree.end(body) }, () => {
			for (const child of tree.namedChildren(body)) {
				const assigned = tree.type(child) === "enum_assignment";
				const name = assigned ? tree.field(child, "name") : child;
				if (["property_identifier", "string"].includes(tree.type(name))) {
					// Bound in the enum's own scope: its members name each other without a receiver.
					declare(name, child, "enumMember", walk, { scope: facts.scope(), more: { isStatic: true } });
				}
				if (assigned) walk.visit(tree.field(child, "value"));
			}
		}),
	);
}

function declareModule(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	const name = tree.field(node, "name");
	const last = tree.type(name) === "nested_identifier" ? tree.field(name, "property") : name;
	const own = declare(last, node, "module", walk, { scope: facts.scope(), headEnd: tree.field(node, "body") });
	facts.inDefinition(own, () =>
		facts.inScope({ kind: "module", startIndex: tree.start(node), endIndex: tree.end(node), definition: own }, () =>
			walk.visitChildren(tree.field(node, "body")),
		),
	);
}

function declareTypeParameter(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	const name = tree.field(node, "name");
	declare(name, node, "typeParameter", walk, { scope: facts.scope() });
	for (const child of tree.namedChildren(node)) if (child !== name) walk.visit(child);
}

export const DECLARATION_HANDLERS: Handlers = {
	function_declaration: declareFunction,
	generator_function_declaration: declareFunction,
	function_signature: declareFunction,
	function_expression: walkFunctionValue,
	generator_function: walkFunctionValue,
	arrow_function: walkCallable,
	function_type: walkCallable,
	constructor_type: walkCallable,
	call_signature: walkCallable,
	construct_signature: walkCallable,
	lexical_declaration: declareVariables,
	variable_declaration: declareVariables,
	using_declaration: declareVariables,
	class_declaration: declareClass,
	abstract_class_declaration: declareClass,
	class: declareClass,
	interface_declaration: declareInterface,
	type_alias_declaration: declareAlias,
	enum_declaration: declareEnum,
	internal_module: declareModule,
	module: declareModule,
	type_parameter: declareTypeParameter,
	mapped_type_clause: declareTypeParameter,
	infer_type: (node, walk) => {
		const name = walk.tree.namedChildren(node)[0] ?? NONE;
		if (name !== NONE) declare(name, node, "typeParameter", walk, { scope: walk.facts.scope() });
	},
};
