import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { capBlobs, isOurs, parseMarker, printMarker, type StickyMarker } from "../../src/publish/marker.ts";
import { findStickies } from "../../src/publish/read-existing-state.ts";

const us = { login: "BOT[bot]", id: 900, type: "Bot" } as const;
const data: StickyMarker = { instance: "default", run: "6", attempt: 1, head: "a".repeat(40), blobs: {}, open: [] };
const comment = (id: number, author: { login: string; id: number; type: "User" | "Bot" }, body: string) => ({
	id,
	author,
	body,
	createdAt: "",
	url: `u${id}`,
});

describe("markers", () => {
	it("BR-37 only our own account's marker at the start of a body is believed, whatever run a stranger's claims", () => {
		const forged = printMarker("sticky", { ...data, run: "999999999" });
		const comments = [
			comment(1, { login: "user-x", id: 1, type: "User" }, forged),
			comment(2, { login: "user-y", id: 2, type: "User" }, `> ${printMarker("sticky", data)}\nwhat is this?`),
			comment(3, us, `${printMarker("sticky", data)}\n## Review`),
			comment(4, us, `I quote: ${forged}`),
			comment(5, { login: "BOT[bot]", id: 77, type: "Bot" }, forged),
		];
		expect(findStickies(comments, us, "default").map((each) => each.id)).toEqual([3]);
		expect(findStickies(comments, null, "default")).toEqual([]);
		expect(findStickies(comments, us, "other-workflow")).toEqual([]);
	});

	it("A97 the ghost and an unknown identity are never us", () => {
		expect(isOurs({ author: { login: "ghost", id: 0, type: "Unknown" } }, { login: "ghost", id: 0, type: "Unknown" })).toBe(false);
		expect(isOurs({ author: us }, us)).toBe(true);
	});

	it("prints what it parses, and no data can end the comment", () => {
		fc.assert(
			fc.property(fc.string({ maxLength: 80 }), fc.string({ maxLength: 200 }), fc.string({ maxLength: 60 }), (path, title, instance) => {
				const marker: StickyMarker = {
					...data,
					instance,
					blobs: { [`x${path}`]: "b".repeat(40) },
					open: [{ fingerprint: "c".repeat(32), id: "R7K2", path, line: 3, severity: "minor", category: "bug", title }],
				};
				const printed = printMarker("sticky", marker);
				expect(printed.indexOf("-->")).toBe(printed.length - 3);
				expect(printed).not.toContain("\n");
				expect(parseMarker("sticky", `${printed}\nbody`)).toEqual(marker);
			}),
		);
	});

	it("refuses other kinds, versions and shapes", () => {
		expect(parseMarker("finding", printMarker("sticky", data))).toBeUndefined();
		expect(parseMarker("sticky", "<!-- rookery:sticky v2 {} -->")).toBeUndefined();
		expect(parseMarker("sticky", "<!-- rookery:sticky v1 {} -->")).toBeUndefined();
		expect(parseMarker("sticky", "<!-- rookery:sticky v1 {nonsense} -->")).toBeUndefined();
		expect(parseMarker("sticky", printMarker("sticky", { ...data, head: "main" }))).toBeUndefined();
	});

	it("bounds the map of blobs", () => {
		const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`src/file-${index}.ts`, "a".repeat(40)]));
		expect(JSON.stringify(capBlobs(many)).length).toBeLessThan(13_000);
	});
});
