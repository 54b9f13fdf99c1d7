import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createSecrets, secretsOfEnvironment } from "../../src/adapters/actions-runner/create-secrets.ts";

const KEY = "sk-ant-api03-Zq7_hT2vLw9XcPbR4mNy-81KdGfJsAoEuViQt";
const rot13 = (text: string): string =>
	text.replace(/[a-z]/gi, (c) =>
		String.fromCharCode((c <= "Z" ? 90 : 122) >= c.charCodeAt(0) + 13 ? c.charCodeAt(0) + 13 : c.charCodeAt(0) - 13),
	);
const encoded = (offset: number): string => Buffer.from("x".repeat(offset) + KEY).toString("base64");
const between = (text: string): string => [...text].join(" ");

function secrets(...values: readonly string[]) {
	const masked: string[] = [];
	const made = createSecrets((line) => void masked.push(line));
	for (const value of values) made.add(value);
	return { ...made, masked };
}

describe("createSecrets", () => {
	it.each([
		["raw", KEY],
		["base64 at offset 0", encoded(0)],
		["base64 at offset 1", encoded(1)],
		["base64 at offset 2", encoded(2)],
		["base64url", Buffer.from(KEY).toString("base64url")],
		["base64 in lines", encoded(0).replace(/(.{20})/g, "$1\n")],
		["hexadecimal", Buffer.from(KEY).toString("hex")],
		["hexadecimal in capitals with colons", (Buffer.from(KEY).toString("hex").toUpperCase().match(/../g) ?? []).join(":")],
		["percent signs everywhere", `%${(Buffer.from(KEY).toString("hex").match(/../g) ?? []).join("%")}`],
		["URL-encoded", encodeURIComponent(`${KEY}`)],
		["reversed", [...KEY].reverse().join("")],
		["rot13", rot13(KEY)],
		["blanks between", between(KEY)],
		["a quotation's marks between", KEY.replace(/(.{6})/g, "$1\n> ")],
		["string parts", KEY.replace(/(.{8})/g, '$1" + "')],
		["without its separators", KEY.replace(/[-_]/g, "")],
		["its first characters cut", KEY.slice(9)],
		["a part from the middle", KEY.slice(15, 35)],
	])("A87 X-16 takes a known value out: %s", (_, hidden) => {
		const text = `Look: ${hidden} is what I found.`;
		const redacted = secrets(KEY).redact(text);
		expect(redacted).toContain("[REDACTED]");
		expect(redacted).toMatch(/^Look: .* is what I found\.$/s);
		const letters = (value: string): string => value.replace(/[^A-Za-z0-9]/g, "");
		for (let at = 0; at + 12 <= letters(hidden).length; at += 1)
			expect(letters(redacted)).not.toContain(letters(hidden).slice(at, at + 12));
	});

	it("A87 leaves text that only looks alike as it is, also the public beginning of a key", () => {
		const { redact } = secrets(KEY, "hunter2", "ghs_16C7e42F292c6912E7710c838347Ae178B4a");
		for (const text of [
			"keys begin with sk-ant-api03- and tokens with ghs_",
			"const sum = items.reduce((total, item) => total + item.price, 0);",
			Buffer.from("nothing of the kind").toString("base64"),
			"0f1e2d3c4b5a69788796a5b4c3d2e1f0",
			"مراجعة 👨‍👩‍👧‍👦",
		])
			expect(redact(text)).toBe(text);
		expect(redact("hunter2, aHVudGVyMg==")).toBe("[REDACTED], [REDACTED]==");
	});

	it("a key of several lines goes line by line; each value is masked once", () => {
		const lines = Array.from({ length: 3 }, () => randomBytes(48).toString("base64"));
		const made = secrets(`-----BEGIN KEY-----\n${lines.join("\n")}\n-----END KEY-----`, "short", "hunter2", "hunter2 ");
		expect(made.redact(`line two is ${lines[1]}`)).toBe("line two is [REDACTED]");
		expect(made.redact("-----BEGIN KEY-----")).toBe("-----BEGIN KEY-----");
		expect(made.masked).toHaveLength(5);
		expect(made.masked.at(-1)).toBe("::add-mask::hunter2");
		expect(made.masked.every((line) => !line.includes("\n"))).toBe(true);
	});

	it("SECURITY 6 values of the step's environment count by their variables' names", () => {
		const environment = {
			ACTIONS_RUNTIME_TOKEN: "eyJ-runtime-canary-1",
			ACTIONS_ID_TOKEN_REQUEST_TOKEN: "eyJ-request-canary-2",
			ACTIONS_ID_TOKEN_REQUEST_URL: "https://example.test/token",
			DEPLOY_KEY: "deploy-canary-3",
			INPUT_TOKEN: "input-canary-4",
			SSH_KEY_PATH: "/home/runner/.ssh/key",
			CACHE_KEY: "node modules of linux",
			KEYBOARD: "de-latin1-nodeadkeys",
			GITHUB_SHA: "0123456789012345678901234567890123456789",
		};
		expect(secretsOfEnvironment(environment)).toEqual([
			"eyJ-runtime-canary-1",
			"eyJ-request-canary-2",
			"deploy-canary-3",
			"input-canary-4",
		]);
	});
});
