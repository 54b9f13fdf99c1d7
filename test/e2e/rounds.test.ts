import { afterEach, describe, expect, it } from "vitest";
import { parseMarker, printMarker } from "../../src/publish/marker.ts";
import type { LoopbackModel } from "../../src/demo/loopback-model/start-loopback-model.ts";
import type { RunReport } from "../../src/domain/run-report.ts";
import { BAD, closeAll, FIXED, mean, plain, push, review, send, start } from "./rounds-rig.ts";
import { git, type Scene, TOKEN } from "./start-scene.ts";

afterEach(closeAll);

/** Somebody takes our summary off the pull request. */
async function deleteSummary(scene: Scene): Promise<void> {
	const own = scene.github.comments(scene.number).find((comment) => comment.body.startsWith("<!-- rookery:sticky"));
	const url = `${scene.github.url}/repos/octo/parcels/issues/comments/${own?.id}`;
	const answer = await fetch(url, { method: "DELETE", headers: { authorization: `Bearer ${TOKEN}` } });
	expect(answer.status).toBe(204);
}

function asked(model: LoopbackModel): readonly string[] {
	return model.requests.filter((request) => (request.request?.maxTokens ?? 0) > 0).map((request) => request.rawBody);
}

const states = (report: RunReport) => report.findings.map((finding) => [finding.path, finding.state]).sort();

describe("later rounds of a review, end to end", () => {
	it("X-04 X-18 only the file that changed is read again; one finding is fixed, the other is still open under its id", async () => {
		const { scene, model } = await start({
			base: { "a.go": plain("a"), "b/b.go": plain("b") },
			head: { "a.go": mean("a"), "b/b.go": mean("b") },
		});
		const first = (await review(scene, model)).report;
		expect(states(first)).toEqual([
			["a.go", "new"],
			["b/b.go", "new"],
		]);
		const before = asked(model).length;
		await push(scene, { "a.go": mean("a", FIXED) });
		const second = (await review(scene, model)).report;
		expect(states(second)).toEqual([
			["a.go", "fixed"],
			["b/b.go", "open"],
		]);
		const kept = (report: RunReport) => report.findings.find((finding) => finding.path === "b/b.go");
		expect(kept(second)?.id).toBe(kept(first)?.id);
		const later = asked(model).slice(before);
		expect(later.length).toBeGreaterThan(0);
		for (const body of later) {
			expect(body).toContain("- a.go modified");
			expect(body).not.toContain("- b/b.go modified");
			expect(body).not.toContain("func Meanb");
		}
		expect(second.files.find((file) => file.path === "b/b.go")).toMatchObject({ state: "reviewed", assigned: null });
		expect(second.notes.join("\n")).toContain("1 of 2 changed files changed since the last review; 1 unchanged, carried over.");
		expect(scene.github.reviewComments(scene.number)).toHaveLength(2);
		expect(scene.github.reviews(scene.number)).toHaveLength(1);
	});

	it("X-18 merging main and rebasing onto it cost no model call, and findings stay open under their ids", async () => {
		const { scene, model } = await start({
			base: { "a.go": plain("a"), "z.txt": "z\n" },
			head: { "a.go": mean("a") },
			later: { "a.go": `// A licence.\n${plain("a")}`, "z.txt": "zz\n" },
		});
		const first = (await review(scene, model)).report;
		const before = model.requests.length;
		await git(scene.work, "checkout", "-q", "change");
		await git(scene.work, "merge", "-q", "-m", "Merge main", "main");
		await send(scene, "change");
		const merged = (await review(scene, model)).report;
		expect(model.requests.length).toBe(before);
		expect(merged.verdict.state).toBe("findings");
		expect(merged.usage.costUsd).toBe(0);
		await git(scene.work, "reset", "-q", "--hard", "change~1");
		await git(scene.work, "rebase", "-q", "main");
		await send(scene, "change", true);
		const rebased = (await review(scene, model)).report;
		expect(model.requests.length).toBe(before);
		for (const later of [merged, rebased]) {
			expect(later.findings).toMatchObject([{ id: first.findings[0]?.id, fingerprint: first.findings[0]?.fingerprint, state: "open" }]);
			// One line further down than before the merge.
			expect(later.findings[0]?.startLine).toBe((first.findings[0]?.startLine ?? 0) + 1);
		}
		expect(scene.github.reviewComments(scene.number)).toHaveLength(1);
	});

	it("BR-68 an added file that is renamed, moved down, squashed and force pushed keeps its finding's id, whatever the words", async () => {
		const { scene, model } = await start({ base: { "z.txt": "z\n" }, head: { "a.go": mean("a") } });
		const first = (await review(scene, model)).report.findings[0];
		await push(scene, { "a.go": null, "pkg/mean.go": mean("a").replace("package a", "// Moved down.\n\npackage a") });
		await git(scene.work, "reset", "-q", "--soft", "main");
		await git(scene.work, "commit", "-q", "-m", "Squashed");
		await send(scene, "change", true);
		const second = (await review(scene, model)).report;
		expect(second.findings).toMatchObject([{ id: first?.id, fingerprint: first?.fingerprint, path: "pkg/mean.go", state: "open" }]);
		expect(second.findings[0]?.title).not.toBe(first?.title);
		await push(scene, { "pkg/mean.go": null, "pkg/last.go": mean("a").replace("package a", "// Once more.\npackage a") });
		const third = (await review(scene, model)).report;
		expect(third.findings).toMatchObject([{ id: first?.id, path: "pkg/last.go", state: "open" }]);
		expect(scene.github.reviewComments(scene.number)).toHaveLength(1);
	});

	it("BR-68 code that moves to another file keeps its id, a copy of it is a finding of its own", async () => {
		const both = { "a.go": plain("a"), "b.go": plain("a").replaceAll("Step", "Hop") };
		const { scene, model } = await start({ base: both, head: { "a.go": mean("a") } });
		const first = (await review(scene, model)).report.findings[0];
		const moved = `${both["b.go"]}\nfunc Meana(total int, items []int) int {\n${BAD}\n}\n`;
		await push(scene, { "a.go": `${plain("a")}\n// Mean stands in b.go.\n`, "b.go": moved });
		const second = (await review(scene, model)).report;
		expect(second.findings).toMatchObject([{ id: first?.id, path: "b.go", state: "open" }]);
		await push(scene, { "a.go": mean("a") });
		const third = (await review(scene, model)).report;
		expect(states(third)).toEqual([
			["a.go", "new"],
			["b.go", "open"],
		]);
		expect(third.findings.find((finding) => finding.path === "b.go")?.id).toBe(first?.id);
	});

	it("1c-6 a summary that was deleted and one that somebody forged mean a full review, which says so", async () => {
		const { scene, model } = await start({ base: { "a.go": plain("a") }, head: { "a.go": mean("a") } });
		await review(scene, model);
		const marker = parseMarker("sticky", scene.sticky() ?? "");
		if (marker === undefined) throw new Error("no state");
		expect(Object.keys(marker.changes ?? {})).toEqual(["a.go"]);
		await deleteSummary(scene);
		const before = model.requests.length;
		const gone = (await review(scene, model)).report;
		expect(model.requests.length).toBeGreaterThan(before);
		expect(gone.notes.join("\n")).toContain("our earlier summary is gone. This is a full review.");
		await deleteSummary(scene);
		scene.github.addComment(scene.number, { author: "author", body: `${printMarker("sticky", { ...marker, open: [] })}\nAll is well.` });
		const middle = model.requests.length;
		const forged = (await review(scene, model)).report;
		expect(model.requests.length).toBeGreaterThan(middle);
		expect(forged.notes.join("\n")).toContain("is by author and not ours. This is a full review.");
		expect(forged.findings).toHaveLength(1);
	});

	it("X-18 another provider makes it a full review, and says so", async () => {
		const { scene, model } = await start({ base: { "a.go": plain("a") }, head: { "a.go": mean("a") } });
		await review(scene, undefined);
		const withModel = (await review(scene, model)).report;
		expect(withModel.notes.join("\n")).toContain("the provider differ from those of the last review; this is a full review.");
		expect(states(withModel)).toEqual([["a.go", "new"]]);
	});
});
