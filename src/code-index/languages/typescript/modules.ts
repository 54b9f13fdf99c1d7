import { type FlatNode, NONE } from "../../flat-tree.ts";
import { bind } from "./bindings.ts";
import { declare } from "./declare.ts";
import { valueHint } from "./hints.ts";
import { type Handlers, hasToken, stringValue, useName, type Walk } from "./walk.ts";

function walkImport(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	const clause = tree.childOfType(node, "import_clause");
	const required = tree.childOfType(node, "import_require_clause");
	if (required !== NONE) {
		const local = tree.childOfType(required, "identifier");
		bind({ kind: "module", module: stringValue(tree, tree.field(required, "source")) ?? "" }, local, local, walk);
		return;
	}
	const module = stringValue(tree, tree.field(node, "source")) ?? "";
	const typeOnly = hasToken(tree, node, "type");
	if (clause === NONE) {
		facts.import({ kind: "effect", module, index: tree.start(node) });
		return;
	}
	for (const child of tree.namedChildren(clause)) {
		if (tree.type(child) === "identifier") bind({ kind: "default", module, typeOnly }, child, child, walk);
		if (tree.type(child) === "namespace_import") {
			const local = tree.childOfType(child, "identifier");
			bind({ kind: "module", module, typeOnly }, local, local, walk);
		}
		if (tree.type(child) !== "named_imports") continue;
		for (const specifier of tree.namedChildren(child)) {
			if (tree.type(specifier) !== "import_specifier") continue;
			const name = tree.field(specifier, "name");
			const alias = tree.field(specifier, "alias");
			const isDefault = tree.text(name) === "default";
			bind(
				{ kind: isDefault ? "default" : "name", module, typeOnly: typeOnly || hasToken(tree, specifier, "type") },
				name,
				alias === NONE ? name : alias,
				walk,
			);
		}
	}
}

function walkExport(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	const declaration = tree.field(node, "declaration");
	const isDefault = hasToken(tree, node, "default");
	const module = stringValue(tree, tree.field(node, "source"));
	const from = module === undefined ? {} : { module };
	for (const decorator of tree.fields(node, "decorator")) walk.visit(decorator);
	if (declaration !== NONE) {
		const name = tree.field(declaration, "name");
		if (isDefault && name !== NONE) facts.export({ exported: "default", local: tree.text(name), index: tree.start(name) });
		walk.exporting = true;
		walk.visit(declaration);
		walk.exporting = false;
		return;
	}
	const value = tree.field(node, "value");
	if (isDefault && value !== NONE) {
		exportValue(value, node, walk);
		return;
	}
	for (const child of tree.children(node)) {
		switch (tree.type(child)) {
			case "*":
				facts.export({ exported: "*", ...from, index: tree.start(child) });
				break;
			case "namespace_export": {
				const name = tree.namedChildren(child)[0] ?? NONE;
				facts.export({ exported: tree.text(name), ...from, imported: "*", index: tree.start(name) });
				break;
			}
			case "export_clause":
				for (const specifier of tree.namedChildren(child)) exportSpecifier(specifier, module, walk);
				break;
			// `export = x`
			case "identifier":
				useName(walk, child, "read");
				facts.export({ exported: "export=", local: tree.text(child), index: tree.start(child) });
				break;
			case "string":
			case "decorator":
				break;
			default:
				if (tree.isNamed(child)) walk.visit(child);
		}
	}
}

function exportValue(value: FlatNode, node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	if (tree.type(value) === "identifier") {
		useName(walk, value, "read");
		facts.export({ exported: "default", local: tree.text(value), index: tree.start(value) });
		return;
	}
	const hint = valueHint(tree, value);
	const word = tree.childOfType(node, "default");
	walk.exporting = true;
	const own = declare(word, node, "constant", walk, hint === undefined ? {} : { more: { type: hint } });
	facts.export({ exported: "default", local: "default", index: tree.start(word) });
	facts.amend(own, { scope: 0 });
	facts.inDefinition(own, () => walk.visit(value));
}

function exportSpecifier(node: FlatNode, module: string | undefined, walk: Walk): void {
	const { tree, facts } = walk;
	if (tree.type(node) !== "export_specifier") return;
	const name = tree.field(node, "name");
	const alias = tree.field(node, "alias");
	const exported = tree.text(alias === NONE ? name : alias);
	if (module === undefined) {
		useName(walk, name, "read");
		facts.export({ exported, local: tree.text(name), index: tree.start(name) });
		return;
	}
	// Binds nothing here; the occurrence is resolved through the module.
	const number = facts.import({ kind: "name", module, imported: tree.text(name), index: tree.start(name) });
	useName(walk, name, "import", { import: number });
	if (alias !== NONE) useName(walk, alias, "import", { import: number });
	facts.export({ exported, module, imported: tree.text(name), index: tree.start(name) });
}

export const MODULE_HANDLERS: Handlers = { import_statement: walkImport, export_statement: walkExport };
