import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createSecrets } from "../../src/adapters/actions-runner/create-secrets.ts";
import { type LocalReview, type LocalReviewOptions, reviewLocally } from "../../src/compose/local-review.ts";
import { QUIET } from "../stages/question-rig.ts";

export interface ReviewRig {
	readonly temp: string;
	readonly bundleFolder: string;
	review(options: Partial<LocalReviewOptions> & Pick<LocalReviewOptions, "repo" | "base">): Promise<LocalReview>;
	[Symbol.dispose](): void;
}

/** A place for repositories, and a bundle folder whose grammars are those of the installed packages. */
export function openReviewRig(): ReviewRig {
	const temp = mkdtempSync(path.join(tmpdir(), "rookery-review-"));
	symlinkSync(path.resolve("node_modules"), path.join(temp, "grammars"));
	const made: string[] = [];
	return {
		temp,
		bundleFolder: temp,
		async review(options) {
			const secrets = createSecrets(() => undefined);
			const review = await reviewLocally({
				provider: "offline",
				log: QUIET,
				secrets,
				signal: new AbortController().signal,
				bundleFolder: temp,
				...options,
			});
			// <temp>/rookery/reports/<run>/report.json
			made.push(path.resolve(review.reportPath, "../../../.."));
			return review;
		},
		[Symbol.dispose]() {
			for (const folder of [temp, ...made]) rmSync(folder, { recursive: true, force: true });
		},
	};
}
