/**
 * A review in a process of its own, as the command line runs one: repository, base and model address come as arguments,
 * the stop as a signal of the system. Prints one JSON line at the end.
 */
import path from "node:path";
import { createSecrets } from "../../src/adapters/actions-runner/create-secrets.ts";
import { reviewLocally } from "../../src/compose/local-review.ts";
import { QUIET } from "../stages/question-rig.ts";

const [repo, base, baseUrl, bundleFolder] = process.argv.slice(2);
if (repo === undefined || base === undefined || baseUrl === undefined || bundleFolder === undefined) throw new Error("want four arguments");
const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stop.abort(new Error(`stopped by ${name}`)));
const review = await reviewLocally({
	...{ repo, base, provider: "anthropic", apiKey: "key-for-tests", baseUrl, bundleFolder },
	log: QUIET,
	secrets: createSecrets(() => undefined),
	signal: stop.signal,
});
const { report } = review.outcome;
process.stdout.write(`${JSON.stringify({ report, journals: review.journals, folder: path.resolve(review.reportPath, "../../../..") })}\n`);
