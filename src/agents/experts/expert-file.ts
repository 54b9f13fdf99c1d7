import { posix } from "node:path";
import * as z from "zod";
import type { AgentProblem } from "../../domain/agent.ts";
import type { ReasonCode } from "../../domain/errors.ts";
import type { Sha } from "../../domain/ids.ts";
import type { ExpertSettings } from "../../domain/settings.ts";
import type { RepositoryReader } from "../../seams.ts";
import { decodeText, readFrontMatter } from "../front-matter.ts";

/** Where a repository keeps its own languages and its additions to the built-in ones. */
const EXPERTS_FOLDER = ".rookery/experts";

const LINK_MODE = "120000";
const MAX_FILES = 50;
const MAX_GUIDANCE = 20_000;

/** A list, or one text with commas, as people write both. */
function listOf(item: z.ZodType<string>) {
	return z
		.preprocess((value) => (typeof value === "string" ? value.split(",").map((part) => part.trim()) : value), z.array(item))
		.optional();
}

const word = z.string().min(1);

const headerSchema = z.strictObject({
	id: z.string().regex(/^[a-z][a-z0-9+#-]*$/, "an id of small letters, such as kotlin"),
	displayName: z.string().min(1).optional(),
	extensions: listOf(z.string().regex(/^\.[A-Za-z0-9_+.-]+$/, "an extension with its dot, such as .kt")),
	filenames: listOf(word),
	manifests: listOf(word),
	test: z.string().min(1).optional(),
});

export type ExpertFile =
	| { readonly state: "loaded"; readonly id: string; readonly expert: ExpertSettings }
	| { readonly state: "refused"; readonly code: ReasonCode; readonly reason: string };

/**
 * One file of `.rookery/experts`: a header with `id` (else the file's name), `extensions`, `manifests`, `test`, and a
 * body with what to look for. A fault is a value that says what to change; it never stops the other files.
 */
export function parseExpertFile(bytes: Uint8Array, path: string): ExpertFile {
	const decoded = decodeText(bytes);
	if ("code" in decoded) return { state: "refused", ...decoded };
	const matter = readFrontMatter(decoded.text);
	if (matter.kind === "refused") return { state: "refused", code: matter.code, reason: matter.reason };
	const data = matter.kind === "read" ? matter.data : {};
	const header = headerSchema.safeParse({ id: posix.basename(path, ".md").toLowerCase(), ...data });
	if (!header.success) return { state: "refused", code: "E_FRONTMATTER", reason: describeIssue(header.error, data) };
	const guidance = matter.body.trim();
	if (guidance.length > MAX_GUIDANCE) {
		return { state: "refused", code: "E_LIMIT", reason: `its text has ${guidance.length} characters, at most ${MAX_GUIDANCE} are read` };
	}
	const { id, ...rest } = header.data;
	const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)) as ExpertSettings;
	return { state: "loaded", id, expert: { ...given, ...(guidance === "" ? {} : { guidance }) } };
}

function describeIssue(error: z.ZodError, data: Readonly<Record<string, unknown>>): string {
	const issue = error.issues[0];
	if (issue?.code === "unrecognized_keys") return `unknown key ${issue.keys[0]}; known: ${Object.keys(headerSchema.shape).join(", ")}`;
	const key = String(issue?.path[0] ?? "header");
	return `${key}: found ${JSON.stringify(data[key])?.slice(0, 80) ?? "nothing"}, wanted ${issue?.message ?? "something else"}`;
}

/**
 * The languages of the trusted ref's folder joined with those of the settings, which win key by key; guidance of both
 * is kept. Links are not followed. Rejects only when git fails.
 */
export async function loadExperts(
	reader: RepositoryReader,
	trusted: Sha,
	settings: Readonly<Record<string, ExpertSettings>>,
): Promise<{ readonly experts: Readonly<Record<string, ExpertSettings>>; readonly problems: readonly AgentProblem[] }> {
	const problems: AgentProblem[] = [];
	const experts: Record<string, ExpertSettings> = {};
	const files = (await reader.listFiles(trusted, EXPERTS_FOLDER)).filter((file) => file.path.endsWith(".md"));
	for (const [index, file] of files.entries()) {
		const { path } = file;
		if (index >= MAX_FILES) {
			problems.push({ path, code: "E_LIMIT", reason: `only the first ${MAX_FILES} files are read` });
			continue;
		}
		if (file.mode === LINK_MODE) {
			problems.push({ path, code: "E_LINK", reason: "it is a symbolic link; put the file itself there" });
			continue;
		}
		const parsed = parseExpertFile((await reader.readFile(trusted, path)) ?? Buffer.alloc(0), path);
		if (parsed.state === "refused") problems.push({ path, code: parsed.code, reason: parsed.reason });
		else experts[parsed.id] = joinExperts(experts[parsed.id], parsed.expert);
	}
	for (const [id, expert] of Object.entries(settings)) experts[id] = joinExperts(experts[id], expert);
	return { experts, problems };
}

function joinExperts(first: ExpertSettings | undefined, second: ExpertSettings): ExpertSettings {
	const guidance = [first?.guidance, second.guidance].filter((text) => text !== undefined).join("\n\n");
	return { ...first, ...second, ...(guidance === "" ? {} : { guidance }) };
}
