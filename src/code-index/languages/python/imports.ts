import { type FlatNode, NONE } from "../../flat-tree.ts";
import { type Handlers, useName, type Walk } from "./walk.ts";

/** `import a.b` binds `a`; `import a.b as c` binds the inner module. */
function walkImport(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	for (const child of tree.fields(node, "name")) {
		if (tree.type(child) === "aliased_import") {
			const alias = tree.field(child, "alias");
			const module = tree.text(tree.field(child, "name"));
			facts.import({ kind: "module", module, local: tree.text(alias), index: tree.start(child) });
			continue;
		}
		const module = tree.text(child);
		const [top = module] = module.split(".");
		facts.import({ kind: "module", module: top, local: top, index: tree.start(child) });
		if (module !== top) facts.import({ kind: "effect", module, index: tree.start(child) });
	}
}

function walkFrom(node: FlatNode, walk: Walk): void {
	const { tree, facts } = walk;
	const module = tree.text(tree.field(node, "module_name")).replace(/\s+/g, "");
	if (tree.childOfType(node, "wildcard_import") !== NONE) {
		facts.import({ kind: "wildcard", module, index: tree.start(node) });
		return;
	}
	for (const child of tree.fields(node, "name")) {
		const isAliased = tree.type(child) === "aliased_import";
		const name = isAliased ? tree.field(child, "name") : child;
		const alias = isAliased ? tree.field(child, "alias") : NONE;
		const imported = tree.text(name);
		const local = alias === NONE ? imported : tree.text(alias);
		const number = facts.import({ kind: "name", module, imported, local, index: tree.start(name) });
		useName(walk, name, "import", { import: number });
		if (alias !== NONE) useName(walk, alias, "import", { import: number });
	}
}

export const IMPORT_HANDLERS: Handlers = {
	import_statement: walkImport,
	import_from_statement: walkFrom,
	future_import_statement: () => undefined,
};
