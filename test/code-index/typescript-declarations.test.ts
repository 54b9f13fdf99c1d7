import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openMemoryIndex as open } from "./open-memory-index.ts";

const TEXT = `
class A<T> extends B implements I { f = 1; #p = 2; static s: string; m(a, b?, ...c) {} get g() { return 1; } constructor(readonly q: number) { super(); } }
abstract class D { abstract n(): void }
interface I extends J { ip: string; im(x): void; [key: string]: unknown }
type Alias = { inner: number };
enum E { One, "two" = 2 }
function fn({ d1, k: d2 = 1 }, [d3]): void { outer: for (const loop of xs) { try { } catch (error) { } } }
function* gen() { var hoisted; }
declare function signature(): void;
namespace N.M { export const inside = 1; }
declare module "ambient" { }
const arrow = (p1) => p1, expression = function named() {}, klass = class Inner {};
let { r1, ...rest } = obj;
import alias = N.M;
type Mapped = { [K in keyof A]: A[K] };
type Inferred = A extends B<infer U> ? U : never;
`;

describe("declarations of typescript", () => {
	it("A9: every node of the grammar that has a name is a declaration or a known use", async () => {
		const types: readonly { type: string; named: boolean; fields?: Record<string, unknown> }[] = JSON.parse(
			readFileSync("node_modules/tree-sitter-typescript/typescript/src/node-types.json", "utf8"),
		);
		const named = types.filter((node) => node.named && node.fields?.["name"] !== undefined).map((node) => node.type);
		// An index signature's name binds nothing that could be used.
		const uses = ["export_specifier", "import_specifier", "generic_type", "nested_type_identifier", "type_predicate", "index_signature"];
		const declaring = [
			...["abstract_class_declaration", "abstract_method_signature", "class", "class_declaration", "enum_assignment", "enum_body"],
			...["enum_declaration", "function_declaration", "function_expression", "function_signature", "generator_function"],
			...["generator_function_declaration", "interface_declaration", "internal_module", "mapped_type_clause", "method_definition"],
			...["method_signature", "module", "optional_parameter", "property_signature", "public_field_definition", "required_parameter"],
			...["type_alias_declaration", "type_parameter", "variable_declarator"],
		];
		expect(named.filter((type) => !uses.includes(type)).sort()).toEqual(declaring);
	});

	it("A9: finds each kind of declaration", async () => {
		const facts = await open({ "a.ts": TEXT }).facts("a.ts");
		expect(facts?.hasErrors).toBe(false);
		const found = (facts?.definitions ?? []).map((each) => `${each.kind} ${each.name}`);
		expect(found).toEqual([
			...["class A", "typeParameter T", "field f", "field #p", "field s", "method m", "parameter a", "parameter b", "parameter c"],
			...["property g", "constructor constructor", "parameter q", "field q", "class D", "method n"],
			...["interface I", "property ip", "method im", "parameter x", "type Alias", "property inner", "enum E", "enumMember One"],
			...[
				"enumMember two",
				"function fn",
				"parameter d1",
				"parameter d2",
				"parameter d3",
				"label outer",
				"variable loop",
				"variable error",
			],
			...["function gen", "variable hoisted", "function signature", "module M", "constant inside", "module ambient"],
			...["function arrow", "parameter p1", "function expression", "function named", "class klass", "variable r1", "variable rest"],
			...["constant alias", "type Mapped", "typeParameter K", "type Inferred", "typeParameter U"],
		]);
	});
});
