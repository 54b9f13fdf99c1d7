import { createHash } from "node:crypto";
import type { AgentDefinition } from "../domain/agent.ts";
import type { ReasonCode } from "../domain/errors.ts";
import type { Sha } from "../domain/ids.ts";
import type { CommitReader } from "../seams.ts";
import { decodeText, readFrontMatter } from "./front-matter.ts";

/** Where skills are looked for: the trusted ref of the repository, or a pinned organisation commit. */
export interface SkillSource {
	readonly reader: CommitReader;
	readonly commit: Sha;
}

/**
 * Where the skills of an agent are looked for: an organisation's agent brings its own, which the repository cannot
 * replace (S-041); all others, and what it does not bring, are the repository's.
 */
export function skillSourcesFor(
	agent: Pick<AgentDefinition, "tier">,
	repository: SkillSource,
	organisation: SkillSource | undefined,
): readonly SkillSource[] {
	return agent.tier === "organisation" && organisation !== undefined ? [organisation, repository] : [repository];
}

export interface Skill {
	readonly name: string;
	readonly path: string;
	/** The instructions, without the header. */
	readonly text: string;
	readonly bytes: number;
	readonly sha256: string;
}

export type ResolvedSkills =
	| { readonly ok: true; readonly skills: readonly Skill[]; readonly warnings: readonly string[] }
	| { readonly ok: false; readonly code: ReasonCode; readonly reason: string; readonly unknown: readonly string[] };

/** Earlier wins (S-149). */
const SKILL_FOLDERS = [".rookery/skills", ".claude/skills"] as const;

/** Above this the run goes on with a warning about the size (S-151). */
const LARGE_SKILL_BYTES = 64 * 1_024;

const SAFE_NAME = /^[A-Za-z0-9][\w.-]*(?:\/[A-Za-z0-9][\w.-]*){0,3}$/;
const REGULAR_MODES: readonly string[] = ["100644", "100755"];

/**
 * Reads the skills an agent declares, all or none: one that does not resolve refuses the call and all unknown
 * names are told (S-150). Sources are searched in order. Rejects only when git itself fails.
 */
export async function resolveSkills(agent: AgentDefinition, sources: readonly SkillSource[]): Promise<ResolvedSkills> {
	const skills: Skill[] = [];
	const unknown: string[] = [];
	for (const name of agent.skills) {
		const skill = await findSkill(name, sources);
		if (skill === undefined) unknown.push(name);
		else skills.push(skill);
	}
	if (unknown.length > 0) {
		const names = unknown.map((name) => name.slice(0, 80)).join(", ");
		return {
			ok: false,
			code: "E_POLICY",
			reason: `agent ${agent.name} declares skills that do not exist on the trusted ref: ${names}`,
			unknown,
		};
	}
	const total = skills.reduce((sum, skill) => sum + skill.bytes, 0);
	const warnings =
		total > LARGE_SKILL_BYTES
			? [
					`agent ${agent.name}: its skills have ${total} bytes (${skills.map((skill) => skill.name).join(", ")}), which is a large part of its budget`,
				]
			: [];
	return { ok: true, skills, warnings };
}

async function findSkill(name: string, sources: readonly SkillSource[]): Promise<Skill | undefined> {
	if (!SAFE_NAME.test(name) || name.includes("..")) return undefined;
	for (const { reader, commit } of sources) {
		for (const folder of SKILL_FOLDERS) {
			const path = `${folder}/${name}/SKILL.md`;
			// A link would give its target's name as text; only a plain file is a skill.
			const entry = (await reader.listFiles(commit, `${folder}/${name}`)).find((file) => file.path === path);
			if (entry === undefined || !REGULAR_MODES.includes(entry.mode)) continue;
			const bytes = await reader.readFile(commit, path);
			if (bytes === undefined) continue;
			const skill = readSkill(name, path, bytes);
			if (skill !== undefined) return skill;
		}
	}
	return undefined;
}

function readSkill(name: string, path: string, bytes: Uint8Array): Skill | undefined {
	const decoded = decodeText(bytes);
	if ("code" in decoded) return undefined;
	const header = readFrontMatter(decoded.text);
	// The header of a skill grants nothing here, so a broken one only means that all of the text is the skill.
	const text = (header.kind === "refused" ? decoded.text : header.body).trim();
	if (text === "") return undefined;
	return { name, path, text, bytes: bytes.byteLength, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/** The first message of a child: skill texts, then the prompt (S-149). */
export function putSkillsFirst(skills: readonly Skill[], prompt: string): string {
	if (skills.length === 0) return prompt;
	return [...skills.map((skill) => `# Skill: ${skill.name}\n\n${skill.text}`), prompt].join("\n\n");
}
