/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell text */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isCommandAllowedBy, isCommandDeniedBy } from "../../src/guard/command-pattern.ts";
import { splitCommand } from "../../src/guard/split-command.ts";

const RULES = ["git diff:*", "ls *", "cat*", "git:* push"];

function isAllowed(command: string, rules: readonly string[] = RULES): boolean {
	const split = splitCommand(command);
	return split.ok && split.parts.every((part) => rules.some((rule) => isCommandAllowedBy(rule, part)));
}

function isDenied(command: string, rule: string): boolean {
	const split = splitCommand(command);
	return !split.ok || split.parts.some((part) => isCommandDeniedBy(rule, part));
}

describe("command rules", () => {
	it.each(["git diff --stat", "git diff", "ls -la", "catx"])("BR-77 the rules allow: %s", (command) => {
		expect(isAllowed(command)).toBe(true);
	});

	it.each(["git difftool", "lsof", "git push", "git diff && rm -rf .", "git diff $(id)", "git diff\nrm x", "git diff > /etc/x"])(
		"BR-77 the rules deny: %j",
		(command) => {
			expect(isAllowed(command)).toBe(false);
		},
	);

	it.each([
		...[
			"git diff || rm x",
			"git diff; rm x",
			"git diff | sh",
			"git diff & rm x",
			"git diff `id`",
			'git diff "$(id)"',
			"git diff <(rm x)",
			"(git diff; rm x)",
		],
		...[
			"git diff >> x",
			"git diff &> x",
			"git diff 2> x",
			"git diff <<< x",
			"git diff\r\nrm x",
			"x=1 git diff",
			"$X git diff",
			"g* diff",
			"git diff \\\n&& rm x",
		],
		...[
			"if true; then rm x; fi",
			"for i in 1; do git diff; done",
			"git() { rm x; }",
			"git diff ${X:-$(id)}",
			"git diff $((1))",
			"git diff 'x",
			"eval git diff",
		],
	])("BR-77 nothing of this kind gets through: %j", (command) => {
		expect(isAllowed(command, ["git diff:*", "ls *"])).toBe(false);
	});

	it.each([
		"git diff 2>&1",
		"git diff 2>/dev/null | cat",
		"ls -la 'a && b' \"c; d\"",
		"git diff # rm x",
		"git  diff   --stat",
		"cd src && git diff",
	])("BR-77 harmless forms pass: %j", (command) => {
		expect(isAllowed(command, [...RULES, "cd:*"])).toBe(true);
	});

	it.each([
		...[
			"git push",
			"git  push origin x",
			"g'i't push",
			"/usr/bin/git push",
			"A=1 git push",
			"env git push",
			"xargs git push",
			"sh -c 'git push'",
		],
		...[
			"ls && git push",
			"ls $(git push)",
			"git${IFS}push",
			"$GIT push",
			"echo x | xargs -n1 git push",
			'bash -c "cd x; git push"',
			"find . -exec git push \\;",
		],
		...["timeout 5 git push", "if true; then git push; fi", "cat <<E\ngit push\nE"],
	])("A81 a denied command is found behind its usual covers: %j", (command) => {
		expect(isDenied(command, "git push:*")).toBe(true);
	});

	it("BR-77 a denial does not reach what only looks alike", () => {
		expect(isDenied("git pushup", "git push:*")).toBe(false);
		expect(isDenied("echo 'git push'", "git push:*")).toBe(false);
		expect(isDenied("git diff $FILE", "git push:*")).toBe(false);
	});

	it("BR-77 an allowed line with anything behind a separator needs the rule for that, too", () => {
		const separators = fc.constantFrom("&&", "||", ";", "|", "\n", "&", "$(", "`");
		const other = fc.constantFrom("rm x", "curl y", "id", "sh");
		fc.assert(
			fc.property(separators, other, fc.constantFrom("", " ", "  "), (separator, command, blank) => {
				const closing = separator === "$(" ? ")" : separator === "`" ? "`" : "";
				expect(isAllowed(`git diff${blank}${separator}${blank}${command}${closing}`)).toBe(false);
			}),
		);
	});
});
