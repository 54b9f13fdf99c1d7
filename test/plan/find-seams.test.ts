import { describe, expect, it } from "vitest";
import { BUILT_IN_LANGUAGES } from "../../src/agents/experts/table.ts";
import type { ChangedFile, FilePatch } from "../../src/domain/change-set.ts";
import { findSeams, schemaKind } from "../../src/plan/find-seams.ts";
import { buildReviewPlan } from "../../src/plan/build-review-plan.ts";
import { routeFiles } from "../../src/plan/route.ts";
import { buildSkipRule } from "../../src/plan/skip-rules.ts";
import { DEFAULT_SETTINGS } from "../../src/trust/settings.ts";
import { changed, changeSetOf } from "./changed-files.ts";

const skip = buildSkipRule({ gitAttributes: "", heads: new Map(), paths: [], pathsIgnore: [] });

function patch(path: string, ...added: readonly string[]): FilePatch {
	const lines = added.map((text, index) => ({ kind: "added" as const, text, newLine: index + 1 }));
	return { path, binary: false, hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: lines.length, section: "", lines }] };
}

const FILES: readonly ChangedFile[] = ["api/openapi.yaml", "server/parcel.go", "web/parcel.ts", "server/other.go", "web/other.ts"].map(
	(path) => changed(path, 100),
);
const PATCHES: readonly FilePatch[] = [
	patch("api/openapi.yaml", "        weight_grams:", "          type: integer"),
	patch("server/parcel.go", 'WeightGrams int64 `json:"weight_grams"`'),
	patch("web/parcel.ts", "return parcel.weightGrams / 1000;"),
	patch("server/other.go", "func Other(integer int) string { return title }"),
	patch("web/other.ts", "export const type = 'object';"),
];

describe("seams between languages", () => {
	it.each([
		["api/openapi.yaml", "OpenAPI description"],
		["docs/swagger-v2.json", "OpenAPI description"],
		["proto/parcel.proto", "Protocol Buffers schema"],
		["schema.graphql", "GraphQL schema"],
		["config/parcel.schema.json", "JSON schema"],
		["db/migrations/003_weight.sql", "SQL migration"],
		["reports/weights.sql", undefined],
		["package.json", undefined],
	])("%s is %s", (path, kind) => {
		expect(schemaKind(path)).toBe(kind);
	});

	it("X-21 a schema and its users in two languages get one joint assignment; everybody else keeps their own", () => {
		expect(findSeams(FILES, BUILT_IN_LANGUAGES, PATCHES)).toEqual([
			{ kind: "OpenAPI description", schemas: ["api/openapi.yaml"], code: ["server/parcel.go", "web/parcel.ts"] },
		]);
		const { groups } = routeFiles(FILES, BUILT_IN_LANGUAGES, skip, PATCHES);
		expect(groups.map((group) => [group.profile?.id ?? group.joint?.map((each) => each.id), group.files.map((file) => file.path)])).toEqual(
			[
				[
					["go", "typescript"],
					["api/openapi.yaml", "server/parcel.go", "web/parcel.ts"],
				],
				["go", ["server/other.go"]],
				["typescript", ["web/other.ts"]],
			],
		);
		expect(groups[0]?.reason).toBe("OpenAPI description and what it joins, read together: 1 Go file and 1 TypeScript file");
		const plan = buildReviewPlan({
			...{
				changeSet: changeSetOf(FILES),
				settings: DEFAULT_SETTINGS,
				profiles: BUILT_IN_LANGUAGES,
				gitAttributes: "",
				files: new Set<string>(),
			},
			seamPatches: PATCHES,
		});
		expect(plan.assignments.map((assignment) => assignment.agent.displayName)).toEqual(["Go and TypeScript, jointly", "Go", "TypeScript"]);
		expect(plan.assignments[0]?.agent.prompt).toContain("joint reader of a border between languages");
		expect(plan.languages["web/parcel.ts"]).toBe("typescript");
	});

	it("X-21 with users in one language the schema goes to its specialist, and a schema without users stays where it was", () => {
		const files = FILES.filter((file) => file.path !== "web/parcel.ts");
		const { groups } = routeFiles(files, BUILT_IN_LANGUAGES, skip, PATCHES);
		expect(groups.map((group) => [group.profile?.id, group.files.map((file) => file.path)])).toEqual([
			["go", ["api/openapi.yaml", "server/parcel.go", "server/other.go"]],
			["typescript", ["web/other.ts"]],
		]);
		expect(groups[0]?.reason).toContain("2 Go files with 1 schema that joins them");
		const alone = routeFiles(files.slice(2), BUILT_IN_LANGUAGES, skip, PATCHES).groups;
		expect(alone.map((group) => group.profile?.id)).toEqual(["go", "typescript"]);
	});

	it("words of schema languages join nothing, nor does one everyday word", () => {
		const patches = [
			patch("a.proto", "string title = 1;", "repeated user items = 2;"),
			patch("a.go", "title string; user int"),
			patch("b.ts", "user"),
		];
		const files = ["a.proto", "a.go", "b.ts"].map((path) => changed(path, 100));
		expect(findSeams(files, BUILT_IN_LANGUAGES, patches)).toEqual([]);
	});

	it("what one child cannot read is left to the specialists", () => {
		const files = [changed("a.proto", 100), changed("big.go", 1_450), changed("small.ts", 100)];
		const patches = files.map((file) => patch(file.path, "parcel_weight"));
		expect(findSeams(files, BUILT_IN_LANGUAGES, patches)[0]?.code).toEqual(["small.ts"]);
	});
});
