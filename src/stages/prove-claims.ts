import { extendTable, findLanguage, LANGUAGES } from "../agents/experts/table.ts";
import { compareChecks } from "../checks/compare-checks.ts";
import type { LanguageChecks } from "../domain/checks.ts";
import { errorText } from "../domain/errors.ts";
import type { Sha } from "../domain/ids.ts";
import type { RunContext } from "../domain/run-context.ts";
import type { ClaimVerdict, ProposedTest, TestProof } from "../domain/verification.ts";
import { createPathRules } from "../guard/path-rules.ts";
import type { WorkspaceProvider } from "../seams.ts";
import { isTestOrExample } from "../tools/diagnosis/path-kinds.ts";
import type { Trusted } from "./load-trusted.ts";
import type { PipelineSeams } from "./pipeline-seams.ts";
import { planChecks, prepareChecks } from "./prepare-checks.ts";

/** Each proof runs the tests up to four times. */
const MAX_PROOFS = 3;
const TIMEOUT_SECONDS = 120;

export interface ProveInput {
	readonly context: Pick<RunContext, "tier" | "head" | "mergeBase">;
	readonly trusted: Pick<Trusted, "settings" | "policy">;
	/** Trees of the head. */
	readonly workspaces: WorkspaceProvider;
	readonly seams: Pick<PipelineSeams, "sandbox" | "openTools" | "openWorkspaces" | "reader" | "signal" | "log" | "model">;
}

/** True where a test of a model may be run at all: T1 and above, behind walls that have proved themselves. */
export function mayProve({ context, seams }: Pick<ProveInput, "context" | "seams">): boolean {
	return context.tier !== "T0" && seams.openTools !== undefined && seams.sandbox !== undefined && seams.model.provider !== "offline";
}

/**
 * Runs the tests that verifiers have handed in, ourselves (X-10): red on the head and green on the merge base shows that
 * the change brings the fault. A verifier's own word for it counts for nothing. One proof at a time, the worst claims
 * first; never rejects: what cannot be run is a proof that failed, with its reason.
 */
export async function proveClaims(verdicts: readonly ClaimVerdict[], input: ProveInput): Promise<readonly ClaimVerdict[]> {
	const wanted = verdicts.filter((verdict) => verdict.word === "confirmed" && verdict.test !== undefined);
	if (wanted.length === 0) return verdicts;
	const proofs = new Map<ClaimVerdict, TestProof>();
	await using base = mayProve(input) ? input.seams.openWorkspaces(input.context.mergeBase) : undefined;
	for (const [index, verdict] of wanted.entries()) {
		if (verdict.test === undefined) continue;
		proofs.set(verdict, await prove(verdict.test, index, input, base));
	}
	return verdicts.map((verdict) => {
		const proof = proofs.get(verdict);
		return proof === undefined ? verdict : { ...verdict, proof };
	});
}

async function prove(test: ProposedTest, index: number, input: ProveInput, base: WorkspaceProvider | undefined): Promise<TestProof> {
	if (base === undefined) return fail("this run may not run tests");
	if (index >= MAX_PROOFS) return fail(`only ${MAX_PROOFS} tests a run are tried`);
	if (input.seams.signal.aborted) return fail("the run was ending");
	try {
		return await runProof(test, index, input, base);
	} catch (error) {
		return fail(errorText(error).split("\n", 1)[0] ?? "");
	}
}

async function runProof(test: ProposedTest, index: number, input: ProveInput, base: WorkspaceProvider): Promise<TestProof> {
	const { context, seams } = input;
	const [headFiles, baseFiles] = await Promise.all([listPaths(context.head, seams), listPaths(context.mergeBase, seams)]);
	const refusal = whyNotRun(test.path, [...headFiles, ...baseFiles], input);
	if (refusal !== undefined) return fail(refusal);
	const at = (commit: Sha, files: readonly string[], workspaces: WorkspaceProvider, name: string) =>
		prepareChecks(describeRun(test, `proof-${index + 1}-${name}`, { commit, files, workspaces }, input), patchOf(test));
	const head = at(context.head, headFiles, input.workspaces, "head");
	const onHead = await head.after();
	const command = onHead.flatMap((each) => each.results)[0]?.command;
	if (command === undefined) return fail("no test command is known for it");
	if (!isRed(onHead)) return fail(`it does not fail on the head: ${reasonOf(onHead)}`);
	const failing = newFailures(await head.before(), onHead);
	if (failing.length === 0) return fail("what fails with it on the head fails without it, too");
	const before = at(context.mergeBase, baseFiles, base, "base");
	const onBase = await before.after();
	if (!onBase.some((each) => each.results.some((result) => result.outcome === "passed" || result.counts !== undefined))) {
		return fail(`it could not be run on the base: ${reasonOf(onBase)}`);
	}
	if (isRed(onBase) && newFailures(await before.before(), onBase).length > 0) return fail("it fails on the base as well");
	return { ok: true, command, failing: failing.slice(0, 3) };
}

function fail(reason: string): TestProof {
	return { ok: false, reason };
}

async function listPaths(commit: Sha, seams: ProveInput["seams"]): Promise<readonly string[]> {
	return (await seams.reader.listFiles(commit)).map((file) => file.path);
}

/** A test is a new file, where tests are; it never takes the place of something. */
function whyNotRun(path: string, taken: readonly string[], { trusted }: ProveInput): string | undefined {
	const folded = path.toLowerCase();
	if (taken.some((each) => each.toLowerCase() === folded)) return `${path} is there already`;
	const rule = createPathRules(trusted.policy).readOnlyBy(path);
	if (rule !== undefined) return `${path} may not be written (rule ${rule.id})`;
	if (!isTestOrExample(path)) return `${path} is not named like a test`;
	return findLanguage(path, profilesOf(trusted)) === undefined ? `the language of ${path} is not known` : undefined;
}

function profilesOf({ settings }: ProveInput["trusted"]): typeof LANGUAGES {
	return extendTable(LANGUAGES, settings.moe.experts, settings.checks);
}

function describeRun(
	test: ProposedTest,
	session: string,
	tree: { readonly commit: Sha; readonly files: readonly string[]; readonly workspaces: WorkspaceProvider },
	{ trusted, seams }: ProveInput,
): Parameters<typeof prepareChecks>[0] {
	if (seams.sandbox === undefined) throw new Error("no sandbox");
	return {
		planned: planChecks(profilesOf(trusted), [test.path], [...tree.files, test.path], trusted.policy),
		head: tree.commit,
		headFiles: tree.files,
		workspaces: tree.workspaces,
		sandbox: seams.sandbox,
		policy: trusted.policy,
		dependencies: trusted.settings.sandbox.dependencies,
		signal: seams.signal,
		onProblem: (text) => seams.log.info(text),
		session,
		only: "tests",
		timeoutSeconds: TIMEOUT_SECONDS,
	};
}

function isRed(checks: readonly LanguageChecks[]): boolean {
	return checks.some((each) => each.results.some((result) => result.outcome === "failed"));
}

function newFailures(before: readonly LanguageChecks[], after: readonly LanguageChecks[]): readonly string[] {
	return after.flatMap((now) => {
		const then = before.find((each) => each.language === now.language && each.folder === now.folder);
		return compareChecks(then ?? { ...now, results: [] }, now).broken;
	});
}

function reasonOf(checks: readonly LanguageChecks[]): string {
	return checks.flatMap((each) => each.results.map((result) => `${result.outcome}, ${result.reason}`))[0] ?? "there is no test command";
}

/** A patch that adds the file; its path needs no quoting. */
function patchOf({ path, content }: ProposedTest): Buffer {
	const lines = content.replace(/\n$/, "").split("\n");
	const head = [
		`diff --git a/${path} b/${path}`,
		"new file mode 100644",
		"--- /dev/null",
		`+++ b/${path}`,
		`@@ -0,0 +1,${lines.length} @@`,
	];
	return Buffer.from(`${[...head, ...lines.map((line) => `+${line}`)].join("\n")}\n`);
}
