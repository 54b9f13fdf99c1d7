import type { ParseOutcome, SyntaxService } from "../../syntax-service.ts";
import { type Declaration, listDeclarations } from "../declarations.ts";
import { listMacroBodies, type MacroBody } from "./macro-bodies.ts";

/** Names that Rust items declare, and those that `use` and `extern crate` rename. */
export const RUST_DECLARATIONS = `
(function_item name: (identifier) @function)
(function_signature_item name: (identifier) @function)
(struct_item name: (type_identifier) @struct)
(enum_item name: (type_identifier) @enum)
(union_item name: (type_identifier) @union)
(trait_item name: (type_identifier) @trait)
(type_item name: (type_identifier) @type)
(associated_type name: (type_identifier) @type)
(mod_item name: (identifier) @module)
(const_item name: (identifier) @constant)
(static_item name: (identifier) @static)
(enum_variant name: (identifier) @variant)
(field_declaration name: (field_identifier) @field)
(macro_definition name: (identifier) @macro)
(token_binding_pattern name: (metavariable) @macroVariable)
(extern_crate_declaration name: (identifier) @import)
(extern_crate_declaration alias: (identifier) @import)
(use_as_clause alias: (identifier) @import)
(type_parameter name: (type_identifier) @typeParameter)
(const_parameter name: (identifier) @typeParameter)
(lifetime_parameter name: (lifetime (identifier) @lifetime))
(parameter pattern: (identifier) @parameter)
(let_declaration pattern: (identifier) @variable)
`;

const WHOLE: MacroBody = { text: "", index: 0, row: 0, column: 0 };

/**
 * Declarations of a file and of the items inside its macro calls (`cfg_rt! { … }`), which a parser sees as flat tokens
 * only: those bodies are parsed again, and what they declare is placed in the file (INDEX.md 2.2, A8).
 * A file that cannot be parsed is an outcome; a body that cannot be loses only its own declarations.
 */
export async function listRustDeclarations(syntax: SyntaxService, text: string): Promise<ParseOutcome<readonly Declaration[]>> {
	const found: Declaration[] = [];
	const waiting: MacroBody[] = [{ ...WHOLE, text }];
	for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
		const outcome = await syntax.parseSource("rust", part.text, (tree) => ({
			declarations: listDeclarations(tree, RUST_DECLARATIONS),
			bodies: listMacroBodies(tree),
		}));
		if (!outcome.ok) {
			if (part.text === text) return outcome;
			continue;
		}
		for (const declaration of outcome.value.declarations) found.push(place(declaration, part));
		for (const body of outcome.value.bodies) waiting.push({ ...place(body, part), index: body.index + part.index });
	}
	return { ok: true, value: found.sort((a, b) => a.startIndex - b.startIndex) };
}

/** Moves what was found in a body to where the body stands in the file. */
function place<T extends { readonly row: number; readonly column: number }>(found: T, body: MacroBody): T {
	const moved = {
		...found,
		row: found.row + body.row,
		column: found.row === 0 ? found.column + body.column : found.column,
	};
	if (!("startIndex" in found) || !("endIndex" in found)) return moved;
	return { ...moved, startIndex: Number(found.startIndex) + body.index, endIndex: Number(found.endIndex) + body.index };
}
