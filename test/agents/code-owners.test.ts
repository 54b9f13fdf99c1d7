import { describe, expect, it } from "vitest";
import { readCodeOwners } from "../../src/agents/code-owners.ts";

const FILE = `# owners
*            @octo/all
*.sql        @octo/data dba@example.org   # queries
/build/      @octo/build
docs/*       docs@example.org
apps/        @octo/apps
/src/pay     @octo/payments
**/logs      @octo/ops
/src/pay/generated
my\\ dir/     @octo/blank
!negated     @octo/never
[ab].txt     @octo/never
`;

describe("CODEOWNERS", () => {
	it.each([
		["x/y.go", ["@octo/all"]],
		["db/a.sql", ["@octo/data", "dba@example.org"]],
		["build/a/b.txt", ["@octo/build"]],
		["sub/build/a.txt", ["@octo/all"]],
		["docs/a.md", ["docs@example.org"]],
		["docs/deep/a.md", ["@octo/all"]],
		["x/apps/a.ts", ["@octo/apps"]],
		["src/pay/card.ts", ["@octo/payments"]],
		["src/payments.ts", ["@octo/all"]],
		["a/logs/x.txt", ["@octo/ops"]],
		["src/pay/generated/a.ts", []],
		["my dir/a.txt", ["@octo/blank"]],
		["negated", ["@octo/all"]],
		["a.txt", ["@octo/all"]],
	])("%s belongs to %j: the last pattern that fits", (path, owners) => {
		expect(readCodeOwners(FILE)(path)).toEqual(owners);
	});

	it("an empty file gives nothing an owner", () => {
		expect(readCodeOwners("")("a")).toEqual([]);
	});
});
