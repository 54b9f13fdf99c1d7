import { afterEach, describe, expect, it } from "vitest";
import { type Scene, startScene } from "./start-scene.ts";

const GO_MOD = "module example.org/parcels\n\ngo 1.22\n";
const MONEY = "package money\n\n// Sum adds up.\nfunc Sum(items []int, start int) int {\n\treturn len(items) + start\n}\n";
const SHOP = 'package shop\n\nimport "example.org/parcels/money"\n\nfunc Total() int {\n\treturn money.Sum(nil, 2)\n}\n';
let scene: Scene | undefined;

afterEach(async () => {
	expect(scene?.github.violations).toEqual([]);
	await scene?.[Symbol.asyncDispose]();
	scene = undefined;
});

describe("uses that a pull request leaves behind, end to end", () => {
	it("a call in a file that the change does not touch is a finding in the review's text, confirmed by the verifier", async () => {
		scene = await startScene({
			base: { "go.mod": GO_MOD, "money/sum.go": MONEY, "shop/total.go": SHOP },
			head: { "money/sum.go": MONEY.replace("start int", "start, step int").replace("+ start", "+ start*step") },
		});
		const run = await scene.start();
		expect(run.exitCode, run.stdout + run.stderr).toBe(0);
		const report = await scene.readReport(run);
		expect(report.findings).toHaveLength(1);
		expect(report.findings[0]).toMatchObject({
			path: "shop/total.go",
			startLine: 6,
			tier: "body",
			severity: "critical",
			title: "Call does not fit the changed parameters",
		});
		expect(report.findings[0]?.evidence.detail).toContain("it took 2 arguments before; shop/total.go:6 is bound to it");
		expect(report.findings[0]?.evidence.detail).toContain("confirmed by");
		expect(scene.sticky()).toContain("shop/total.go");
		const again = await scene.start({ runId: "2" });
		expect((await scene.readReport(again)).findings).toMatchObject([{ id: report.findings[0]?.id, state: "open" }]);
	});

	it("a definition that moved with all its uses is no finding", async () => {
		scene = await startScene({
			base: { "go.mod": GO_MOD, "money/sum.go": MONEY, "shop/total.go": SHOP },
			head: { "money/sum.go": "package money\n", "money/add.go": MONEY },
		});
		const report = await scene.readReport(await scene.start());
		expect(report.verdict.state).toBe("clean");
	});
});
