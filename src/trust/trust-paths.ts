import type { TrustDiffRow } from "../domain/synthesis.ts";

type TrustKind = TrustDiffRow["kind"];

/**
 * Files that steer reviewers or the runner, by pattern over the path in lower case: on some file systems another
 * case is the same file. The first match counts.
 */
const KINDS: readonly (readonly [RegExp, TrustKind])[] = [
	[/(?:^|\/)\.(?:rookery|garuda|claude)\/agents\//, "agent"],
	[/(?:^|\/)\.(?:rookery|claude)\/skills\//, "skill"],
	[/(?:^|\/)\.(?:rookery|claude)\/hooks\//, "hook"],
	[/(?:^|\/)\.claude\/(?:settings|settings\.local)\.json$/, "settings"],
	[/(?:^|\/)\.(?:rookery|garuda)\/settings\.json$/, "settings"],
	[/(?:^|\/)\.claude\.json$/, "settings"],
	[/^\.rookery\/(?:policy|trust)\.json$/, "policy"],
	[/^\.rookery\/suppressions\.ya?ml$/, "policy"],
	[/^(?:claude|claude\.local|agents|gemini)\.md$/, "instructions"],
	[/^\.github\/copilot-instructions\.md$/, "instructions"],
	[/^\.github\/instructions\//, "instructions"],
	[/(?:^|\/)\.cursorrules$/, "instructions"],
	[/(?:^|\/)\.cursor\/rules\//, "instructions"],
	[/^\.github\/(?:workflows|actions)\//, "workflow"],
	[/(?:^|\/)\.mcp\.json$/, "other"],
	[/^\.worktreeinclude$/, "other"],
	[/(?:^|\/)\.(?:rookery|garuda|claude)(?:\/|$)/, "other"],
];

/** In deeper folders only this spelling is read by anybody, and `docs/agents.md` is a page like others. */
const NESTED_INSTRUCTIONS = /\/(?:CLAUDE|CLAUDE\.local|AGENTS|GEMINI)\.md$/;

/** What kind of trusted file a path is; undefined for ordinary code (S-040, X-06). */
export function classifyTrustPath(path: string): TrustKind | undefined {
	const lowered = path.toLowerCase();
	const kind = KINDS.find(([pattern]) => pattern.test(lowered))?.[1];
	return (kind === undefined || kind === "other") && NESTED_INSTRUCTIONS.test(path) ? "instructions" : kind;
}
