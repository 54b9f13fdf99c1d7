import type { Node, Tree } from "web-tree-sitter";
import { type GrammarId, grammarOfPath } from "../../code-index/grammars.ts";
import type { SyntaxService } from "../../code-index/syntax-service.ts";
import type { Fact } from "../../domain/diagnosis.ts";
import { type ChangedText, quoteLine } from "./changed-text.ts";
import { isFixture } from "./path-kinds.ts";

/** A test that runs alone, or not at all, as the syntax tree shows it. Rows are 0-based. */
interface TestMark {
	readonly kind: "focused-test" | "skipped-test";
	readonly row: number;
	/** As written, for example `it.only` or `@Disabled`. */
	readonly mark: string;
	/** What it stands on; the same mark on the same test in the base is not news. */
	readonly subject: string;
	/** Columns of text whose removal undoes the mark. */
	readonly removable?: { readonly from: number; readonly to: number };
}

const TEST_FILES: Readonly<Record<GrammarId, RegExp>> = {
	javascript: /[._-](test|spec|cy|e2e)\.[cm]?jsx?$|(^|\/)(__tests__|tests?|specs?|e2e|cypress)\//,
	typescript: /[._-](test|spec|cy|e2e)\.[cm]?ts$|(^|\/)(__tests__|tests?|specs?|e2e|cypress)\//,
	tsx: /[._-](test|spec|cy|e2e)\.tsx$|(^|\/)(__tests__|tests?|specs?|e2e|cypress)\//,
	python: /(^|\/)test_[^/]*\.py$|_test\.py$|(^|\/)tests?(\/|\.py$)/,
	go: /_test\.go$/,
	rust: /\.rs$/,
	java: /(^|\/)(test|it|integrationTest|androidTest)\/|(Test|Tests|IT|TestCase)\.java$/,
};

/** Focused and newly skipped tests on added lines, by syntax tree, so that strings and comments cannot fool it. */
export async function findTestMarks(text: ChangedText, syntax: SyntaxService): Promise<readonly Fact[] | undefined> {
	const grammar = grammarOfPath(text.path);
	if (grammar === undefined || !TEST_FILES[grammar].test(text.path) || isFixture(text.path)) return undefined;
	if (text.added.size === 0) return [];
	const head = await syntax.parseSource(grammar, text.head, (tree) => listMarks(grammar, tree));
	if (!head.ok) return undefined;
	const candidates = head.value.filter((mark) => text.added.has(mark.row + 1));
	if (candidates.length === 0) return [];
	const before = text.base === undefined ? undefined : await syntax.parseSource(grammar, text.base, (tree) => listMarks(grammar, tree));
	const known = new Set(before?.ok === true ? before.value.map(identity) : []);
	return candidates.filter((mark) => !known.has(identity(mark))).map((mark) => toFact(text, grammar, mark));
}

function identity(mark: TestMark): string {
	return `${mark.kind}\n${mark.subject}`;
}

function toFact(text: ChangedText, grammar: GrammarId, mark: TestMark): Fact {
	const line = mark.row + 1;
	const source = text.lines[mark.row] ?? "";
	const focused = mark.kind === "focused-test";
	const language = grammar === "tsx" ? "typescript" : grammar;
	return {
		kind: mark.kind,
		rule: `${mark.kind}/${language}`,
		path: text.path,
		line,
		endLine: line,
		quote: quoteLine(text, line),
		message: focused
			? `\`${mark.mark}\` makes the test runner leave out every other test of this file, so the suite can pass without running them.`
			: `\`${mark.mark}\` switches this test off: it no longer guards what it was written for.`,
		severity: focused ? "important" : "minor",
		...(mark.removable === undefined ? {} : { replacement: source.slice(0, mark.removable.from) + source.slice(mark.removable.to) }),
	};
}

function listMarks(grammar: GrammarId, tree: Tree): readonly TestMark[] {
	const root = tree.rootNode;
	switch (grammar) {
		case "javascript":
		case "typescript":
		case "tsx":
			return root.descendantsOfType("call_expression").flatMap((call) => readScriptCall(call) ?? []);
		case "go":
			return root.descendantsOfType("call_expression").flatMap((call) => readGoCall(call) ?? []);
		case "python":
			return root.descendantsOfType("decorator").flatMap((decorator) => readDecorator(decorator) ?? []);
		case "java":
			return root.descendantsOfType(["marker_annotation", "annotation"]).flatMap((annotation) => readAnnotation(annotation) ?? []);
		case "rust":
			return root.descendantsOfType("attribute_item").flatMap((attribute) => readAttribute(attribute) ?? []);
	}
}

const SCRIPT_ROOTS = /^(it|test|describe|context|suite|specify|bench|fixture)$/;
const FOCUSED_NAMES = /^(fit|fdescribe|fcontext)$/;
const SKIPPED_NAMES = /^(xit|xtest|xdescribe|xcontext|xspecify)$/;
const TITLES = new Set(["string", "template_string"]);

/** `it.only("…", …)`, `test.describe.skip("…", …)`, `it.only.each([…])("…", …)`, `fit("…", …)`. */
function readScriptCall(call: Node): TestMark | undefined {
	const title = call.childForFieldName("arguments")?.namedChild(0);
	let callee = call.childForFieldName("function");
	if (title === null || title === undefined || callee === null || !TITLES.has(title.type)) return undefined;
	// A declaration has a body; `test.skip(condition, "why")` and `suite.only("x")` of other libraries have none.
	if (!/function|identifier|call_expression|object/.test(call.childForFieldName("arguments")?.namedChild(1)?.type ?? "")) return undefined;
	if (callee.type === "call_expression") callee = callee.childForFieldName("function");
	if (callee === null) return undefined;
	if (callee.type === "identifier") return readBareName(callee, title);
	for (let member: Node | null = callee; member?.type === "member_expression"; member = member.childForFieldName("object")) {
		const property = member.childForFieldName("property");
		const object = member.childForFieldName("object");
		if (property === null || object === null || (property.text !== "only" && property.text !== "skip")) continue;
		if (!SCRIPT_ROOTS.test(object.text.split(".")[0] ?? "") || !/^[\w.]+$/.test(object.text)) return undefined;
		const oneLine = object.endPosition.row === property.endPosition.row;
		const focused = property.text === "only";
		return {
			kind: focused ? "focused-test" : "skipped-test",
			row: property.startPosition.row,
			mark: `${object.text}.${property.text}`,
			subject: title.text,
			...(focused && oneLine ? { removable: { from: object.endPosition.column, to: property.endPosition.column } } : {}),
		};
	}
	return undefined;
}

function readBareName(name: Node, title: Node): TestMark | undefined {
	const focused = FOCUSED_NAMES.test(name.text);
	if (!focused && !SKIPPED_NAMES.test(name.text)) return undefined;
	return {
		kind: focused ? "focused-test" : "skipped-test",
		row: name.startPosition.row,
		mark: name.text,
		subject: title.text,
		...(focused ? { removable: { from: name.startPosition.column, to: name.startPosition.column + 1 } } : {}),
	};
}

/** `t.Skip()` as a statement of the test itself; below an `if` it is a condition and none of our business. Ginkgo's `FIt`. */
function readGoCall(call: Node): TestMark | undefined {
	const callee = call.childForFieldName("function");
	if (callee === null) return undefined;
	const title = call.childForFieldName("arguments")?.namedChild(0);
	if (callee.type === "identifier" && /^[FPX](It|Describe|Context|When|Entry)$/.test(callee.text)) {
		if (title?.type !== "interpreted_string_literal") return undefined;
		const focused = callee.text.startsWith("F");
		const at = callee.startPosition;
		return {
			kind: focused ? "focused-test" : "skipped-test",
			row: at.row,
			mark: callee.text,
			subject: title.text,
			...(focused ? { removable: { from: at.column, to: at.column + 1 } } : {}),
		};
	}
	if (!/^[tb]\.(Skip|Skipf|SkipNow)$/.test(callee.text)) return undefined;
	for (let parent = call.parent; parent !== null; parent = parent.parent) {
		if (/^(expression_statement|statement_list|block)$/.test(parent.type)) continue;
		if (parent.type === "func_literal")
			return { kind: "skipped-test", row: call.startPosition.row, mark: callee.text, subject: subjectOf(parent.parent) };
		if (parent.type !== "function_declaration") return undefined;
		const name = parent.childForFieldName("name")?.text ?? "";
		return /^(Test|Benchmark|Fuzz)/.test(name)
			? { kind: "skipped-test", row: call.startPosition.row, mark: callee.text, subject: name }
			: undefined;
	}
	return undefined;
}

function readDecorator(decorator: Node): TestMark | undefined {
	const mark = /^@(?:pytest\.mark\.skip|unittest\.skip|mark\.skip|skip)(?=\(|\s*$)/.exec(decorator.text)?.[0];
	if (mark === undefined) return undefined;
	const subject = decorator.parent?.childForFieldName("definition")?.childForFieldName("name")?.text ?? "";
	return { kind: "skipped-test", row: decorator.startPosition.row, mark, subject };
}

function readAnnotation(annotation: Node): TestMark | undefined {
	const name = annotation.childForFieldName("name")?.text.split(".").at(-1);
	if (name !== "Disabled" && name !== "Ignore") return undefined;
	const declaration = annotation.parent?.parent;
	if (declaration?.type !== "method_declaration" && declaration?.type !== "class_declaration") return undefined;
	return { kind: "skipped-test", row: annotation.startPosition.row, mark: `@${name}`, subject: subjectOf(declaration) };
}

function readAttribute(attribute: Node): TestMark | undefined {
	if (!/^#\[\s*ignore\s*(=[^\]]*)?\]$/.test(attribute.text)) return undefined;
	let item = attribute.nextNamedSibling;
	let isTest = false;
	for (let before = attribute.previousNamedSibling; before?.type === "attribute_item"; before = before.previousNamedSibling) {
		isTest ||= /\btest\b/.test(before.text);
	}
	while (item?.type === "attribute_item" || item?.type === "line_comment") {
		isTest ||= item.type === "attribute_item" && /\btest\b/.test(item.text);
		item = item.nextNamedSibling;
	}
	if (!isTest || item?.type !== "function_item") return undefined;
	return { kind: "skipped-test", row: attribute.startPosition.row, mark: "#[ignore]", subject: subjectOf(item) };
}

function subjectOf(node: Node | null | undefined): string {
	return node?.childForFieldName("name")?.text ?? node?.text.split("\n")[0]?.slice(0, 100) ?? "";
}
