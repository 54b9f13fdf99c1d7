import * as z from "zod";
import type { ToolName } from "../domain/agent.ts";
import type { ToolSpec } from "../domain/model-message.ts";
import type { Tool, ToolEffect, ToolOutput } from "../seams.ts";
import type { PathRefusal } from "../guard/path-guard.ts";

export interface ToolDefinition<Schema extends z.ZodType> {
	readonly name: ToolName;
	/** Short: it is paid for in every request (G1). */
	readonly description: string;
	readonly schema: Schema;
	readonly effect: ToolEffect;
	readonly timeoutMs: number;
	/** Mends raw input that means the right thing in the wrong form, before the schema judges it. */
	readonly mend?: (input: unknown) => unknown;
	run(input: z.output<Schema>, signal: AbortSignal): Promise<ToolOutput>;
}

/** Makes a `Tool` of a zod schema. The schema is the only place where the input's shape is written down. */
export function defineTool<Schema extends z.ZodType>(definition: ToolDefinition<Schema>): Tool {
	const mend = definition.mend ?? mendNumbers;
	return {
		spec: buildSpec(definition.name, definition.description, definition.schema),
		effect: definition.effect,
		timeoutMs: definition.timeoutMs,
		parse(input) {
			const parsed = definition.schema.safeParse(mend(input));
			if (parsed.success) return { ok: true, value: parsed.data };
			return { ok: false, error: explainIssues(definition.name, parsed.error) };
		},
		async run(input, signal) {
			if (signal.aborted) return { content: "Cancelled before it started.", isError: true };
			return definition.run(input as z.output<Schema>, signal);
		},
	};
}

/** `.meta({ unlisted: true })`: taken when it is given, and never spoken of (G1). */
const UNLISTED = "unlisted";

const BOUNDS = ["minLength", "maxLength", "minimum", "maximum", "maxItems", "default", "additionalProperties"] as const;

function buildSpec(name: ToolName, description: string, schema: z.ZodType): ToolSpec {
	const inputSchema = z.toJSONSchema(schema, {
		io: "input",
		override: ({ jsonSchema }) => {
			// Bounds are checked by us and paid for in every request (G1); their error text tells a model when it matters.
			for (const bound of BOUNDS) delete jsonSchema[bound];
			for (const [key, property] of Object.entries(jsonSchema.properties ?? {})) {
				if (typeof property === "object" && UNLISTED in property) delete jsonSchema.properties?.[key];
			}
			// One argument is needed by itself.
			if (Object.keys(jsonSchema.properties ?? {}).length === 1) delete jsonSchema.required;
		},
	}) as Record<string, unknown>;
	delete inputSchema["$schema"];
	return { name, description, inputSchema };
}

function explainIssues(name: ToolName, error: z.ZodError): string {
	const issues = error.issues.slice(0, 5).map((issue) => `${issue.path.map(String).join(".") || "input"}: ${issue.message}`);
	return `${name} was not run. ${issues.join("; ")}. Call it again with these corrected.`;
}

/** Models write whole numbers as strings and leave optional values null; both mean what they say. */
export function mendNumbers(input: unknown): unknown {
	if (typeof input !== "object" || input === null || Array.isArray(input)) return input;
	return Object.fromEntries(
		Object.entries(input)
			.filter(([, value]) => value !== null)
			.map(([key, value]) => [
				key,
				/Line$|^context$/.test(key) && typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value,
			]),
	);
}

/** The error result of a path that was refused or is not there. */
export function refusePath(path: string, refusal: PathRefusal): ToolOutput {
	return {
		content: `${showPath(path)}: ${refusal.reason}${refusal.code === undefined ? "" : ` (${refusal.code})`}.`,
		isError: true,
		...(refusal.code === undefined ? {} : { code: refusal.code }),
	};
}

/** File names are data of the head tree: odd ones are shown as JSON strings, so that no line break can fake a row (A21). */
export function showPath(path: string): string {
	return /^[\p{L}\p{N}\p{M} ._/@+~#,=()[\]$!&%{}-]+$/u.test(path) ? path : JSON.stringify(path.toWellFormed());
}
