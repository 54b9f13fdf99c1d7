import { describe, expect, it } from "vitest";
import { matchFindings, type ScoredFinding } from "../../src/score/match-findings.ts";
import { readPublicCases } from "../../src/score/read-public.ts";
import type { KnownDefect } from "../../src/score/score-case.ts";

const defect = (startLine: number, endLine = startLine, more: Partial<KnownDefect> = {}): KnownDefect => ({
	path: "a.go",
	startLine,
	endLine,
	side: "RIGHT",
	text: "It panics.",
	...more,
});
const finding = (startLine: number, more: Partial<ScoredFinding> = {}): ScoredFinding => ({
	path: "a.go",
	startLine,
	endLine: startLine,
	side: "RIGHT",
	title: "Panics",
	body: "It panics.",
	sources: ["moe-go-1"],
	...more,
});

describe("matchFindings", () => {
	it("1c-16 a finding names a defect within two lines of the same side of the same file, and nothing else", () => {
		const defects = [defect(10, 12)];
		const kinds = (given: ScoredFinding) => matchFindings([given], defects, []).findings[0]?.kind;
		for (const line of [8, 10, 12, 14]) expect(kinds(finding(line)), String(line)).toBe("hit");
		for (const line of [0, 7, 15]) expect(kinds(finding(line)), String(line)).toBe("unknown");
		expect(kinds(finding(10, { path: "b.go" }))).toBe("unknown");
		expect(kinds(finding(10, { side: "LEFT" }))).toBe("unknown");
	});

	it("1c-16 each defect is named once, and findings between two defects name both", () => {
		const matched = matchFindings([finding(11), finding(12), finding(12)], [defect(10), defect(13)], []);
		expect(matched.findings.map((each) => each.kind)).toEqual(["hit", "hit", "repeat"]);
		expect(matched.missed).toEqual([]);
	});

	it("1c-16 a finding that could take either leaves the one that another finding needs", () => {
		const matched = matchFindings([finding(11), finding(9)], [defect(10), defect(13)], []);
		expect(matched.findings).toEqual([
			{ kind: "hit", defect: 1 },
			{ kind: "hit", defect: 0 },
		]);
	});

	it("1c-16 what hits a comment that people rejected is wrong; a defect without a place is told by its words", () => {
		expect(matchFindings([finding(10)], [], [defect(10)]).findings).toEqual([{ kind: "decoy" }]);
		const words = defect(0, 0, { path: "", text: "Channel close races with concurrent senders during shutdown" });
		const same = finding(4, { title: "Race on shutdown", body: "The channel is closed while senders may still send: close races." });
		expect(matchFindings([same], [words], []).findings[0]?.kind).toBe("hit");
		expect(matchFindings([finding(4)], [words], []).findings[0]?.kind).toBe("unknown");
	});
});

describe("readPublicCases", () => {
	const options = { file: "set.json", findClone: (name: string) => `/clones/${name}`, rejected: false };
	const row = {
		githubPrUrl: "https://github.com/acme/widgets/pull/7",
		project_main_language: "Go",
		source_commit: "a".repeat(40),
		target_commit: "b".repeat(40),
		comments: [
			{ note: "Wrong sum.", path: "a.go", side: "right", from_line: 3, to_line: 5 },
			{ note: "Gone.", path: "b.go", side: "LEFT", from_line: null, to_line: 9 },
		],
	};

	it("1c-16 reads AACR-Bench, whose rejected comments are decoys", () => {
		const [read] = readPublicCases([row], options);
		expect(read).toMatchObject({
			id: "acme/widgets#7",
			language: "Go",
			complete: false,
			source: { kind: "clone", folder: "/clones/acme/widgets", base: "a".repeat(40), head: "b".repeat(40) },
			defects: [
				{ path: "a.go", startLine: 3, endLine: 5, side: "RIGHT", text: "Wrong sum." },
				{ path: "b.go", startLine: 9, endLine: 9, side: "LEFT", text: "Gone." },
			],
			decoys: [],
		});
		expect(readPublicCases([row], { ...options, rejected: true })[0]).toMatchObject({
			defects: [],
			decoys: [{ path: "a.go" }, { path: "b.go" }],
		});
	});

	it("1c-16 reads golden comments, whose commits have to be added", () => {
		const golden = {
			pr_title: "Close the channel",
			url: "https://github.com/acme/widgets/pull/8",
			comments: [{ comment: "Close races.", severity: "High" }],
		};
		const commits = { base: "a".repeat(40), head: "b".repeat(40) };
		expect(readPublicCases([{ ...golden, ...commits }], options)[0]?.defects).toEqual([
			{ path: "", startLine: 0, endLine: 0, side: "RIGHT", text: "Close races.", severity: "important" },
		]);
		expect(() => readPublicCases([golden], options)).toThrow(/set\.json: .*pull\/8: found no base and head, wanted/);
		expect(() => readPublicCases({ rows: [] }, options)).toThrow(/set\.json: found neither/);
	});
});
