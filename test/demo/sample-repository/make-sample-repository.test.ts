import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { makeSampleRepository } from "../../../src/demo/sample-repository/make-sample-repository.ts";
import { git, makeTempFolder, openContext } from "../../tools/tool-fixture.ts";

describe("makeSampleRepository", () => {
	it("makes the same commits every time, on every machine", async () => {
		using temp = makeTempFolder();
		const first = await makeSampleRepository(path.join(temp.folder, "a"));
		const second = await makeSampleRepository(path.join(temp.folder, "b"));
		expect({ ...second, folder: "" }).toEqual({ ...first, folder: "" });
		expect(git(first.folder, "status", "--porcelain")).toBe("");
		expect(git(first.folder, "branch", "--show-current")).toBe("urgent-parcels");
		expect(first.mergeBase).not.toBe(first.base);
		expect(first).toMatchObject(SHAS);
	});

	it("names every planted defect at its line, some of each kind in each language", async () => {
		using temp = makeTempFolder();
		const sample = await makeSampleRepository(path.join(temp.folder, "a"));
		await using open = await openContext(sample.folder, sample.mergeBase, sample.head);
		const changed = new Map(open.context.changedFiles.map((file) => [file.path, file]));
		for (const defect of sample.defects) {
			expect(changed.has(defect.path)).toBe(true);
			expect(readFileSync(path.join(sample.folder, defect.path), "utf8").split("\n")[defect.line - 1]?.trim()).not.toBe("");
		}
		for (const ending of [".go", ".rs", ".py", ".java", ".ts"]) {
			const here = sample.defects.filter((defect) => defect.path.endsWith(ending));
			expect(here.some((defect) => defect.offline)).toBe(true);
			expect(here.some((defect) => !defect.offline)).toBe(true);
		}
		expect(changed.get("docs/running.md")).toMatchObject({ status: "renamed", previousPath: "docs/operations.md" });
		expect(changed.get("docs/logo.png")).toMatchObject({ binary: true });
		expect([...changed.keys()]).toEqual(
			expect.arrayContaining(["Dockerfile", "gateway/package-lock.json", "dispatch/parcelpb/parcel.pb.go"]),
		);
	});
});

/** Fixed on purpose: a change to the sample shows here. */
const SHAS = {
	base: "777d113e05bdc4848abd6cca985be0c292d37e6e",
	mergeBase: "a29b4deba2ebc1404189be018aea803af53c2315",
	head: "ad08b6a7ee4f75e4cd6978777a5e513394eade31",
};
