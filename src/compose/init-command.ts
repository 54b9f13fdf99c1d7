import { execFile } from "node:child_process";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { errorText, UserError } from "../domain/errors.ts";
import { isSha } from "../domain/ids.ts";
import type { ActionReference } from "../templates/pinned-actions.ts";
import { renderSettingsFile } from "../templates/settings-file.ts";
import { renderForksPublishWorkflow, renderForksWorkflow, renderMatrixWorkflow } from "../templates/part-workflows.ts";
import { renderCommandsWorkflow, renderMaintenanceWorkflow, renderReviewWorkflow } from "../templates/workflows.ts";
import { VERSION } from "./version.ts";

export interface InitOptions {
	/** Top folder of the repository to set up. */
	readonly folder: string;
	/** Overwrite files that differ. */
	readonly force: boolean;
	/** `owner/name@<full commit SHA>`; found from the program's own clone when absent. */
	readonly action?: string;
	/** Spread reviews over so many machines at most; one without. */
	readonly shards?: number;
	readonly bundleFolder: string;
	readonly write: (line: string) => void;
}

const DEFAULT_REPOSITORY = "rookery/rookery";

const REVIEW = ".github/workflows/rookery-review.yml";

/** Each file that is written, one line each. */
const FILES: Readonly<Record<string, (action: ActionReference) => string>> = {
	[REVIEW]: renderReviewWorkflow,
	".github/workflows/rookery-commands.yml": renderCommandsWorkflow,
	".github/workflows/rookery-maintenance.yml": renderMaintenanceWorkflow,
	".github/workflows/rookery-forks.yml": renderForksWorkflow,
	".github/workflows/rookery-forks-publish.yml": renderForksPublishWorkflow,
	".rookery/settings.json": renderSettingsFile,
};

/**
 * `rookery init`: writes the workflows and a first settings file. Asks nothing and overwrites nothing without `--force`.
 * The exit code: 0 when every file stands as it should, 1 when one that differs was left alone. Throws a UserError for a
 * folder that is not there and when the commit to pin cannot be found.
 */
export async function runInit(options: InitOptions): Promise<number> {
	const there = await stat(options.folder).catch(() => undefined);
	if (there?.isDirectory() !== true) throw new UserError(`option --dir: found ${options.folder}, wanted the top folder of a repository`);
	const action = options.action === undefined ? await findOwnReference(options.bundleFolder) : parseReference(options.action);
	const kept: string[] = [];
	const { shards } = options;
	const files = shards === undefined ? FILES : { ...FILES, [REVIEW]: (pin: ActionReference) => renderMatrixWorkflow(pin, shards) };
	for (const [name, render] of Object.entries(files)) {
		const state = await writeOne(path.join(options.folder, name), render(action), options.force);
		if (state === "kept") kept.push(name);
		options.write(`${state.padEnd(9)} ${name}`);
	}
	if (kept.length > 0)
		options.write(
			`\n${kept.length === 1 ? "One file differs and was" : `${kept.length} files differ and were`} left as found; --force overwrites.`,
		);
	else options.write(NEXT_STEPS);
	return kept.length > 0 ? 1 : 0;
}

const NEXT_STEPS = `
Next:
  1. Put a key into the repository's Actions secrets as ANTHROPIC_API_KEY, or do without: then the offline analyst reviews.
  2. Commit these files to the default branch; comments and settings count from there.
  3. Check the set-up with: rookery doctor`;

type Written = "written" | "replaced" | "unchanged" | "kept";

async function writeOne(file: string, content: string, force: boolean): Promise<Written> {
	try {
		await mkdir(path.dirname(file), { recursive: true });
		const before = await readFile(file, "utf8").catch((error: unknown) => {
			if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
			throw error;
		});
		if (before === content) return "unchanged";
		if (before !== undefined && !force) return "kept";
		// Without force the file must not be there: whatever was put there meanwhile stays.
		await writeFile(file, content, { flag: force ? "w" : "wx" });
		return before === undefined ? "written" : "replaced";
	} catch (error) {
		throw new UserError(`${file}: cannot be written: ${errorText(error)}`, { cause: error });
	}
}

/** Throws a UserError for everything that is no pin: a tag can be moved. */
function parseReference(text: string): ActionReference {
	const match = /^([A-Za-z0-9][A-Za-z0-9-]{0,38}\/[A-Za-z0-9._-]{1,100})@(.+)$/.exec(text);
	const [, repository = "", sha = ""] = match ?? [];
	if (!isSha(sha))
		throw new UserError(
			`option --action: found ${JSON.stringify(text.slice(0, 120))}, wanted owner/name@<full commit SHA of 40 hex digits>`,
		);
	return { repository, sha, version: VERSION };
}

/** The commit of the clone that this program runs from, and the repository it was cloned from. */
async function findOwnReference(bundleFolder: string): Promise<ActionReference> {
	const ask = async (...args: string[]): Promise<string | undefined> => {
		try {
			const { stdout } = await promisify(execFile)("git", ["-C", bundleFolder, ...args], { encoding: "utf8", timeout: 10_000 });
			return stdout.trim();
		} catch {
			return undefined;
		}
	};
	const sha = await ask("rev-parse", "--verify", "HEAD^{commit}");
	if (sha === undefined || !isSha(sha)) {
		throw new UserError(
			"option --action: this program runs from no clone whose commit could be pinned; wanted --action owner/name@<full commit SHA>",
		);
	}
	const remote = (await ask("remote", "get-url", "origin")) ?? "";
	const repository = /github\.com[/:]([A-Za-z0-9-]+\/[A-Za-z0-9._-]+?)(?:\.git)?\/?$/.exec(remote)?.[1];
	return { repository: repository ?? DEFAULT_REPOSITORY, sha, version: VERSION };
}
