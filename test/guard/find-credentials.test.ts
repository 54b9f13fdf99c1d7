import { expect, it } from "vitest";
import { findCredentials } from "../../src/guard/find-credentials.ts";

/** Made here and of no account; the form is what counts. Put together so that no scanner takes this file for a leak. */
const TOKEN = ["ghp", "R4mXq7LtZ2vK9sWc1JfYb8NdHa5PuG3oEiTx"].join("_");
const rot13 = (text: string): string =>
	text.replace(/[a-z]/gi, (c) => String.fromCharCode(c.charCodeAt(0) + (/[a-m]/i.test(c) ? 13 : -13)));

const FORMS: Readonly<Record<string, string>> = {
	raw: TOKEN,
	reversed: [...TOKEN].reverse().join(""),
	rot13: rot13(TOKEN),
	base64: Buffer.from(`key ${TOKEN}`).toString("base64"),
	base64url: Buffer.from(`key ${TOKEN}`).toString("base64url"),
	hexadecimal: Buffer.from(TOKEN).toString("hex"),
	"URL-encoded": [...TOKEN].map((c) => `%${c.charCodeAt(0).toString(16)}`).join(""),
};

it.each(Object.entries(FORMS))("X-16 A87 finds a credential that nobody named: %s", async (_, form) => {
	const found = await findCredentials(["Nothing here.", `The value is ${form} and it works.`]);
	expect(found).toContain(form);
});

it.each([
	["a documented example", "Use AKIAIOSFODNN7EXAMPLE as in the manual."],
	["a commit", "See 1d30e7a51d30e7a51d30e7a51d30e7a51d30e7a5 in the log."],
	["an integrity hash", "sha512-Kd6B3q0b1n7iQyYtG5Q0xkVUxlZgM0bJ2o0G4e8gX1y3zv0b1n7iQyYtG5Q0xkVUxlZgM0bJ2o0G4e8gX1=="],
	["code", "const token = process.env.GITHUB_TOKEN; headers.set('authorization', 'Bearer ' + token);"],
	["a path", "src/adapters/actions-runner/create-secrets.ts and docs/troubleshooting.md"],
])("X-16 leaves %s alone", async (_, text) => {
	await expect(findCredentials([text])).resolves.toEqual([]);
});

it("X-16 takes no more than a moment for the text of a large run", async () => {
	const text = "A sentence about src/stages/publish-run.ts that names `redact` and line 42.\n".repeat(10_000);
	await expect(findCredentials([text, `and ${TOKEN}`])).resolves.toEqual([TOKEN]);
});
