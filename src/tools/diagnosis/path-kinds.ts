import path from "node:path";

/**
 * Kinds of paths by name. They only ever make a check more careful: what lies in fixtures is often broken on purpose,
 * and a template is not yet the language its name says.
 */

const FIXTURE_FOLDER =
	/(^|\/)(test-?data|test_data|[\w-]*fixtures?|__fixtures__|__snapshots__|snapshots|goldens?|cassettes|invalid|malformed|corrupt(ed)?|broken|bad|compile-fail)\/|(^|\/)tests?\/ui\//i;
const FIXTURE_NAME = /(^|[/_.-])(invalid|malformed|corrupt(ed)?|broken)[_.-][^/]*$/i;
const TEMPLATE =
	/(^|\/)(templates?|_templates|__templates__|skeletons?|stubs?|scaffolds?|boilerplates?|archetype-resources|blueprints)\/|\{\{|\.(tmpl|tpl|j2|jinja2?|hbs|ejs|erb|mustache|liquid|in)(\.|$)/i;
const TEST =
	/(^|\/)(tests?|specs?|__tests__|__mocks__|mocks?|e2e|it|testing|examples?|samples?|docs?)\/|(^|[/._-])(test|spec|mock|example|sample)s?([._-]|$)|(Test|Tests|IT|Spec)\.[a-z]+$/;

export function isFixture(file: string): boolean {
	return FIXTURE_FOLDER.test(file) || FIXTURE_NAME.test(file);
}

export function isTemplate(file: string): boolean {
	return TEMPLATE.test(file);
}

/** Tests, examples and documents: text there is often only an example. */
export function isTestOrExample(file: string): boolean {
	return TEST.test(file) || isProse(file);
}

export function isProse(file: string): boolean {
	return /\.(md|mdx|markdown|rst|adoc|asciidoc|txt|tex|html?)$/i.test(file);
}

/** Placeholders of template engines that can stand in any language. */
export function holdsPlaceholders(text: string): boolean {
	return /\{\{|\{%|<%|\$\{\{|\[\[|@@\w+@@/.test(text);
}

export function fileName(file: string): string {
	return path.posix.basename(file);
}
