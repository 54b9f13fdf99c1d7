import { createHash } from "node:crypto";
import type { AgentFile, AgentTier } from "../domain/agent.ts";
import { type FieldFault, readModelField, readPlainFields, readToolFields } from "./agent-fields.ts";
import { findNameFault } from "./agent-name.ts";
import { decodeText, readFrontMatter } from "./front-matter.ts";
import { OFFICIAL_KEYS } from "./front-matter-repair.ts";

/**
 * Reads one agent file in the format as people write it (BUGS.md part 2). Never throws for what a file holds;
 * the same bytes give the same answer every time.
 * @param options.path repository path, used for the source only
 */
export function parseAgentFile(options: { readonly path: string; readonly bytes: Uint8Array; readonly tier: AgentTier }): AgentFile {
	const decoded = decodeText(options.bytes);
	if ("code" in decoded) return { state: "refused", code: decoded.code, reason: decoded.reason };
	const header = readFrontMatter(decoded.text);
	if (header.kind === "none") {
		return { state: "documentation", reason: "no header, so it is taken for documentation", ...(header.hint ? { hint: header.hint } : {}) };
	}
	if (header.kind === "refused") return { state: "refused", code: header.code, reason: header.reason };
	if (header.data["name"] === undefined || header.data["name"] === null || header.data["name"] === "") {
		return { state: "documentation", reason: "its header has no name, so it is taken for documentation" };
	}
	return readDefinition(options, header);
}

function readDefinition(
	options: { readonly path: string; readonly bytes: Uint8Array; readonly tier: AgentTier },
	header: { readonly data: Readonly<Record<string, unknown>>; readonly body: string; readonly repairs: readonly string[] },
): AgentFile {
	const { data } = header;
	const warnings: string[] = [];
	const name = readText(data["name"]);
	if (name === undefined) return refuse({ code: "E_FRONTMATTER", reason: `name: found ${typeof data["name"]}, wanted text` });
	const nameFault = findNameFault(name);
	if (nameFault !== undefined)
		return refuse({ code: "E_POLICY", reason: `name: ${JSON.stringify(name.slice(0, 60))} cannot be used: ${nameFault}` });
	const description = readText(data["description"]);
	if (description === undefined || description === "") {
		return refuse({ code: "E_FRONTMATTER", reason: "description: it is missing; say in one sentence when to use the agent" }, name);
	}
	const prompt = header.body.trim();
	if (prompt === "") return refuse({ code: "E_FRONTMATTER", reason: "there are no instructions below the header" }, name);
	const tools = readToolFields(data, warnings);
	if ("code" in tools) return refuse(tools, name);
	const model = readModelField(data, warnings);
	if ("code" in model) return refuse(model, name);
	const plain = readPlainFields(data, options.tier, warnings);
	const unknownKeys = Object.keys(data).filter((key) => !OFFICIAL_KEYS.some((official) => official === key));
	if (unknownKeys.length > 0) warnings.push(describeUnknownKeys(unknownKeys));

	const { readOnlyByDefault, ...toolFields } = tools;
	return {
		state: "loaded",
		agent: {
			name,
			description,
			kind: "reviewer",
			tier: options.tier,
			prompt,
			...toolFields,
			...model,
			...plain,
			oneShot: false,
			...(unknownKeys.length > 0 ? { unknownKeys } : {}),
			source: { path: options.path, sha256: createHash("sha256").update(options.bytes).digest("hex") },
		},
		readOnlyByDefault,
		repairs: header.repairs,
		warnings,
	};
}

function refuse(fault: FieldFault, name?: string): AgentFile {
	return { state: "refused", ...(name === undefined ? {} : { name }), code: fault.code, reason: fault.reason };
}

/** YAML reads `name: 404` as a number; it was meant as a name. */
function readText(value: unknown): string | undefined {
	if (typeof value === "string") return value.trim();
	return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/** One note a file, whatever the dialect (BR-65). */
function describeUnknownKeys(keys: readonly string[]): string {
	const shown = keys.slice(0, 12).map((key) => key.slice(0, 40));
	const more = keys.length > shown.length ? ` and ${keys.length - shown.length} more` : "";
	const advice = keys.includes("allowedTools") ? "; to name tools, write tools instead of allowedTools" : "";
	return `unknown keys, ignored: ${shown.join(", ")}${more}${advice}`;
}
