import { readdir, readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createGitHubHost } from "../adapters/github/create-github-host.ts";
import { createRepositoryReader } from "../adapters/git/repository-reader.ts";
import { createGitHistory } from "../adapters/git/git-history.ts";
import { createObjectStream } from "../adapters/git/object-stream.ts";
import { openRepository } from "../adapters/git/open-repository.ts";
import { openSandbox } from "../adapters/sandbox/open-sandbox.ts";
import { listCommittedAgentFiles } from "../agents/agent-folders.ts";
import { EXPLORE_AGENT, PLAN_AGENT } from "../agents/built-in.ts";
import { buildCatalogue } from "../agents/catalogue.ts";
import { type GrammarId, locateAssets } from "../code-index/grammars.ts";
import { errorText } from "../domain/errors.ts";
import type { Sha } from "../domain/ids.ts";
import type { RepositoryReader } from "../seams.ts";
import { loadPolicy } from "../trust/load-policy.ts";
import { loadSettings } from "../trust/load-settings.ts";
import { loadTrustLock } from "../trust/trust-lock.ts";
import { checkJobs } from "./check-jobs.ts";
import { checkWorkflow } from "./check-workflow.ts";
import type { DoctorCheck } from "./doctor-check.ts";

export interface DoctorOptions {
	readonly folder: string;
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly bundleFolder: string;
	/** `process.versions.node`. */
	readonly nodeVersion: string;
}

const LEAST_NODE = 20;
/** `cat-file --batch` with what the reader relies on, and `merge-base` on partial clones. */
const LEAST_GIT: readonly [number, number] = [2, 30];
const GRAMMARS: readonly ("runtime" | GrammarId)[] = ["runtime", "go", "rust", "python", "java", "javascript", "typescript", "tsx"];

/** `rookery doctor`: looks at everything a run needs and says what to change. Never rejects; what fails is a check. */
export async function examine(options: DoctorOptions): Promise<readonly DoctorCheck[]> {
	const [machine, repository, token] = await Promise.all([examineMachine(options), examineRepository(options), examineToken(options)]);
	return [...machine, ...repository, ...token];
}

function ok(name: string, text: string): DoctorCheck {
	return { name, state: "ok", text };
}

function warn(name: string, text: string, fix?: readonly string[]): DoctorCheck {
	return { name, state: "warn", text, ...(fix === undefined ? {} : { fix }) };
}

function fail(name: string, text: string, fix?: readonly string[]): DoctorCheck {
	return { name, state: "fail", text, ...(fix === undefined ? {} : { fix }) };
}

async function examineMachine(options: DoctorOptions): Promise<readonly DoctorCheck[]> {
	const major = Number.parseInt(options.nodeVersion, 10);
	const node =
		major >= LEAST_NODE
			? ok("node", `Node ${options.nodeVersion}`)
			: fail("node", `Node ${options.nodeVersion}; wanted ${LEAST_NODE} or later`, [
					"- uses: actions/setup-node@<full commit SHA>",
					"  with:",
					"    node-version: 24",
				]);
	const key = options.environment["ANTHROPIC_API_KEY"];
	const model =
		key === undefined || key === ""
			? warn("model", "ANTHROPIC_API_KEY is not set here: the offline analyst reviews at no cost, and questions cannot be answered", [
					"with:",
					`  anthropic-api-key: \${{ secrets.ANTHROPIC_API_KEY }}`,
				])
			: ok("model", "ANTHROPIC_API_KEY is set");
	return [node, model, await examineSandbox(options), examineGrammars(options)];
}

async function examineSandbox({ bundleFolder }: DoctorOptions): Promise<DoctorCheck> {
	try {
		const sandbox = await openSandbox({ code: bundleFolder, temporaryFolder: os.tmpdir() });
		if (sandbox.available) return ok("sandbox", `${sandbox.name}; ${sandbox.checks.length} walls were tried and held`);
		return warn("sandbox", `none: ${sandbox.reason}. Nothing is run and nothing written without one`, [sandbox.fix]);
	} catch (error) {
		return warn("sandbox", `it could not be tried: ${errorText(error)}`);
	}
}

function examineGrammars({ bundleFolder }: DoctorOptions): DoctorCheck {
	const locate = locateAssets(path.join(bundleFolder, "grammars"));
	const missing = GRAMMARS.filter((name) => {
		try {
			return locate(name) === "";
		} catch {
			return true;
		}
	});
	if (missing.length === 0) return ok("grammars", `${GRAMMARS.length - 1} grammars are there`);
	return fail("grammars", `missing beside the program: ${missing.join(", ")}`, ["Run a whole release; from sources: npm run build"]);
}

async function examineRepository(options: DoctorOptions): Promise<readonly DoctorCheck[]> {
	try {
		const repository = await openRepository(options.folder);
		const objects = createObjectStream(repository.git);
		await using reader = createRepositoryReader(repository.git, objects);
		const history = createGitHistory(repository, objects, { signal: new AbortController().signal });
		const head = await history.resolve("HEAD");
		const version = (await repository.git.porcelain(["version"])).trim();
		const checks = [examineGit(version), await examineDepth(history)];
		if (head === undefined) return [...checks, fail("commit", "HEAD names no commit yet; commit something first")];
		const folder = repository.workTree ?? options.folder;
		const files = await Promise.all([examineFiles(reader, head), examineWorkflows(folder), examineJobs(reader, head, folder)]);
		return [...checks, ...files.flat()];
	} catch (error) {
		return [fail("git", errorText(error))];
	}
}

function examineGit(version: string): DoctorCheck {
	const match = /(\d+)\.(\d+)/.exec(version);
	const [major, minor] = [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)];
	const enough = major > LEAST_GIT[0] || (major === LEAST_GIT[0] && minor >= LEAST_GIT[1]);
	return enough ? ok("git", version) : fail("git", `${version || "git tells no version"}; wanted ${LEAST_GIT.join(".")} or later`);
}

async function examineDepth(history: ReturnType<typeof createGitHistory>): Promise<DoctorCheck> {
	if (!(await history.isShallow())) return ok("depth", "the whole history is there");
	return warn("depth", "this is a shallow clone: merge bases have to be fetched first, which costs time and may fail", [
		"with:",
		"  fetch-depth: 0",
	]);
}

/** Settings, policy, pins and agents as a run at this commit would read them. */
async function examineFiles(reader: RepositoryReader, head: Sha): Promise<readonly DoctorCheck[]> {
	const attempt = async (name: string, look: () => Promise<string>): Promise<DoctorCheck> => {
		try {
			return ok(name, await look());
		} catch (error) {
			return fail(name, errorText(error));
		}
	};
	const checks = await Promise.all([
		attempt("settings", async () => {
			const { notes } = await loadSettings({ reader, trusted: head });
			const there = (await reader.readFile(head, ".rookery/settings.json")) !== undefined;
			return [there ? ".rookery/settings.json is sound" : "no settings file: the defaults hold", ...notes].join("; ");
		}),
		attempt("policy", async () => {
			const policy = await loadPolicy({ reader, trusted: head });
			return policy.sources.length === 0 ? "no policy file" : `${policy.sources.join(", ")} in force`;
		}),
		attempt("trust", async () => {
			const pins = Object.keys((await loadTrustLock(reader, head)).agents).length;
			return pins === 0 ? "no agent is pinned" : `${pins} pinned ${pins === 1 ? "agent" : "agents"}`;
		}),
	]);
	return [...checks, ...(await examineAgents(reader, head))];
}

async function examineAgents(reader: RepositoryReader, head: Sha): Promise<readonly DoctorCheck[]> {
	try {
		const catalogue = await buildCatalogue({
			builtIn: [EXPLORE_AGENT, PLAN_AGENT],
			repository: await listCommittedAgentFiles(reader, head),
		});
		const custom = catalogue.agents.filter((agent) => agent.tier !== "built-in");
		const names = custom.map((agent) => agent.name).join(", ");
		return [
			ok("agents", custom.length === 0 ? "no custom agents" : `${custom.length} loaded: ${names}`),
			...catalogue.problems.map((problem) => warn("agents", `${problem.path}: ${problem.reason}`)),
			...catalogue.notes.map((note) => warn("agents", `${note.path}: ${note.text}`)),
		];
	} catch (error) {
		return [fail("agents", errorText(error))];
	}
}

/** Workflows of the working tree that use this action. */
async function examineWorkflows(folder: string): Promise<readonly DoctorCheck[]> {
	const place = path.join(folder, ".github", "workflows");
	const names = (await readdir(place).catch(() => [])).filter((name) => /\.ya?ml$/.test(name)).sort();
	const checks: DoctorCheck[] = [];
	let used = 0;
	for (const name of names) {
		const checked = checkWorkflow(await readFile(path.join(place, name), "utf8"), `.github/workflows/${name}`);
		if (!checked.uses) continue;
		used += 1;
		checks.push(...(checked.problems.length === 0 ? [ok("workflow", `.github/workflows/${name} is sound`)] : checked.problems));
	}
	return used === 0 ? [warn("workflow", "no workflow here uses Rookery", ["rookery init"])] : checks;
}

/** Settings that cannot be read are another check's. */
async function examineJobs(reader: RepositoryReader, head: Sha, folder: string): Promise<readonly DoctorCheck[]> {
	try {
		const { settings } = await loadSettings({ reader, trusted: head });
		const place = path.join(folder, ".github", "workflows");
		const names = (await readdir(place).catch(() => [])).filter((name) => /\.ya?ml$/.test(name));
		return checkJobs(settings.maintenance, await Promise.all(names.map((name) => readFile(path.join(place, name), "utf8"))));
	} catch {
		return [];
	}
}

const DEFAULT_API = "https://api.github.com";

/** What the token may read; what it may write only the workflow's `permissions` can tell without writing. */
async function examineToken(options: DoctorOptions): Promise<readonly DoctorCheck[]> {
	const { environment } = options;
	const token = environment["GITHUB_TOKEN"] || environment["GH_TOKEN"];
	if (token === undefined) return [warn("token", "neither GITHUB_TOKEN nor GH_TOKEN is set here, so what a token may do was not tried")];
	const named = environment["GITHUB_REPOSITORY"] ?? (await findRemoteRepository(options.folder));
	const [owner, name] = named?.split("/") ?? [];
	if (!owner || !name) return [warn("token", "the repository on GitHub is not known; set GITHUB_REPOSITORY to owner/name")];
	const baseUrl = environment["GITHUB_API_URL"] || DEFAULT_API;
	try {
		const host = await createGitHubHost({ token, baseUrl, repository: { owner, name }, throttle: false, readRetries: 0 });
		const { reader } = host;
		const [viewer, branch] = await Promise.allSettled([reader.viewer(), reader.defaultBranch()]);
		const who = viewer.status === "fulfilled" ? viewer.value : null;
		const identity =
			who === null ? fail("token", `${baseUrl} does not accept the token`) : ok("token", `accepted by ${baseUrl} as ${who.login}`);
		const read =
			branch.status === "fulfilled"
				? ok("contents", `${owner}/${name} can be read; its default branch is ${branch.value.name}`)
				: fail("contents", `${owner}/${name} cannot be read: ${errorText(branch.reason)}`, ["permissions:", "  contents: read"]);
		return [identity, read, ...(branch.status === "fulfilled" ? await examineReads(host, branch.value.sha) : [])];
	} catch (error) {
		return [fail("token", `${baseUrl}: ${errorText(error)}`)];
	}
}

async function examineReads({ activity }: Awaited<ReturnType<typeof createGitHubHost>>, sha: Sha): Promise<readonly DoctorCheck[]> {
	try {
		await activity.commitSeenAt(sha);
		return [ok("checks", "check suites can be read")];
	} catch (error) {
		return [
			warn("checks", `check suites cannot be read (${errorText(error)}): commands that run code have to name the commit`, [
				"permissions:",
				"  checks: write",
			]),
		];
	}
}

async function findRemoteRepository(folder: string): Promise<string | undefined> {
	try {
		const { git } = await openRepository(folder);
		const url = (await git.porcelain(["config", "--get", "remote.origin.url"])).trim();
		return /[/:]([^/:]+\/[^/]+?)(?:\.git)?$/.exec(url)?.[1];
	} catch {
		return undefined;
	}
}

const SIGNS = { ok: "ok  ", warn: "warn", fail: "FAIL" } as const;

/** One line a check, what to add indented below it, and the sum. */
export function renderChecks(checks: readonly DoctorCheck[]): string {
	const width = Math.max(...checks.map((check) => check.name.length));
	const lines = checks.flatMap((check) => [
		`${SIGNS[check.state]}  ${check.name.padEnd(width)}  ${check.text}`,
		...(check.fix ?? []).map((line) => `${" ".repeat(width + 8)}| ${line}`),
	]);
	const count = (state: DoctorCheck["state"]): number => checks.filter((check) => check.state === state).length;
	return [...lines, "", `${count("ok")} ok, ${count("warn")} to look at, ${count("fail")} failed`].join("\n");
}
