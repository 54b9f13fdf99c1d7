import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PARENT_MARKER } from "./decide.ts";
import { runSide, type SideRun } from "./run-side.ts";

const PACKAGE = "@anthropic-ai/claude-code";
const VERSION = "2.1.332";

/** The peer's program, installed into a folder of its own; undefined when it cannot be had here. */
export function installPeer(folder: string): string | undefined {
	mkdirSync(folder, { recursive: true });
	writeFileSync(path.join(folder, "package.json"), '{ "private": true }\n');
	try {
		execFileSync("npm", ["install", "--no-audit", "--no-fund", "--no-save", "--ignore-scripts=false", `${PACKAGE}@${VERSION}`], {
			cwd: folder,
			stdio: "ignore",
			timeout: 180_000,
		});
	} catch {
		return undefined;
	}
	const program = path.join(folder, "node_modules/.bin/claude");
	return existsSync(program) ? program : undefined;
}

export interface PeerRun extends SideRun {
	/** By the peer's own meter. */
	readonly costUsd: number;
}

/** One headless run whose parent starts a child for each of the reviewer files named. */
export async function runPeer(options: {
	readonly program: string;
	readonly repository: string;
	readonly home: string;
	readonly baseUrl: string;
	readonly reviewers: readonly string[];
}): Promise<PeerRun> {
	const allowed = "Read,Grep,Glob,Bash(git diff:*),Agent";
	const args = ["-p", `${PARENT_MARKER} ${options.reviewers.join(",")}`, "--output-format", "json", "--allowedTools", allowed];
	const run = await runSide({
		command: options.program,
		args: [...args, "--model", "claude-opus-5-5"],
		cwd: options.repository,
		env: {
			PATH: process.env["PATH"] ?? "",
			HOME: options.home,
			ANTHROPIC_API_KEY: "key-for-benches",
			ANTHROPIC_BASE_URL: options.baseUrl,
			DISABLE_TELEMETRY: "1",
			DISABLE_ERROR_REPORTING: "1",
			DISABLE_AUTOUPDATER: "1",
			CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
			CI: "1",
		},
	});
	const result = JSON.parse(run.output) as { total_cost_usd: number; is_error: boolean; subagent_stats?: { completed: number } };
	if (result.is_error || result.subagent_stats?.completed !== options.reviewers.length) {
		throw new Error(`the peer did not finish its ${options.reviewers.length} children: ${run.output.slice(0, 500)}`);
	}
	return { ...run, costUsd: result.total_cost_usd };
}
