import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkPath, isGitFolder } from "../../src/guard/path-guard.ts";

describe("checkPath", () => {
	it.each([
		"../../etc/passwd",
		"/etc/passwd",
		"~/.ssh/id_rsa",
		"C:\\",
		"c:/windows",
		"file:///etc/passwd",
		"a\0b",
		"a/../../b",
		"..",
		"..\\..\\secret",
		"src/..\\..\\x",
		"\\\\server\\share",
	])("A57 refuses %j with E_PATH", (path) => {
		expect(checkPath(path)).toMatchObject({ ok: false, code: "E_PATH" });
	});

	it.each(["/proc/self/environ", "/proc/1/environ", "/proc/self/root/etc/passwd", "/dev/fd/0", "/dev/zero", "//proc/self/environ"])(
		"A59 refuses %s with E_PROC",
		(path) => {
			expect(checkPath(path)).toMatchObject({ ok: false, code: "E_PROC" });
		},
	);

	it.each([
		".git",
		".git/config",
		".GIT/hooks/x",
		"sub/.git/config",
		".g\u200cit/config",
		".git./config",
		".git /config",
		"git~1/config",
		"a\\.git\\config",
	])("A66 keeps out of git's own files: %j", (path) => {
		expect(checkPath(path)).toMatchObject({ ok: false, code: "E_PATH" });
	});

	it.each([
		["./src//a.ts", "src/a.ts"],
		["src/x/../a.ts", "src/a.ts"],
		[".github/workflows/ci.yml", ".github/workflows/ci.yml"],
		[".gitignore", ".gitignore"],
		["proc/a", "proc/a"],
		["a b/ü.ts", "a b/ü.ts"],
		["", ""],
	])("gives the normal form of %j", (path, normal) => {
		expect(checkPath(path)).toEqual({ ok: true, path: normal });
	});

	it("never lets a path out, whatever it is made of", () => {
		const piece = fc.constantFrom("..", ".", "", "a", ".git", "~", "/", "\\", "\0", "C:", "proc", "b.ts");
		fc.assert(
			fc.property(fc.array(piece, { maxLength: 8 }), (parts) => {
				const checked = checkPath(parts.join("/"));
				if (!checked.ok) return;
				expect(checked.path.startsWith("/")).toBe(false);
				expect(checked.path.split("/")).not.toContain("..");
				expect(checked.path.split("/").some(isGitFolder)).toBe(false);
				expect(checked.path).not.toContain("\0");
			}),
		);
	});
});
