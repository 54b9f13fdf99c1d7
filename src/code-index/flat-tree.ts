import type { Language, Tree } from "web-tree-sitter";

/** Number of a node in a `FlatTree`; the root is 0, a child's number is greater than its parent's. `NONE` for no node. */
export type FlatNode = number;
export const NONE = -1;

/**
 * A syntax tree copied out of the parser's memory in one walk. Reading a node there costs a call for every question;
 * here it is an array access, which makes extraction several times faster (INDEX.md 2.2). Offsets in UTF-16 units.
 */
export interface FlatTree {
	readonly size: number;
	type(node: FlatNode): string;
	isNamed(node: FlatNode): boolean;
	/** Name of the node's field in its parent; undefined where it has none. */
	fieldName(node: FlatNode): string | undefined;
	start(node: FlatNode): number;
	end(node: FlatNode): number;
	parent(node: FlatNode): FlatNode;
	/** First child, anonymous ones included. */
	child(node: FlatNode): FlatNode;
	next(node: FlatNode): FlatNode;
	children(node: FlatNode): FlatNode[];
	namedChildren(node: FlatNode): FlatNode[];
	/** First child of the field; `NONE` where there is none. */
	field(node: FlatNode, name: string): FlatNode;
	fields(node: FlatNode, name: string): FlatNode[];
	/** First child of the type, named or not. */
	childOfType(node: FlatNode, type: string): FlatNode;
	text(node: FlatNode): string;
}

interface Names {
	readonly types: readonly string[];
	readonly named: readonly boolean[];
	readonly fields: readonly (string | undefined)[];
	readonly fieldIds: ReadonlyMap<string, number>;
}

const namesOf = new WeakMap<Language, Names>();

function readNames(language: Language): Names {
	let names = namesOf.get(language);
	if (names === undefined) {
		const types = Array.from({ length: language.nodeTypeCount }, (_, id) => language.nodeTypeForId(id) ?? "");
		const fields = Array.from({ length: language.fieldCount + 1 }, (_, id) => language.fieldNameForId(id) ?? undefined);
		names = {
			types,
			named: types.map((_, id) => language.nodeTypeIsNamed(id)),
			fields,
			fieldIds: new Map(fields.flatMap((name, id) => (name === undefined ? [] : [[name, id] as const]))),
		};
		namesOf.set(language, names);
	}
	return names;
}

interface Columns {
	readonly type: number[];
	readonly field: number[];
	readonly start: number[];
	readonly end: number[];
	readonly parent: number[];
	readonly next: number[];
}

function copyNodes(tree: Tree): Columns {
	const columns: Columns = { type: [], field: [], start: [], end: [], parent: [], next: [] };
	const cursor = tree.walk();
	const open: { node: number; last: number }[] = [];
	const add = (): number => {
		const node = columns.type.length;
		const above = open.at(-1);
		columns.type.push(cursor.nodeTypeId);
		columns.field.push(above === undefined ? 0 : cursor.currentFieldId);
		columns.start.push(cursor.startIndex);
		columns.end.push(cursor.endIndex);
		columns.parent.push(above?.node ?? NONE);
		columns.next.push(NONE);
		if (above !== undefined) {
			if (above.last !== NONE) columns.next[above.last] = node;
			above.last = node;
		}
		return node;
	};
	try {
		let node = add();
		for (;;) {
			if (cursor.gotoFirstChild()) {
				open.push({ node, last: NONE });
			} else {
				while (open.length > 0 && !cursor.gotoNextSibling()) {
					cursor.gotoParent();
					open.pop();
				}
				if (open.length === 0) return columns;
			}
			node = add();
		}
	} finally {
		cursor.delete();
	}
}

/** The result does not need the tree any more. */
export function flattenTree(tree: Tree, text: string): FlatTree {
	const names = readNames(tree.language);
	const columns = copyNodes(tree);
	const at = (column: readonly number[], node: FlatNode): number => column[node] ?? NONE;
	const child = (node: FlatNode): FlatNode => (node >= 0 && at(columns.parent, node + 1) === node ? node + 1 : NONE);
	const next = (node: FlatNode): FlatNode => at(columns.next, node);
	const filter = (node: FlatNode, wanted: (child: FlatNode) => boolean): FlatNode[] => {
		const found: FlatNode[] = [];
		for (let each = child(node); each !== NONE; each = next(each)) if (wanted(each)) found.push(each);
		return found;
	};
	const first = (node: FlatNode, wanted: (child: FlatNode) => boolean): FlatNode => {
		for (let each = child(node); each !== NONE; each = next(each)) if (wanted(each)) return each;
		return NONE;
	};
	const type = (node: FlatNode): string => names.types[at(columns.type, node)] ?? (node < 0 ? "" : "ERROR");
	const isNamed = (node: FlatNode): boolean => names.named[at(columns.type, node)] ?? node >= 0;
	const fieldId = (name: string): number => names.fieldIds.get(name) ?? NONE;
	return {
		size: columns.type.length,
		type,
		isNamed,
		fieldName: (node) => names.fields[at(columns.field, node)],
		start: (node) => at(columns.start, node),
		end: (node) => at(columns.end, node),
		parent: (node) => at(columns.parent, node),
		child,
		next,
		children: (node) => filter(node, () => true),
		namedChildren: (node) => filter(node, isNamed),
		field: (node, name) => {
			const id = fieldId(name);
			return first(node, (each) => columns.field[each] === id);
		},
		fields: (node, name) => {
			const id = fieldId(name);
			return filter(node, (each) => columns.field[each] === id);
		},
		childOfType: (node, wanted) => first(node, (each) => type(each) === wanted),
		text: (node) => (node < 0 ? "" : text.slice(at(columns.start, node), at(columns.end, node))),
	};
}
